/*
 * plan: a predicted run, event by event (trace/plan.h says what a plan is).
 *
 * Every thread has a cursor, the next of its entries; the head is the first entry of all that has
 * not happened. At every scheduling point the head's thread runs. A thread that has done its event
 * goes on to the point before its next one, or until it waits, and stands there until it is
 * its turn: what is not planned, like entering a wait, happens as soon as it can. What happens is
 * compared with the thread's entry when it happens. Events that have no point of their own come
 * along with those before them, ahead of the head if need be.
 *
 * If the head's thread cannot run, what it waits for may not be in the plan (a byte in a pipe, the
 * end of a thread), so others go as far as they can without doing a planned event; else time
 * passes, if its wait is to end by that; else the thread whose entry comes first of those that can
 * runs ahead; else those that have no more entries go on. If it is a task that has not begun, these
 * come first: OpenMP's begin when a thread of the team has come to a barrier. Events of the goal never
 * change their order.
 *
 * A thread that does another operation, or at another place, has left the plan. That is told
 * once; then, as after the goal, the run goes on in the way that the option `after` says.
 */
#include "policy.h"

#include "runtime/abi/loop_parts.h"
#include "runtime/memory/arena.h"
#include "runtime/observe/findings.h"
#include "runtime/sync/mutex.h"
#include "runtime/thread/thread.h"
#include "trace/plan_entry.h"

#define PLAN_AT	      0x0b8000000000ul
#define NONE	      UINT32_MAX
#define GOAL_ACCESSES 16u /* a pattern has three or four; of more, the rest is not compared */

/* A value that was not the planned one. */
struct hd_plan_surprise {
	uint32_t entry; /* NONE: there was none */
	uint64_t got, want;
	uint32_t ctx;
};

/* The last loop that the thread came to and that could have been recorded as a whole. */
struct told_loop {
	unsigned long rounds;
	unsigned n;
	struct hd_loop_part parts[HD_LOOP_PARTS];
};

struct hd_plan_thread {
	struct fiber *fiber; /* NULL: not created yet, or ended */
	uint32_t next;	     /* its next entry; NONE: no more */
	bool at_point;	     /* it has reached a scheduling point since its last event */
	bool ended;
	struct hd_plan_surprise surprise, pointer; /* the last ones; pointers move for no reason */
	struct told_loop *loop;			   /* NULL: none yet */
};

static const struct hd_plan_entry *plan;
static uint32_t nplan;		       /* all entries */
static uint32_t nexec;		       /* those that are executed; the others are only to be next */
static uint32_t head;		       /* no entry before it is open */
static uint32_t goal;		       /* the first open entry of the goal; NONE: no more */
static uint32_t left;		       /* executed entries that are open */
static uint32_t *after_entry;	       /* the next entry of the same thread; NONE: it is the last */
static struct hd_plan_thread *threads; /* by the plan's thread number */
static uint32_t nthreads;
static uint32_t free_steps;  /* scheduling points since the last planned event, see bring_on() */
static uint32_t clock_steps; /* the same, of threads that wait for a time */
static bool reached;	     /* the goal, and nobody has been told */
static struct {
	uint32_t entry;
	uintptr_t addr;
} met[GOAL_ACCESSES]; /* what the goal's accesses were made to */
static uint32_t nmet;
static struct fiber *gives_way;
static uint32_t prefer; /* after=first: a thread of the plan; 0: none, or no longer */
static uint32_t avoid;	/* after=last */
static bool at_random;

/* ---- the plan ------------------------------------------------------------ */

static uint32_t next_goal(uint32_t i)
{
	while (i < nexec && !(plan[i].flags & HD_PLAN_GOAL))
		i++;
	return i < nexec ? i : NONE;
}

