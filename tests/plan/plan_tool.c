/*
 * Makes plans from traces, and looks whether a run followed one.
 *
 *   plan_tool observed TRACE PLAN          the order that was observed
 *   plan_tool shuffled TRACE PLAN SEED     another legal order: independent neighbours changed places
 *   plan_tool mutated TRACE PLAN SEED      something that no run of the program does
 *   plan_tool cut TRACE PLAN SEED          a prefix of a shuffled plan; threads stand before their next
 *   plan_tool follows PLAN TRACE [any-values]  the run in TRACE did what PLAN says, in that order
 *   plan_tool segments TRACE RECORD DROP SEED PROGRAM...  run by TRACE's segments, DROP of 100 left out
 *   plan_tool preemptions TRACE            their number
 *   plan_tool choices A B                  the two runs made the same decisions
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/launch.h"
#include "common/rng.h"
#include "trace/plan.h"
#include "trace/segments.h"

static void die(const char *what, const char *more)
{
	fprintf(stderr, "plan_tool: %s%s%s\n", what, more ? ": " : "", more ? more : "");
	exit(1);
}

struct run {
	struct hd_trace *t;
	struct hd_event *ev;
	size_t n;
};

static struct run read_run(const char *path)
{
	struct run r = { 0 };
	const struct hd_event *ev;
	struct hd_errbuf eb;
	size_t n;

	if (hd_trace_open(&r.t, path, &eb))
		die(eb.text, NULL);
	for (;;) {
		if (hd_trace_next(r.t, &ev, &n, &eb))
			die(eb.text, NULL);
		if (!n)
			return r;
		r.ev = realloc(r.ev, (r.n + n) * sizeof(*ev));
		if (!r.ev)
			die("out of memory", NULL);
		memcpy(r.ev + r.n, ev, n * sizeof(*ev));
		r.n += n;
	}
}

static struct hd_plan observed(const struct run *r)
{
	struct hd_errbuf eb;
	struct hd_plan p;

	if (hd_plan_init(&p, r->t, &eb))
		die(eb.text, NULL);
	for (size_t i = 0; i < r->n; i++) {
		if (hd_op_is_planned(r->ev[i].op) && hd_plan_add(&p, &r->ev[i], i, 0, &eb))
			die(eb.text, NULL);
	}
	return p;
}

/* --- which neighbours may change places --- */

static bool is_access(unsigned op)
{
	return (op >= HD_OP_READ && op <= HD_OP_FREE) ||
	       (op >= HD_OP_ATOMIC_LOAD && op <= HD_OP_ATOMIC_CAS_FAIL);
}

static bool is_write(unsigned op)
{
	return !(op == HD_OP_READ || op == HD_OP_READ_RANGE || op == HD_OP_ATOMIC_LOAD ||
		 op == HD_OP_ATOMIC_CAS_FAIL);
}

static uint64_t length(const struct hd_plan_entry *e)
{
	return e->size ? e->size : e->value; /* ranges and blocks */
}

static bool is_memory(unsigned op)
{
	return op == HD_OP_ALLOC || op == HD_OP_FREE;
}

static bool conflict(const struct hd_plan_entry *a, const struct hd_plan_entry *b)
{
	if ((a->op == HD_OP_FORK && a->value == b->thread) ||
	    (b->op == HD_OP_JOIN && b->value == a->thread))
		return true;
	/* Memory that is given out in another order lies elsewhere; threads get other numbers. */
	if ((is_memory(a->op) || a->op == HD_OP_FORK) && (is_memory(b->op) || b->op == HD_OP_FORK))
		return true;
	if (is_access(a->op) && is_access(b->op))
		return (is_write(a->op) || is_write(b->op)) && a->addr < b->addr + length(b) &&
		       b->addr < a->addr + length(a);
	return a->addr && a->addr == b->addr;
}

/* Does @b happen in one go with @a, which is before it in its thread? See trace/plan.h. */
static bool together(const struct hd_plan_entry *a, const struct hd_plan_entry *b)
{
	if (a->thread != b->thread)
		return false;
	return a->pc == b->pc || b->op == HD_OP_ALLOC || b->op == HD_OP_FREE ||
	       b->op == HD_OP_ONCE_END || b->op == HD_OP_HB_RELEASE || b->op == HD_OP_HB_ACQUIRE ||
	       (a->op == HD_OP_READ_RANGE && b->op == HD_OP_WRITE_RANGE && a->value == b->value);
}

