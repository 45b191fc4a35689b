/*
 * What would mend a finding, tried by running: the runtime holds a lock for the program from one place to
 * another (runtime/sync/sections.h), in the run that failed and in others that choose at random. For
 * accesses that must not be torn apart, a lock that one of them holds already, or else one that the
 * variable is used under elsewhere, or else a new one. For a deadlock, the lock that a thread wants
 * is taken before the one that it holds. For a wait after which nobody looks again whether there is something to wait for:
 * it begins again while the variable that was looked at has a value with which the thread went wrong.
 */
#include "steps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/budget.h"
#include "common/array.h"
#include "common/listener.h"
#include "common/path.h"
#include "explore/search.h"
#include "report/explain.h"
#include "report/printable.h"
#include "trace/event_meaning.h"
#include "trace/segments.h"

#define RUNS	 100u	 /* of each kind that choose at random, if the failing run is mended */
#define FINDINGS 4u	 /* that a remedy is looked for, at most */
#define SPEND	 10.0	 /* seconds for them, which few need: the load should not decide */
#define SAMPLE	 30.0	 /* the same where output is compared: the load must not decide */
#define LOCKS	 4u	 /* that are tried */
#define SECTIONS 4u	 /* places of one remedy */
#define ANYWHERE 0xffffu /* as in sections.c */
#define NEW_LOCK 0u
#define VALUES	 2u /* with which a wait begins again */

struct section {
	/* Instructions; the same one: nothing but that access. To 0: as long as the function that is so many calls up. */
	uint64_t lock, from, to;
	unsigned up;
};

/* The places of a thread that use what an access of the finding does, in the same call. */
struct extent {
	uint64_t first, last;
};

struct holding {
	uint32_t thread;
	uint64_t lock;
};

struct remedy {
	struct hd_campaign *c;
	struct hd_finding *f;
	const struct hd_run *run; /* that shows it */
	const struct hd_witness *witness;
	struct hd_segments schedule;
	const struct hd_search *by; /* whose faults are looked at; NULL: nobody's */
	struct extent extents[3];
	struct holding *held;
	size_t nheld, held_room;
	struct vote {
		uint64_t lock;
		size_t times;
	} votes[LOCKS]; /* locks that the variable is used under */
	size_t nvotes;
	struct section sections[SECTIONS];
	size_t nsections;
	char hold[SECTIONS * 64];
	uint64_t
		wait; /* the instruction by which the torn thread waits between its accesses; 0: it does not */
	bool looks; /* after that it comes to the first access's place again */
	uint64_t values[VALUES];
	size_t nvalues;
	char again[VALUES * 80];
	unsigned ran, ways;
	double until; /* for runs by chance */
	bool fails;
	bool by_output; /* what is written while a lock is held is normal; see torn_output.c */
	struct hd_normal normal; /* if so: with what the runs so far have written */
	enum hd_err rc;
};

static struct hd_run *report_of(struct hd_campaign *c)
{
	return &c->observations[0].trial->run;
}

/* ---- what the run has on it -------------------------------------------------------------------- */

static bool is_mutex(uint16_t mode)
{
	return (mode & HD_LOCK_KIND_MASK) == HD_LOCK_MUTEX && !(mode & HD_LOCK_SHARED);
}

static bool follow_lock(struct remedy *r, const struct hd_event *ev)
{
	if (ev->op == HD_OP_ACQUIRE) {
		if (!HD_ROOM(r->held, r->held_room, r->nheld + 1))
			return false;
		r->held[r->nheld++] = (struct holding){ ev->thread, ev->addr };
		return true;
	}
	for (size_t i = r->nheld; i-- > 0;) {
		if (r->held[i].thread == ev->thread && r->held[i].lock == ev->addr) {
			r->held[i] = r->held[--r->nheld];
			break;
		}
	}
	return true;
}

static void vote(struct remedy *r, uint64_t lock)
{
	size_t i = 0;

	while (i < r->nvotes && r->votes[i].lock != lock)
		i++;
	if (i == LOCKS)
		return;
	r->nvotes += i == r->nvotes;
	r->votes[i].lock = lock;
	r->votes[i].times++;
}

