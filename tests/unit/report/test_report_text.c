/*
 * Findings as people read them: every expected text below is what the imaginary
 * program in sample_run.h did, put in words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "report/explain.h"
#include "report/fingerprint.h"
#include "report/printable.h"
#include "sample_run.h"

static char *text_of(struct sample *s, struct hd_report_info info)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(hd_report_text(out, &s->run, &info), HD_OK);
	fclose(out);
	return text;
}

static void expect_text(struct sample *s, struct hd_report_info info, const char *expected)
{
	char *text = text_of(s, info);

	assert_string_equal(text, expected);
	free(text);
}

static void expect_headline(struct sample *s, const char *expected)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(s->run.nfindings, 1);
	hd_put_headline(out, &s->run, &s->run.findings[0]);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void expect_contains(struct sample *s, struct hd_report_info info, const char *part)
{
	char *text = text_of(s, info);

	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
	free(text);
}

static void deadlock_names_the_cycle(void **state)
{
	struct sample s;

	sample_abba(&s, "worker");
	expect_text(&s, (struct hd_report_info){ .replay = "heddle replay x.htr -- ./bank" },
		    "==================\n"
		    "HEDDLE: deadlock: T1 waits for mutex 'b' held by T2, "
		    "T2 \"worker\" waits for mutex 'a' held by T1\n"
		    "  T1 waits for mutex 'b' held by T2:\n"
		    "    #0 transfer src/bank.c:14\n"
		    "    #1 main src/bank.c:30\n"
		    "    holds mutex 'a', taken at bank.c:13 in transfer\n"
		    "\n"
		    "  T2 \"worker\" waits for mutex 'a' held by T1:\n"
		    "    #0 transfer src/bank.c:14\n"
		    "    #1 worker src/bank.c:22\n"
		    "    holds mutex 'b', taken at bank.c:13 in transfer\n"
		    "\n"
		    "  T2 \"worker\" was created by T1 at:\n"
		    "    #0 main src/bank.c:28\n"
		    "\n"
		    "  Last switches, after 2 scheduling decisions:\n"
		    "    T1 -> T2 after fork at bank.c:28 in main\n"
		    "    T2 -> T1 after name\n"
		    "    T1 -> T2 after acquire 'a' at bank.c:13 in transfer\n"
		    "\n"
		    "  Replay: heddle replay x.htr -- ./bank\n"
		    "  In gdb: heddle replay --gdb x.htr -- ./bank\n"
		    "\n"
		    "SUMMARY: heddle: deadlock bank.c:14 in transfer\n"
		    "==================\n");
	assert_int_equal(hd_run_faults(&s.run), 1);
	sample_free(&s);
}

static void finding(struct sample *s, unsigned kind, uint64_t addr, uint64_t value, uint64_t text)
{
	sample_put(s, (struct hd_event){ .op = HD_OP_FINDING,
					 .thread = 1,
					 .arg = (uint16_t)kind,
					 .addr = addr,
					 .value = value,
					 .value2 = text });
}

static void signal_that_nobody_sends(void **state)
{
	struct sample s;

	sample_begin(&s);
	sample_fork(&s, 1, 2, NULL);
	finding(&s, HD_KIND_DEADLOCK, 0, 0, 0);
	sample_state(&s, 1, HD_TS_JOIN, 2);
	sample_state(&s, 2, HD_TS_COND, COND_READY);
	sample_frames(&s, (uint64_t[]){ PC_IN_WORKER, 0 });
	sample_end(&s, 1, 66);
	expect_headline(&s, "T2 waits on condition variable 'queue.ready' for a signal that nobody "
			    "can send");
	expect_contains(&s, (struct hd_report_info){ 0 }, "\n  T1 waits for T2 to end:\n");
	expect_contains(&s, (struct hd_report_info){ 0 },
			"\nSUMMARY: heddle: deadlock bank.c:22 in worker\n");
	sample_free(&s);
}

static void lock_taken_twice(void **state)
{
	struct sample s;

	sample_begin(&s);
	finding(&s, HD_KIND_DEADLOCK, 0, 0, 0);
	sample_state(&s, 1, HD_TS_MUTEX, LOCK_A);
	sample_holds(&s, 1, LOCK_A, HD_LOCK_MUTEX);
	sample_end(&s, 1, 66);
	expect_headline(&s, "T1 waits for mutex 'a' held by itself");
	assert_int_equal(s.run.findings[0].waiting.ncycle, 1);
	sample_free(&s);
}

static void lock_left_by_an_ended_thread(void **state)
{
	struct sample s;

	sample_begin(&s);
	sample_fork(&s, 1, 2, "gone");
	sample_put(&s, (struct hd_event){ .op = HD_OP_ACQUIRE,
					  .thread = 2,
					  .addr = LOCK_A,
					  .arg = HD_LOCK_RWLOCK | HD_LOCK_SHARED,
					  .pc = PC_LOCK_A });
	/* Another thread had it too, and it was taken again: neither is where T2 got it. */
	sample_put(&s, (struct hd_event){ .op = HD_OP_ACQUIRE,
					  .thread = 1,
					  .addr = LOCK_A,
					  .arg = HD_LOCK_RWLOCK | HD_LOCK_SHARED,
					  .pc = PC_IN_MAIN });
	sample_put(&s, (struct hd_event){ .op = HD_OP_ACQUIRE,
					  .thread = 2,
					  .addr = LOCK_A,
					  .arg = HD_LOCK_RWLOCK | HD_LOCK_AGAIN,
					  .pc = PC_LOCK_B });
	sample_put(&s, (struct hd_event){ .op = HD_OP_THREAD_END, .thread = 2 });
	finding(&s, HD_KIND_DEADLOCK, 0, 0, 0);
	sample_state(&s, 1, HD_TS_RWLOCK_WRITE, LOCK_A);
	sample_holds(&s, 2, LOCK_A, HD_LOCK_RWLOCK | HD_LOCK_SHARED);
	sample_end(&s, 1, 66);
	expect_headline(
		&s,
		"T1 waits to write under rwlock 'a' held by T2 since bank.c:13 in transfer, which "
		"ended without giving it back");
	assert_int_equal(s.run.findings[0].waiting.ncycle, 0);
	expect_contains(&s, (struct hd_report_info){ 0 },
			"\n  T2 \"gone\" has ended:\n"
			"    holds rwlock 'a' for reading, taken at bank.c:13 in transfer\n");
	sample_free(&s);
}

