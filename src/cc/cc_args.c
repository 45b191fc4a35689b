#include "cc_args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/path.h"

/* clang's pass manager changed in 13, and the older one was removed in 15. */
#define CLANG_WITH_NEW_PASSES	    13
#define CLANG_WITHOUT_LEGACY_PASSES 15

static bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static bool is_one_of(const char *s, const char *const list[])
{
	for (; *list; list++)
		if (!strcmp(s, *list))
			return true;
	return false;
}

/* ---- options ---- */

/* Options whose argument is the next word, so that the word is not taken for an input. */
bool hd_cc_takes_next_word(const char *opt)
{
	static const char *const list[] = { "-o",
					    "-x",
					    "-I",
					    "-L",
					    "-l",
					    "-D",
					    "-U",
					    "-A",
					    "-B",
					    "-F",
					    "-T",
					    "-e",
					    "-u",
					    "-z",
					    "-h",
					    "-G",
					    "-MF",
					    "-MT",
					    "-MQ",
					    "-include",
					    "-imacros",
					    "-isystem",
					    "-iquote",
					    "-idirafter",
					    "-iprefix",
					    "-iwithprefix",
					    "-iwithprefixbefore",
					    "-isysroot",
					    "-imultilib",
					    "-isystem-after",
					    "-iframework",
					    "-ivfsoverlay",
					    "-include-pch",
					    "-cxx-isystem",
					    "-Xlinker",
					    "-Xassembler",
					    "-Xpreprocessor",
					    "-Xclang",
					    "-Xanalyzer",
					    "-Xopenmp-target",
					    "-mllvm",
					    "-arch",
					    "-target",
					    "-framework",
					    "-aux-info",
					    "-dumpbase",
					    "-dumpbase-ext",
					    "-dumpdir",
					    "-wrapper",
					    "-specs",
					    "-working-directory",
					    "-serialize-diagnostics",
					    "-gcc-toolchain",
					    "-MJ",
					    "-mthread-model",
					    "-rpath",
					    "--param",
					    "--sysroot",
					    "--output",
					    "--language",
					    "--include",
					    "--imacros",
					    "--include-directory",
					    "--include-directory-after",
					    "--library-directory",
					    "--define-macro",
					    "--undefine-macro",
					    "--entry",
					    "--prefix",
					    "--for-linker",
					    "--for-assembler",
					    "--force-link",
					    "--dump",
					    "--dumpbase",
					    "--dumpdir",
					    "--specs",
					    "--serialize-diagnostics",
					    NULL };

	return is_one_of(opt, list);
}

/* Options that make the driver answer a question and compile nothing. */
static bool only_asks(const char *opt)
{
	static const char *const list[] = { "-###",	     "--version",
					    "-dumpversion",  "-dumpmachine",
					    "-dumpspecs",    "-dumpfullversion",
					    "--target-help", "--help",
					    "--help-hidden", NULL };

	return is_one_of(opt, list) || starts_with(opt, "-print-") ||
	       starts_with(opt, "--print-") || starts_with(opt, "--help=");
}

/* The stage an option asks for; HD_CC_LINK when it asks for none. */
static enum hd_cc_stage stage_of(const char *opt)
{
	static const char *const preprocess[] = {
		"-E", "-M", "-MM", "--preprocess", "--dependencies", "--user-dependencies", NULL
	};
	static const char *const compile[] = { "-c",	       "-S",	     "-fsyntax-only",
					       "--compile",    "--assemble", "--analyze",
					       "--precompile", "-emit-ast",  NULL };

	if (only_asks(opt))
		return HD_CC_ASK;
	if (is_one_of(opt, preprocess))
		return HD_CC_PREPROCESS;
	if (is_one_of(opt, compile))
		return HD_CC_COMPILE;
	if (!strcmp(opt, "-r"))
		return HD_CC_PARTIAL;
	return HD_CC_LINK;
}

/* ---- inputs ---- */

enum input_kind {
	INPUT_OBJECT, /* for the linker: objects, libraries, scripts, anything unknown */
	INPUT_SOURCE,
	INPUT_PREPROCESSED,
	INPUT_HEADER,
	INPUT_ASM,
	INPUT_ASM_CPP,
};

