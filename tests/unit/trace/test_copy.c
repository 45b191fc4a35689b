/*
 * A copy of a trace has the events that were to be kept, in order and unchanged,
 * and everything that is not an event.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/rng.h"
#include "trace/trace_copy.h"
#include "trace/trace_writer.h"

#define EVENTS 200
/* Bytes of an event before the padding, which may be anything. */
#define MEMBERS (offsetof(struct hd_event, op) + 1)

static char in_path[] = "/tmp/heddle-copy-in-XXXXXX";
static char out_path[] = "/tmp/heddle-copy-out-XXXXXX";

/* Any rule will do: what is not a multiple of three goes. */
static bool rule(void *arg, const struct hd_event *ev)
{
	++*(int *)arg;
	return ev->addr % 3 == 0;
}

static int make_events(struct hd_event *ev, uint64_t seed)
{
	static const uint8_t ops[] = { HD_OP_READ,    HD_OP_WRITE,	 HD_OP_READ_RANGE,
				       HD_OP_ACQUIRE, HD_OP_WRITE_RANGE, HD_OP_CHOICE,
				       HD_OP_READ,    HD_OP_ATOMIC_LOAD };
	struct hd_rng rng;

	hd_rng_seed(&rng, seed);
	for (int i = 0; i < EVENTS; i++) {
		struct hd_event *e = &ev[i];

		*e = (struct hd_event){ .op = ops[hd_rng_below(&rng, sizeof(ops))],
					.thread = 1 + (uint32_t)hd_rng_below(&rng, 3),
					.addr = 0x1000 + 4 * hd_rng_below(&rng, 200),
					.pc = 0x77 };
		if (e->op == HD_OP_CHOICE)
			*e = (struct hd_event){ .op = e->op, .thread = e->thread, .value = 2 };
		else if (e->op == HD_OP_READ_RANGE || e->op == HD_OP_WRITE_RANGE)
			e->value = 9 + hd_rng_below(&rng, 40);
		else if (e->op != HD_OP_ACQUIRE)
			e->size = 4;
	}
	return EVENTS;
}

static void write_trace(const struct hd_event *ev, int n)
{
	const char *argv[] = { "./prog", "x" }, *key = "seed", *value = "7";
	struct hd_trace_meta meta = {
		.argc = 2, .argv = argv, .keys = &key, .values = &value, .nkeys = 1
	};
	struct hd_trace_end end = { .exited = 1, .code = 5, .start_time = 99 };
	struct hd_trace_writer *w;

	assert_int_equal(hd_trace_create(&w, in_path, &meta, NULL), HD_OK);
	hd_trace_put_string(w, 1, "a string", 8);
	hd_trace_put_context(w, 1, 0, 0x44);
	hd_trace_put_drop(w, "something", 3);
	for (int i = 0; i < n; i++)
		hd_trace_put(w, &ev[i]);
	assert_int_equal(hd_trace_finish(w, &end, NULL), HD_OK);
}

static void copy(struct hd_copied *done)
{
	struct hd_trace *t;
	int asked = 0;

	assert_int_equal(hd_trace_open(&t, in_path, NULL), HD_OK);
	assert_int_equal(hd_trace_copy(t, out_path, rule, &asked, done, NULL), HD_OK);
	assert_int_equal(asked, done->events_in);
	hd_trace_close(t);
}

static void compare(const struct hd_event *ev, int n, uint64_t seed)
{
	const struct hd_event *got;
	struct hd_copied done;
	struct hd_trace *t;
	size_t ngot, next = 0;

	write_trace(ev, n);
	copy(&done);
	assert_int_equal(hd_trace_open(&t, out_path, NULL), HD_OK);
	assert_int_equal(hd_trace_next(t, &got, &ngot, NULL), HD_OK);
	for (int i = 0; i < n; i++) {
		if (ev[i].addr % 3)
			continue;
		if (next >= ngot || memcmp(&got[next], &ev[i], MEMBERS))
			fail_msg("seed %lu: event %d is missing or changed", seed, i);
		next++;
	}
	assert_int_equal(next, ngot);
	assert_int_equal(done.events_in, n);
	assert_int_equal(done.events_out, ngot);
	hd_trace_close(t);
}

static void random_runs(void **state)
{
	struct hd_event ev[EVENTS];

	print_message("seeds 1 to 300\n");
	for (uint64_t seed = 1; seed <= 300; seed++)
		compare(ev, make_events(ev, seed), seed);
}

/* Cut anywhere, what can be read of it becomes a whole trace: the first events, and an end. */
static void cut_off(void **state)
{
	struct hd_event ev[EVENTS];
	const struct hd_event *got;
	int exited, code;
	uint64_t start;
	size_t whole, ngot;
	struct hd_trace *t;
	FILE *f;

	write_trace(ev, make_events(ev, 1));
	f = fopen(in_path, "r");
	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	whole = (size_t)ftell(f);
	fclose(f);
	for (size_t len = whole; len-- > 0;) {
		assert_int_equal(truncate(in_path, (off_t)len), 0);
		if (hd_trace_open(&t, in_path, NULL) != HD_OK)
			continue; /* not even its head */
		assert_int_equal(hd_trace_copy_readable(t, out_path, NULL), HD_OK);
		hd_trace_close(t);
		assert_int_equal(hd_trace_open(&t, out_path, NULL), HD_OK);
		for (size_t n = 0; hd_trace_next(t, &got, &ngot, NULL) == HD_OK && ngot;
		     n += ngot) {
			for (size_t i = 0; i < ngot; i++)
				assert_memory_equal(&got[i], &ev[n + i], MEMBERS);
		}
		assert_true(hd_trace_ended(t, &exited, &code, &start));
		assert_true((exited == 0 && code == SIGKILL) || (exited == 1 && code == 5));
		hd_trace_close(t);
	}
}

static void the_rest_stays(void **state)
{
	struct hd_event one = { .op = HD_OP_READ, .thread = 1, .addr = 0x1001, .size = 4 };
	struct hd_copied done;
	int exited, code;
	uint64_t start, pc, n;
	const char *reason;
	uint32_t parent;
	struct hd_trace *t;
	const struct hd_event *ev;
	size_t nev;

	write_trace(&one, 1);
	copy(&done);
	assert_int_equal(done.events_out, 0);
	assert_int_equal(hd_trace_open(&t, out_path, NULL), HD_OK);
	do {
		assert_int_equal(hd_trace_next(t, &ev, &nev, NULL), HD_OK);
	} while (nev);
	assert_int_equal(hd_trace_argc(t), 2);
	assert_string_equal(hd_trace_argv(t, 1), "x");
	assert_string_equal(hd_trace_option(t, "seed"), "7");
	assert_string_equal(hd_trace_string(t, 1), "a string");
	assert_true(hd_trace_context(t, 1, &parent, &pc));
	assert_int_equal(pc, 0x44);
	hd_trace_drop_at(t, 0, &reason, &n);
	assert_string_equal(reason, "something");
	assert_int_equal(n, 3);
	assert_true(hd_trace_ended(t, &exited, &code, &start));
	assert_int_equal(code, 5);
	assert_int_equal(start, 99);
	hd_trace_close(t);
}

static int make_files(void **state)
{
	return close(mkstemp(in_path)) | close(mkstemp(out_path));
}

static int remove_files(void **state)
{
	return unlink(in_path) | unlink(out_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_runs),
		cmocka_unit_test(cut_off),
		cmocka_unit_test(the_rest_stays),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