static bool is_on_it(const struct remedy *r, const struct hd_event *ev)
{
	uint64_t addr = r->f->location.addr, size = r->f->location.size;

	return addr && hd_op_is_access(ev->op) && ev->addr < addr + (size ? size : 1) &&
	       addr < ev->addr + hd_access_size(ev);
}

static void note_wait(struct remedy *r, const struct hd_event *ev, uint64_t index)
{
	const struct hd_access *first = r->f->accesses, *last = &first[r->f->naccesses - 1];

	if (r->f->naccesses < 3 || ev->thread != first->event.thread || index <= first->index ||
	    index > last->index)
		return;
	if (ev->op == HD_OP_WAIT)
		r->wait = ev->pc;
	r->looks |= r->wait && ev->pc == first->event.pc;
}

static bool note_event(void *arg, const struct hd_event *ev, uint64_t index)
{
	struct remedy *r = arg;

	note_wait(r, ev, index);

	if ((ev->op == HD_OP_ACQUIRE || ev->op == HD_OP_RELEASE) && is_mutex(ev->arg) &&
	    !(ev->arg & HD_LOCK_AGAIN))
		return follow_lock(r, ev);
	if (!is_on_it(r, ev))
		return true;
	for (size_t i = 0; i < r->nheld; i++) {
		if (r->held[i].thread == ev->thread)
			vote(r, r->held[i].lock);
	}
	for (size_t i = 0; i < r->f->naccesses && i < 3; i++) {
		const struct hd_event *own = &r->f->accesses[i].event;

		if (ev->thread != own->thread || ev->ctx != own->ctx)
			continue;
		if (!r->extents[i].first)
			r->extents[i].first = ev->pc;
		r->extents[i].last = ev->pc;
	}
	return true;
}

/* ---- runs with it ------------------------------------------------------------------------------ */

/* Two failures of one program: is this one another finding's? */
static bool is_of_another(const struct remedy *r, const struct hd_failure *failure)
{
	const struct hd_campaign *c = r->c;

	for (size_t i = 0; i < c->nattempts + c->nharm; i++) {
		const struct hd_witness *w =
			i < c->nattempts ? &c->attempts[i].witness : &c->harm[i - c->nattempts];

		if (w->trial && w != r->witness && hd_same_failure(&w->failure, failure))
			return true;
	}
	return false;
}

static bool races_on_it(const struct remedy *r, const struct hd_run *run)
{
	uint64_t addr = r->f->location.addr, size = r->f->location.size;

	for (size_t i = 0; r->f->kind == HD_KIND_RACE && i < run->nfindings; i++) {
		const struct hd_finding *g = &run->findings[i];

		if (g->kind == HD_KIND_RACE && !g->certainty.candidate &&
		    g->location.addr < addr + (size ? size : 1) &&
		    addr < g->location.addr + (g->location.size ? g->location.size : 1))
			return true;
	}
	return false;
}

/* Is what was unusual in the run that failed no longer so, now that @t has written what it has? */
static bool is_usual_by(struct remedy *r, struct hd_trial *t)
{
	char why[sizeof(r->witness->failure.words)];

	hd_normal_add(&r->normal, &t->behaviour, true);
	return !hd_normal_is_odd(&r->normal, &r->witness->trial->behaviour, why, sizeof(why));
}

static bool fails(struct remedy *r, struct hd_trial *t)
{
	struct hd_failure failure = hd_campaign_failure(r->c, t);

	if (r->by_output ? is_usual_by(r, t)
			 : hd_campaign_fails_alike(r->c, &r->witness->failure, t))
		return true;
	if (races_on_it(r, &t->run))
		return true;
	return failure.what != HD_FAIL_NONE && failure.what != HD_FAIL_OUTPUT &&
	       !hd_campaign_is_stalled(r->c, t) && !is_of_another(r, &failure);
}