static enum input_kind kind_by_language(const char *lang)
{
	static const char preprocessed[] = "cpp-output"; /* c++-cpp-output is another */
	size_t len = strlen(lang), tail = strlen(preprocessed);

	if (!strcmp(lang, "assembler"))
		return INPUT_ASM;
	if (!strcmp(lang, "assembler-with-cpp"))
		return INPUT_ASM_CPP;
	if (strstr(lang, "header"))
		return INPUT_HEADER;
	if (len >= tail && !strcmp(lang + len - tail, preprocessed))
		return INPUT_PREPROCESSED;
	return INPUT_SOURCE;
}

static enum input_kind kind_by_name(const char *name)
{
	static const char *const source[] = { "c",   "cc",  "cp",  "cxx",  "cpp", "CPP",
					      "c++", "C",   "ixx", "cppm", "m",	  "mm",
					      "M",   "ll",  "bc",  "f",	   "F",	  "for",
					      "f90", "F90", "f95", "F95",  "f03", "f08",
					      "go",  "d",   "adb", "cu",   NULL };
	static const char *const header[] = { "h",   "hh",  "H",   "hp",  "hxx",
					      "hpp", "HPP", "h++", "tcc", NULL };
	static const char *const output[] = { "i", "ii", "mi", "mii", NULL };
	static const char *const asm_cpp[] = { "S", "sx", NULL };
	const char *dot = strrchr(hd_base_name(name), '.');

	if (!strcmp(name, "-"))
		return INPUT_SOURCE;
	if (!dot)
		return INPUT_OBJECT;
	dot++;
	if (is_one_of(dot, source))
		return INPUT_SOURCE;
	if (is_one_of(dot, header))
		return INPUT_HEADER;
	if (is_one_of(dot, output))
		return INPUT_PREPROCESSED;
	if (is_one_of(dot, asm_cpp))
		return INPUT_ASM_CPP;
	return strcmp(dot, "s") ? INPUT_OBJECT : INPUT_ASM;
}

/* ---- sanitizers ---- */

/* Does the comma list @names (of -fsanitize=) contain @name? */
static bool in_commas(const char *names, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = names; (at = strstr(at, name)); at += len) {
		bool begins = at == names || at[-1] == ',';

		if (begins && (at[len] == ',' || !at[len]))
			return true;
	}
	return false;
}

/* The compilers keep shadow memory for one of these or for thread, never for both. */
static const char *const incompatible[] = {
	"address", "hwaddress",	    "kernel-address", "kernel-hwaddress",
	"memory",  "kernel-memory", "leak",	      "dataflow",
	NULL
};

/* The value of -fsanitize= or -fno-sanitize=, or NULL. */
static const char *sanitizers_of(const char *opt, bool *on)
{
	*on = starts_with(opt, "-fsanitize=");
	if (*on)
		return opt + strlen("-fsanitize=");
	return starts_with(opt, "-fno-sanitize=") ? opt + strlen("-fno-sanitize=") : NULL;
}

static void note_sanitizers(struct hd_cc_job *job, const char *names, bool on)
{
	bool all = !on && in_commas(names, "all");

	if (all || in_commas(names, "thread"))
		job->excluded = !on;
	if (!on && (all || (job->conflict[0] && in_commas(names, job->conflict))))
		job->conflict[0] = 0;
	for (int i = 0; on && incompatible[i]; i++)
		if (in_commas(names, incompatible[i]))
			snprintf(job->conflict, sizeof(job->conflict), "%s", incompatible[i]);
}

/* Add @opt, a -f[no-]sanitize= option, without "thread"; nothing if nothing is left. */
static void add_other_sanitizers(struct hd_cc_list *out, const char *opt, const char *names)
{
	char *kept = malloc(strlen(opt) + 1);
	size_t head = (size_t)(names - opt), used = head;

	if (!kept) {
		out->failed = true;
		return;
	}
	memcpy(kept, opt, head);
	for (const char *at = names; *at;) {
		size_t len = strcspn(at, ",");

		if (len != strlen("thread") || strncmp(at, "thread", len) != 0) {
			if (used > head)
				kept[used++] = ',';
			memcpy(kept + used, at, len);
			used += len;
		}
		at += len + (at[len] == ',');
	}
	kept[used] = 0;
	if (used > head)
		hd_cc_list_add(out, kept);
	free(kept);
}

/* ---- the job ---- */