/* A reader does not keep readers out, so there is no cycle through it. */
static void readers_do_not_wait_for_readers(void **state)
{
	struct sample s;

	sample_begin(&s);
	sample_fork(&s, 1, 2, NULL);
	finding(&s, HD_KIND_DEADLOCK, 0, 0, 0);
	sample_state(&s, 1, HD_TS_RWLOCK_READ, LOCK_A);
	sample_holds(&s, 1, LOCK_B, HD_LOCK_MUTEX);
	sample_state(&s, 2, HD_TS_MUTEX, LOCK_B);
	sample_holds(&s, 2, LOCK_A, HD_LOCK_RWLOCK | HD_LOCK_SHARED);
	sample_end(&s, 1, 66);
	assert_int_equal(s.run.findings[0].waiting.ncycle, 0);
	sample_free(&s);
}

/* T3 waits into a cycle of T1 and T2 without being part of it. */
static void bystanders_are_not_in_the_cycle(void **state)
{
	struct sample s;

	sample_begin(&s);
	sample_fork(&s, 1, 2, NULL);
	sample_fork(&s, 1, 3, NULL);
	finding(&s, HD_KIND_DEADLOCK, 0, 0, 0);
	sample_state(&s, 3, HD_TS_MUTEX, LOCK_A);
	sample_state(&s, 1, HD_TS_JOIN, 2);
	sample_holds(&s, 1, LOCK_A, HD_LOCK_MUTEX);
	sample_state(&s, 2, HD_TS_MUTEX, LOCK_A);
	sample_end(&s, 1, 66);
	expect_headline(&s, "T1 waits for T2 to end, T2 waits for mutex 'a' held by T1");
	assert_false(hd_is_involved(&s.run.findings[0], &s.run.findings[0].waiting.threads[0]));
	sample_free(&s);
}