static void link_threads(void)
{
	for (uint32_t i = 0; i < nplan; i++) {
		if (plan[i].thread > nthreads)
			nthreads = plan[i].thread;
		/* One that does nothing may still have to end. */
		if (plan[i].op == HD_OP_FORK && plan[i].value > nthreads &&
		    plan[i].value <= HD_PLAN_THREADS_MAX)
			nthreads = (uint32_t)plan[i].value;
	}
	threads = hd_rt_alloc((nthreads + 1ul) * sizeof(*threads));
	for (uint32_t i = 0; i <= nthreads; i++)
		threads[i] = (struct hd_plan_thread){ .next = NONE,
						      .surprise.entry = NONE,
						      .pointer.entry = NONE };
	after_entry = hd_rt_alloc((nplan + 1ul) * sizeof(*after_entry));
	for (uint32_t i = nplan; i-- > 0;) {
		after_entry[i] = threads[plan[i].thread].next;
		threads[plan[i].thread].next = i;
	}
}

/* The thread's number if @s is "@word:T2" or "@word:2", else 0. */
static uint32_t thread_after(const char *s, const char *word)
{
	uint32_t n = 0;

	for (; *word; s++, word++) {
		if (*s != *word)
			return 0;
	}
	if (*s++ != ':')
		return 0;
	for (s += *s == 'T'; *s >= '0' && *s <= '9'; s++)
		n = n * 10 + (uint32_t)(*s - '0');
	return *s ? 0 : n;
}

static void init(void)
{
	uint64_t n;

	plan = hd_rt_policy_input(hd_rt.opt.plan_fd, PLAN_AT, sizeof(*plan), &n);
	nplan = (uint32_t)n;
	while (nexec < nplan && !(plan[nexec].flags & HD_PLAN_NEXT))
		nexec++;
	left = nexec;
	link_threads();
	prefer = thread_after(hd_rt.opt.after, "first");
	avoid = thread_after(hd_rt.opt.after, "last");
	at_random = hd_rt_strcmp(hd_rt.opt.after, "random") == 0;
	goal = next_goal(0);
	reached = !nplan;
	hd_rt.planning = nplan > 0;
	if (nthreads >= 1) {
		hd_rt_main_fiber.policy.plan = &threads[1];
		threads[1].fiber = &hd_rt_main_fiber;
	}
}

static bool is_open(uint32_t i)
{
	return threads[plan[i].thread].next <= i;
}

static struct fiber *fiber_of(uint32_t thread)
{
	return thread <= nthreads ? threads[thread].fiber : NULL;
}

/* ---- the end of following ------------------------------------------------ */

static void stop_following(void)
{
	hd_rt.planning = false;
}

void hd_rt_plan_news(void)
{
	if (!reached)
		return;
	reached = false;
	stop_following();
	hd_rt_event_always(HD_OP_GOAL, 0, nexec, 0, 0);
}

/*
 * @entry is what the plan has, @op what happened at the thread's pc; 0: nothing, it waits, or has
 * ended.
 */
static void left_plan(const struct hd_plan_thread *t, struct fiber *f, uint32_t entry,
		      enum hd_op op, uintptr_t addr, enum hd_plan_why why)
{
	const struct hd_plan_surprise *s = t->surprise.entry != NONE ? &t->surprise : &t->pointer;
	struct hd_plan_left l = { .why = why,
				  .entry = entry,
				  .fiber = f,
				  .thread = (uint32_t)(t - threads),
				  .planned = &plan[entry],
				  .op = op,
				  .addr = addr };

	if (s->entry != NONE) {
		l.differs = &plan[s->entry];
		l.got = s->got;
		l.want = s->want;
		l.ctx = s->ctx;
	}
	stop_following();
	hd_rt_plan_left(&l);
}

/* ---- what happens -------------------------------------------------------- */

static bool reads(unsigned op)
{
	return op == HD_OP_READ || op == HD_OP_ATOMIC_LOAD || op == HD_OP_ATOMIC_RMW ||
	       op == HD_OP_ATOMIC_CAS_FAIL;
}