static bool may_swap(const struct hd_plan *p, const size_t *order, const uint64_t *waits, size_t i)
{
	const struct hd_plan_entry *a = &p->entries[order[i]], *b = &p->entries[order[i + 1]];

	if (a->thread == b->thread || conflict(a, b))
		return false;
	if ((waits[order[i]] && waits[order[i]] == b->addr) ||
	    (waits[order[i + 1]] && waits[order[i + 1]] == a->addr))
		return false;
	if (i && together(&p->entries[order[i - 1]], a))
		return false;
	return i + 2 == p->n || !together(b, &p->entries[order[i + 2]]);
}

/* An ACQUIRE before a WAKE of the same thread is the end of a wait on that condition. */
static uint64_t *find_waits(const struct hd_plan *p)
{
	uint64_t *waits = calloc(p->n + 1, sizeof(*waits));
	size_t *last = NULL;
	uint32_t nthreads = 0;

	if (!waits)
		die("out of memory", NULL);
	for (size_t i = 0; i < p->n; i++) {
		uint32_t t = p->entries[i].thread;

		if (t >= nthreads) {
			last = realloc(last, (t + 1) * sizeof(*last));
			for (; nthreads <= t; nthreads++)
				last[nthreads] = SIZE_MAX;
		}
		if (p->entries[i].op == HD_OP_WAKE && last[t] != SIZE_MAX)
			waits[last[t]] = p->entries[i].addr;
		last[t] = i;
	}
	free(last);
	return waits;
}

/*
 * Single steps of neighbours lead nowhere near: carry one event as far as it goes, up or down, many
 * times.
 */
static size_t shuffle(struct hd_plan *p, uint64_t seed)
{
	uint64_t *waits = find_waits(p);
	size_t *order = malloc((p->n + 1) * sizeof(*order)), moved = 0;
	struct hd_plan_entry *entries = malloc((p->n + 1) * sizeof(*entries));
	struct hd_rng r;

	hd_rng_seed(&r, seed);
	for (size_t i = 0; i < p->n; i++)
		order[i] = i;
	for (size_t round = 0; p->n > 1 && round < 4 * p->n && moved < 20000000; round++) {
		size_t i = hd_rng_below(&r, p->n - 1), far = hd_rng_below(&r, 1 + p->n / 4);
		bool up = hd_rng_below(&r, 2);

		for (; far && may_swap(p, order, waits, i); far--) {
			size_t x = order[i];

			order[i] = order[i + 1];
			order[i + 1] = x;
			moved++;
			if (up ? i + 2 >= p->n : i == 0)
				break;
			i += up ? 1 : SIZE_MAX;
		}
	}
	for (size_t i = 0; i < p->n; i++)
		entries[i] = p->entries[order[i]];
	memcpy(p->entries, entries, p->n * sizeof(*entries));
	free(entries);
	free(order);
	free(waits);
	return moved;
}

/* --- plans that stop, and plans that cannot be --- */

/* Is there an entry of the thread, or its creation, from @from on, before @i? */
static bool begun_after(const struct hd_plan *p, size_t from, size_t i)
{
	const struct hd_plan_entry *e = &p->entries[i];

	for (size_t k = from; k < i; k++) {
		if (p->entries[k].thread == e->thread ||
		    (p->entries[k].op == HD_OP_FORK && p->entries[k].value == e->thread))
			return true;
	}
	return false;
}

/* Does it come along with what its thread does before? */
static bool comes_along(const struct hd_plan *p, size_t i)
{
	for (size_t k = i; k-- > 0;) {
		if (p->entries[k].thread == p->entries[i].thread)
			return together(&p->entries[k], &p->entries[i]);
	}
	return false;
}

/* Keep some of the plan; up to three threads are to stand before what would have come next. */
static void cut(struct hd_plan *p, uint64_t seed)
{
	struct hd_plan_entry next[3];
	size_t keep, nnext = 0;
	struct hd_rng r;

	hd_rng_seed(&r, seed);
	keep = hd_rng_below(&r, p->n + 1);
	while (keep < p->n && comes_along(p, keep))
		keep++; /* not in the middle of what happens in one go */
	for (size_t i = keep; i < p->n && nnext < 3; i++) {
		const struct hd_plan_entry *e = &p->entries[i];

		if (begun_after(p, keep, i) || comes_along(p, i) || hd_op_is_soft(e->op) ||
		    e->op == HD_OP_ONCE_END || e->op == HD_OP_JOIN)
			continue; /* no goal names these, and they cannot all be stopped before */
		next[nnext] = *e;
		next[nnext++].flags |= HD_PLAN_NEXT;
	}
	memcpy(&p->entries[keep], next, nnext * sizeof(*next));
	p->n = keep + nnext;
}