/* What the walk over the words has to remember beside the job itself. */
struct walk {
	const char *language; /* of -x, or NULL */
	bool only_inputs;     /* after "--" */
	bool no_libc;	      /* -nostdlib and friends */
	bool names_libc;      /* -lc is there all the same */
	bool freestanding;    /* -ffreestanding */
	size_t inputs;
	size_t headers;
};

static void note_input(struct hd_cc_job *job, struct walk *walk, const char *name)
{
	enum input_kind kind =
		walk->language ? kind_by_language(walk->language) : kind_by_name(name);

	walk->inputs++;
	walk->headers += kind == INPUT_HEADER;
	job->has_source |=
		kind == INPUT_SOURCE || kind == INPUT_PREPROCESSED || kind == INPUT_HEADER;
	job->has_cpp |= kind == INPUT_SOURCE || kind == INPUT_HEADER || kind == INPUT_ASM_CPP;
}

static void note_library(struct walk *walk, const char *name)
{
	walk->inputs++;
	walk->names_libc |= !strcmp(name, "c");
}

static void note_flag(struct hd_cc_job *job, struct walk *walk, const char *opt)
{
	static const char *const no_libc[] = { "-nostdlib", "--no-standard-libraries",
					       "-nodefaultlibs", "-nolibc", NULL };
	enum hd_cc_stage stage = stage_of(opt);
	const char *names;
	bool on;

	if (stage < job->stage)
		job->stage = stage;
	if ((names = sanitizers_of(opt, &on)))
		note_sanitizers(job, names, on);
	job->has_debug |= starts_with(opt, "-g") || !strcmp(opt, "--debug");
	job->has_pie |= !strcmp(opt, "-pie") || !strcmp(opt, "-no-pie") || !strcmp(opt, "-nopie");
	job->is_shared |= !strcmp(opt, "-shared") || !strcmp(opt, "--shared");
	job->is_static |=
		!strcmp(opt, "-static") || !strcmp(opt, "--static") || !strcmp(opt, "-static-pie");
	if (!strcmp(opt, "-fopenmp") || !strcmp(opt, "-fno-openmp"))
		job->openmp = opt[2] != 'n';
	job->has_wrapper |= !strcmp(opt, "-wrapper");
	walk->no_libc |= is_one_of(opt, no_libc);
	if (!strcmp(opt, "-ffreestanding") || !strcmp(opt, "-fno-hosted"))
		walk->freestanding = true;
	else if (!strcmp(opt, "-fhosted") || !strcmp(opt, "-fno-freestanding"))
		walk->freestanding = false;
}

/* The language that "-x LANG" sets; NULL for none, which is back to file names. */
static const char *language_named(const char *lang)
{
	return strcmp(lang, "none") ? lang : NULL;
}

/* Note the option at words[at]; returns how many words it takes up. */
static size_t note_option(struct hd_cc_job *job, struct walk *walk, const struct hd_cc_list *words,
			  size_t at)
{
	const char *opt = words->item[at];
	const char *next = at + 1 < words->count ? words->item[at + 1] : "";

	if (!strcmp(opt, "--"))
		walk->only_inputs = true;
	else if (!strcmp(opt, "-x") || !strcmp(opt, "--language"))
		walk->language = language_named(next);
	else if (starts_with(opt, "-x"))
		walk->language = language_named(opt + 2);
	else if (starts_with(opt, "--language="))
		walk->language = language_named(opt + strlen("--language="));
	else if (starts_with(opt, "-l"))
		note_library(walk, opt[2] ? opt + 2 : next);
	else
		note_flag(job, walk, opt);
	return hd_cc_takes_next_word(opt) ? 2 : 1;
}

void hd_cc_classify(const struct hd_cc_list *words, struct hd_cc_job *job)
{
	struct walk walk = { 0 };

	*job = (struct hd_cc_job){ .stage = HD_CC_LINK };
	for (size_t i = 0; i < words->count;) {
		const char *word = words->item[i];

		if (word[0] == '-' && word[1] && !walk.only_inputs) {
			i += note_option(job, &walk, words, i);
		} else {
			note_input(job, &walk, word);
			i++;
		}
	}
	if (!walk.inputs)
		job->stage = HD_CC_ASK;
	else if (walk.headers == walk.inputs && job->stage > HD_CC_COMPILE)
		job->stage = HD_CC_COMPILE; /* precompiled headers */
	job->freestanding = walk.freestanding || (walk.no_libc && !walk.names_libc);
}

