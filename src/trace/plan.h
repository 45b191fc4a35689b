/*
 * A plan: a run that has not happened yet, event by event, for the runtime to follow.
 *
 * Prediction makes one from an observed trace: the planned events (hd_op_is_planned) of each thread
 * from its start up to some position, in an order that differs from the observed one. Threads are
 * numbered as in the trace. Entries with HD_PLAN_NEXT come last: they are not executed, but their
 * threads stand before them when the plan ends.
 *
 * What the runtime can do exactly, and what it cannot:
 * - An event is placed by the scheduling point before it. Some events of one thread have no point
 *   between them and happen in one go, wherever the plan puts the later ones:
 *     WAIT and the RELEASE of its mutex; the ACQUIRE that ends a wait and its WAKE;
 *     BEGIN, END, ALLOC and FREE with what comes before them; what one libc call reads and writes;
 *     the two halves of a 16-byte read.
 *   The first of such a group is placed, the others come along.
 * - A thread in a wait goes on only after the notification, post, release, last arrival or end of
 *   thread that it waits for; where a plan has its next event earlier, the others go first.
 * - Time passes when the plan needs it: a thread that sleeps, or whose wait is to time out, is
 *   woken at its turn, and with it everybody whose deadline is no later.
 * - Signals and cancellation are not planned: a handler runs at its thread's first scheduling
 *   point after the signal was sent, and if that is not where it ran before, the thread has left
 *   the plan.
 *
 * As text:
 *
 *     heddle-plan 1
 *     program ./bank 3
 *     build-id 5f3a…
 *     option seed 7
 *     goal "T1 reads balance, T2 writes it, T1 writes it"
 *     after first:T1
 *     T1 read 10 size 4 pc 0x401234 addr 0x404050 value 5 arg 1
 *     T2 write 25 size 4 pc 0x401250 addr 0x404050 value 7 goal
 *     T2 acquire 26 pc 0x401260 addr 0x404080 next
 *
 * An entry is its thread, operation and event number in the observed trace; then the fields that
 * are not 0, and flags.
 */
#ifndef HD_TRACE_PLAN_H
#define HD_TRACE_PLAN_H

#include "plan_entry.h"
#include "schedule.h"
#include "trace_reader.h"

struct hd_plan {
	struct hd_schedule
		run;	/* program, options and start time of the observed run; no choices */
	char *build_id; /* of the program; NULL: unknown */
	char *goal;	/* in words; NULL: none */
	char *after; /* how to go on after the goal: first:T2, last:T2, random; NULL: as it comes */
	bool loose;  /* relaxed: values are not expected to hold */
	struct hd_plan_entry *entries;
	size_t n, room;
};

/* An empty plan for runs of the program that @t was recorded from. @t is read; rewind it. */
enum hd_err hd_plan_init(struct hd_plan *p, struct hd_trace *t, struct hd_errbuf *eb);

/* Append the @index-th event of the observed trace, which is planned. */
enum hd_err hd_plan_add(struct hd_plan *p, const struct hd_event *ev, uint64_t index,
			uint16_t flags, struct hd_errbuf *eb);
void hd_plan_free(struct hd_plan *p);

enum hd_err hd_plan_load(struct hd_plan *p, const char *path, struct hd_errbuf *eb);
enum hd_err hd_plan_save(const struct hd_plan *p, const char *path, struct hd_errbuf *eb);
/* Does the file begin like a plan? */
bool hd_plan_is(const char *path);

/* The text from memory; @file is for messages. On failure @p is empty. */
enum hd_err hd_plan_parse(struct hd_plan *p, const char *text, size_t len, const char *file,
			  struct hd_errbuf *eb);

#endif
