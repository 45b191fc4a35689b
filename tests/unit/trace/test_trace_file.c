/*
 * Whole files: round trips, tables, damage of every kind, full disks.
 */
#include "trace_fixture.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "trace/trace_format.h"

static struct hd_event *many(struct hd_rng *r, size_t n, struct hd_event (*make)(struct hd_rng *))
{
	struct hd_event *ev = calloc(n + 1, sizeof(*ev));

	assert_non_null(ev);
	for (size_t i = 0; i < n; i++)
		ev[i] = make(r);
	return ev;
}

static void check_round_trip(const struct hd_event *ev, size_t n)
{
	struct hd_errbuf eb;
	size_t len, got;
	uint8_t *bytes = trace_of(ev, n, &len);

	assert_int_equal(read_and_compare(bytes, len, ev, n, &got, &eb), HD_OK);
	assert_int_equal(got, n);
	free(bytes);
}

static void random_round_trips(void **state)
{
	struct hd_rng r;

	hd_rng_seed(&r, test_seed());
	for (int i = 0; i < 200; i++) {
		size_t n = hd_rng_below(&r, 400);
		struct hd_event *ev = many(&r, n, i % 2 ? wild_event : tame_event);

		check_round_trip(ev, n);
		free(ev);
	}
}

static void every_op(void **state)
{
	for (unsigned op = 1; op < HD_OP_LIMIT; op++) {
		struct hd_event ev[2] = { { .addr = 0x1234,
					    .value = 42,
					    .value2 = op,
					    .pc = 0x4000,
					    .ctx = 3,
					    .thread = 2,
					    .size = 4,
					    .arg = 5,
					    .op = (uint8_t)op } };

		if (!hd_op_info[op].name)
			continue;
		ev[1] = ev[0];
		ev[1].value2 = 0;
		check_round_trip(ev, 2);
	}
}

/* One less, exactly, one more than a chunk or a batch; every event a site of its own. */
static void chunk_boundaries(void **state)
{
	static const size_t sizes[] = { 0,
					1,
					4095,
					4096,
					4097,
					HD_CHUNK_EVENTS - 1,
					HD_CHUNK_EVENTS,
					HD_CHUNK_EVENTS + 1,
					2 * HD_CHUNK_EVENTS + 5 };
	struct hd_rng r;

	hd_rng_seed(&r, test_seed());
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct hd_event *tame = many(&r, sizes[i], tame_event);
		struct hd_event *wild = many(&r, sizes[i], wild_event);

		check_round_trip(tame, sizes[i]);
		check_round_trip(wild, sizes[i]);
		free(tame);
		free(wild);
	}
}

/* All extremes at once: the largest chunk there can be must fit its limits. */
static void largest_chunk(void **state)
{
	struct hd_event *ev = calloc(HD_CHUNK_EVENTS, sizeof(*ev));

	assert_non_null(ev);
	for (uint64_t i = 0; i < HD_CHUNK_EVENTS; i++) {
		uint64_t flip = i % 2 ? ~0ull : 0;

		ev[i] = (struct hd_event){ .addr = (1ull << 62) ^ flip ^ i,
					   .value = flip ^ (i << 40) ^ 1,
					   .value2 = ~flip ^ (i << 50) ^ (1ull << 62),
					   .pc = flip ^ (i << 33),
					   .ctx = (uint32_t)(flip ^ i),
					   .thread = (uint32_t)(UINT32_MAX - i),
					   .size = (uint32_t)(flip ^ (i << 3)),
					   .arg = 0xffff,
					   .op = HD_OP_ATOMIC_RMW };
	}
	check_round_trip(ev, HD_CHUNK_EVENTS);
	free(ev);
}

static void same_events_same_bytes(void **state)
{
	struct hd_rng r;
	size_t len, len2;
	struct hd_event *ev;
	uint8_t *a, *b;

	hd_rng_seed(&r, test_seed());
	ev = many(&r, 70000, tame_event);
	a = trace_of(ev, 70000, &len);
	b = trace_of(ev, 70000, &len2);
	assert_int_equal(len, len2);
	assert_memory_equal(a, b, len);
	free(ev);
	free(a);
	free(b);
}