bool hd_cc_instruments(const struct hd_cc_job *job)
{
	return job->stage != HD_CC_ASK && !job->freestanding && !job->excluded;
}

bool hd_cc_links_runtime(const struct hd_cc_job *job)
{
	return job->stage == HD_CC_LINK && !job->freestanding;
}

static bool driver_links(const struct hd_cc_job *job)
{
	return job->stage == HD_CC_LINK || job->stage == HD_CC_PARTIAL;
}

/* Link-only commands too: link-time optimisation compiles then, and must instrument then. */
bool hd_cc_needs_specs(const struct hd_cc_job *job, enum hd_cc_family family)
{
	return family == HD_CC_GCC && driver_links(job) &&
	       (hd_cc_instruments(job) || job->openmp) && !job->freestanding;
}

bool hd_cc_needs_version(const struct hd_cc_job *job, enum hd_cc_family family)
{
	return family == HD_CC_CLANG && job->stage > HD_CC_PREPROCESS && job->has_source &&
	       hd_cc_instruments(job);
}

int hd_cc_clang_major(const char *text)
{
	static const char mark[] = "clang version ";
	const char *at = strstr(text, mark);

	return at ? atoi(at + strlen(mark)) : 0;
}

/* ---- the command line ---- */

/*
 * One more option for cc1, cc1plus and lto1, and for nothing else. In front of
 * the others: what follows them in gcc's own specs need not begin with a space.
 */
const char hd_cc_specs[] = "%rename cc1_options heddle_cc1_options\n\n"
			   "*cc1_options:\n-fsanitize=thread %(heddle_cc1_options)\n\n";
/* The driver would link libgomp if it saw -fopenmp. */
static const char specs_openmp[] = "%rename cc1_options heddle_cc1_options\n\n"
				   "*cc1_options:\n-fsanitize=thread -fopenmp "
				   "%(heddle_cc1_options)\n\n";
static const char specs_only_openmp[] = "%rename cc1_options heddle_cc1_options\n\n"
					"*cc1_options:\n-fopenmp %(heddle_cc1_options)\n\n";

const char *hd_cc_specs_for(const struct hd_cc_job *job)
{
	if (!job->openmp)
		return hd_cc_specs;
	return hd_cc_instruments(job) ? specs_openmp : specs_only_openmp;
}

/* The wrapper's words are separated by commas. */
bool hd_cc_rewrites(const struct hd_cc_job *job, const struct hd_cc_setup *setup)
{
	return job->openmp && job->has_source && job->stage > HD_CC_PREPROCESS &&
	       setup->family == HD_CC_GCC && hd_cc_instruments(job) && !job->has_wrapper &&
	       setup->self && !strchr(setup->self, ',');
}

static void add_joined(struct hd_cc_list *out, const char *flag, const char *value)
{
	char *word = malloc(strlen(flag) + strlen(value) + 1);

	if (word)
		strcat(strcpy(word, flag), value);
	hd_cc_list_take(out, word);
}

/* -Xlinker rather than -Wl, because a folder's name may have a comma in it. */
static void add_for_linker(struct hd_cc_list *out, const char *word)
{
	hd_cc_list_add(out, "-Xlinker");
	hd_cc_list_add(out, word);
}

/*
 * libheddle comes before everything else, so that its pthread_create is found
 * before libc's, and stays even if the program itself calls nothing in it. It
 * is named by its path, which no -static, -L or -x of the user can change.
 */
static void add_runtime(struct hd_cc_list *out, const struct hd_cc_setup *setup)
{
	const char *lib_dir = setup->lib_dir;

	add_for_linker(out, "--push-state");
	add_for_linker(out, "--no-as-needed");
	hd_cc_list_add(out, "-Xlinker");
	add_joined(out, lib_dir, "/libheddle.so");
	if (setup->note)
		add_for_linker(out, setup->note);
	if (setup->hooks)
		add_for_linker(out, setup->hooks);
	add_for_linker(out, "--pop-state");
	add_for_linker(out, "-rpath");
	add_for_linker(out, lib_dir);
}