static void crash(struct sample *s, int sig, uint64_t addr, const uint64_t *pcs)
{
	finding(s, HD_KIND_CRASH, addr, (uint64_t)sig, 0);
	sample_state(s, 1, HD_TS_RUNNING, 0);
	sample_frames(s, pcs);
	sample_end(s, 0, sig);
}

static void crash_in_the_null_page(void **state)
{
	struct sample s;

	sample_begin(&s);
	crash(&s, SIGSEGV, 8, (uint64_t[]){ PC_RUNTIME, PC_SIGNAL_RETURN, PC_IN_MAIN, 0 });
	expect_text(&s, (struct hd_report_info){ 0 },
		    "==================\n"
		    "HEDDLE: crash: SIGSEGV in T1 at address 0x8, in the null page\n"
		    "  T1 was running:\n"
		    "    #0 main src/bank.c:30\n"
		    "\n"
		    "SUMMARY: heddle: crash bank.c:30 in main\n"
		    "==================\n");
	sample_free(&s);
}

static void crash_in_freed_memory(void **state)
{
	struct sample s;

	sample_begin(&s);
	sample_fork(&s, 1, 2, NULL);
	sample_put(&s, (struct hd_event){ .op = HD_OP_ALLOC,
					  .thread = 1,
					  .addr = HEAP,
					  .value = 24,
					  .pc = PC_ALLOC });
	/* Neighbours on both sides, which the address is not in. */
	sample_put(&s, (struct hd_event){ .op = HD_OP_ALLOC,
					  .thread = 1,
					  .addr = HEAP - 16,
					  .value = 16,
					  .pc = PC_IN_MAIN });
	sample_put(&s, (struct hd_event){ .op = HD_OP_ALLOC,
					  .thread = 1,
					  .addr = HEAP + 24,
					  .value = 16,
					  .pc = PC_IN_MAIN });
	sample_put(&s, (struct hd_event){ .op = HD_OP_FREE,
					  .thread = 2,
					  .addr = HEAP,
					  .value = 24,
					  .pc = PC_IN_WORKER });
	crash(&s, SIGSEGV, HEAP + 16, (uint64_t[]){ PC_IN_MAIN, 0 });
	expect_headline(&s, "SIGSEGV in T1 at offset 16 of the heap block of 24 bytes allocated by "
			    "T1 at account.h:5 in make_account and freed by T2 at bank.c:22 in "
			    "worker");
	sample_free(&s);
}

static void crash_by_recursion(void **state)
{
	uint64_t pcs[31] = { 0 };
	struct sample s;

	for (int i = 0; i < 30; i++)
		pcs[i] = PC_RECURSE;
	sample_begin(&s);
	crash(&s, SIGSEGV, 0x7ffff000, pcs);
	expect_headline(&s, "SIGSEGV in T1 at 0x7ffff000, probably a stack overflow: descend calls "
			    "itself again and again");
	sample_free(&s);
}

/* abort() has no address, and the line to look at is the program's, not libc's. */
static void crash_by_abort(void **state)
{
	struct sample s;

	sample_begin(&s);
	crash(&s, SIGABRT, 0, (uint64_t[]){ PC_ABORT, PC_NO_LINES, PC_IN_MAIN, 0 });
	expect_headline(&s, "SIGABRT in T1");
	expect_contains(&s, (struct hd_report_info){ 0 },
			"    #0 abort abort.c:79\n"
			"    #1 (/home/u/bank+0x80)\n"
			"    #2 main src/bank.c:30\n");
	expect_contains(&s, (struct hd_report_info){ 0 },
			"\nSUMMARY: heddle: crash bank.c:30 in main\n");
	sample_free(&s);
}

