/*
 * Findings that the runtime has put into the trace: each is a row of events from FINDING to
 * FINDING_END.
 */
#include "run_gather.h"

#include <string.h>

#include "common/array.h"
#include "run_stack.h"
#include "trace/event_meaning.h"

/* An event that means something new is to be thought of here. */
#pragma GCC diagnostic error "-Wswitch"
#pragma GCC diagnostic error "-Wswitch-enum"

/* A finding about tasks in all schedules. */
static bool begin_tasks(struct hd_gather *g, struct hd_finding *f, const struct hd_event *ev)
{
	const char *why = hd_trace_string(g->run->trace, ev->value2);

	f->location.size = (uint32_t)ev->value;
	f->location.group = (int)(ev->value >> 32 & 0x7fffffff) - 1;
	if (ev->value >> 63) /* in this very run */
		f->certainty.verdict = HD_VERDICT_NONE;
	f->why = why ? strdup(why) : NULL;
	return !why || f->why;
}

bool hd_gather_begin(struct hd_gather *g, const struct hd_event *ev)
{
	struct hd_run *run = g->run;
	uint64_t kept = g->nswitches < HD_RUN_SWITCHES ? g->nswitches : HD_RUN_SWITCHES;
	bool tasks = ev->arg >= HD_KIND_TASK_RACE && ev->arg <= HD_KIND_PATTERN;
	const struct hd_kind_info *kind = hd_kind_info(ev->arg);
	bool candidate = kind->certainty == HD_CANDIDATE, race = kind->as == HD_KIND_RACE;
	struct hd_finding *f;

	g->open = NULL;
	g->left_out = candidate && hd_run_too_many(run, kind->rule);
	if (g->left_out)
		return true;
	f = g->open = hd_run_new_finding(run);
	if (!f)
		return false;
	hd_finding_set_kind(f, ev->arg);
	f->location.size = race ? (uint32_t)ev->value : 0;
	f->moment.thread = ev->thread;
	f->location.addr = ev->addr;
	f->value = ev->value;
	f->text = tasks ? 0 : ev->value2;
	f->moment.pc = ev->pc;
	f->moment.ctx = ev->ctx;
	f->moment.choices = run->choices;
	f->moment.index = g->index;
	if (tasks && !begin_tasks(g, f, ev))
		return false;
	for (uint64_t i = g->nswitches - kept; i < g->nswitches; i++)
		f->moment.switches[f->moment.nswitches++] = g->switches[i % HD_RUN_SWITCHES];
	for (uint64_t i = g->nolder < HD_RUN_SWITCHES ? 0 : g->nolder - HD_RUN_SWITCHES;
	     i < g->nolder; i++)
		f->moment.older[f->moment.nolder++] = g->older[i % HD_RUN_SWITCHES];
	return hd_run_know_place(run, ev->addr);
}

static bool add_state(struct hd_gather *g, const struct hd_event *ev)
{
	struct hd_finding_thread *st = hd_finding_add_thread(g->open, (uint32_t)ev->value, ev->arg);

	if (!st)
		return false;
	st->addr = ev->addr;
	st->text = ev->value2;
	return ev->arg == HD_TS_JOIN || hd_run_know_place(g->run, ev->addr);
}

/* What the plan was left by. */
static bool add_divergence(struct hd_divergence *l, const struct hd_event *ev)
{
	struct hd_event e = { .op = ev->value2 < HD_OP_LIMIT ? (uint8_t)ev->value2 : 0,
			      .thread = (uint32_t)ev->value,
			      .addr = ev->addr,
			      .size = ev->size,
			      .pc = ev->pc,
			      .ctx = ev->ctx };

	if (ev->op == HD_OP_EXPECTED) {
		l->why = ev->arg;
		l->got = ev->value;
		l->want = ev->value2;
	} else if (ev->arg == 1) {
		l->did = e;
	} else if (ev->arg == 2) {
		l->planned = e;
	} else {
		l->differs = e;
	}
	return true;
}

/*
 * Of a torn block: e1 and e2 are its own, f is another thread's; or of another part of a
 * loop that the same thread ran, and then @tears says so.
 */
static const char *torn_role(struct hd_finding *f, uint32_t thread, uint8_t op, bool tears)
{
	static const char *const own[] = { "e1", "e2" }, *const others[] = { "f", "f2" };
	size_t before = 0, n = f->naccesses - 1; /* the last one is new */
	bool mine = !tears && (!n || thread == f->accesses[0].event.thread);
	bool writes = op == HD_OP_WRITE || op == HD_OP_WRITE_RANGE || op == HD_OP_ATOMIC_STORE ||
		      op == HD_OP_ATOMIC_RMW;

	for (size_t i = 0; i < n; i++)
		before += (f->accesses[i].role[0] == 'e') == mine;
	if (n + 1 < sizeof(f->pattern))
		f->pattern[n] = writes ? 'W' : 'R';
	return (mine ? own : others)[before & 1];
}