/* Before the user's words: what they may override. */
static void add_head(struct hd_cc_list *out, const struct hd_cc_job *job,
		     const struct hd_cc_setup *setup)
{
	bool to_machine_code = job->stage > HD_CC_PREPROCESS && job->has_source;

	if (to_machine_code && hd_cc_instruments(job) && !job->has_debug)
		hd_cc_list_add(out, "-g");
	if (hd_cc_links_runtime(job))
		add_runtime(out, setup);
}

/*
 * Both compilers work out which static variables a function can touch, and both
 * forget that a function with an atomic operation in it lets other threads run:
 * a static handed over through an atomic flag is read before the hand-over, or
 * its store is dropped (docs/guide/cc.md, tests/cc/handover_*.c). The analysis is
 * ipa-reference in gcc and GlobalsModRef in clang, which clang's older pass
 * manager does not consult across calls and newer versions can leave out.
 */
static void add_handover_fix(struct hd_cc_list *out, const struct hd_cc_setup *setup)
{
	if (setup->family == HD_CC_GCC) {
		hd_cc_list_add(out, "-fno-ipa-reference");
	} else if (setup->clang_major >= CLANG_WITHOUT_LEGACY_PASSES) {
		hd_cc_list_add(out, "-mllvm");
		hd_cc_list_add(out, "-enable-global-analyses=0");
	} else if (setup->clang_major >= CLANG_WITH_NEW_PASSES) {
		hd_cc_list_add(out, "-flegacy-pass-manager");
	}
}

/*
 * gcc expands these in line after instrumentation, and then nobody sees the
 * accesses; clang calls the function. Called, they are libheddle's.
 */
static const char *const gcc_unseen_builtins[] = { "-fno-builtin-memcpy",  "-fno-builtin-memmove",
						   "-fno-builtin-mempcpy", "-fno-builtin-memset",
						   "-fno-builtin-memcmp",  "-fno-builtin-strcpy",
						   "-fno-builtin-stpcpy",  "-fno-builtin-strncpy",
						   "-fno-builtin-strcat",  "-fno-builtin-strcmp",
						   "-fno-builtin-strncmp", NULL };

/*
 * With it, glibc's headers call these by gcc's own names, for which the above says nothing. The plugin
 * makes calls of what is written out; without it there is no other way.
 */
static const char gcc_no_fortify[] = "-U_FORTIFY_SOURCE";

/*
 * -fno-plt: a hook is called for every access, so the jump in between counts.
 * gcc: fences are ours to handle, so its warning that libtsan does not is off.
 * And it would read before a loop what a round reads under a condition: a race
 * that the program does not have. clang leaves that as it is.
 * clang: leaves out the read of x++ unless told. Not by the compound hook: that
 * one comes after the read, and a switch in it would record a value nobody read.
 */
static void add_code_flags(struct hd_cc_list *out, const struct hd_cc_setup *setup)
{
	static const char *const common[] = { "-fno-omit-frame-pointer",
					      "-fno-optimize-sibling-calls", "-fno-plt", NULL };
	static const char *const gcc[] = { "--param=tsan-distinguish-volatile=1", "-Wno-tsan",
					   "-fno-tree-loop-im", NULL };
	static const char *const clang[] = { "-mllvm", "-tsan-distinguish-volatile=1", "-mllvm",
					     "-tsan-instrument-read-before-write=1", NULL };

	hd_cc_list_add_all(out, common);
	hd_cc_list_add_all(out, setup->family == HD_CC_GCC ? gcc : clang);
	if (setup->family == HD_CC_GCC)
		hd_cc_list_add_all(out, gcc_unseen_builtins);
	if (setup->plugin)
		add_joined(out, "-fplugin=", setup->plugin);
	else if (setup->family == HD_CC_GCC)
		hd_cc_list_add(out, gcc_no_fortify);
	add_handover_fix(out, setup);
}

static void add_instrumentation(struct hd_cc_list *out, const struct hd_cc_job *job,
				const struct hd_cc_setup *setup)
{
	bool by_specs = hd_cc_needs_specs(job, setup->family);

	if (!job->has_source && !by_specs)
		return;
	if (!by_specs) {
		if (driver_links(job)) /* past the driver, as gcc's specs do */
			hd_cc_list_add(out, "-Xclang");
		hd_cc_list_add(out, "-fsanitize=thread");
	}
	if (job->stage != HD_CC_PREPROCESS)
		add_code_flags(out, setup);
}