static void crash_that_the_runtime_could_not_tell(void **state)
{
	struct sample s;

	sample_begin(&s);
	sample_end(&s, 0, SIGSEGV);
	expect_headline(&s, "SIGSEGV in T1");
	assert_int_equal(hd_run_faults(&s.run), 1);
	sample_free(&s);
}

/* A program that says by its end that something is wrong. */
static void ends_that_nobody_expects(void **state)
{
	struct sample s;

	sample_begin(&s);
	sample_end(&s, 0, SIGKILL);
	expect_headline(&s, "the program was ended by SIGKILL");
	assert_int_equal(hd_run_faults(&s.run), 1);
	hd_run_forget_exit(&s.run);
	assert_int_equal(hd_run_faults(&s.run), 0);
	sample_free(&s);
	sample_begin(&s);
	sample_end(&s, 1, 3);
	expect_headline(&s, "the program ends with status 3");
	sample_free(&s);
	sample_begin(&s); /* this one is expected */
	sample_end(&s, 1, 4);
	assert_int_equal(s.run.nfindings, 0);
	sample_free(&s);
	sample_begin(&s); /* what has ended the run already is the reason */
	finding(&s, HD_KIND_ASSERTION, 0, 0, 0);
	sample_end(&s, 0, SIGABRT);
	assert_int_equal(s.run.nfindings, 1);
	sample_free(&s);
	sample_begin(&s); /* what it has survived is not */
	finding(&s, HD_KIND_MISUSE, 0, 0, 0);
	sample_end(&s, 1, 1);
	assert_int_equal(s.run.nfindings, 2);
	assert_int_equal(s.run.findings[1].kind, HD_KIND_EXIT);
	sample_free(&s);
}

/* Nobody waited for the program: the EXIT event says 128 + signal, as shells do. */
static void exit_status_of_an_unwatched_program(void **state)
{
	struct sample s;

	sample_begin(&s);
	finding(&s, HD_KIND_CRASH, 0, SIGBUS, 0);
	sample_put(&s, (struct hd_event){ .op = HD_OP_EXIT, .thread = 1, .value = 128 + SIGBUS });
	sample_end(&s, -1, 0);
	assert_int_equal(s.run.exited, 0);
	assert_int_equal(s.run.code, SIGBUS);
	sample_free(&s);

	sample_begin(&s); /* a status above 128 that no crash explains is just a status */
	sample_put(&s, (struct hd_event){ .op = HD_OP_EXIT, .thread = 1, .value = 128 + SIGBUS });
	sample_end(&s, -1, 0);
	assert_int_equal(s.run.exited, 1);
	assert_int_equal(s.run.code, 128 + SIGBUS);
	sample_free(&s);
}

static void trace_that_breaks_off(void **state)
{
	struct sample s;

	sample_begin(&s);
	finding(&s, HD_KIND_MISUSE, 0, 0, sample_string(&s, "bad"));
	assert_int_equal(hd_trace_flush(s.writer), HD_OK);
	sample_put(&s, (struct hd_event){ .op = HD_OP_OUTSIDE, .thread = 1 });
	sample_end_cut(&s, 1, 0, 1);
	assert_int_equal(hd_run_faults(&s.run), 1); /* what came before is told */
	assert_int_equal(s.run.exited, -1);
	expect_contains(&s, (struct hd_report_info){ 0 }, "\nnote: the trace is incomplete: ");
	sample_free(&s);
}