/* Pointers differ when memory was given out in another order, which mostly changes nothing. */
static bool like_pointers(uint64_t a, uint64_t b)
{
	return a >> 32 && b >> 32 && a >> 48 == 0 && b >> 48 == 0;
}

static uint64_t planned_value(const struct hd_plan_entry *e, enum hd_op op, uint64_t value,
			      uint64_t value2, uint64_t *got)
{
	if (op == HD_OP_WAKE) { /* what the wait returned, not who notified */
		*got = value2;
		return e->value2;
	}
	*got = reads(op) || op == HD_OP_ACQUIRE_FAIL ? value : e->value;
	return e->value;
}

static void compare_values(struct hd_plan_thread *t, uint32_t i, enum hd_op op, uint64_t value,
			   uint64_t value2)
{
	uint64_t got, want = planned_value(&plan[i], op, value, value2, &got);
	struct hd_plan_surprise s = {
		.entry = i, .got = got, .want = want, .ctx = hd_rt_context()
	};

	if (got == want)
		return;
	if (like_pointers(got, want))
		t->pointer = s;
	else
		t->surprise = s;
}

/* A compare-and-swap at the goal may succeed or fail. */
static bool agrees(const struct hd_plan_entry *e, enum hd_op op, uintptr_t pc)
{
	bool swap = op == HD_OP_ATOMIC_RMW || op == HD_OP_ATOMIC_CAS_FAIL;

	if (e->pc != (pc & 0xffffffffffffull))
		return false;
	return e->op == op || ((e->flags & HD_PLAN_FREE) && swap &&
			       (e->op == HD_OP_ATOMIC_RMW || e->op == HD_OP_ATOMIC_CAS_FAIL));
}

static bool may_skip(uint32_t i)
{
	return hd_op_is_soft(plan[i].op) && !(plan[i].flags & (HD_PLAN_GOAL | HD_PLAN_NEXT));
}

void hd_rt_plan_loop(const struct hd_loop_part *parts, unsigned n, unsigned long rounds)
{
	struct hd_plan_thread *t = hd_rt.cur->policy.plan;

	if (!t || t->next == NONE)
		return;
	if (!t->loop)
		t->loop = hd_rt_alloc(sizeof(*t->loop));
	t->loop->rounds = rounds;
	t->loop->n = n;
	hd_rt_copy(t->loop->parts, parts, n * sizeof(*parts));
}

/*
 * A plan of a run that recorded the loop as a whole has its accesses at the places where the loop was
 * told of (abi_loops.c). If the next entry is such an access, this one is at its place, too.
 */
uintptr_t hd_rt_plan_place(uintptr_t addr, bool write, uintptr_t pc)
{
	const struct hd_plan_thread *t = hd_rt.cur->policy.plan;
	const struct told_loop *loop = t ? t->loop : NULL;
	uint32_t i = loop ? t->next : NONE;

	while (i != NONE && may_skip(i))
		i = after_entry[i];
	for (unsigned k = 0; i != NONE && k < loop->n; k++) {
		const struct hd_loop_part *p = &loop->parts[k];

		if (plan[i].pc == (p->pc & 0xffffffffffffull) && p->write == write &&
		    addr - hd_loop_lowest(p, loop->rounds) < hd_loop_length(p, loop->rounds))
			return p->pc;
	}
	return pc;
}

/* The thread's entry that this event is: its next one, or one after some that may be missing. */
static uint32_t entry_for(const struct hd_plan_thread *t, enum hd_op op, uintptr_t pc)
{
	uint32_t i = t->next;

	while (i != NONE && !agrees(&plan[i], op, pc) && may_skip(i))
		i = after_entry[i];
	return i;
}

/* Entries of @t before @i have happened, or will not. */
static void pass_to(struct hd_plan_thread *t, uint32_t i)
{
	while (t->next != i) {
		left -= t->next < nexec;
		t->next = after_entry[t->next];
	}
}