static void mutate(struct hd_plan *p, uint64_t seed)
{
	struct hd_rng r;
	size_t i;

	hd_rng_seed(&r, seed);
	if (p->n < 2)
		return;
	i = hd_rng_below(&r, p->n - 1);
	switch (hd_rng_below(&r, 5)) {
	case 0:
		p->entries[i].pc += 1 + hd_rng_below(&r, 64);
		break;
	case 1:
		p->entries[i].op = p->entries[i].op == HD_OP_READ ? HD_OP_WRITE : HD_OP_READ;
		break;
	case 2:
		p->entries[i].thread = 1 + (uint32_t)hd_rng_below(&r, 5);
		break;
	case 3: { /* a stretch is missing */
		size_t len = 1 + hd_rng_below(&r, p->n - i - 1 ? p->n - i - 1 : 1);

		memmove(&p->entries[i], &p->entries[i + len],
			(p->n - i - len) * sizeof(*p->entries));
		p->n -= len;
		break;
	}
	default: { /* two stretches change places */
		size_t k = i + hd_rng_below(&r, p->n - i);
		struct hd_plan_entry e = p->entries[i];

		memmove(&p->entries[i], &p->entries[i + 1], (k - i) * sizeof(e));
		p->entries[k] = e;
	}
	}
	for (size_t k = 0; k < p->n; k++) {
		if (hd_rng_below(&r, 10) == 0)
			p->entries[k].flags |= HD_PLAN_GOAL;
	}
}

/* --- did a run follow a plan? --- */

static void show(const char *what, const struct hd_plan_entry *e)
{
	fprintf(stderr, "  %s: T%u %s pc 0x%llx addr 0x%llx value %llu (event %llu)\n", what, e->thread,
		hd_op_info[e->op].name, (unsigned long long)e->pc, (unsigned long long)e->addr,
		(unsigned long long)e->value, (unsigned long long)e->index);
}

/* Numbers of threads in the run -> in the plan. */
static uint32_t *names;
static uint32_t nnames;

static void name_thread(uint32_t run, uint32_t plan)
{
	if (run >= nnames) {
		names = realloc(names, (run + 1) * sizeof(*names));
		while (nnames <= run)
			names[nnames++] = 0;
	}
	names[run] = plan;
}

static void follows(const char *plan_path, const char *trace_path, bool any_values)
{
	struct hd_errbuf eb;
	struct hd_plan p;
	struct run r = read_run(trace_path);
	size_t k = 0, i = 0, values = 0, next = 0;

	if (hd_plan_load(&p, plan_path, &eb))
		die(eb.text, NULL);
	while (next < p.n && !(p.entries[next].flags & HD_PLAN_NEXT))
		next++;
	name_thread(1, 1);
	for (; i < r.n && r.ev[i].op != HD_OP_GOAL; i++) {
		const struct hd_event *ev = &r.ev[i];
		struct hd_plan_entry got = { .thread = ev->thread < nnames ? names[ev->thread] : 0,
					     .op = ev->op, .pc = ev->pc, .addr = ev->addr,
					     .value = ev->value, .index = i };

		if (!hd_op_is_planned(ev->op) || hd_op_is_soft(ev->op))
			continue;
		while (k < next && hd_op_is_soft(p.entries[k].op))
			k++;
		if (k == next) {
			show("more than planned", &got);
			die("the run goes beyond the plan", trace_path);
		}
		if (p.entries[k].thread != got.thread || p.entries[k].op != got.op ||
		    p.entries[k].pc != got.pc) {
			show("planned", &p.entries[k]);
			show("happened", &got);
			die("the run is not the planned one", trace_path);
		}
		if (ev->op == HD_OP_FORK)
			name_thread((uint32_t)ev->value, (uint32_t)p.entries[k].value);
		values += (ev->op == HD_OP_READ || ev->op == HD_OP_ATOMIC_LOAD) &&
			  ev->value != p.entries[k].value && ev->value >> 32 == 0;
		k++;
	}
	if (i == r.n)
		die("the goal was not reached", trace_path);
	while (k < next && hd_op_is_soft(p.entries[k].op))
		k++;
	if (k < next) {
		show("missing", &p.entries[k]);
		die("the goal was claimed too early", trace_path);
	}
	if (values && !any_values)
		die("values of reads differ from the plan", trace_path);
	for (; next < p.n; next++) { /* what was to be next comes first of its thread's events */
		const struct hd_plan_entry *e = &p.entries[next];

		for (k = i; k < r.n; k++) {
			if (r.ev[k].thread < nnames && names[r.ev[k].thread] == e->thread &&
			    hd_op_is_planned(r.ev[k].op) && !hd_op_is_soft(r.ev[k].op))
				break;
		}
		/* By then another thread may have decided what it does there. */
		if (k < r.n && r.ev[k].pc != e->pc) {
			show("should be next", e);
			die("a thread did not stand where it was to", trace_path);
		}
	}
}