static void assertion_misuse_livelock(void **state)
{
	struct sample s;

	sample_begin(&s);
	finding(&s, HD_KIND_ASSERTION, 0, 0, sample_string(&s, "assertion 'sum == 10' failed"));
	sample_end(&s, 0, SIGABRT);
	expect_headline(&s, "T1: assertion 'sum == 10' failed");
	sample_free(&s);

	sample_begin(&s);
	finding(&s, HD_KIND_MISUSE, LOCK_A, 0, sample_string(&s, "unlock of a lock of T2"));
	sample_end(&s, 1, 0);
	expect_headline(&s, "T1: unlock of a lock of T2: it is 'a'");
	sample_free(&s);

	sample_begin(&s);
	sample_fork(&s, 1, 2, NULL);
	sample_fork(&s, 1, 3, NULL);
	finding(&s, HD_KIND_LIVELOCK, 0, 0, sample_string(&s, "no end in sight"));
	sample_state(&s, 1, HD_TS_JOIN, 2);
	sample_state(&s, 2, HD_TS_RUNNABLE, 0);
	sample_frames(&s, (uint64_t[]){ PC_IN_WORKER, 0 });
	sample_state(&s, 3, HD_TS_RUNNING, 0);
	sample_end(&s, 1, 66);
	expect_headline(&s, "T2, T3 spin: no end in sight");
	expect_contains(&s, (struct hd_report_info){ 0 },
			"\n  T2 spins:\n    #0 worker src/bank.c:22\n");
	sample_free(&s);
}

/* A finding without frames is placed by the event's own pc and context. */
static void stack_from_the_context(void **state)
{
	struct sample s;

	sample_begin(&s);
	assert_int_equal(hd_trace_put_context(s.writer, 1, 0, PC_IN_MAIN), HD_OK);
	assert_int_equal(hd_trace_put_context(s.writer, 2, 1, PC_IN_WORKER), HD_OK);
	sample_put(&s, (struct hd_event){ .op = HD_OP_FINDING,
					  .thread = 1,
					  .arg = HD_KIND_MISUSE,
					  .pc = PC_LOCK_A,
					  .ctx = 2 });
	sample_end(&s, 1, 0);
	expect_contains(&s, (struct hd_report_info){ 0 },
			"  T1 was running:\n"
			"    #0 transfer src/bank.c:13\n"
			"    #1 worker src/bank.c:22\n"
			"    #2 main src/bank.c:30\n");
	sample_free(&s);
}

static void lock_in_the_heap_or_by_its_init(void **state)
{
	struct sample s;

	sample_begin(&s);
	sample_put(&s, (struct hd_event){ .op = HD_OP_ALLOC,
					  .thread = 1,
					  .addr = HEAP,
					  .value = 64,
					  .pc = PC_ALLOC });
	finding(&s, HD_KIND_DEADLOCK, 0, 0, 0);
	sample_state(&s, 1, HD_TS_MUTEX, HEAP);
	sample_end(&s, 1, 66);
	expect_headline(&s, "T1 waits for mutex in the heap block of 64 bytes allocated by T1 at "
			    "account.h:5 in make_account");
	sample_free(&s);

	sample_begin(&s);
	sample_put(&s, (struct hd_event){
			       .op = HD_OP_LOCK_INIT, .thread = 1, .addr = HEAP, .pc = PC_CREATE });
	finding(&s, HD_KIND_DEADLOCK, 0, 0, 0);
	sample_state(&s, 1, HD_TS_MUTEX, HEAP);
	sample_end(&s, 1, 66);
	expect_headline(&s, "T1 waits for mutex initialised at bank.c:28 in main");
	sample_free(&s);

	sample_begin(&s);
	finding(&s, HD_KIND_DEADLOCK, 0, 0, 0);
	sample_state(&s, 1, HD_TS_MUTEX, 0x7ffc0010);
	sample_end(&s, 1, 66);
	expect_headline(&s, "T1 waits for mutex at 0x7ffc0010");
	sample_free(&s);
}

static void hostile_names_are_escaped(void **state)
{
	struct sample s;

	sample_abba(&s, "w\x1b[2J\n\xff\x7f");
	expect_contains(&s, (struct hd_report_info){ 0 },
			"\n  T2 \"w\\x1b[2J\\x0a\\xff\\x7f\" waits for mutex 'a' held by T1:\n");
	sample_free(&s);
}

