/*
 * What threads wait for, in words, and which of them a deadlock or a livelock is about.
 */
#include "explain_impl.h"

#include <inttypes.h>
#include <string.h>

#include "printable.h"
#include "wait_cycle.h"

/* How a state's wait reads: "waits for WHAT" and how it goes on. */
struct wait_words {
	const char *before; /* the verb and what it is for */
	const char *what;   /* the kind of object; NULL: none is named */
	const char *stuck;  /* in a deadlock: why nobody helps, if nobody holds it */
};

static const struct wait_words wait_words[HD_TS_LIMIT] = {
	[HD_TS_RUNNING] = { "was running", NULL, NULL },
	[HD_TS_RUNNABLE] = { "could run", NULL, NULL },
	[HD_TS_MUTEX] = { "waits for ", "mutex", NULL },
	[HD_TS_RWLOCK_READ] = { "waits to read under ", "rwlock", NULL },
	[HD_TS_RWLOCK_WRITE] = { "waits to write under ", "rwlock", NULL },
	[HD_TS_SPIN] = { "waits for ", "spin lock", NULL },
	[HD_TS_OMP_LOCK] = { "waits for ", "lock", NULL },
	[HD_TS_COND] = { "waits on ", "condition variable", " for a signal that nobody can send" },
	[HD_TS_BARRIER] = { "waits at ", "barrier", " for threads that cannot come" },
	[HD_TS_SEM] = { "waits for ", "semaphore", ", which nobody can post" },
	[HD_TS_ONCE] = { "waits for the end of ", "once-initialisation", NULL },
	[HD_TS_JOIN] = { "waits for ", NULL, NULL },
	[HD_TS_FUTEX] = { "waits on ", "futex", ", which nobody can wake" },
	[HD_TS_SLEEP] = { "sleeps", NULL, NULL },
	[HD_TS_IO] = { "waits for input or output", NULL, NULL },
	[HD_TS_SIGNAL] = { "waits for a signal", NULL, " that nobody sends" },
	[HD_TS_CHILD] = { "waits for a child process", NULL, NULL },
	[HD_TS_FILE] = { "waits for ", "stream lock", NULL },
	[HD_TS_FINISH] = { "waits for the tasks of its finish to end", NULL, NULL },
	[HD_TS_FUTURE] = { "waits for ", "future", ", which nobody can put" },
	[HD_TS_PHASER] = { "waits at ", "phaser", " for signals that cannot come" },
	[HD_TS_ISOLATED] = { "waits for ", "isolation of", NULL },
	[HD_TS_MAILBOX] = { "waits for messages to ", "actor", " that nobody can send" },
	[HD_TS_ASSUMPTION] = { "stopped at an assumption that does not hold", NULL, NULL },
	[HD_TS_TEAM] = { "waits at a barrier", NULL, " for threads of its team that cannot come" },
	[HD_TS_TASKS] = { "waits for tasks to end", NULL, NULL },
	[HD_TS_EVENT] = { "waits for the event of its detach clause", NULL,
			  ", which nobody can fulfil" },
	[HD_TS_TURN] = { "waits for an earlier iteration of its loop", NULL,
			 ", which cannot come" },
	[HD_TS_SINGLE] = { "waits for the end of a single block", NULL, NULL },
};

static void put_holder(FILE *out, const struct hd_run *run, const struct hd_finding *f,
		       const struct hd_finding_thread *st, const struct hd_holding *h)
{
	const struct hd_run_thread *owner = hd_run_thread(run, h->thread);
	struct hd_frame frame;

	if (h->thread == st->thread) {
		fputs("itself", out);
		return;
	}
	fprintf(out, "T%" PRIu32, h->thread);
	if (owner && owner->ended && !hd_finding_thread(f, h->thread)) {
		if (hd_run_frame(run, h->pc, &frame)) {
			fputs(" since ", out);
			hd_put_site(out, &frame);
		}
		fputs(", which ended without giving it back", out);
	}
}

/* " held by T1 and T3"; false if nobody holds what @st waits for. */
static bool put_holders(FILE *out, const struct hd_run *run, const struct hd_finding *f,
			const struct hd_finding_thread *st)
{
	char name[512];
	bool short_name = hd_object_name(run, st->addr, name, sizeof(name));
	size_t n = 0;

	for (size_t i = 0; i < f->waiting.nheld; i++) {
		if (!hd_blocks(&f->waiting.held[i], st))
			continue;
		/* After "... allocated at f.c:3 in f", "held by" would seem to belong to f. */
		fputs(n++ ? " and " : short_name ? " held by " : ", held by ", out);
		put_holder(out, run, f, st, &f->waiting.held[i]);
	}
	return n > 0;
}