/* A file with a bit of everything: three event chunks and tables between them. */
static uint8_t *rich_trace(struct hd_event **events, size_t *n, size_t *len)
{
	struct hd_errbuf eb;
	struct hd_rng r;
	int fd;
	struct hd_trace_writer *w = memory_writer(&fd);

	hd_rng_seed(&r, 5);
	*n = 60;
	*events = many(&r, *n, tame_event);
	hd_trace_put_string(w, 1, "first", 5);
	hd_trace_put_context(w, 4, 2, 0x401234);
	for (size_t i = 0; i < *n; i++) {
		assert_int_equal(hd_trace_put(w, &(*events)[i]), HD_OK);
		if (i % 20 != 19)
			continue;
		assert_int_equal(hd_trace_flush(w), HD_OK);
		hd_trace_put_string(w, 2 + (uint32_t)i, "later", 5);
		hd_trace_put_drop(w, "too fast", 3);
	}
	hd_trace_put_name(w, 0x600000, "balance");
	hd_trace_put_site(w, 0x401005, "bank.c", 12);
	hd_trace_put_build_id(w, 0x400000, "c0ffee");
	assert_int_equal(hd_trace_finish(w, &(struct hd_trace_end){ 0, 11, 1700000000 }, &eb),
			 HD_OK);
	return file_bytes(fd, len);
}

static void read_all(struct hd_trace *t, size_t want)
{
	const struct hd_event *ev;
	struct hd_errbuf eb;
	size_t n, total = 0;

	do {
		assert_int_equal(hd_trace_next(t, &ev, &n, &eb), HD_OK);
		total += n;
	} while (n);
	assert_int_equal(total, want);
}

static void check_tables(struct hd_trace *t)
{
	const char *a, *b;
	uint32_t line, parent;
	uint64_t n, pc;
	int exited, code;

	assert_string_equal(hd_trace_string(t, 1), "first");
	assert_string_equal(hd_trace_string(t, 21), "later");
	assert_null(hd_trace_string(t, 3));
	assert_true(hd_trace_context(t, 4, &parent, &pc));
	assert_int_equal(parent, 2);
	assert_int_equal(pc, 0x401234);
	assert_false(hd_trace_context(t, 5, &parent, &pc));
	assert_string_equal(hd_trace_name(t, 0x600000), "balance");
	assert_null(hd_trace_name(t, 0x600008));
	assert_true(hd_trace_site(t, 0x401005, &a, &line));
	assert_string_equal(a, "bank.c");
	assert_int_equal(line, 12);
	assert_string_equal(hd_trace_build_id(t, 0x400000), "c0ffee");
	assert_int_equal(hd_trace_ndrops(t), 1);
	hd_trace_drop_at(t, 0, &a, &n);
	assert_string_equal(a, "too fast");
	assert_int_equal(n, 9); /* 3 + 3 + 3, however often the file is read */
	hd_trace_option_at(t, 0, &a, &b);
	assert_string_equal(a, "policy");
	assert_string_equal(b, "random");
	assert_true(hd_trace_ended(t, &exited, &code, &n));
	assert_int_equal(exited, 0);
	assert_int_equal(code, 11);
	assert_int_equal(n, 1700000000);
}

static void tables(void **state)
{
	struct hd_event *ev;
	struct hd_errbuf eb;
	struct hd_trace *t;
	size_t n, len;
	uint8_t *bytes = rich_trace(&ev, &n, &len);

	assert_int_equal(hd_trace_open_mem(&t, bytes, len, &eb), HD_OK);
	assert_int_equal(hd_trace_argc(t), 2);
	assert_string_equal(hd_trace_argv(t, 1), "3");
	assert_null(hd_trace_argv(t, 2));
	assert_string_equal(hd_trace_option(t, "seed"), "7");
	assert_null(hd_trace_option(t, "speed"));
	read_all(t, n);
	check_tables(t);
	hd_trace_rewind(t);
	read_all(t, n);
	check_tables(t);
	hd_trace_close(t);
	free(bytes);
	free(ev);
}

/* Through a real file, with pread. */
static void on_disk(void **state)
{
	char path[] = "/tmp/heddle-test-XXXXXX";
	struct hd_event *ev;
	struct hd_errbuf eb;
	struct hd_trace *t;
	size_t n, len;
	uint8_t *bytes = rich_trace(&ev, &n, &len);
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), (ssize_t)len);
	assert_int_equal(hd_trace_open(&t, path, &eb), HD_OK);
	read_all(t, n);
	check_tables(t);
	hd_trace_close(t);
	/* A directory and a missing file are errors, not crashes. */
	assert_int_equal(hd_trace_open(&t, "/tmp", &eb), HD_ERR_IO);
	unlink(path);
	assert_int_equal(hd_trace_open(&t, path, &eb), HD_ERR_IO);
	assert_non_null(strstr(eb.text, path));
	close(fd);
	free(bytes);
	free(ev);
}