static void note_fork(const struct hd_plan_entry *e, uint64_t id)
{
	struct fiber *child = hd_rt_fiber_by_id((uint32_t)id);

	if (!child || e->value > nthreads)
		return;
	child->policy.plan = &threads[e->value];
	threads[e->value].fiber = child;
}

static bool overlap(uint64_t a, uint32_t a_size, uint64_t b, uint32_t b_size)
{
	return a < b + b_size && b < a + a_size;
}

/*
 * Accesses of the goal to one location: are they to one in this run, too? By a schedule that ignores values, a thread
 * may come to the planned line with another object.
 */
static bool is_same_object(uint32_t i, enum hd_op op, uintptr_t addr)
{
	const struct hd_plan_entry *e = &plan[i];

	if (!hd_op_is_access(op) || hd_op_is_range(op))
		return true;
	for (uint32_t k = 0; k < nmet; k++) {
		const struct hd_plan_entry *before = &plan[met[k].entry];

		if (overlap(before->addr, before->size, e->addr, e->size) &&
		    !overlap(met[k].addr, before->size, addr, e->size))
			return false;
	}
	if (nmet < GOAL_ACCESSES) {
		met[nmet].entry = i;
		met[nmet++].addr = addr;
	}
	return true;
}

void hd_rt_plan_event(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2, uintptr_t pc)
{
	struct hd_plan_thread *t = hd_rt.cur->policy.plan;
	uint32_t i;

	if (!hd_op_is_planned(op) || !t || t->next == NONE)
		return;
	i = entry_for(t, op, pc);
	if (i == NONE || !agrees(&plan[i], op, pc)) {
		if (hd_op_is_soft(op))
			return;
		if (i == NONE)
			i = t->next;
		/* The same place: what it saw there is the reason. */
		if (plan[i].pc == pc)
			compare_values(t, i, op, value, value2);
		left_plan(t, hd_rt.cur, i, op, addr, HD_DIVERGED_OTHER_EVENT);
		return;
	}
	if ((plan[i].flags & HD_PLAN_NEXT) || ((plan[i].flags & HD_PLAN_GOAL) && i != goal)) {
		left_plan(t, hd_rt.cur, i, op, addr, HD_DIVERGED_TOO_EARLY);
		return;
	}
	if (i == goal && !is_same_object(i, op, addr)) {
		left_plan(t, hd_rt.cur, i, op, addr, HD_DIVERGED_OTHER_OBJECT);
		return;
	}
	free_steps = clock_steps = 0;
	compare_values(t, i, op, value, value2);
	pass_to(t, after_entry[i]);
	t->at_point = false;
	if (op == HD_OP_FORK)
		note_fork(&plan[i], value);
	if (i == goal)
		goal = next_goal(i + 1);
	if (!left && nexec == nplan)
		reached = true;
}

/* ---- who is next --------------------------------------------------------- */

/* The current fiber stands at a point: what the plan has before it and may be missing, is. */
static void arrive(struct hd_plan_thread *t)
{
	uint64_t pc = hd_rt.cur->pc & 0xffffffffffffull;
	uint32_t i = t->next;

	t->at_point = true;
	while (i != NONE && plan[i].pc != pc && may_skip(i))
		i = after_entry[i];
	if (i != NONE && i != t->next && plan[i].pc == pc)
		pass_to(t, i);
}

/* Is the wait of @f, which has a deadline, to end by it? Then its next entry is not what it waits for. */
static bool times_out(const struct fiber *f)
{
	uint32_t i = f->policy.plan->next, second;

	if (f->wait.deadline == HD_NEVER)
		return false;
	if (i == NONE)
		return true;
	switch (f->wait.why) {
	case HD_TS_COND:
		second = after_entry[i];
		return plan[i].op != HD_OP_ACQUIRE || second == NONE ||
		       plan[second].op != HD_OP_WAKE || !plan[second].value;
	case HD_TS_MUTEX:
	case HD_TS_RWLOCK_READ:
	case HD_TS_RWLOCK_WRITE:
		return plan[i].op != HD_OP_ACQUIRE;
	case HD_TS_SEM:
		return plan[i].op != HD_OP_SEM_WAIT;
	case HD_TS_JOIN:
		return plan[i].op != HD_OP_JOIN;
	default:
		return true;
	}
}