/* The failing schedule, or, if @by, the runs that an exploration calls faults. */
static bool try_next(void *arg, size_t i, struct hd_trial *t)
{
	struct remedy *r = arg;

	if (i >= (r->by ? r->by->nfaults : 1))
		return false;
	if (r->by) {
		*t = hd_search_trial(r->by, i);
		return true;
	}
	*t = hd_campaign_fine_trial(r->c);
	t->follow = HD_POLICY_SEGMENTS;
	t->segments = r->schedule.list;
	t->nsegments = r->schedule.n;
	return true;
}

static bool try_take(void *arg, size_t i, struct hd_trial *t)
{
	struct remedy *r = arg;

	r->c->executions++;
	r->fails |= !t->trace || hd_trial_was_ended(t) || fails(r, t);
	return !r->fails;
}

static bool run_well(struct remedy *r)
{
	struct hd_trials trials = {
		.program = &r->c->program, .arg = r, .next = try_next, .take = try_take
	};
	bool early = hd_campaign_ended_early(r->c, hd_trials_run(&trials, &r->c->pool));

	if (trials.rc != HD_OK)
		r->rc = trials.rc;
	return r->rc == HD_OK && !early && !r->fails;
}

/* Schedules by chance, in one of several ways: does any fail? */
static bool search_well(struct remedy *r, enum hd_strategy strategy)
{
	struct hd_search s = { .strategy = strategy,
			       .executions = RUNS,
			       .seconds = hd_budget_share(SPEND),
			       .keep_going = true };
	uint64_t before = r->c->executions;
	bool well;

	r->rc = hd_search(r->c, &s);
	r->ran += (unsigned)(r->c->executions - before);
	r->by = &s;
	well = r->rc == HD_OK && run_well(r);
	r->by = NULL;
	hd_search_free(&s);
	return well;
}

/*
 * The same where an exploration sees no fault: in what the program writes, its status, or what the oracle says.
 */
static bool sample_next(void *arg, size_t i, struct hd_trial *t)
{
	struct remedy *r = arg;

	if (i == 2 * RUNS || hd_now() > r->until)
		return false;
	*t = i & 2 ? hd_campaign_fine_trial(r->c) : hd_campaign_trial(r->c);
	t->run_as.policy = i & 1 ? HD_POLICY_PCT : HD_POLICY_RANDOM;
	t->run_as.seed = i / 4 + 1;
	t->run_as.early = false;
	return true;
}

static bool sample_take(void *arg, size_t i, struct hd_trial *t)
{
	struct remedy *r = arg;

	r->ran++;
	return try_take(r, i, t);
}

static bool sample_well(struct remedy *r)
{
	struct hd_trials trials = {
		.program = &r->c->program, .arg = r, .next = sample_next, .take = sample_take
	};
	bool early;

	r->until = hd_now() + hd_budget_share(SAMPLE);
	early = hd_campaign_ended_early(r->c, hd_trials_run(&trials, &r->c->pool));
	if (trials.rc != HD_OK)
		r->rc = trials.rc;
	return r->rc == HD_OK && !early && !r->fails;
}

static bool chance_well(struct remedy *r)
{
	if (r->witness->failure.what != HD_FAIL_FINDING)
		return sample_well(r);
	return search_well(r, HD_STRATEGY_PCT) && search_well(r, HD_STRATEGY_RANDOM);
}

/* With what is to be tried: do all runs come to a good end? */
static bool goes_well(struct remedy *r)
{
	bool well;

	r->ran = 1;
	r->fails = false;
	r->ways++;
	if (r->by_output) {
		hd_normal_free(&r->normal);
		if (!hd_normal_copy(&r->normal, &r->c->normal)) {
			r->rc = hd_error(HD_ERR_NOMEM, "out of memory");
			return false;
		}
	}
	well = run_well(r) && chance_well(r);
	return well && r->ran > RUNS;
}

