#include "run_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/budget.h"
#include "interleaving.h"
#include "run_gather.h"
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
	if (id && id <= high && run->threads[id - 1].id == id) /* numbered as they came */
		return id - 1;
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

static int by_address(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

/* From the end, so that each place moves once. */
bool hd_run_know_places(struct hd_run *run, uint64_t *addrs, size_t n)
{
	size_t fresh = 0, old = run->nplaces, to;

	qsort(addrs, n, sizeof(*addrs), by_address);
	for (size_t i = 0; i < n; i++) {
		if (addrs[i] && (!fresh || addrs[i] != addrs[fresh - 1]) &&
		    !hd_run_place(run, addrs[i]))
			addrs[fresh++] = addrs[i];
	}
	if (!HD_ROOM(run->places, run->places_cap, old + fresh))
		return false;
	run->nplaces = to = old + fresh;
	while (fresh) {
		bool move = old && run->places[old - 1].addr > addrs[fresh - 1];

		run->places[--to] =
			move ? run->places[old - 1] : (struct hd_place){ .addr = addrs[fresh - 1] };
		*(move ? &old : &fresh) -= 1;
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

static bool note_named(struct hd_run *run, const struct hd_event *ev)
{
	const struct hd_range *last = run->nnamed ? &run->named[run->nnamed - 1] : NULL;

	if (last && last->addr == ev->addr && last->len == ev->value)
		return true;
	if (!HD_ROOM(run->named, run->named_cap, run->nnamed + 1))
		return false;
	run->named[run->nnamed++] = (struct hd_range){ .addr = ev->addr, .len = ev->value };
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

static void note_switch(struct hd_gather *g, uint32_t to)
{
	if (g->last.thread)
		g->switches[g->nswitches++ % HD_RUN_SWITCHES] =
			(struct hd_switch){ .from = g->last.thread, .to = to, .last = g->last };
}

static void note_stall(struct hd_run *run, const struct hd_event *ev)
{
	if (ev->arg < HD_RUN_STALLS) {
		run->stalls[ev->arg] = (struct hd_stall){ .thread = (uint32_t)ev->value,
							  .ns = ev->value2,
							  .pc = ev->pc };
		run->nstalls = ev->arg + 1u;
	}
}

static void note_stop(struct hd_run *run, const struct hd_event *ev)
{
	if (ev->arg != HD_STOPPED_ASSUMPTION) {
		run->stopped = ev->arg == HD_STOPPED_CALM ? "calm" : "steps";
	} else if (!run->assumed) {
		run->assumed = true;
		run->assumed_pc = ev->pc;
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
		note_stop(run, ev);
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

/* Names of writes, as in PLACE; more are not kept apart. */
#define NAMES 4096u

static struct hd_event newest_at(const struct hd_gather *g, uint64_t addr)
{
	struct hd_event newest = { 0 };

	/* Those that came before another one have no time of their own here: see note_atomic. */
	for (size_t i = 0; i < NAMES; i++) {
		if (g->writes[i].op && g->writes[i].addr == addr && g->writes[i].arg)
			newest = g->writes[i];
	}
	return newest;
}

static void note_older(struct hd_gather *g, const struct hd_event *ev)
{
	struct hd_older *o = &g->older[g->nolder++ % HD_RUN_SWITCHES];

	*o = (struct hd_older){ .read = *ev, .index = g->index, .newest = newest_at(g, ev->addr) };
	if (g->place.value < NAMES)
		o->from = g->writes[g->place.value];
}

/* A write is kept by its name; arg says of one of each location that it is the last. */
static void note_write(struct hd_gather *g, const struct hd_event *ev)
{
	struct hd_event *w = &g->writes[g->place.value2 % NAMES];

	for (size_t i = 0; !g->place.arg && i < NAMES; i++) {
		if (g->writes[i].addr == ev->addr)
			g->writes[i].arg = 0;
	}
	*w = *ev;
	w->arg = !g->place.arg;
}

static bool note_atomic(struct hd_gather *g, const struct hd_event *ev)
{
	g->run->weak_orders |= ev->op != HD_OP_PLACE && (ev->arg & 0x7fff) != __ATOMIC_SEQ_CST;
	if (ev->op == HD_OP_PLACE) {
		g->place = *ev;
		if (!g->writes)
			g->writes = calloc(NAMES, sizeof(*g->writes));
		return g->writes;
	}
	if (g->place.thread == ev->thread && g->place.addr == ev->addr) {
		if (g->place.value)
			note_older(g, ev);
		if (g->place.value2)
			note_write(g, ev);
	}
	g->place = (struct hd_event){ 0 };
	return true;
}

/* Everything but plain accesses; false: no memory. */
static bool take_event(struct hd_gather *g, const struct hd_event *ev)
{
	switch (hd_op_about(ev->op)) {
	case HD_ABOUT_THREAD:
		return ev->op == HD_OP_DETACH || note_thread(g->run, ev);
	case HD_ABOUT_CHILD:
		return ev->op != HD_OP_FORK || note_fork(g->run, ev);
	case HD_ABOUT_RUN:
		return take_run_event(g->run, ev);
	case HD_ABOUT_FINDING:
		return hd_gather_finding_event(g, ev);
	case HD_ABOUT_ATOMIC:
		return note_atomic(g, ev);
	case HD_ABOUT_CODE:
		return ev->op != HD_OP_NAMED || note_named(g->run, ev);
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
	case HD_ABOUT_FENCE:
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
	struct hd_gather *g = arg;
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
		g->run->openmp |= ev->op == HD_OP_CONSTRUCT;
		g->run->recorded |=
			ev->op >= HD_OP_READ && ev->op < HD_OP_CHOICE && ev->op != HD_OP_NAMED;
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

		/* What there is will have to do; but with the first events come the names of all code. */
		if (first && hd_budget_late())
			return HD_OK;
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
	struct hd_gather g = { .run = run, .watch = watch, .watch_arg = arg };
	enum hd_err err;

	*run = (struct hd_run){ .trace = trace, .exited = -1 };
	err = hd_run_each(run, take_batch, &g, eb);
	free(g.writes);
	if (err)
		return err;
	if (!hd_gather_exit(&g) || know_symbols(run) != HD_OK)
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
	for (size_t i = 0; i < run->nplaces; i++) {
		free(run->places[i].takers);
		free(run->places[i].told);
	}
	free(run->places);
	free(run->modules);
	hd_unhooked_free(&run->unhooked);
	free(run->outside);
	free(run->named);
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