static void nothing_found(void **state)
{
	const struct hd_report_info told = { .origin = "seed 7", .recorded = true };
	struct sample s;

	sample_begin(&s);
	sample_choice(&s, 1, 1);
	sample_end(&s, 1, 0);
	expect_text(&s, told,
		    "heddle: no findings in this run (1 thread, 1 scheduling decision, "
		    "seed 7)\n");
	expect_text(&s, (struct hd_report_info){ .origin = "seed 7" },
		    "heddle: no findings in this run (1 thread, seed 7)\n");
	expect_text(&s, (struct hd_report_info){ .quiet = true }, "");
	sample_free(&s);

	assert_true(sample_by_number(&s, 1)); /* status 4, three drops, looked at the time */
	expect_text(&s, told,
		    "heddle: no findings in this run (1 thread, 0 scheduling decisions, seed 7); "
		    "the program's exit status is 4\n"
		    "drops: call stack too deep 3\n"
		    "note: the run depends on the outside world: time(2)\n");
	sample_free(&s);
}

static void divergence_is_no_fault(void **state)
{
	struct sample s;

	assert_true(sample_by_number(&s, 3));
	expect_text(&s, (struct hd_report_info){ 0 },
		    "heddle: the replay left its schedule: T2 is not runnable\n");
	assert_int_equal(hd_run_faults(&s.run), 0);
	assert_non_null(hd_run_divergence(&s.run));
	sample_free(&s);
}

static void notes_and_color(void **state)
{
	static const char *const notes[] = { "one", "two", NULL };
	struct sample s;

	sample_begin(&s);
	finding(&s, HD_KIND_MISUSE, 0, 0, sample_string(&s, "bad"));
	sample_end(&s, 1, 0);
	expect_text(&s, (struct hd_report_info){ .color = true, .notes = notes },
		    "==================\n"
		    "\x1b[1;31mHEDDLE: misuse: T1: bad\x1b[0m\n"
		    "\x1b[1mSUMMARY: heddle: misuse\x1b[0m\n"
		    "==================\n"
		    "note: one\n"
		    "note: two\n");
	sample_free(&s);
}

static void fingerprint_of(const struct sample *s, char out[17])
{
	hd_fingerprint(&s->run, &s->run.findings[0], out);
}

/* The same two stacks, met by other threads in the other order, are the same finding. */
static void fingerprint_ignores_numbers(void **state)
{
	char first[17], second[17], other[17];
	struct sample s;

	sample_abba(&s, "worker");
	fingerprint_of(&s, first);
	sample_free(&s);

	sample_begin(&s);
	finding(&s, HD_KIND_DEADLOCK, 0, 0, 0);
	sample_state(&s, 5, HD_TS_MUTEX, LOCK_B);
	/* PC_LOCK_A is another line of transfer. */
	sample_frames(&s, (uint64_t[]){ PC_LOCK_A, PC_IN_WORKER, 0 });
	sample_holds(&s, 5, LOCK_A, HD_LOCK_MUTEX);
	sample_state(&s, 4, HD_TS_MUTEX, LOCK_A);
	sample_frames(&s, (uint64_t[]){ PC_LOCK_B, PC_IN_MAIN, 0 });
	sample_holds(&s, 4, LOCK_B, HD_LOCK_MUTEX);
	sample_end(&s, 1, 66);
	fingerprint_of(&s, second);
	sample_free(&s);
	assert_string_equal(first, second);

	sample_begin(&s);
	finding(&s, HD_KIND_DEADLOCK, 0, 0, 0);
	sample_state(&s, 1, HD_TS_MUTEX, LOCK_A);
	sample_frames(&s, (uint64_t[]){ PC_LOCK_B, PC_IN_MAIN, 0 });
	sample_holds(&s, 1, LOCK_A, HD_LOCK_MUTEX);
	sample_end(&s, 1, 66);
	fingerprint_of(&s, other);
	sample_free(&s);
	assert_string_not_equal(first, other);
}

static void fingerprint_of_text(const char *text, char out[17])
{
	struct sample s;

	sample_begin(&s);
	finding(&s, HD_KIND_ASSERTION, 0, 0, sample_string(&s, text));
	sample_end(&s, 1, 0);
	fingerprint_of(&s, out);
	sample_free(&s);
}