static bool stands(struct remedy *r)
{
	size_t len = 0;
	bool well;

	for (size_t i = 0; i < r->nsections; i++) {
		const struct section *s = &r->sections[i];

		len += (size_t)snprintf(r->hold + len, sizeof(r->hold) - len,
					"%s%" PRIx64 ",%" PRIx64 ",%" PRIx64 ",%x", i ? ";" : "",
					s->lock, s->from, s->to, s->up);
	}
	r->c->base.hold = r->hold;
	well = goes_well(r);
	r->c->base.hold = NULL;
	return well;
}

/* ---- words --------------------------------------------------------------------------------------- */

static void put_lock(FILE *out, const struct remedy *r, uint64_t lock)
{
	if (lock == NEW_LOCK)
		fputs("a new lock", out);
	else
		hd_put_object(out, r->run, lock, "mutex");
}

static void put_place(FILE *out, const struct remedy *r, uint64_t pc)
{
	struct hd_frame frame;

	if (hd_run_frame(r->run, pc, &frame))
		hd_put_site(out, &frame);
	else
		fprintf(out, "0x%" PRIx64, pc);
}

/* The same line, though it may be in code twice. */
static bool is_same_line(const struct remedy *r, uint64_t a, uint64_t b)
{
	struct hd_frame x, y;

	return a == b || (hd_run_frame(r->run, a, &x) && hd_run_frame(r->run, b, &y) && x.line &&
			  x.line == y.line && x.file && y.file && !strcmp(x.file, y.file));
}

static bool is_told(const struct remedy *r, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (is_same_line(r, r->sections[k].from, r->sections[i].from) &&
		    is_same_line(r, r->sections[k].to, r->sections[i].to))
			return true;
	}
	return false;
}

static void put_verified(FILE *out, const struct remedy *r)
{
	fprintf(out, " prevents it: %u schedules tried, none fails, no new deadlock", r->ran);
}

/* The end of the function that the first access's section is not to leave. */
static void put_function_end(FILE *out, const struct remedy *r, const struct section *s)
{
	const struct hd_stack *stack = &r->f->accesses[0].stack;
	struct hd_frame frame;

	if (s->up < stack->npcs && hd_run_frame(r->run, stack->pcs[s->up], &frame) &&
	    frame.function) {
		fputs(" until ", out);
		hd_put_printable(out, frame.function);
		fputs(" ends", out);
	}
}

/* Where the function is that @pc was inlined into; false: it was not. */
static bool inlined_at(const struct remedy *r, uint64_t pc, struct hd_frame *out)
{
	struct hd_frame frames[16];
	size_t n = r->run->symbols ? hd_symbols_code(r->run->symbols, pc, frames, 16) : 0;

	if (n > 1)
		*out = frames[n - 1];
	return n > 1;
}

/* One line of a function that was inlined at two places. */
static bool put_copies(FILE *out, const struct remedy *r, const struct section *s)
{
	struct hd_frame from, to;

	if (!inlined_at(r, s->from, &from) || !inlined_at(r, s->to, &to) || from.line == to.line)
		return false;
	fputs(" from ", out);
	hd_put_site(out, &from);
	fputs(" to ", out);
	hd_put_site(out, &to);
	return true;
}

static void put_section(FILE *out, const struct remedy *r, const struct section *s)
{
	bool one = is_same_line(r, s->from, s->to);

	if (one && put_copies(out, r, s))
		return;
	fputs(one ? " at " : " from ", out);
	put_place(out, r, s->from);
	if (!s->to) {
		put_function_end(out, r, s);
	} else if (!one) {
		fputs(" to ", out);
		put_place(out, r, s->to);
	}
}

static bool holds(const struct hd_access *a, uint64_t lock)
{
	for (size_t i = 0; i < a->nheld; i++) {
		if (a->held[i].addr == lock)
			return true;
	}
	return false;
}