/* --- segments --- */

static void by_segments(const char *trace, const char *record, unsigned drop, uint64_t seed,
			char **argv)
{
	struct run r = read_run(trace);
	struct hd_segments s;
	struct hd_errbuf eb;
	struct hd_outcome o;
	struct hd_run_config run;
	struct hd_launch l = { .argv = argv, .run = &run, .follow = HD_POLICY_SEGMENTS, .record = record };
	struct hd_rng rng;
	size_t n = 0;

	if (hd_schedule_segments(r.t, &s, &eb))
		die("cannot make segments", eb.text);
	hd_run_config_init(&run);
	for (size_t i = 0; i < hd_trace_noptions(r.t); i++) {
		const char *key, *value;

		hd_trace_option_at(r.t, i, &key, &value);
		if (hd_run_find(key) == HD_RUN_COUNT || !hd_run_config_set(&run, hd_run_find(key), value))
			die("an unknown option", key);
	}
	hd_rng_seed(&rng, seed);
	for (size_t i = 0; i < s.n; i++) {
		if (hd_rng_below(&rng, 100) >= drop)
			s.list[n++] = s.list[i];
	}
	l.segments = n ? s.list : &(struct hd_segment){ 0 };
	l.nsegments = n;
	if (hd_launch(&l, &o) || !o.attached || o.write_error.code)
		die("the run failed", o.write_error.text);
}

static void choices(const char *a, const char *b)
{
	struct run x = read_run(a), y = read_run(b);
	size_t i = 0, k = 0, n = 0;

	for (;; i++, k++, n++) {
		while (i < x.n && x.ev[i].op != HD_OP_CHOICE)
			i++;
		while (k < y.n && y.ev[k].op != HD_OP_CHOICE)
			k++;
		if (i == x.n && k == y.n)
			return;
		if (i == x.n || k == y.n || x.ev[i].value != y.ev[k].value) {
			fprintf(stderr, "decision %zu: T%lld and T%lld\n", n,
				i < x.n ? (long long)x.ev[i].value : -1,
				k < y.n ? (long long)y.ev[k].value : -1);
			die("the runs differ", b);
		}
	}
}

static void save(const struct hd_plan *p, const char *path)
{
	struct hd_errbuf eb;

	if (hd_plan_save(p, path, &eb))
		die(eb.text, NULL);
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
	struct hd_plan p;
	struct run r;

	if (argc < 3)
		die("which?", NULL);
	if (!strcmp(argv[1], "preemptions")) {
		struct hd_segments s;

		r = read_run(argv[2]);
		if (hd_schedule_segments(r.t, &s, NULL))
			die("cannot make segments", NULL);
		printf("%llu\n", (unsigned long long)s.preemptions);
		return 0;
	}
	if (argc < 4)
		die("which?", NULL);
	if (!strcmp(argv[1], "follows")) {
		follows(argv[2], argv[3], argc > 4 && !strcmp(argv[4], "any-values"));
		return 0;
	}
	if (!strcmp(argv[1], "choices")) {
		choices(argv[2], argv[3]);
		return 0;
	}
	if (!strcmp(argv[1], "segments") && argc > 6) {
		by_segments(argv[2], argv[3], (unsigned)seed, strtoull(argv[5], NULL, 10), argv + 6);
		return 0;
	}
	r = read_run(argv[2]);
	p = observed(&r);
	if (!strcmp(argv[1], "shuffled"))
		printf("%zu\n", shuffle(&p, seed));
	else if (!strcmp(argv[1], "mutated"))
		mutate(&p, seed);
	else if (!strcmp(argv[1], "cut")) {
		shuffle(&p, seed);
		cut(&p, seed);
	} else if (strcmp(argv[1], "observed"))
		die("no such thing", argv[1]);
	save(&p, argv[3]);
	return 0;
}