/* Lines do not count; what the program says does, with its numbers. */
static void fingerprint_of_assertions(void **state)
{
	char first[17], moved[17], other[17];

	fingerprint_of_text("assertion `x != 1' failed at bank.c:12", first);
	fingerprint_of_text("assertion `x != 1' failed at bank.c:345", moved);
	fingerprint_of_text("assertion `x != 2' failed at bank.c:12", other);
	assert_string_equal(first, moved);
	assert_string_not_equal(first, other);
}

static void shell_word(const char *word, const char *expected)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	hd_put_shell_word(out, word);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void words_are_quoted_for_the_shell(void **state)
{
	shell_word("./bank-2.0", "./bank-2.0");
	shell_word("", "''");
	shell_word("two words", "'two words'");
	shell_word("it's", "'it'\\''s'");
	shell_word("$HOME", "'$HOME'");
	shell_word("a\nb'\\", "$'a\\012b\\'\\\\'");
	shell_word("\xff", "$'\\377'");
}

static void printable(const char *s, const char *expected)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	hd_put_printable(out, s);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void only_shown_characters_pass(void **state)
{
	printable("caf\xc3\xa9 \xe2\x82\xac", "caf\xc3\xa9 \xe2\x82\xac");
	printable("\x1b[31m\t", "\\x1b[31m\\x09");
	printable("\xc2\x9b", "\\xc2\\x9b"); /* a C1 control: terminals take it for ESC [ */
	printable("\xc0\xaf", "\\xc0\\xaf"); /* overlong */
	printable("\xed\xa0\x80", "\\xed\\xa0\\x80"); /* half a surrogate pair */
	printable("\xe2\x82", "\\xe2\\x82");	      /* cut short */
	printable(NULL, "");
}

static void times_have_three_digits(void **state)
{
	static const struct {
		uint64_t ns;
		const char *words;
	} times[] = { { 1500, "T3 to be held up for 1.5 us before it begins" },
		      { 999400, "T3 to be held up for 999 us before it begins" },
		      { 999600, "T3 to be held up for 1 ms before it begins" },
		      { 2000000, "T3 to be held up for 2 ms before it begins" },
		      { 999600000, "T3 to be held up for 1 s before it begins" } };
	struct hd_run run = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		const struct hd_stall stall = { .thread = 3, .ns = times[i].ns };
		char text[100] = "";
		FILE *out = fmemopen(text, sizeof(text), "w");

		hd_put_stall(out, &run, &stall);
		fclose(out);
		assert_string_equal(text, times[i].words);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deadlock_names_the_cycle),
		cmocka_unit_test(signal_that_nobody_sends),
		cmocka_unit_test(lock_taken_twice),
		cmocka_unit_test(lock_left_by_an_ended_thread),
		cmocka_unit_test(readers_do_not_wait_for_readers),
		cmocka_unit_test(bystanders_are_not_in_the_cycle),
		cmocka_unit_test(crash_in_the_null_page),
		cmocka_unit_test(crash_in_freed_memory),
		cmocka_unit_test(crash_by_recursion),
		cmocka_unit_test(crash_by_abort),
		cmocka_unit_test(crash_that_the_runtime_could_not_tell),
		cmocka_unit_test(ends_that_nobody_expects),
		cmocka_unit_test(exit_status_of_an_unwatched_program),
		cmocka_unit_test(trace_that_breaks_off),
		cmocka_unit_test(assertion_misuse_livelock),
		cmocka_unit_test(stack_from_the_context),
		cmocka_unit_test(lock_in_the_heap_or_by_its_init),
		cmocka_unit_test(hostile_names_are_escaped),
		cmocka_unit_test(nothing_found),
		cmocka_unit_test(divergence_is_no_fault),
		cmocka_unit_test(notes_and_color),
		cmocka_unit_test(fingerprint_ignores_numbers),
		cmocka_unit_test(fingerprint_of_assertions),
		cmocka_unit_test(words_are_quoted_for_the_shell),
		cmocka_unit_test(only_shown_characters_pass),
		cmocka_unit_test(times_have_three_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