static void put_wait(FILE *out, const struct hd_run *run, const struct hd_finding *f,
		     const struct hd_finding_thread *st, const struct wait_words *w)
{
	fputs(w->before, out);
	if (st->state == HD_TS_JOIN) {
		if (st->addr && st->addr <= UINT32_MAX) {
			hd_put_thread(out, run, (uint32_t)st->addr, false);
			fputs(" to end", out);
		} else {
			fputs("another thread to end", out);
		}
		return;
	}
	if (w->what && st->addr)
		hd_put_object(out, run, st->addr, w->what);
	else if (w->what)
		fprintf(out, "a %s", w->what);
	if (!put_holders(out, run, f, st) && f->kind == HD_KIND_DEADLOCK && w->stuck)
		fputs(w->stuck, out);
}

void hd_put_state(FILE *out, const struct hd_run *run, const struct hd_finding *f,
		  const struct hd_finding_thread *st)
{
	const char *text = st->text ? hd_trace_string(run->trace, st->text) : NULL;

	if (st->state >= HD_TS_LIMIT || !wait_words[st->state].before)
		fputs("is in an unknown state", out);
	else if (f->kind == HD_KIND_LIVELOCK && st->state <= HD_TS_RUNNABLE)
		fputs("spins", out);
	else
		put_wait(out, run, f, st, &wait_words[st->state]);
	if (text && *text) {
		fputs(" (", out);
		hd_put_printable(out, text);
		putc(')', out);
	}
}

bool hd_is_involved(const struct hd_finding *f, const struct hd_finding_thread *st)
{
	if (f->kind == HD_KIND_LIVELOCK)
		return st->state <= HD_TS_RUNNABLE;
	if (f->kind != HD_KIND_DEADLOCK)
		return st->thread == f->moment.thread;
	return st->in_cycle || !f->waiting.ncycle;
}

/*
 * In a deadlock without a cycle: the thread at which the waiting ends. A join or
 * a lock whose holder waits too only passes the question on.
 */
static const struct hd_finding_thread *stuck_thread(const struct hd_finding *f)
{
	const struct hd_finding_thread *last = NULL;

	for (size_t i = 0; i < f->waiting.nthreads; i++) {
		size_t cursor = 0;
		const struct hd_finding_thread *st = &f->waiting.threads[i];
		bool passes_on = false;

		while (!passes_on && hd_more_blockers(f, st, cursor))
			passes_on = hd_next_blocker(f, st, &cursor) >= 0;
		if (!passes_on && (st->state == HD_TS_FINISH || st->state == HD_TS_TASKS ||
				   st->state == HD_TS_TEAM))
			last = st; /* for tasks that wait themselves */
		else if (!passes_on && st->state >= HD_TS_MUTEX)
			return st;
	}
	return last;
}

static const struct hd_finding_thread *first_involved(const struct hd_finding *f)
{
	if (f->waiting.ncycle)
		return &f->waiting.threads[f->waiting.cycle[0]];
	if (f->kind == HD_KIND_DEADLOCK && stuck_thread(f))
		return stuck_thread(f);
	for (size_t i = 0; i < f->waiting.nthreads; i++) {
		if (hd_is_involved(f, &f->waiting.threads[i]))
			return &f->waiting.threads[i];
	}
	return NULL;
}

/* Of a race the access that found it, of the others the one that it begins with. */
static const struct hd_access *main_access(const struct hd_finding *f)
{
	return !f->naccesses ? NULL : &f->accesses[f->kind == HD_KIND_RACE ? f->naccesses - 1 : 0];
}

const struct hd_frame *hd_finding_top(const struct hd_finding *f)
{
	const struct hd_finding_thread *st = first_involved(f);

	if (main_access(f))
		return hd_stack_top(&main_access(f)->stack);
	return st ? hd_stack_top(&st->stack) : NULL;
}

static void put_thread_state(FILE *out, const struct hd_run *run, const struct hd_finding *f,
			     const struct hd_finding_thread *st)
{
	hd_put_thread(out, run, st->thread, true);
	putc(' ', out);
	hd_put_state(out, run, f, st);
}

void hd_put_deadlock(FILE *out, const struct hd_run *run, const struct hd_finding *f)
{
	for (size_t i = 0; i < f->waiting.ncycle; i++) {
		fputs(i ? ", " : "", out);
		put_thread_state(out, run, f, &f->waiting.threads[f->waiting.cycle[i]]);
	}
	if (f->waiting.ncycle)
		return;
	if (stuck_thread(f))
		put_thread_state(out, run, f, stuck_thread(f));
	else
		hd_put_sentence(out, run, f, "no thread can go on");
}

void hd_put_livelock(FILE *out, const struct hd_run *run, const struct hd_finding *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->waiting.nthreads; i++) {
		if (!hd_is_involved(f, &f->waiting.threads[i]))
			continue;
		fputs(n++ ? ", " : "", out);
		hd_put_thread(out, run, f->waiting.threads[i].thread, true);
	}
	fputs(n ? (n > 1 ? " spin: " : " spins: ") : "", out);
	hd_put_sentence(out, run, f, "no progress");
}