/* After the user's words: what must hold whatever they say. */
static void add_tail(struct hd_cc_list *out, const struct hd_cc_job *job,
		     const struct hd_cc_setup *setup)
{
	if (job->has_cpp && setup->include_dir) {
		hd_cc_list_add(out, "-I");
		hd_cc_list_add(out, setup->include_dir);
	}
	if (hd_cc_needs_specs(job, setup->family))
		add_joined(out, "-specs=", setup->specs_file);
	if (hd_cc_instruments(job))
		add_instrumentation(out, job, setup);
	if (hd_cc_rewrites(job, setup)) {
		char *wrapper = malloc(strlen(setup->self) + sizeof(",cc1"));

		if (wrapper)
			strcat(strcpy(wrapper, setup->self), ",cc1");
		hd_cc_list_add(out, "-wrapper");
		hd_cc_list_take(out, wrapper);
	}
	if (job->openmp && driver_links(job) && setup->family == HD_CC_GCC)
		hd_cc_list_add(out, "-pthread");
	if (hd_cc_links_runtime(job)) {
		/* Binding lazily would run the loader inside the runtime. */
		add_for_linker(out, "-z");
		add_for_linker(out, "now");
		if (setup->random_addresses && !job->is_shared && !job->is_static && !job->has_pie)
			hd_cc_list_add(out, "-no-pie");
	}
}

/*
 * -static asks for a program that is not position-independent, and its objects
 * may be compiled so; without -no-pie the default would be -pie.
 */
static void add_instead_of_static(struct hd_cc_list *out, const struct hd_cc_job *job,
				  const char *opt)
{
	if (!job->is_shared && !job->has_pie)
		hd_cc_list_add(out, strcmp(opt, "-static-pie") ? "-no-pie" : "-pie");
}

static void add_option(struct hd_cc_list *out, const struct hd_cc_job *job, const char *opt)
{
	bool makes_static =
		!strcmp(opt, "-static") || !strcmp(opt, "--static") || !strcmp(opt, "-static-pie");
	const char *names;
	bool on;

	if ((names = sanitizers_of(opt, &on)))
		add_other_sanitizers(out, opt, names);
	else if (!strcmp(opt, "-static-libtsan") || !strcmp(opt, "-ltsan"))
		return;
	else if (!job->freestanding && driver_links(job) &&
		 (!strcmp(opt, "-fopenmp") || !strcmp(opt, "-lgomp")))
		return; /* libheddle has it; the compiler proper gets the flag by specs */
	else if (makes_static && hd_cc_links_runtime(job))
		add_instead_of_static(out, job, opt);
	else
		hd_cc_list_add(out, opt);
}

void hd_cc_build(const struct hd_cc_list *words, const struct hd_cc_job *job,
		 const struct hd_cc_setup *setup, struct hd_cc_list *out)
{
	size_t i = 0;

	add_head(out, job, setup);
	while (i < words->count && strcmp(words->item[i], "--") != 0) {
		bool pair = hd_cc_takes_next_word(words->item[i]) && i + 1 < words->count;

		if (pair && !strcmp(words->item[i], "-l") && !strcmp(words->item[i + 1], "tsan")) {
			i += 2;
			continue;
		}
		add_option(out, job, words->item[i++]);
		if (pair)
			hd_cc_list_add(out, words->item[i++]);
	}
	add_tail(out, job, setup);
	for (; i < words->count; i++) /* "--" and the inputs after it */
		hd_cc_list_add(out, words->item[i]);
}

char *hd_cc_cxx_name(const char *cc)
{
	static const struct {
		const char *c, *cxx;
	} names[] = { { "clang", "clang++" }, { "gcc", "g++" }, { "cc", "c++" } };
	const char *base = hd_base_name(cc);
	char *cxx = malloc(strlen(cc) + 3);

	if (!cxx)
		return NULL;
	if (strstr(base, "++")) /* HEDDLE_CC names a C++ compiler already */
		return strcpy(cxx, cc);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *at = strstr(base, names[i].c);

		if (!at)
			continue;
		sprintf(cxx, "%.*s%s%s", (int)(at - cc), cc, names[i].cxx, at + strlen(names[i].c));
		return cxx;
	}
	return strcpy(cxx, "g++");
}