static bool names_a_byte(const struct hd_errbuf *eb)
{
	const char *p = strstr(eb->text, "byte ");

	return p && p[5] >= '0' && p[5] <= '9';
}

/* Is a file of @len bytes whole chunks? */
static bool at_boundary(const uint8_t *bytes, size_t len)
{
	size_t at = HD_TRACE_HEADER_LEN;

	while (at < len)
		at += HD_CHUNK_HEADER_LEN + hd_load_le32(bytes + at + 12);
	return at == len && len > HD_TRACE_HEADER_LEN;
}

static void truncated_anywhere(void **state)
{
	struct hd_event *ev;
	struct hd_errbuf eb;
	size_t n, len, got, last = 0;
	uint8_t *bytes = rich_trace(&ev, &n, &len);

	for (size_t cut = 0; cut < len; cut++) {
		/* A copy of exactly that size, so that the sanitizer sees reads past it. */
		uint8_t *copy = malloc(cut ? cut : 1);
		enum hd_err err;

		assert_non_null(copy);
		memcpy(copy, bytes, cut);
		err = read_and_compare(copy, cut, ev, n, &got, &eb);
		if (at_boundary(bytes, cut)) {
			assert_int_equal(err, HD_OK);
		} else {
			assert_int_equal(err, HD_ERR_TRUNCATED);
			assert_true(names_a_byte(&eb));
		}
		assert_true(got % 20 == 0 && got >= last);
		last = got;
		free(copy);
	}
	assert_int_equal(last, n);
	free(bytes);
	free(ev);
}

/*
 * A flipped bit is found, or (a few of zstd's own bits, such as the window's size)
 * changes nothing that is read.
 */