/* Looked at without the lock that it is used under, as in double-checked code: then a second look may be missing. */
static void put_second_look(FILE *out, const struct remedy *r)
{
	const struct hd_access *look = r->f->accesses, *use = &look[r->f->naccesses - 1];

	if (r->f->naccesses != 3 || !hd_op_is_read(look->event.op) || !use->nheld ||
	    !is_mutex(use->held[0].mode) || holds(look, use->held[0].addr))
		return;
	fputs("; or look at ", out);
	hd_put_location(out, r->run, r->f);
	fputs(" again under ", out);
	hd_put_object(out, r->run, use->held[0].addr, "mutex");
	fputs(", before ", out);
	put_place(out, r, use->event.pc);
	fputs(" (not tried)", out);
}

static void put_sections(FILE *out, const struct remedy *r)
{
	fputs("holding ", out);
	put_lock(out, r, r->sections[0].lock);
	for (size_t i = 0; i < r->nsections; i++) {
		if (is_told(r, i))
			continue;
		fputs(i ? " and" : "", out);
		put_section(out, r, &r->sections[i]);
	}
	put_verified(out, r);
	put_second_look(out, r);
}

/* What was tried last stands (@found), or nothing does. */
static enum hd_err tell(struct remedy *r, bool found, void (*put)(FILE *, const struct remedy *))
{
	struct hd_remedy *to = &r->f->remedy;
	size_t len;
	FILE *out = open_memstream(&to->text, &len);

	if (!out)
		return hd_error(HD_ERR_NOMEM, "out of memory");
	to->found = found;
	to->schedules = found ? r->ran : 0;
	if (found)
		put(out, r);
	else
		fprintf(out,
			"none found: in %u way%s of holding a lock that were tried, it still fails",
			r->ways, r->ways == 1 ? "" : "s");
	return fclose(out) ? hd_error(HD_ERR_NOMEM, "out of memory") : HD_OK;
}

/* ---- accesses that belong together ---------------------------------------------------------------- */

/* Calls between the first one's function and the one that both are in. */
static unsigned calls_up(const struct hd_stack *a, const struct hd_stack *b)
{
	size_t same = 0;

	/* The outermost calls are the same; the places in the function that both are in are not. */
	while (same + 1 < a->npcs && same + 1 < b->npcs &&
	       a->pcs[a->npcs - 1 - same] == b->pcs[b->npcs - 1 - same])
		same++;
	return (unsigned)(a->npcs - 1 - same);
}

static void add_section(struct remedy *r, struct section s)
{
	for (size_t i = 0; i < r->nsections; i++) {
		if (r->sections[i].from == s.from && r->sections[i].to == s.to)
			return;
	}
	if (r->nsections < SECTIONS)
		r->sections[r->nsections++] = s;
}

/* Access @i alone or, with @wide, with all that its function does with the variable. */
static void add_access(struct remedy *r, size_t i, uint64_t lock, bool wide)
{
	const struct hd_access *a = &r->f->accesses[i];
	const struct extent *e = &r->extents[i];
	bool more = wide && e->first && e->first != e->last;

	if (!more && holds(a, lock))
		return;
	add_section(r, (struct section){ .lock = lock,
					 .from = more ? e->first : a->event.pc,
					 .to = more ? e->last : a->event.pc });
}

static bool try_lock(struct remedy *r, uint64_t lock, bool wide)
{
	const struct hd_access *a = r->f->accesses;
	size_t n = r->f->naccesses;

	r->nsections = 0;
	if (n >= 3) {
		const struct hd_access *e2 = &a[n - 1];

		unsigned up = calls_up(&a[0].stack, &e2->stack);
		bool twice = a[0].event.pc == e2->event.pc && up;

		add_section(r, (struct section){ .lock = lock,
						 .from = a[0].event.pc,
						 .to = twice ? 0 : e2->event.pc,
						 .up = up });
		if (n > 3 && a[n - 2].event.thread == a[1].event.thread)
			add_section(r, (struct section){
					       .lock = lock,
					       .from = a[1].event.pc,
					       .to = a[n - 2].event.pc,
					       .up = calls_up(&a[1].stack, &a[n - 2].stack) });
		else
			add_access(r, 1, lock, wide);
	} else {
		add_access(r, 0, lock, wide);
		add_access(r, 1, lock, wide);
	}
	return r->nsections && stands(r);
}