/* Can it be made to run, even if time has to pass for that? */
static bool can_go(const struct fiber *f)
{
	return f->run_index >= 0 || (f->state == HD_F_BLOCKED && f->wait.deadline != HD_NEVER);
}

/* A thread that is to be joined next and has nothing else to do but to end. */
static struct fiber *ending_for(const struct hd_plan_thread *t)
{
	for (uint32_t i = t->next; i != NONE && plan[i].op == HD_OP_JOIN; i = after_entry[i]) {
		struct fiber *other = fiber_of((uint32_t)plan[i].value);

		if (other && other->policy.plan->next == NONE && can_go(other))
			return other;
	}
	return NULL;
}

/*
 * A signal came while the thread was in a call at this place. Did it wait there, so that it has to go
 * in? If it did its event there after the handler had run, it was only on the point of doing it.
 */
static bool waits_for_signal(uint32_t i)
{
	uint32_t next = after_entry[i];

	if (plan[i].op != HD_OP_HB_ACQUIRE || !hd_rt_signal_object(plan[i].addr))
		return false;
	for (int n = 0; n < 64 && next != NONE; n++, next = after_entry[next]) {
		if (plan[next].pc == plan[i].pc)
			return false;
	}
	return true;
}

/* At the point before its entry @i, or waiting in the call that it belongs to? */
static bool stands_before(const struct hd_plan_thread *t, uint32_t i)
{
	const struct fiber *f = t->fiber;

	if (t->next != i || (f->pc & 0xffffffffffffull) != plan[i].pc || waits_for_signal(i))
		return false;
	return t->at_point || f->state == HD_F_BLOCKED;
}

/* So many scheduling points without any planned event are not on the way to one. */
#define FREE_STEPS 100000u

/* One who can go on without doing a planned event: it is not yet there. NULL: nobody. */
static struct fiber *on_the_way(void)
{
	for (uint32_t i = 0; i < hd_rt.nrunnable; i++) {
		struct fiber *f = hd_rt.runnable[i];

		if (f->policy.plan && f->policy.plan->next != NONE &&
		    !stands_before(f->policy.plan, f->policy.plan->next) && !hd_rt_is_spinning(f))
			return f;
	}
	return NULL;
}

/* Of those that can run, the one whose entry comes first; NULL: nobody. */
static struct fiber *first_that_can(uint32_t limit)
{
	struct fiber *best = NULL;

	for (uint32_t i = 0; i < hd_rt.nrunnable; i++) {
		struct fiber *f = hd_rt.runnable[i];
		uint32_t next = f->policy.plan ? f->policy.plan->next : NONE;

		if (next >= limit || ((plan[next].flags & HD_PLAN_GOAL) && next != goal))
			continue;
		if (!best || next < best->policy.plan->next)
			best = f;
	}
	return best;
}

/* The first of those that the plan has nothing more for, or never had; NULL: nobody. */
static struct fiber *at_large(void)
{
	struct fiber *first = NULL;

	for (uint32_t i = 0; i < hd_rt.nrunnable; i++) {
		struct fiber *f = hd_rt.runnable[i];

		if ((!f->policy.plan || f->policy.plan->next == NONE) && !hd_rt_is_spinning(f) &&
		    (!first || f->id < first->id))
			first = f;
	}
	return first;
}

/*
 * Does it wait for a signal, and a timer is armed? Who sends signals has done so, for that is in the plan
 * before; so it is the timer's.
 */