static void flipped_bits(void **state)
{
	struct hd_event *ev;
	struct hd_errbuf eb;
	size_t n, len, got, unnoticed = 0;
	uint8_t *bytes = rich_trace(&ev, &n, &len);

	for (size_t bit = 0; bit < len * 8; bit++) {
		enum hd_err err;

		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		err = read_and_compare(bytes, len, ev, n, &got, &eb);
		if (err)
			assert_true(names_a_byte(&eb));
		else
			assert_int_equal(got, n);
		unnoticed += !err;
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	assert_true(unnoticed < len * 8 / 100);
	free(bytes);
	free(ev);
}

/* Random damage of many bytes at once. */
static void garbage(void **state)
{
	struct hd_event *ev;
	struct hd_errbuf eb;
	struct hd_rng r;
	size_t n, len, got;
	uint8_t *bytes = rich_trace(&ev, &n, &len), *copy = malloc(len);

	assert_non_null(copy);
	hd_rng_seed(&r, test_seed());
	for (int i = 0; i < 2000; i++) {
		size_t from = hd_rng_below(&r, len), to = from + 1 + hd_rng_below(&r, len - from);

		memcpy(copy, bytes, len);
		for (size_t k = from; k < to; k++)
			copy[k] = (uint8_t)(bytes[k] ^ (1 + hd_rng_below(&r, 255)));
		assert_int_not_equal(read_and_compare(copy, len, ev, n, &got, &eb), HD_OK);
	}
	free(copy);
	free(bytes);
	free(ev);
}

static void wrong_files(void **state)
{
	struct hd_errbuf eb;
	struct hd_trace *t;
	uint8_t version[] = "HEDDLE\x63\x00more and more";

	assert_int_equal(hd_trace_open_mem(&t, "", 0, &eb), HD_ERR_TRUNCATED);
	assert_non_null(strstr(eb.text, "empty"));
	assert_int_equal(hd_trace_open_mem(&t,
					   "\x7f"
					   "ELF and so on",
					   13, &eb),
			 HD_ERR_NOT_TRACE);
	assert_true(names_a_byte(&eb));
	assert_int_equal(hd_trace_open_mem(&t, version, sizeof(version), &eb), HD_ERR_VERSION);
	assert_non_null(strstr(eb.text, "version 99"));
	assert_non_null(strstr(eb.text, "version 2"));
}

static void something_after_the_end(void **state)
{
	struct hd_event *ev;
	struct hd_errbuf eb;
	size_t n, len, got;
	uint8_t *bytes = rich_trace(&ev, &n, &len);

	/* There is room for one byte more. */
	bytes[len] = 0;
	assert_int_equal(read_and_compare(bytes, len + 1, ev, n, &got, &eb), HD_ERR_CORRUPT);
	assert_int_equal(got, n);
	free(bytes);
	free(ev);
}

/* A table with nothing but very long texts is cut into chunks. */
static void large_tables(void **state)
{
	char *text = malloc(HD_TRACE_TEXT_MAX + 1);
	struct hd_errbuf eb;
	struct hd_trace *t;
	size_t len;
	int fd;
	struct hd_trace_writer *w = memory_writer(&fd);
	uint8_t *bytes;

	assert_non_null(text);
	for (uint32_t id = 1; id <= 5; id++) {
		memset(text, 'a' + (int)id, HD_TRACE_TEXT_MAX);
		assert_int_equal(hd_trace_put_string(w, id, text, HD_TRACE_TEXT_MAX), HD_OK);
		assert_int_equal(hd_trace_put_string(w, id + 100, "small", 5), HD_OK);
	}
	bytes = finish_bytes(w, fd, &len);
	assert_int_equal(hd_trace_open_mem(&t, bytes, len, &eb), HD_OK);
	read_all(t, 0);
	assert_int_equal(strlen(hd_trace_string(t, 4)), HD_TRACE_TEXT_MAX);
	assert_int_equal(hd_trace_string(t, 4)[7], 'e');
	assert_string_equal(hd_trace_string(t, 105), "small");
	hd_trace_close(t);
	free(bytes);
	w = memory_writer(&fd);
	assert_int_equal(hd_trace_put_string(w, 1, text, HD_TRACE_TEXT_MAX + 1), HD_ERR_LIMIT);
	assert_int_equal(hd_trace_finish(w, NULL, &eb), HD_ERR_LIMIT);
	close(fd);
	free(text);
}

/* Without an end record the events are all there, but it is known to be cut short. */
static void no_end_record(void **state)
{
	struct hd_event ev = { .op = HD_OP_BEGIN, .thread = 1 };
	struct hd_errbuf eb;
	struct hd_trace *t;
	uint64_t start;
	int fd, exited, code;
	struct hd_trace_writer *w = memory_writer(&fd);
	uint8_t *bytes;
	size_t len;

	hd_trace_put(w, &ev);
	assert_int_equal(hd_trace_finish(w, NULL, &eb), HD_OK);
	bytes = file_bytes(fd, &len);
	assert_int_equal(hd_trace_open_mem(&t, bytes, len, &eb), HD_OK);
	read_all(t, 1);
	assert_false(hd_trace_ended(t, &exited, &code, &start));
	hd_trace_close(t);
	free(bytes);
}

static void full_device(void **state)
{
	const struct hd_trace_meta meta = { 0 };
	struct hd_trace_writer *w;
	struct hd_errbuf eb = { 0 };

	assert_int_equal(hd_trace_create(&w, "/dev/full", &meta, &eb), HD_ERR_FULL);
	assert_null(w);
	assert_non_null(strstr(eb.text, "/dev/full"));
}

/* Write until a limit is hit: the first error stays, whole chunks remain. */
static void file_size_limit(void **state)
{
	char path[] = "/tmp/heddle-test-XXXXXX";
	const struct hd_trace_meta meta = { 0 };
	struct rlimit before, low;
	struct hd_trace_writer *w;
	struct hd_errbuf eb;
	struct hd_rng r;
	struct hd_event *ev;
	size_t n = 40000, len, got;
	uint8_t *bytes;
	enum hd_err err = HD_OK;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	hd_rng_seed(&r, test_seed());
	ev = many(&r, n, wild_event);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	low = before;
	low.rlim_cur = 100000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
	assert_int_equal(hd_trace_create_fd(&w, dup(fd), path, &meta, &eb), HD_OK);
	for (size_t i = 0; i < n; i++) {
		err = hd_trace_put(w, &ev[i]);
		if (!err && i % 1000 == 999)
			err = hd_trace_flush(w);
	}
	assert_int_equal(err, HD_ERR_FULL);
	assert_int_equal(hd_trace_finish(w, &(struct hd_trace_end){ 1, 0, 0 }, &eb), HD_ERR_FULL);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_true(names_a_byte(&eb));
	bytes = file_bytes(fd, &len);
	assert_true(len <= 100000);
	assert_int_equal(read_and_compare(bytes, len, ev, n, &got, &eb), HD_OK);
	/* Random events of some 40 bytes each: at least one chunk of 1000 got in. */
	assert_true(got >= 1000 && got % 1000 == 0);
	unlink(path);
	free(bytes);
	free(ev);
}

/* ---- reading again ------------------------------------------------------------------------ */

/* One pass over at most @most events; how it ends. */
static enum hd_err pass(struct hd_trace *t, const struct hd_event *want, size_t n, size_t most)
{
	const struct hd_event *ev;
	size_t have = 0, got;
	enum hd_err err;

	hd_trace_rewind(t);
	while ((err = hd_trace_next(t, &ev, &got, NULL)) == HD_OK && got && have < most) {
		assert_true(have + got <= n);
		for (size_t i = 0; i < got; i++)
			assert_true(same_event(&ev[i], &want[have + i]));
		have += got;
	}
	assert_true(err || have == n || have >= most);
	return err;
}

static void kept_events_are_decoded_once(void **state)
{
	enum { N = 3 * HD_CHUNK_EVENTS + 7, ALL = N * sizeof(struct hd_event) };
	struct hd_rng r;
	struct hd_event *ev;
	struct hd_trace *t;
	size_t len;
	uint8_t *bytes;

	hd_rng_seed(&r, test_seed());
	ev = many(&r, N, tame_event);
	bytes = trace_of(ev, N, &len);
	assert_int_equal(hd_trace_open_mem(&t, bytes, len, NULL), HD_OK);
	assert_int_equal(hd_trace_decodings(t), 0);
	for (unsigned i = 1; i < 4; i++) { /* nothing is kept */
		pass(t, ev, N, i == 2 ? 10 : N);
		assert_int_equal(hd_trace_decodings(t), i);
	}
	hd_trace_keep(t, ALL);
	pass(t, ev, N, N / 2); /* the rest is decoded when it is asked for */
	for (int i = 0; i < 4; i++)
		pass(t, ev, N, i == 1 ? 10 : N);
	assert_int_equal(hd_trace_decodings(t), 4);
	hd_trace_keep(t, ALL - 1); /* too long to be kept */
	for (unsigned i = 5; i < 8; i++) {
		pass(t, ev, N, N);
		assert_int_equal(hd_trace_decodings(t), i);
	}
	hd_trace_close(t);
	free(bytes);
	free(ev);
}

static void kept_events_end_at_the_damage(void **state)
{
	enum { N = 3 * HD_CHUNK_EVENTS };
	struct hd_rng r;
	struct hd_event *ev;
	struct hd_trace *t;
	size_t len;
	uint8_t *bytes;

	hd_rng_seed(&r, test_seed());
	ev = many(&r, N, tame_event);
	bytes = trace_of(ev, N, &len);
	assert_int_equal(hd_trace_open_mem(&t, bytes, len / 2, NULL), HD_OK);
	hd_trace_keep(t, SIZE_MAX);
	for (int i = 0; i < 3; i++)
		assert_int_equal(pass(t, ev, N, N), HD_ERR_TRUNCATED);
	assert_int_equal(hd_trace_decodings(t), 1);
	hd_trace_close(t);
	free(bytes);
	free(ev);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_round_trips),
		cmocka_unit_test(every_op),
		cmocka_unit_test(chunk_boundaries),
		cmocka_unit_test(largest_chunk),
		cmocka_unit_test(same_events_same_bytes),
		cmocka_unit_test(tables),
		cmocka_unit_test(on_disk),
		cmocka_unit_test(truncated_anywhere),
		cmocka_unit_test(flipped_bits),
		cmocka_unit_test(garbage),
		cmocka_unit_test(wrong_files),
		cmocka_unit_test(something_after_the_end),
		cmocka_unit_test(large_tables),
		cmocka_unit_test(no_end_record),
		cmocka_unit_test(full_device),
		cmocka_unit_test(file_size_limit),
		cmocka_unit_test(kept_events_are_decoded_once),
		cmocka_unit_test(kept_events_end_at_the_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