/* Those that the accesses hold, the other thread's first; then where else the variable is used. */
static size_t list_locks(const struct remedy *r, uint64_t locks[LOCKS + 1])
{
	static const size_t turn[] = { 1, 0, 2 };
	size_t n = 0;

	for (size_t k = 0; k < 3; k++) {
		const struct hd_access *a = &r->f->accesses[turn[k]];

		for (size_t i = 0; turn[k] < r->f->naccesses && i < a->nheld && n < LOCKS; i++) {
			if (is_mutex(a->held[i].mode))
				locks[n++] = a->held[i].addr;
		}
	}
	for (size_t i = 0; i < r->nvotes && n < LOCKS; i++)
		locks[n++] = r->votes[i].lock;
	locks[n++] = NEW_LOCK;
	return n;
}

static bool is_repeated(const uint64_t *locks, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (locks[k] == locks[i])
			return true;
	}
	return false;
}

/* Few places first: with every lock the accesses alone, then with what belongs to them. */
static enum hd_err mend_accesses(struct remedy *r)
{
	uint64_t locks[LOCKS + 1];
	size_t n = list_locks(r, locks);

	for (int wide = 0; wide < 2; wide++) {
		for (size_t i = 0; i < n && r->rc == HD_OK; i++) {
			if (!is_repeated(locks, i) && try_lock(r, locks[i], wide))
				return tell(r, true, put_sections);
		}
	}
	return r->rc != HD_OK ? r->rc : tell(r, false, NULL);
}

/* ---- a wait that does not look again ---------------------------------------------------------------- */

static void put_again(FILE *out, const struct remedy *r)
{
	fputs("waiting again at ", out);
	put_place(out, r, r->wait);
	fputs(" while ", out);
	hd_put_location(out, r->run, r->f);
	for (size_t i = 0; i < r->nvalues; i++)
		fprintf(out, "%s %" PRIu64, i ? " or" : " is", r->values[i]);
	fputs(", as `while` in place of `if` does,", out);
	put_verified(out, r);
}

static bool waits_well(struct remedy *r)
{
	const struct hd_event *look = &r->f->accesses[0].event;
	size_t len = 0;
	bool well;

	for (size_t i = 0; i < r->nvalues; i++)
		len += (size_t)snprintf(r->again + len, sizeof(r->again) - len,
					"%s%" PRIx64 ",%" PRIx64 ",%x,%" PRIx64, i ? ";" : "",
					r->wait, look->addr, look->size, r->values[i]);
	r->c->base.again = r->again;
	well = goes_well(r);
	r->c->base.again = NULL;
	return well;
}

/* First the value with which it began to wait; then also the one that it goes wrong with. */
static bool mend_wait(struct remedy *r)
{
	const struct hd_access *first = r->f->accesses, *last = &first[r->f->naccesses - 1];

	if (!r->wait || r->looks || first->event.op != HD_OP_READ || !first->has_value)
		return false;
	r->values[r->nvalues++] = first->event.value;
	if (waits_well(r))
		return true;
	if (last->event.op != HD_OP_READ || !last->has_value || r->rc != HD_OK ||
	    last->event.addr != first->event.addr || last->event.value == first->event.value)
		return false;
	r->values[r->nvalues++] = last->event.value;
	return waits_well(r);
}

/* ---- locks that wait for each other ---------------------------------------------------------------- */

static void put_order(FILE *out, const struct remedy *r)
{
	const struct section *s = &r->sections[0];

	fputs("taking ", out);
	put_lock(out, r, s->lock);
	fputs(" before what is taken at ", out);
	put_place(out, r, s->from);
	fputs(", not only at ", out);
	put_place(out, r, s->to);
	put_verified(out, r);
}