static bool waits_for_timer(const struct fiber *f)
{
	uint32_t i = f->policy.plan->next;

	return f->state == HD_F_BLOCKED && hd_rt.timer_due != HD_NEVER && i != NONE &&
	       plan[i].op == HD_OP_HB_ACQUIRE && hd_rt_signal_object(plan[i].addr);
}

/* One that looked at the clock so few points ago waits for it to be late; an hour takes 4 million looks. */
#define LOOKED_LATELY 100u
#define CLOCK_STEPS   10000000u

/* Has it been tried for too long to bring on what @f is to do? */
static bool takes_too_long(const struct fiber *f)
{
	if (f && hd_rt.steps - f->time.look_step < LOOKED_LATELY)
		return ++clock_steps > CLOCK_STEPS;
	return ++free_steps > 2 * FREE_STEPS;
}

/* Real time that is given to the world to end a wait that only it can end. */
#define PATIENCE_NS 1000000000

/* @f, which is to run, or somebody who can help it; NULL: there is nobody. */
static struct fiber *bring_on(const struct hd_plan_thread *t)
{
	struct fiber *f = t->fiber, *other = ending_for(t);

	if (t->ended || takes_too_long(other ? other : f))
		return NULL;
	if (other || (f && f->run_index >= 0))
		return other ? other : f;
	other = on_the_way();
	if (!other && f && times_out(f))
		return f;
	if (!other && f && waits_for_timer(f))
		return &hd_rt_nobody;
	if (!other && f && (f->wait.why == HD_TS_IO || f->wait.why == HD_TS_CHILD)) {
		hd_rt_io_poll(PATIENCE_NS);
		if (f->run_index >= 0)
			return f;
	}
	/* A task that has not begun: there is no thread for it. */
	if (!other && f && f->light.on && !f->light.host)
		other = at_large();
	other = other ? other : first_that_can(nexec);
	return other ? other : at_large();
}

static struct fiber *lost(uint32_t i)
{
	struct hd_plan_thread *t = &threads[plan[i].thread];

	left_plan(t, t->fiber, i, 0, 0,
		  t->ended   ? HD_DIVERGED_ENDED
		  : t->fiber ? HD_DIVERGED_BLOCKED
			     : HD_DIVERGED_NOT_THERE);
	return NULL;
}

/* All that is executed has been: who is still on the way to its last place? */
static struct fiber *last_steps(void)
{
	for (uint32_t i = nexec; i < nplan; i++) {
		struct hd_plan_thread *t = &threads[plan[i].thread];
		struct fiber *f;

		if (t->fiber && stands_before(t, i))
			continue;
		f = bring_on(t);
		return f ? f : lost(i);
	}
	reached = true;
	return NULL;
}

/* The current fiber has reached a point. Is that on its way to its next event? */
static bool goes_on(struct fiber *me)
{
	struct hd_plan_thread *t = me->policy.plan;

	if (!t || me->state != HD_F_RUNNABLE)
		return false;
	arrive(t);
	return t->next != NONE && !stands_before(t, t->next) && !hd_rt_is_spinning(me) &&
	       ++free_steps < FREE_STEPS;
}

static struct fiber *want(void)
{
	struct fiber *f;

	hd_rt_plan_news();
	if (!hd_rt.planning)
		return NULL;
	if (goes_on(hd_rt.cur))
		return hd_rt.cur;
	while (head < nexec && !is_open(head))
		head++;
	if (head < nexec) {
		f = bring_on(&threads[plan[head].thread]);
		if (!f)
			lost(head);
	} else {
		f = last_steps();
		hd_rt_plan_news();
	}
	return f;
}

/* ---- decisions that are not the plan's ----------------------------------- */

