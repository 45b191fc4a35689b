/*
 * What the Valgrind tool left: lines of words, as src/correlate/cr_result.c describes them.
 */
#ifndef HD_CORRELATE_READER_CORRELATE_INPUT_H
#define HD_CORRELATE_READER_CORRELATE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

struct hd_cr_module {
	uint64_t base, len;
	char *path;
};

struct hd_cr_thread {
	uint32_t number, creator, ctx;
	uint64_t pc;
};

struct hd_cr_ctx {
	uint32_t number, parent;
	uint64_t pc;
};

struct hd_cr_block {
	uint64_t addr, size, pc;
	uint32_t thread, ctx;
};

struct hd_cr_lock {
	uint64_t addr;
	bool shared;
	unsigned kind;
};

enum hd_cr_op { HD_CR_READ, HD_CR_WRITE, HD_CR_ATOMIC };

struct hd_cr_access {
	const char *role; /* "first", "second", "begin", "between", "end": static */
	uint32_t thread, ctx, size;
	enum hd_cr_op op;
	uint64_t addr, pc;
	struct hd_cr_lock *locks;
	size_t nlocks, locks_room;
};

/* From what is told first of a set to what only counts if there is nothing else. */
enum hd_cr_kind {
	HD_CR_RACE,
	HD_CR_RELEASED,
	HD_CR_REPEATED,
	HD_CR_INDEXED,
	HD_CR_TORN,
	HD_CR_LOCKS,
	HD_CR_LOCKSET, /* of the paper's algorithm, which has no other */
	HD_CR_ORDERED
};

struct hd_cr_finding {
	enum hd_cr_kind kind;
	uint32_t set; /* 0: of its own */
	uint64_t addr, times;
	uint32_t size;
	struct hd_cr_access *accesses;
	size_t naccesses, accesses_room;
};

struct hd_cr_word {
	uint32_t set, size;
	uint64_t addr;
	uint64_t threads; /* a set of bits: numbers modulo 64 */
	bool written;
};

struct hd_cr_result {
	struct hd_cr_module *modules;
	size_t nmodules, modules_room;
	struct hd_cr_thread *threads;
	size_t nthreads, threads_room;
	struct hd_cr_ctx *contexts;
	size_t ncontexts, contexts_room;
	struct hd_cr_block *blocks;
	size_t nblocks, blocks_room;
	struct hd_cr_finding *findings;
	size_t nfindings, findings_room;
	struct hd_cr_word *words; /* by set, then address */
	size_t nwords, words_room;
	int code; /* of the program */
};

/* A file that breaks off, or of another version, is an error that says so. */
enum hd_err hd_cr_read(struct hd_cr_result *r, const char *path, struct hd_errbuf *eb);
/* The same of @text; @name is for messages. */
enum hd_err hd_cr_parse(struct hd_cr_result *r, char *text, const char *name, struct hd_errbuf *eb);
void hd_cr_free(struct hd_cr_result *r);

#endif