/* Where the program asks for what it waits for. */
static uint64_t asked_at(const struct remedy *r, const struct hd_finding_thread *st)
{
	for (size_t i = 0; i < st->stack.npcs; i++) {
		struct hd_frame frame;
		const char *module;

		if (!hd_run_frame(r->run, st->stack.pcs[i], &frame))
			continue;
		module = frame.module ? hd_base_name(frame.module) : "";
		if (strncmp(module, "libheddle", 9))
			return st->stack.pcs[i];
	}
	return 0;
}

/* Where thread @i of the cycle took what the one before it wants; 0: that is not known. */
static uint64_t taken_at(const struct hd_finding *f, size_t i)
{
	const struct hd_finding_waiting *w = &f->waiting;
	uint32_t thread = w->threads[w->cycle[i]].thread;
	uint64_t lock = w->threads[w->cycle[(i ? i : w->ncycle) - 1]].addr;

	for (size_t k = 0; k < w->nheld; k++) {
		if (w->held[k].thread == thread && w->held[k].addr == lock &&
		    is_mutex(w->held[k].mode))
			return w->held[k].pc;
	}
	return 0;
}

static bool is_cycle_of_mutexes(const struct hd_finding *f)
{
	const struct hd_finding_waiting *w = &f->waiting;

	for (size_t i = 0; i < w->ncycle; i++) {
		if (w->threads[w->cycle[i]].state != HD_TS_MUTEX ||
		    !w->threads[w->cycle[i]].stack.npcs)
			return false;
	}
	return w->ncycle >= 2;
}

/* The places where thread @i takes its two locks; false: they are not known. */
static bool add_order(struct remedy *r, size_t i, uint64_t lock)
{
	const struct hd_finding_thread *st = &r->f->waiting.threads[r->f->waiting.cycle[i]];
	struct section s = {
		.lock = lock, .from = taken_at(r->f, i), .to = asked_at(r, st), .up = ANYWHERE
	};

	if (!s.from || !s.to)
		return false;
	add_section(r, s);
	return true;
}

/*
 * One thread of the cycle takes its second lock first. Where others run the same code there is no
 * place for that: a new lock is held while both are taken, by all who run it.
 */
static bool try_order(struct remedy *r, size_t i)
{
	const struct hd_finding_waiting *w = &r->f->waiting;
	uint64_t from = taken_at(r->f, i), lock = w->threads[w->cycle[i]].addr;

	for (size_t k = 0; k < w->ncycle; k++) {
		if (k != i && is_same_line(r, taken_at(r->f, k), from))
			lock = NEW_LOCK;
	}
	r->nsections = 0;
	if (!add_order(r, i, lock))
		return false;
	for (size_t k = 0; k < w->ncycle && lock == NEW_LOCK; k++) {
		if (k != i && is_same_line(r, taken_at(r->f, k), from) && !add_order(r, k, lock))
			return false;
	}
	return stands(r);
}

static enum hd_err mend_order(struct remedy *r)
{
	for (size_t i = 0; i < r->f->waiting.ncycle && r->rc == HD_OK; i++) {
		if (try_order(r, i))
			return tell(r, true,
				    r->sections[0].lock == NEW_LOCK ? put_sections : put_order);
	}
	return r->rc != HD_OK ? r->rc : r->ways ? tell(r, false, NULL) : HD_OK;
}

/* ---- all findings ------------------------------------------------------------------------------- */

/* The run that shows it, with how it fails; a failure of its own where nobody has noted it. */
static bool find_witness(struct remedy *r, struct hd_witness *seen)
{
	struct hd_campaign *c = r->c;

	for (size_t i = 0; i < c->nattempts + c->nharm + c->nextra; i++) {
		const struct hd_witness *w = i < c->nattempts ? &c->attempts[i].witness
					     : i - c->nattempts < c->nharm
						     ? &c->harm[i - c->nattempts]
						     : &c->extra[i - c->nattempts - c->nharm];

		if (!w->trial || &w->trial->run != r->run)
			continue;
		*seen = *w;
		r->witness = w->failure.what == HD_FAIL_NONE ? seen : w;
	}
	for (size_t i = 0; i < c->nobservations && !r->witness; i++) {
		if (&c->observations[i].trial->run != r->run)
			continue;
		*seen = (struct hd_witness){ .trial = c->observations[i].trial };
		r->witness = seen;
	}
	if (r->witness == seen)
		seen->failure = hd_trial_failure(seen->trial, false);
	return r->witness && r->witness->trial->trace && r->witness->failure.what != HD_FAIL_NONE;
}

