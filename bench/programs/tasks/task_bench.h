/*
 * What the task programs of this folder share: the command line, random numbers, a checksum,
 * and the sequential elision: with --seq the same program runs without a single task construct.
 *
 *   PROGRAM [--seq] [--bug] [SIZE ...]      prints a checksum
 *
 * --bug switches on the error that each program has in store (its header says which).
 */
#ifndef TASK_BENCH_H
#define TASK_BENCH_H

#include <heddle/hj.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tsan_edges.h"

static bool elided; /* --seq */
static bool broken; /* --bug */

/* Reads the options, and up to @n sizes into @size, which has the defaults. */
static inline void task_bench_args(int argc, char **argv, long *size, int n)
{
	int at = 0;

	for (int i = 1; i < argc; i++) {
		char *end;

		if (!strcmp(argv[i], "--seq")) {
			elided = true;
		} else if (!strcmp(argv[i], "--bug")) {
			broken = true;
		} else if (at < n && (size[at] = strtol(argv[i], &end, 10)) > 0 && !*end) {
			at++;
		} else {
			fprintf(stderr, "%s: '%s' is not an option, or not a size above 0\n",
				argv[0], argv[i]);
			exit(2);
		}
	}
}

static inline void *task_bench_alloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size);

	if (!p) {
		fprintf(stderr, "out of memory\n");
		exit(2);
	}
	return p;
}

/* ---- constructs, or none of them ---------------------------------------------- */

static inline void launch(hj_fn *root)
{
	if (elided)
		root(NULL);
	else
		hj_launch(root, NULL);
}

static inline void finish_begin(void)
{
	if (!elided)
		hj_finish_begin();
}

static inline void finish_end(void)
{
	if (elided)
		return;
	hj_finish_end();
	__tsan_acquire(&tasks_ended);
}

/* A task with a copy of its arguments. */
static inline void async(hj_fn *fn, void *arg, size_t size)
{
	if (elided)
		fn(arg);
	else if (ANNOUNCED)
		async_announced(fn, arg, size);
	else
		hj_async_copy(fn, arg, size);
}

/* @fn(block) for blocks 0 .. @n-1, each in a task of its own; returns when all have ended. */
static inline void for_blocks(long n, hj_body1 *fn, void *arg)
{
	struct hj_range r = { .high = n };

	if (!elided && ANNOUNCED) {
		for_blocks_announced(&r, fn, arg);
		return;
	}
	if (!elided) {
		hj_forall1(&r, fn, arg);
		return;
	}
	for (long i = 0; i < n; i++)
		fn(i, arg);
}

/* Isolated on @object only. */
static inline void isolated_begin(void *object)
{
	const void *objects[] = { object };

	if (elided)
		return;
	hj_isolated_begin_on(objects, 1);
	__tsan_acquire(object);
}

static inline void isolated_end(void *object)
{
	if (elided)
		return;
	__tsan_release(object);
	hj_isolated_end();
}

/* *sum += more, as one block; with --bug as two, so that what comes in between gets lost. */
static inline void add_isolated(uint64_t *sum, uint64_t more)
{
	uint64_t seen;

	isolated_begin(sum);
	seen = *sum;
	if (broken) {
		isolated_end(sum);
		isolated_begin(sum);
	}
	*sum = seen + more;
	isolated_end(sum);
}

/* ---- input and output ------------------------------------------------------------ */

/* Number @n of stream @seed, the same in whatever order they are asked for. */
static inline uint64_t random_at(uint64_t seed, uint64_t n)
{
	uint64_t x = (n + 1) * 0x9e3779b97f4a7c15u + seed * 0xd1342543de82ef95u;

	x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
	x = (x ^ (x >> 29)) * 0xa0761d6478bd642fu;
	return x ^ (x >> 32);
}

/* In [0, 1). */
static inline double uniform_at(uint64_t seed, uint64_t n)
{
	return (double)(random_at(seed, n) >> 11) * 0x1p-53;
}

/* What value @v at place @n adds to a checksum: sums do not depend on the order. */
static inline uint64_t hash_of(uint64_t n, uint64_t v)
{
	return random_at(v, n);
}

static inline uint64_t bits_of(double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

static inline int put_checksum(uint64_t sum)
{
	printf("%016llx\n", (unsigned long long)sum);
	return 0;
}

#endif
