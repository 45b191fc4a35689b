/*
 * What a compiler command line asks for, and the command line that does the
 * same for heddle. No processes and no files: cmd_cc.c does the rest, and a test
 * can check every case without a compiler.
 */
#ifndef HD_CC_CC_ARGS_H
#define HD_CC_CC_ARGS_H

#include <stdbool.h>

#include "cc_words.h"

enum hd_cc_family { HD_CC_GCC, HD_CC_CLANG };

enum hd_cc_stage {
	HD_CC_ASK,	  /* --version, -print-*, no input: nothing is compiled */
	HD_CC_PREPROCESS, /* -E, -M, -MM */
	HD_CC_COMPILE,	  /* -c, -S, -fsyntax-only, precompiled headers */
	HD_CC_PARTIAL,	  /* -r: objects in, one object out */
	HD_CC_LINK,	  /* a program or a shared library */
};

struct hd_cc_job {
	enum hd_cc_stage stage;
	bool has_source;   /* an input that the compiler proper reads */
	bool has_cpp;	   /* an input that the preprocessor reads */
	bool has_debug;	   /* the user chose a debug level */
	bool has_pie;	   /* the user said -pie or -no-pie */
	bool is_shared;	   /* -shared */
	bool is_static;	   /* -static or -static-pie */
	bool freestanding; /* no C library, hence no libheddle: leave the code alone */
	bool openmp;	   /* -fopenmp: libheddle answers in place of libgomp */
	bool has_wrapper;  /* the user has a -wrapper of their own */
	bool excluded;	   /* -fno-sanitize=thread: the user wants this file not instrumented */
	char conflict[24]; /* the sanitizer that cannot be had with ours, or "" */
};

/* Fill @job from the words of a command line without response files. */
void hd_cc_classify(const struct hd_cc_list *words, struct hd_cc_job *job);

/* What the command line cannot know by itself. */
struct hd_cc_setup {
	enum hd_cc_family family;
	int clang_major;	 /* needed when hd_cc_needs_version(); 0 if unknown */
	const char *include_dir; /* may be NULL */
	const char *lib_dir;	 /* needed when hd_cc_links_runtime() */
	const char *plugin; /* gcc: tests in line instead of calls; NULL: there is none for it */
	const char *note;   /* an object with the version in it, to be linked; NULL: none */
	const char *
		hooks; /* an object with the compiler's calls, to be linked; NULL: libheddle's do */
	/*
	 * gcc: a file with hd_cc_specs in it. The driver would link libtsan if it saw
	 * -fsanitize=thread, so when it links, only the compiler proper gets the flag.
	 */
	const char *specs_file; /* needed when hd_cc_needs_specs() */
	bool random_addresses; /* nobody can switch them off here: the program is to be at fixed ones */
	const char *self; /* the heddle command; may be NULL: OpenMP sources are not rewritten */
};

extern const char hd_cc_specs[];
/* The text of specs_file for @job. */
const char *hd_cc_specs_for(const struct hd_cc_job *job);
/* Are OpenMP loops made visible by cmd_cc1.c? */
bool hd_cc_rewrites(const struct hd_cc_job *job, const struct hd_cc_setup *setup);

bool hd_cc_instruments(const struct hd_cc_job *job);
bool hd_cc_links_runtime(const struct hd_cc_job *job);
bool hd_cc_needs_specs(const struct hd_cc_job *job, enum hd_cc_family family);
bool hd_cc_needs_version(const struct hd_cc_job *job, enum hd_cc_family family);

/* What `COMPILER --version` printed: N of "clang version N", 0 if it is not clang's. */
int hd_cc_clang_major(const char *text);

/* Is the argument of this option the next word? */
bool hd_cc_takes_next_word(const char *opt);

/* Append to @out the arguments to give to the compiler. */
void hd_cc_build(const struct hd_cc_list *words, const struct hd_cc_job *job,
		 const struct hd_cc_setup *setup, struct hd_cc_list *out);

/* The C++ driver that belongs to the C driver @cc: clang-14 -> clang++-14. Caller frees. */
char *hd_cc_cxx_name(const char *cc);

#endif