/* Of a memory error: the access, and the block's past. */
static const char *heap_role(const struct hd_finding *f, uint64_t op)
{
	return f->naccesses == 1 ? "access" : op == HD_OP_FREE ? "freed" : "allocated";
}

/* Not one of the accesses, but where the block that they are on comes from. */
static bool is_block(const struct hd_finding *f, const struct hd_event *ev)
{
	return ev->value2 == HD_OP_ALLOC && f->kind != HD_KIND_MEMORY;
}

/* What old code means by it is not what C says. */
static bool tell_volatile(struct hd_finding *f, const struct hd_event *ev)
{
	if (f->kind != HD_KIND_RACE || !(ev->arg & HD_ACCESS_BY_VOLATILE) || f->why)
		return true;
	f->why = strdup(
		"in C, volatile does not make an access atomic; if the program relies on it, "
		"--volatile relaxed or --volatile acquire-release takes such accesses for "
		"atomic ones, and --model tso runs what x86 makes of them");
	return f->why != NULL;
}

static bool add_access(struct hd_gather *g, const struct hd_event *ev)
{
	struct hd_access *a;

	if (g->open->kind == HD_KIND_DIVERGENCE)
		return add_divergence(&g->open->divergence, ev);
	if (is_block(g->open, ev)) {
		g->open->location.origin.alloc = (struct hd_event){ .op = HD_OP_ALLOC,
								    .thread = (uint32_t)ev->value,
								    .addr = ev->addr,
								    .value = ev->size,
								    .pc = ev->pc,
								    .ctx = ev->ctx };
		return true;
	}
	a = hd_finding_add_access(g->open);
	if (!a)
		return false;
	a->role = g->open->naccesses == 1 ? "first" : "second";
	if (g->open->kind == HD_KIND_ATOMICITY)
		a->role = torn_role(g->open, (uint32_t)ev->value, (uint8_t)ev->value2,
				    ev->arg & HD_ACCESS_TEARS);
	if (g->open->kind == HD_KIND_MEMORY)
		a->role = heap_role(g->open, ev->value2);
	a->event = (struct hd_event){ .op = ev->value2 < HD_OP_LIMIT ? (uint8_t)ev->value2 : 0,
				      .thread = (uint32_t)ev->value,
				      .addr = ev->addr,
				      .size = ev->size,
				      .pc = ev->pc,
				      .ctx = ev->ctx };
	return tell_volatile(g->open, ev);
}

static void add_within(struct hd_finding *f, const struct hd_event *ev)
{
	if (f->naccesses)
		f->accesses[f->naccesses - 1].within = (struct hd_within){ .place = ev->value,
									   .region = ev->addr,
									   .number = ev->value2,
									   .kind = ev->arg };
}

static bool add_held(struct hd_gather *g, const struct hd_event *ev)
{
	struct hd_finding *f = g->open;

	if (f->naccesses)
		return hd_access_add_held(g->run, &f->accesses[f->naccesses - 1],
					  (struct hd_holding){ .thread = (uint32_t)ev->value,
							       .addr = ev->addr,
							       .mode = ev->arg });
	if (ev->addr & HD_TURN_TAG)
		return true;
	if (!HD_ROOM(f->waiting.held, f->waiting.held_cap, f->waiting.nheld + 1))
		return false;
	f->waiting.held[f->waiting.nheld++] = (struct hd_holding){ .thread = (uint32_t)ev->value,
								   .addr = ev->addr,
								   .mode = ev->arg };
	return hd_run_know_place(g->run, ev->addr);
}

static bool add_frame(struct hd_gather *g, const struct hd_event *ev)
{
	struct hd_finding *f = g->open;

	if (!f->waiting.nthreads && !hd_finding_add_thread(f, f->moment.thread, HD_TS_RUNNING))
		return false;
	return hd_stack_push(&f->waiting.threads[f->waiting.nthreads - 1].stack, ev->value);
}

bool hd_gather_finding_event(struct hd_gather *g, const struct hd_event *ev)
{
	if (!g->open && ev->op != HD_OP_FINDING)
		return true;
	switch ((enum hd_finding_op)ev->op) {
	case HD_FINDING_OP_FINDING:
		return hd_gather_begin(g, ev);
	case HD_FINDING_OP_STATE:
		return add_state(g, ev);
	case HD_FINDING_OP_HOLDS:
		return add_held(g, ev);
	case HD_FINDING_OP_FRAME:
		return add_frame(g, ev);
	case HD_FINDING_OP_ACCESS:
		return add_access(g, ev);
	case HD_FINDING_OP_WITHIN:
		add_within(g->open, ev);
		return true;
	case HD_FINDING_OP_EXPECTED:
		return add_divergence(&g->open->divergence, ev);
	case HD_FINDING_OP_FINDING_END:
		g->open = NULL;
		return true;
	}
	return true;
}