/* The waiter that the plan's notification reaches; else the one whose turn comes first. */
static unsigned pick_waiter(struct fiber *const *cand, unsigned n)
{
	const struct hd_plan_thread *t = hd_rt.cur->policy.plan;
	uint32_t i = t ? t->next : NONE;
	unsigned best = 0;

	for (unsigned k = 0; i != NONE && plan[i].op == HD_OP_NOTIFY && k < n; k++) {
		if (plan[i].value && cand[k]->policy.plan == &threads[plan[i].value])
			return k;
	}
	for (unsigned k = 1; k < n; k++) {
		uint32_t a = cand[k]->policy.plan ? cand[k]->policy.plan->next : NONE;
		uint32_t b = cand[best]->policy.plan ? cand[best]->policy.plan->next : NONE;

		if (a < b)
			best = k;
	}
	return best;
}

static int index_of(struct fiber *const *cand, unsigned n, const struct fiber *f)
{
	for (unsigned i = 0; f && i < n; i++) {
		if (cand[i] == f && hd_rt_sensible(f))
			return (int)i;
	}
	return -1;
}

static unsigned pick_random(struct fiber *const *cand, unsigned n)
{
	unsigned sensible = 0, k;

	for (unsigned i = 0; i < n; i++)
		sensible += index_of(cand, n, cand[i]) >= 0;
	if (!sensible)
		return n - 1;
	k = (unsigned)hd_rng_below(&hd_rt_rng, sensible);
	for (unsigned i = 0;; i++) {
		if (index_of(cand, n, cand[i]) >= 0 && !k--)
			return i;
	}
}

/* Whoever is preferred or avoided need not be so for ever: others may wait for it, or it for them. */
#define PREFERENCE 100000u

static unsigned pick(enum hd_pick why, struct fiber *const *cand, unsigned n, int cur)
{
	static uint32_t decisions;
	struct fiber *late;
	int i;

	if (why == HD_PICK_WAKE)
		return hd_rt.planning ? pick_waiter(cand, n) : 0;
	if (why == HD_PICK_GRANT)
		return 0;
	if (at_random)
		return pick_random(cand, n);
	if (++decisions > PREFERENCE)
		prefer = avoid = 0;
	late = fiber_of(avoid);
	/* It may wait for a lock that the goal's other thread still holds: then as soon as it can. */
	i = prefer ? index_of(cand, n, fiber_of(prefer)) : -1;
	if (i >= 0)
		return (unsigned)i;
	if (late && cur >= 0 && cand[cur] == late)
		cur = -1;
	i = (int)hd_rt_pick_fairly(why, cand, n, cur, &gives_way);
	if (late && cand[i] == late) {
		/* Only if there is nobody else. */
		for (unsigned k = 0; k < n; k++) {
			if (cand[k] != late && index_of(cand, n, cand[k]) >= 0)
				return k;
		}
	}
	return (unsigned)i;
}

/*
 * Whom @after prefers may be waiting in a loop for somebody else, and those that go first for
 * the one that is to be last: without progress for so long, both are the others' equals.
 */
#define PATIENCE 500u /* scheduling points */

static void yielded(struct fiber *f)
{
	gives_way = f;
	if (hd_rt.planning)
		return;
	if (f == fiber_of(prefer))
		prefer = 0;
	if (hd_rt.steps - hd_rt.calm_step > PATIENCE)
		avoid = 0;
}

static void ended(struct fiber *f)
{
	if (!f->policy.plan)
		return;
	f->policy.plan->ended = true;
	f->policy.plan->fiber = NULL;
}

void hd_rt_plan_end(void)
{
	hd_rt_plan_news();
	if (!hd_rt.planning)
		return;
	while (head < nexec && !is_open(head))
		head++;
	if (head < nplan) {
		struct hd_plan_thread *t = &threads[plan[head].thread];

		left_plan(t, t->fiber, head, 0, 0, HD_DIVERGED_PROGRAM_ENDED);
	}
}

const struct hd_policy hd_rt_policy_plan = {
	.name = "plan",
	.init = init,
	.pick = pick,
	.want = want,
	.yielded = yielded,
	.ended = ended,
};
