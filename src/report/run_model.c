#include "run_model.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/budget.h"
#include "interleaving.h"
#include "run_stack.h"
#include "trace/event_meaning.h"
#include "trace_back.h"
#include "wait_cycle.h"

/* An event that means something new is to be thought of here. */
#pragma GCC diagnostic error "-Wswitch"
#pragma GCC diagnostic error "-Wswitch-enum"

/* The place in the sorted array of threads where @id is or belongs. */
static size_t thread_slot(const struct hd_run *run, uint32_t id)
{
	size_t low = 0, high = run->nthreads;

	if (high && run->threads[high - 1].id < id)
		return high;
	while (low < high) {
		size_t mid = (low + high) / 2;

		if (run->threads[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct hd_run_thread *hd_run_thread(const struct hd_run *run, uint32_t id)
{
	size_t i = thread_slot(run, id);

	return i < run->nthreads && run->threads[i].id == id ? &run->threads[i] : NULL;
}

static struct hd_run_thread *know_thread(struct hd_run *run, uint32_t id)
{
	size_t i = thread_slot(run, id);

	if (i < run->nthreads && run->threads[i].id == id)
		return &run->threads[i];
	if (!HD_ROOM(run->threads, run->threads_cap, run->nthreads + 1))
		return NULL;
	memmove(&run->threads[i + 1], &run->threads[i],
		(run->nthreads - i) * sizeof(*run->threads));
	run->nthreads++;
	run->threads[i] = (struct hd_run_thread){ .id = id };
	return &run->threads[i];
}

size_t hd_run_first_place(const struct hd_run *run, uint64_t addr)
{
	size_t low = 0, high = run->nplaces;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (run->places[mid].addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct hd_place *hd_run_place(const struct hd_run *run, uint64_t addr)
{
	size_t i = hd_run_first_place(run, addr);

	return i < run->nplaces && run->places[i].addr == addr ? &run->places[i] : NULL;
}

bool hd_run_know_place(struct hd_run *run, uint64_t addr)
{
	size_t i = hd_run_first_place(run, addr);

	if (!addr || (i < run->nplaces && run->places[i].addr == addr))
		return true;
	if (!HD_ROOM(run->places, run->places_cap, run->nplaces + 1))
		return false;
	memmove(&run->places[i + 1], &run->places[i], (run->nplaces - i) * sizeof(*run->places));
	run->nplaces++;
	run->places[i] = (struct hd_place){ .addr = addr };
	return true;
}

/* What gathering keeps beside the result. */
struct gather {
	struct hd_run *run;
	struct hd_finding *open;      /* between FINDING and FINDING_END */
	bool left_out;                /* the current finding is one too many */
	struct hd_event last;         /* of the current thread */
	struct hd_switch switches[HD_RUN_SWITCHES];
	uint64_t nswitches;           /* in all; the last HD_RUN_SWITCHES are kept */
	uint64_t index;               /* of the event that is looked at */
	hd_watch_fn *watch;
	void *watch_arg;
};

/* Those of one source; a flood of races must not hide the crash that comes after it. */
static bool too_many(const struct hd_run *run, bool races)
{
	size_t n = 0;

	for (size_t i = 0; i < run->nfindings; i++)
		n += (run->findings[i].kind == HD_KIND_RACE) == races;
	return n >= HD_RUN_FINDINGS;
}

/* A finding about tasks in all schedules. */
static bool begin_tasks(struct gather *g, struct hd_finding *f, const struct hd_event *ev)
{
	const char *why = hd_trace_string(g->run->trace, ev->value2);

	f->location.size = (uint32_t)ev->value;
	f->location.group = (int)(ev->value >> 32 & 0x7fffffff) - 1;
	if (ev->value >> 63) /* in this very run */
		f->certainty.verdict = HD_VERDICT_NONE;
	f->why = why ? strdup(why) : NULL;
	return !why || f->why;
}

static bool begin_finding(struct gather *g, const struct hd_event *ev)
{
	struct hd_run *run = g->run;
	uint64_t kept = g->nswitches < HD_RUN_SWITCHES ? g->nswitches : HD_RUN_SWITCHES;
	bool tasks = ev->arg >= HD_KIND_TASK_RACE && ev->arg <= HD_KIND_PATTERN;
	const struct hd_kind_info *kind = hd_kind_info(ev->arg);
	bool candidate = kind->certainty == HD_CANDIDATE, race = kind->as == HD_KIND_RACE;
	struct hd_finding *f;

	g->open = NULL;
	g->left_out = run->nfindings >= HD_RUN_FINDINGS && too_many(run, race);
	if (g->left_out) {
		run->candidates_left_out += candidate;
		run->findings_left_out += !candidate;
		return true;
	}
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
	return hd_run_know_place(run, ev->addr);
}

static bool add_state(struct gather *g, const struct hd_event *ev)
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
			      .thread = (uint32_t)ev->value, .addr = ev->addr, .size = ev->size,
			      .pc = ev->pc, .ctx = ev->ctx };

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

static bool add_access(struct gather *g, const struct hd_event *ev)
{
	struct hd_access *a;

	if (g->open->kind == HD_KIND_DIVERGENCE)
		return add_divergence(&g->open->divergence, ev);
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
				      .thread = (uint32_t)ev->value, .addr = ev->addr,
				      .size = ev->size, .pc = ev->pc, .ctx = ev->ctx };
	return true;
}

static void add_within(struct hd_finding *f, const struct hd_event *ev)
{
	if (f->naccesses)
		f->accesses[f->naccesses - 1].within =
			(struct hd_within){ .place = ev->value, .region = ev->addr,
					    .number = ev->value2, .kind = ev->arg };
}

static bool add_held(struct gather *g, const struct hd_event *ev)
{
	struct hd_finding *f = g->open;

	if (f->naccesses)
		return hd_access_add_held(g->run, &f->accesses[f->naccesses - 1],
					  (struct hd_holding){ .thread = (uint32_t)ev->value,
							       .addr = ev->addr,
							       .mode = ev->arg });
	if (!HD_ROOM(f->waiting.held, f->waiting.held_cap, f->waiting.nheld + 1))
		return false;
	f->waiting.held[f->waiting.nheld++] = (struct hd_holding){
		.thread = (uint32_t)ev->value, .addr = ev->addr, .mode = ev->arg };
	return hd_run_know_place(g->run, ev->addr);
}

static bool add_frame(struct gather *g, const struct hd_event *ev)
{
	struct hd_finding *f = g->open;

	if (!f->waiting.nthreads && !hd_finding_add_thread(f, f->moment.thread, HD_TS_RUNNING))
		return false;
	return hd_stack_push(&f->waiting.threads[f->waiting.nthreads - 1].stack, ev->value);
}

static bool take_finding_event(struct gather *g, const struct hd_event *ev)
{
	if (!g->open && ev->op != HD_OP_FINDING)
		return true;
	switch ((enum hd_finding_op)ev->op) {
	case HD_FINDING_OP_FINDING:
		return begin_finding(g, ev);
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

static bool note_outside(struct hd_run *run, uint64_t text)
{
	for (size_t i = 0; i < run->noutside; i++) {
		if (run->outside[i] == text)
			return true;
	}
	if (!HD_ROOM(run->outside, run->outside_cap, run->noutside + 1))
		return false;
	run->outside[run->noutside++] = text;
	return true;
}

static bool note_module(struct hd_run *run, const struct hd_event *ev)
{
	if (!HD_ROOM(run->modules, run->modules_cap, run->nmodules + 1))
		return false;
	run->modules[run->nmodules++] =
		(struct hd_run_module){ .base = ev->addr, .len = ev->value, .path = ev->value2 };
	return true;
}

static bool note_fork(struct hd_run *run, const struct hd_event *ev)
{
	struct hd_run_thread *child = know_thread(run, (uint32_t)ev->value);

	if (!child)
		return false;
	child->creator = ev->thread;
	child->fork_pc = ev->pc;
	child->fork_ctx = ev->ctx;
	return true;
}

static bool note_thread(struct hd_run *run, const struct hd_event *ev)
{
	uint32_t id = ev->op == HD_OP_THREAD_NAME ? (uint32_t)ev->value : ev->thread;
	struct hd_run_thread *t = know_thread(run, id);

	if (!t)
		return false;
	if (ev->op == HD_OP_THREAD_NAME)
		t->name = ev->value2;
	if (ev->op == HD_OP_THREAD_END)
		t->ended = true;
	return true;
}

static void note_switch(struct gather *g, uint32_t to)
{
	if (g->last.thread)
		g->switches[g->nswitches++ % HD_RUN_SWITCHES] =
			(struct hd_switch){ .from = g->last.thread, .to = to, .last = g->last };
}

static void note_stall(struct hd_run *run, const struct hd_event *ev)
{
	if (ev->arg < HD_RUN_STALLS) {
		run->stalls[ev->arg] = (struct hd_stall){ .thread = (uint32_t)ev->value,
							  .ns = ev->value2, .pc = ev->pc };
		run->nstalls = ev->arg + 1u;
	}
}

static bool take_run_event(struct hd_run *run, const struct hd_event *ev)
{
	switch ((enum hd_run_op)ev->op) {
	case HD_RUN_OP_CHOICE:
		run->choices++;
		return true;
	case HD_RUN_OP_OUTSIDE:
		return note_outside(run, ev->value);
	case HD_RUN_OP_MODULE:
		return note_module(run, ev);
	case HD_RUN_OP_GOAL:
		run->goal = true;
		return true;
	case HD_RUN_OP_STALL:
		note_stall(run, ev);
		return true;
	case HD_RUN_OP_STOPPED:
		run->stopped = ev->arg ? "calm" : "steps";
		return true;
	case HD_RUN_OP_EXIT:
		run->exited = 1;
		run->code = (int)ev->value;
		return true;
	case HD_RUN_OP_SLEEP:
	case HD_RUN_OP_SIGNAL:
	case HD_RUN_OP_LOCALS:
		return true;
	}
	return true;
}

/* Everything but plain accesses; false: no memory. */
static bool take_event(struct gather *g, const struct hd_event *ev)
{
	switch (hd_op_about(ev->op)) {
	case HD_ABOUT_THREAD:
		return ev->op == HD_OP_DETACH || note_thread(g->run, ev);
	case HD_ABOUT_CHILD:
		return ev->op != HD_OP_FORK || note_fork(g->run, ev);
	case HD_ABOUT_RUN:
		return take_run_event(g->run, ev);
	case HD_ABOUT_FINDING:
		return take_finding_event(g, ev);
	case HD_ABOUT_NOTHING:
	case HD_ABOUT_MEMORY:
	case HD_ABOUT_HEAP:
	case HD_ABOUT_LOCK:
	case HD_ABOUT_COND:
	case HD_ABOUT_BARRIER:
	case HD_ABOUT_SEM:
	case HD_ABOUT_ONCE:
	case HD_ABOUT_MARK:
	case HD_ABOUT_FUTURE:
	case HD_ABOUT_PHASER:
	case HD_ABOUT_ATOMIC:
	case HD_ABOUT_FENCE:
	case HD_ABOUT_CODE:
	case HD_ABOUT_TASK:
	case HD_ABOUT_TEAM:
		return true;
	}
	return true;
}

/* Events of the report itself are not steps of the schedule. */
static bool is_step(const struct hd_event *ev)
{
	return ev->op < HD_OP_CHOICE;
}

static enum hd_err take_batch(void *arg, const struct hd_event *events, size_t n, uint64_t first)
{
	struct gather *g = arg;
	const struct hd_event *last = &g->last;

	for (size_t i = 0; i < n; i++) {
		const struct hd_event *ev = &events[i];

		g->index = first + i;
		if (is_step(ev)) {
			if (ev->thread != last->thread) {
				g->last = *last;
				note_switch(g, ev->thread);
				/* In an imported run, nothing else tells of some. */
				if (!know_thread(g->run, ev->thread))
					return HD_ERR_NOMEM;
			}
			last = ev;
		}
		if (!take_event(g, ev))
			return HD_ERR_NOMEM;
		g->run->recorded |= ev->op >= HD_OP_READ && ev->op < HD_OP_CHOICE;
	}
	g->last = *last;
	g->run->events = first + n;
	return g->watch ? g->watch(g->watch_arg, events, n, first) : HD_OK;
}

enum hd_err hd_run_each(struct hd_run *run, hd_watch_fn *take, void *arg, struct hd_errbuf *eb)
{
	uint64_t first = 0;

	hd_trace_rewind(run->trace);
	for (;;) {
		const struct hd_event *events;
		struct hd_errbuf damage = { 0 };
		size_t n = 0;
		enum hd_err err = hd_trace_next(run->trace, &events, &n, &damage);

		if (hd_budget_late())
			return HD_OK; /* what there is will have to do */
		if (err && err != HD_ERR_NOMEM) {
			snprintf(run->damage, sizeof(run->damage), "%s", damage.text);
			return HD_OK;
		}
		if (!err && !n)
			return HD_OK;
		if (!err)
			err = take(arg, events, n, first);
		if (err)
			return hd_fail(eb, err, "%s while reading the trace", hd_err_text(err));
		first += n;
	}
}

static enum hd_err know_symbols(struct hd_run *run)
{
	enum hd_err err = hd_symbols_new(&run->symbols);

	for (size_t i = 0; i < run->nmodules && !err; i++) {
		const struct hd_run_module *m = &run->modules[i];
		const char *path = hd_trace_string(run->trace, m->path);

		if (path)
			hd_symbols_add_module(run->symbols, path, m->base, m->len,
					      hd_trace_build_id(run->trace, m->base));
	}
	return err;
}

/* Names for everything that the findings mention, and who waits for whom. */
static enum hd_err interpret(struct hd_run *run)
{
	enum hd_err err = HD_OK;

	for (size_t i = 0; i < run->nfindings && !err; i++) {
		struct hd_finding *f = &run->findings[i];

		for (size_t k = 0; k < f->waiting.nthreads && !err; k++)
			err = hd_stack_symbolise(run, &f->waiting.threads[k].stack);
		for (size_t k = 0; k < f->naccesses && !err; k++)
			err = hd_run_stack(run, f->accesses[k].event.pc, f->accesses[k].event.ctx,
					   &f->accesses[k].stack);
		if (!err && f->kind == HD_KIND_DEADLOCK)
			err = hd_find_cycle(f);
	}
	return err;
}

/*
 * A program that died of a fault's signal has crashed even where the runtime
 * could not say so any more (its own stack was gone, say).
 */
static bool died_of_fault(const struct hd_run *run)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS };

	if (run->exited != 0)
		return false;
	for (size_t i = 0; i < run->nfindings; i++) {
		if (hd_finding_ends_run(&run->findings[i]))
			return false;
	}
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		if (run->code == faults[i])
			return true;
	}
	return false;
}

/*
 * Where nobody waited for the program, its EXIT event is all there is; before a
 * crash the runtime puts there what a shell would say.
 */
static void correct_exit(struct hd_run *run)
{
	const struct hd_finding *last = run->nfindings ? &run->findings[run->nfindings - 1] : NULL;

	if (run->exited != 1 || run->code <= 128 || !last)
		return;
	if ((last->kind == HD_KIND_CRASH && last->value == (uint64_t)run->code - 128) ||
	    (last->kind == HD_KIND_ASSERTION && run->code == 128 + SIGABRT)) {
		run->exited = 0;
		run->code -= 128;
	}
}

static bool conclude_crash(struct gather *g)
{
	struct hd_event ev = { .op = HD_OP_FINDING, .arg = HD_KIND_CRASH,
			       .thread = g->last.thread, .value = (uint64_t)g->run->code };

	if (!died_of_fault(g->run))
		return true;
	if (!begin_finding(g, &ev))
		return false;
	if (g->open)
		g->open->certainty.guessed = true;
	return true;
}

bool hd_status_is_listed(const char *list, unsigned long status)
{
	while (*list) {
		char *end;

		if (strtoul(list, &end, 10) == status && end != list)
			return true;
		list = *end ? end + 1 : end;
	}
	return false;
}

/* A program that says by its end that something is wrong, unless that was told already. */
static bool conclude_exit(struct gather *g)
{
	struct hd_run *run = g->run;
	const char *expected = hd_trace_option(run->trace, "expect-exit");
	unsigned long status = (unsigned long)run->code + (run->exited ? 0 : 128);
	struct hd_event ev = { .op = HD_OP_FINDING, .arg = HD_KIND_EXIT, .thread = g->last.thread,
			       .value = status };

	if (run->exited < 0 || !status || (expected && hd_status_is_listed(expected, status)))
		return true;
	for (size_t i = 0; i < run->nfindings; i++) {
		const struct hd_finding *f = &run->findings[i];

		if (hd_finding_ends_run(f) || f->kind == HD_KIND_DIVERGENCE)
			return true;
	}
	if (!begin_finding(g, &ev))
		return false;
	if (!g->open)
		return true;
	g->open->certainty.guessed = true;
	if (asprintf(&g->open->why, "--expect-exit %lu accepts it", status) >= 0)
		return true;
	g->open->why = NULL;
	return false;
}

void hd_run_forget_exit(struct hd_run *run)
{
	size_t n = 0;

	for (size_t i = 0; i < run->nfindings; i++) {
		if (run->findings[i].kind == HD_KIND_EXIT)
			hd_finding_clear(&run->findings[i]);
		else
			run->findings[n++] = run->findings[i];
	}
	run->nfindings = n;
}

/* Findings that came without frames: the FINDING event itself says where. */
static enum hd_err complete_stacks(struct hd_run *run)
{
	for (size_t i = 0; i < run->nfindings; i++) {
		struct hd_finding *f = &run->findings[i];
		struct hd_finding_thread *st = hd_finding_find_thread(f, f->moment.thread);

		if (!f->moment.pc || hd_finding_has_accesses(f) || (st && st->stack.npcs))
			continue;
		if (!st)
			st = hd_finding_add_thread(f, f->moment.thread, HD_TS_RUNNING);
		if (!st || !hd_stack_add_context(run, &st->stack, f->moment.pc, f->moment.ctx))
			return HD_ERR_NOMEM;
	}
	return HD_OK;
}

enum hd_err hd_run_read(struct hd_run *run, struct hd_trace *trace, hd_watch_fn *watch, void *arg,
			struct hd_errbuf *eb)
{
	struct gather g = { .run = run, .watch = watch, .watch_arg = arg };
	int exited, code;
	enum hd_err err;

	*run = (struct hd_run){ .trace = trace, .exited = -1 };
	err = hd_run_each(run, take_batch, &g, eb);
	if (err)
		return err;
	if (hd_trace_ended(trace, &exited, &code, &run->start_time) && exited >= 0) {
		run->exited = exited;
		run->code = code;
	} else {
		correct_exit(run);
	}
	if (!conclude_crash(&g) || !conclude_exit(&g) || know_symbols(run) != HD_OK)
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory while reading the trace");
	return HD_OK;
}

enum hd_err hd_run_complete(struct hd_run *run, struct hd_errbuf *eb)
{
	enum hd_err err;

	if (!run->nfindings)
		return HD_OK;
	err = hd_trace_back(run, eb);
	if (!err)
		err = hd_interleave(run, eb);
	if (err)
		return err;
	err = complete_stacks(run);
	if (!err)
		err = interpret(run);
	return err ? hd_fail(eb, err, "out of memory while reading the trace") : HD_OK;
}

enum hd_err hd_run_gather(struct hd_run *run, struct hd_trace *trace, struct hd_errbuf *eb)
{
	enum hd_err err = hd_run_read(run, trace, NULL, NULL, eb);

	return err ? err : hd_run_complete(run, eb);
}

void hd_run_free(struct hd_run *run)
{
	for (size_t i = 0; i < run->nfindings; i++)
		hd_finding_clear(&run->findings[i]);
	free(run->findings);
	free(run->threads);
	for (size_t i = 0; i < run->nplaces; i++)
		free(run->places[i].takers);
	free(run->places);
	free(run->modules);
	hd_unhooked_free(&run->unhooked);
	free(run->outside);
	if (run->symbols)
		hd_symbols_free(run->symbols);
	*run = (struct hd_run){ 0 };
}

const struct hd_run_module *hd_run_module_at(const struct hd_run *run, uint64_t addr)
{
	for (size_t i = 0; i < run->nmodules; i++) {
		if (addr - run->modules[i].base < run->modules[i].len)
			return &run->modules[i];
	}
	return NULL;
}

const char *hd_run_build_id(const struct hd_run *run)
{
	/* The loader lists the program before its libraries. */
	return run->nmodules ? hd_trace_build_id(run->trace, run->modules[0].base) : NULL;
}