/* Accesses of which an order fails, or locks that wait for each other. */
static bool can_be_mended(const struct hd_finding *f)
{
	if (f->certainty.candidate || f->remedy.text || f->kind == HD_KIND_GOAL)
		return false;
	if (f->kind == HD_KIND_DEADLOCK)
		return is_cycle_of_mutexes(f);
	if (f->kind == HD_KIND_RACE)
		return f->consequence.harm == HD_HARM_FAILS && f->naccesses == 2;
	return f->certainty.verdict == HD_VERDICT_CONFIRMED && hd_finding_has_accesses(f) &&
	       f->naccesses >= 3 && f->witness.outcome &&
	       f->accesses[0].event.thread == f->accesses[f->naccesses - 1].event.thread;
}

static enum hd_err mend(struct remedy *r)
{
	struct hd_trial *trial = r->witness->trial;
	struct hd_errbuf eb = { 0 };

	if (hd_schedule_segments(trial->trace, &r->schedule, &eb) != HD_OK)
		return hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	if (!hd_trace_each(trial->trace, note_event, r))
		return hd_error(HD_ERR_NOMEM, "out of memory");
	if (r->f->kind == HD_KIND_DEADLOCK)
		return mend_order(r);
	if (mend_wait(r))
		return tell(r, true, put_again);
	return r->rc == HD_OK ? mend_accesses(r) : r->rc;
}

enum hd_err hd_check_prevented(struct hd_campaign *c, struct hd_witness *w,
			       const struct hd_found *wanted, bool *prevented)
{
	struct remedy r = { .c = c, .run = &w->trial->run, .witness = w };
	struct hd_errbuf eb = { 0 };
	enum hd_err rc;

	*prevented = false;
	if (hd_campaign_find(wanted, w->trial, &r.f, &eb) != HD_OK)
		return hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	if (!r.f || r.f->naccesses < wanted->naccesses)
		return HD_OK;
	r.by_output = w->failure.what == HD_FAIL_OUTPUT || w->failure.what == HD_FAIL_ODD;
	rc = mend(&r);
	*prevented = r.f->remedy.found;
	free(w->remedy.text);
	w->remedy = r.f->remedy;
	r.f->remedy = (struct hd_remedy){ 0 };
	if (rc == HD_OK && *prevented && r.by_output) {
		hd_normal_free(&c->normal);
		c->normal = r.normal;
		r.normal = (struct hd_normal){ 0 };
		w->failure = hd_campaign_oddness(c, w->trial);
	}
	hd_normal_free(&r.normal);
	hd_segments_free(&r.schedule);
	free(r.held);
	return rc;
}

enum hd_err hd_check_remedies(struct hd_campaign *c)
{
	struct hd_run *report = report_of(c);
	enum hd_err rc = HD_OK;
	unsigned tried = 0;

	for (size_t i = 0; i < report->nfindings && tried < FINDINGS && rc == HD_OK; i++) {
		struct remedy r = { .c = c, .f = &report->findings[i] };
		struct hd_witness seen = { 0 };

		if (c->out_of_time || c->interrupted || c->out_of_memory || c->first_unfinished)
			break;
		r.run = hd_finding_run(report, r.f);
		if (!can_be_mended(r.f) || r.run->process[0] || !find_witness(&r, &seen))
			continue;
		if (hd_progress_due())
			hd_progress_show("heddle: what would mend finding %zu of %zu", i + 1,
					 report->nfindings);
		tried++;
		rc = mend(&r);
		hd_segments_free(&r.schedule);
		free(r.held);
	}
	return rc;
}
