/*
 * What the tests of traces share: random events, files in memory, comparing.
 */
#ifndef HD_TEST_TRACE_FIXTURE_H
#define HD_TEST_TRACE_FIXTURE_H

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/rng.h"
#include "trace/trace_reader.h"
#include "trace/trace_writer.h"

/* The seed of a random test: fixed, or HEDDLE_TEST_SEED to try others. */
static inline uint64_t test_seed(void)
{
	const char *s = getenv("HEDDLE_TEST_SEED");
	uint64_t seed = s ? strtoull(s, NULL, 0) : 20250101;

	print_message("seed %llu\n", (unsigned long long)seed);
	return seed;
}

static inline bool same_event(const struct hd_event *a, const struct hd_event *b)
{
	return a->addr == b->addr && a->value == b->value && a->value2 == b->value2 &&
	       a->pc == b->pc && a->ctx == b->ctx && a->thread == b->thread && a->size == b->size &&
	       a->arg == b->arg && a->op == b->op;
}

static inline uint64_t any_number(struct hd_rng *r)
{
	/* All magnitudes alike. */
	return hd_rng_next(r) >> hd_rng_below(r, 64);
}

static inline uint8_t any_op(struct hd_rng *r)
{
	uint8_t op;

	do {
		op = (uint8_t)hd_rng_below(r, HD_OP_LIMIT);
	} while (!hd_op_info[op].name);
	return op;
}

/* An event with anything in its fields. */
static inline struct hd_event wild_event(struct hd_rng *r)
{
	return (struct hd_event){ .addr = any_number(r),
				  .value = any_number(r),
				  .value2 = hd_rng_below(r, 2) ? any_number(r) : 0,
				  .pc = any_number(r),
				  .ctx = (uint32_t)any_number(r),
				  .thread = (uint32_t)any_number(r),
				  .size = (uint32_t)any_number(r),
				  .arg = (uint16_t)any_number(r),
				  .op = any_op(r) };
}

/* An event as programs make them: few sites, near addresses, small values. */
static inline struct hd_event tame_event(struct hd_rng *r)
{
	uint64_t site = hd_rng_below(r, 40);

	return (struct hd_event){ .addr = 0x600000 + site * 256 + hd_rng_below(r, 16) * 4,
				  .value = (uint32_t)(hd_rng_below(r, 100) - 50),
				  .pc = 0x401000 + site * 5,
				  .ctx = (uint32_t)(site / 8),
				  .thread = 1 + (uint32_t)hd_rng_below(r, 3),
				  .size = 4,
				  .op = site % 2 ? HD_OP_READ : HD_OP_WRITE };
}

/* A writer on a file in memory; *@fd reads it after the writer is gone. */
static inline struct hd_trace_writer *memory_writer(int *fd)
{
	static const char *const argv[] = { "./prog", "3" };
	static const char *const keys[] = { "policy", "seed" };
	static const char *const values[] = { "random", "7" };
	const struct hd_trace_meta meta = { 2, argv, keys, values, 2 };
	struct hd_trace_writer *w;
	struct hd_errbuf eb;

	*fd = memfd_create("trace", 0);
	assert_true(*fd >= 0);
	assert_int_equal(hd_trace_create_fd(&w, dup(*fd), "memory", &meta, &eb), HD_OK);
	return w;
}

static inline uint8_t *file_bytes(int fd, size_t *len)
{
	struct stat st;
	uint8_t *p;

	assert_int_equal(fstat(fd, &st), 0);
	*len = (size_t)st.st_size;
	p = malloc(*len + 1);
	assert_non_null(p);
	assert_int_equal(pread(fd, p, *len, 0), (ssize_t)*len);
	close(fd);
	return p;
}

static inline uint8_t *finish_bytes(struct hd_trace_writer *w, int fd, size_t *len)
{
	struct hd_errbuf eb;

	assert_int_equal(hd_trace_finish(w, &(struct hd_trace_end){ 1, 0, 0 }, &eb), HD_OK);
	return file_bytes(fd, len);
}

/* The bytes of a trace with these events. */
static inline uint8_t *trace_of(const struct hd_event *ev, size_t n, size_t *len)
{
	int fd;
	struct hd_trace_writer *w = memory_writer(&fd);

	for (size_t i = 0; i < n; i++)
		assert_int_equal(hd_trace_put(w, &ev[i]), HD_OK);
	return finish_bytes(w, fd, len);
}

/*
 * Read all events of @bytes and compare them with @want as far as they go. Returns
 * the error met; *@n is how many were delivered.
 */
static inline enum hd_err read_and_compare(const uint8_t *bytes, size_t len,
					   const struct hd_event *want, size_t nwant, size_t *n,
					   struct hd_errbuf *eb)
{
	const struct hd_event *ev;
	struct hd_trace *t;
	enum hd_err err;
	size_t batch;

	*n = 0;
	err = hd_trace_open_mem(&t, bytes, len, eb);
	if (err)
		return err;
	do {
		err = hd_trace_next(t, &ev, &batch, eb);
		assert_true(!err || batch == 0);
		for (size_t i = 0; i < batch; i++, (*n)++) {
			assert_true(*n < nwant);
			assert_true(same_event(&ev[i], &want[*n]));
		}
	} while (!err && batch);
	hd_trace_close(t);
	return err;
}

#endif
