/*
 * Phasers: barriers whose members signal, wait or both, and come and go.
 *
 * A registration counts the phases that its task has signalled (sig) and waited for (wait). Phase p
 * is complete when every registered signaller has sig > p and, if one was asked for, the single
 * statement between p and p + 1 has run; `phase` is the number of complete ones. With nobody
 * left to signal there is nothing to wait for. tests/unit/tasks has the same as a model.
 */
#include "task.h"

struct hj_phaser {
	union {
		struct {
			struct hd_registration *members;
			uint64_t phase;
			uint32_t signallers;
			uint32_t ahead; /* of them have signalled `phase` already */
			uint32_t bound; /* 0: none */
			bool single_wanted, single_running;
			/* What the first who wants the single statement of this phase would run. */
			hj_fn *single;
			void *single_arg;
			/* Who made it, in which finish: after that nobody is registered. */
			const struct hd_task *maker;
			uint64_t home;
		};
		/*
		 * Bytes are objects of the trace: a phase's, to which its signals are before; and
		 * of a bounded phaser, from the middle on, one to which its waits are.
		 */
		char span[2 * HD_PHASER_SPAN];
	};
};

struct hd_registration {
	struct hj_phaser *ph;
	struct hd_task *task;
	enum hj_mode mode;
	uint64_t sig, wait;
	const struct hd_finish *scope; /* ends with this finish of its task */
	struct hd_registration *next_of_task, *next_of_phaser;
};

static bool signals(enum hj_mode mode)
{
	return mode & HJ_SIG;
}

static bool waits(enum hj_mode mode)
{
	return mode & HJ_WAIT;
}

static void wake(struct hj_phaser *ph)
{
	hd_carrier_progress();
	hd_carrier_wake_all(HD_TS_PHASER, (uintptr_t)ph);
}

/* ---- the state ----------------------------------------------------------------- */

static void count_ahead(struct hj_phaser *ph)
{
	ph->ahead = ph->signallers = 0;
	for (struct hd_registration *r = ph->members; r; r = r->next_of_phaser) {
		ph->signallers += signals(r->mode);
		ph->ahead += signals(r->mode) && r->sig > ph->phase;
	}
}

static bool all_signalled(const struct hj_phaser *ph)
{
	return ph->signallers && ph->ahead == ph->signallers;
}

/* Complete what can be; those who wait look for themselves. */
static void advance(struct hj_phaser *ph)
{
	while (all_signalled(ph) && !ph->single_wanted) {
		ph->phase++;
		count_ahead(ph);
	}
	wake(ph);
}

static uint64_t slowest_wait(const struct hj_phaser *ph)
{
	uint64_t least = UINT64_MAX;

	for (struct hd_registration *r = ph->members; r; r = r->next_of_phaser) {
		if (waits(r->mode) && r->wait < least)
			least = r->wait;
	}
	return least;
}

static struct hd_registration *find(struct hd_task *me, struct hj_phaser *ph)
{
	struct hd_registration *r = me->phasers;

	while (r && r->ph != ph)
		r = r->next_of_task;
	return r;
}

/* Last in both lists: the order of registration is the order in which hj_next takes them. */
static struct hd_registration *add(struct hj_phaser *ph, struct hd_task *t, enum hj_mode mode,
				   uint64_t sig, uint64_t wait)
{
	struct hd_registration *r = hd_carrier_alloc(sizeof(*r)), **p = &t->phasers;

	*r = (struct hd_registration){
		.ph = ph, .task = t, .mode = mode, .sig = sig, .wait = wait, .scope = t->top
	};
	while (*p)
		p = &(*p)->next_of_task;
	*p = r;
	r->next_of_phaser = ph->members;
	ph->members = r;
	count_ahead(ph);
	return r;
}

static void leave(struct hd_registration *r)
{
	struct hj_phaser *ph = r->ph;
	struct hd_registration **p = &r->task->phasers;

	/* What it did so far is before whatever its absence lets go on. */
	if (signals(r->mode)) {
		hd_carrier_fine_point();
		hd_carrier_event(HD_OP_PHASER_SIGNAL, (uintptr_t)ph, r->sig, (uint16_t)r->mode);
	}
	while (*p != r)
		p = &(*p)->next_of_task;
	*p = r->next_of_task;
	for (p = &ph->members; *p != r; p = &(*p)->next_of_phaser)
		;
	*p = r->next_of_phaser;
	hd_carrier_free(r, sizeof(*r));
	count_ahead(ph);
	advance(ph);
}

void hd_phasers_leave(struct hd_task *me, const struct hd_finish *fin)
{
	HD_CALL;
	for (struct hd_registration *r = me->phasers, *next; r; r = next) {
		next = r->next_of_task;
		if (!fin || r->scope == fin)
			leave(r);
	}
}

/* ---- signal and wait ----------------------------------------------------------- */

static uintptr_t waits_object(const struct hj_phaser *ph, uint64_t phase)
{
	return (uintptr_t)&ph->span[HD_PHASER_SPAN + phase % HD_PHASER_SPAN];
}

/* The bound orders as well: those who wait are done with what lies that far back. */
static void keep_bound(struct hj_phaser *ph, uint64_t sig)
{
	while (slowest_wait(ph) != UINT64_MAX && sig + 1 > slowest_wait(ph) + ph->bound)
		hd_carrier_block(HD_TS_PHASER, (uintptr_t)ph);
	if (sig >= ph->bound)
		hd_carrier_event(HD_OP_HB_ACQUIRE, waits_object(ph, sig - ph->bound), 0, 0);
}

static void do_signal(struct hd_registration *r)
{
	struct hj_phaser *ph = r->ph;

	if (ph->bound)
		keep_bound(ph, r->sig);
	hd_carrier_event(HD_OP_PHASER_SIGNAL, (uintptr_t)ph, r->sig, (uint16_t)r->mode);
	if (r->sig++ == ph->phase)
		ph->ahead++;
	if (all_signalled(ph))
		advance(ph);
}

static bool phase_is_over(const struct hd_registration *r)
{
	return r->ph->phase > r->wait || !r->ph->signallers;
}

/* The phase's signals are there, and nobody has run its single statement yet. */
static bool single_is_due(const struct hj_phaser *ph)
{
	return ph->single_wanted && !ph->single_running && all_signalled(ph);
}

static void run_single(struct hd_registration *r, hj_fn *fn, void *arg)
{
	struct hj_phaser *ph = r->ph;
	struct hd_task *me = r->task;

	ph->single_running = true;
	hd_carrier_event(HD_OP_PHASER_WAIT, (uintptr_t)ph, r->wait, 0);
	me->in_single = true;
	HD_OUTSIDE(fn(arg));
	me->in_single = false;
	hd_carrier_event(HD_OP_PHASER_SIGNAL, (uintptr_t)ph, r->wait, 0);
	ph->single_running = ph->single_wanted = false;
	advance(ph);
}

static void do_wait(struct hd_registration *r, hj_fn *single, void *arg)
{
	struct hj_phaser *ph = r->ph;

	while (!phase_is_over(r)) {
		if (single && single_is_due(ph))
			run_single(r, single, arg);
		else
			hd_carrier_block(HD_TS_PHASER, (uintptr_t)ph);
	}
	if (ph->bound)
		hd_carrier_event(HD_OP_HB_RELEASE, waits_object(ph, r->wait), 0, 0);
	hd_carrier_event(HD_OP_PHASER_WAIT, (uintptr_t)ph, r->wait, (uint16_t)r->mode);
	r->wait++;
	if (ph->bound)
		wake(ph);
}

/* Has it signalled the phase that it is in? Those that only signal never have. */
static bool has_signalled(const struct hd_registration *r)
{
	return waits(r->mode) && r->sig > r->wait;
}

static void next(struct hd_registration *r)
{
	if (signals(r->mode) && !has_signalled(r))
		do_signal(r);
	if (waits(r->mode))
		do_wait(r, NULL, NULL);
}

/* ---- the interface --------------------------------------------------------------- */

static struct hd_registration *registered(struct hd_task *me, struct hj_phaser *ph,
					  const char *call)
{
	struct hd_registration *r = find(me, ph);

	if (!r)
		hd_carrier_misuse((uintptr_t)ph,
				  "%s on a phaser that the task is not registered on", call);
	return r;
}

HD_EXPORT hj_phaser_t *hj_phaser_new_bounded(enum hj_mode mode, unsigned bound)
{
	HD_CALL;
	struct hd_task *me = hd_task_enter(HD_CALLER, "hj_phaser_new");
	struct hj_phaser *ph = hd_task_object(sizeof(*ph));

	ph->bound = bound;
	if (me) {
		ph->maker = me;
		ph->home = me->top ? me->top->number : 0;
		add(ph, me, mode, 0, 0);
	}
	return ph;
}

HD_EXPORT hj_phaser_t *hj_phaser_new(enum hj_mode mode)
{
	hd_carrier_enter(HD_CALLER);
	return hj_phaser_new_bounded(mode, 0);
}

/*
 * Is the finish over that it was made in? All that are registered are tasks in there, unless they have registered
 * themselves, or are told of.
 */
static bool is_over(const struct hj_phaser *ph, const struct hd_task *me)
{
	const struct hd_finish *fin = me ? me->top : NULL;

	while (fin && fin->number != ph->home)
		fin = fin->outer;
	return me && me == ph->maker && ph->home && !fin && !me->went_on;
}

HD_EXPORT void hj_phaser_free(hj_phaser_t *ph)
{
	HD_CALL;
	if (!ph)
		return;
	if (hd_carrier_enter(HD_CALLER)) {
		hd_carrier_point();
		if (!is_over(ph, hd_task_here(HD_CALLER)))
			hd_carrier_peek((uintptr_t)ph);
		if (ph->members) {
			hd_carrier_misuse((uintptr_t)ph,
					  "a phaser is freed that tasks are registered on");
			return;
		}
	}
	hd_carrier_free(ph, sizeof(*ph));
}

HD_EXPORT void hj_async_phased(hj_fn *fn, void *arg, const struct hj_phased *on, size_t n)
{
	HD_CALL;
	struct hd_task *me = hd_task_enter(HD_CALLER, "hj_async_phased"), *t;

	if (!me) {
		HD_OUTSIDE(fn(arg));
		return;
	}
	t = hd_task_new(me);
	t->fn = fn;
	t->arg = arg;
	for (size_t i = 0; i < n; i++) {
		struct hd_registration *mine = find(me, on[i].phaser);
		struct hj_phaser *ph = on[i].phaser;

		if (!mine || (on[i].mode & ~mine->mode))
			hd_carrier_misuse(
				(uintptr_t)ph,
				mine ? "a task registers its child for more than it may do itself"
				     : "a task registers its child on a phaser that it is not "
				       "registered on");
		if (!find(t, ph))
			add(ph, t, on[i].mode, mine && signals(mine->mode) ? mine->sig : ph->phase,
			    mine && waits(mine->mode) ? mine->wait : ph->phase);
	}
	hd_task_go(t);
}

HD_EXPORT void hj_phaser_register(hj_phaser_t *ph, enum hj_mode mode)
{
	HD_CALL;
	struct hd_task *me = hd_task_enter(HD_CALLER, "hj_phaser_register");

	if (!me)
		return;
	hd_carrier_point();
	hd_carrier_peek((uintptr_t)ph);
	if (find(me, ph))
		hd_carrier_misuse((uintptr_t)ph, "a task registers on a phaser a second time");
	else
		add(ph, me, mode, ph->phase, ph->phase);
}

HD_EXPORT void hj_phaser_drop(hj_phaser_t *ph)
{
	HD_CALL;
	struct hd_task *me = hd_task_enter(HD_CALLER, "hj_phaser_drop");
	struct hd_registration *r;

	if (!me)
		return;
	hd_carrier_calm_point();
	r = registered(me, ph, "hj_phaser_drop");
	if (r)
		leave(r);
}

HD_EXPORT void hj_next(void)
{
	HD_CALL;
	struct hd_task *me = hd_task_enter(HD_CALLER, "hj_next");
	struct hd_registration *r;

	if (!me)
		return;
	hd_task_may_block(me, "hj_next");
	hd_carrier_calm_point();
	if (!me->phasers)
		hd_carrier_misuse(0, "hj_next of a task that is registered on no phaser");
	for (r = me->phasers; r; r = r->next_of_task) {
		if (signals(r->mode) && !has_signalled(r))
			do_signal(r);
	}
	for (r = me->phasers; r; r = r->next_of_task) {
		if (waits(r->mode))
			do_wait(r, NULL, NULL);
	}
}

HD_EXPORT void hj_phaser_next(hj_phaser_t *ph)
{
	HD_CALL;
	struct hd_task *me = hd_task_enter(HD_CALLER, "hj_phaser_next");
	struct hd_registration *r;

	if (!me)
		return;
	hd_task_may_block(me, "hj_phaser_next");
	hd_carrier_calm_point();
	r = registered(me, ph, "hj_phaser_next");
	if (r)
		next(r);
}

HD_EXPORT void hj_phaser_signal(hj_phaser_t *ph)
{
	HD_CALL;
	struct hd_task *me = hd_task_enter(HD_CALLER, "hj_phaser_signal");
	struct hd_registration *r;

	if (!me)
		return;
	if (ph->bound)
		hd_task_may_block(me, "hj_phaser_signal of a bounded phaser");
	hd_carrier_calm_point();
	r = registered(me, ph, "hj_phaser_signal");
	if (!r)
		return;
	if (!signals(r->mode))
		hd_carrier_misuse((uintptr_t)ph,
				  "hj_phaser_signal by a task that is registered to wait only");
	else if (has_signalled(r))
		hd_carrier_misuse((uintptr_t)ph, "a task signals twice in one phase");
	else
		do_signal(r);
}

HD_EXPORT void hj_phaser_wait(hj_phaser_t *ph)
{
	HD_CALL;
	struct hd_task *me = hd_task_enter(HD_CALLER, "hj_phaser_wait");
	struct hd_registration *r;

	if (!me)
		return;
	hd_task_may_block(me, "hj_phaser_wait");
	hd_carrier_calm_point();
	r = registered(me, ph, "hj_phaser_wait");
	if (!r)
		return;
	if (!waits(r->mode)) {
		hd_carrier_misuse((uintptr_t)ph,
				  "hj_phaser_wait by a task that is registered to signal only");
		return;
	}
	if (signals(r->mode) && !has_signalled(r))
		hd_carrier_misuse((uintptr_t)ph,
				  "a task waits for a phase that it has not signalled itself");
	next(r);
}

static void next_single(struct hd_task *me, struct hj_phaser *ph, hj_fn *fn, void *arg)
{
	struct hd_registration *r = registered(me, ph, "hj_next_single");

	if (!r)
		return;
	if (r->mode != HJ_SIG_WAIT_SINGLE) {
		hd_carrier_misuse(
			(uintptr_t)ph,
			"hj_next_single by a task that is not registered as HJ_SIG_WAIT_SINGLE");
		next(r);
		return;
	}
	if (has_signalled(r)) { /* the phase may be over already */
		hd_carrier_misuse((uintptr_t)ph,
				  "hj_next_single in a phase that the task has signalled");
		next(r);
		return;
	}
	if (!ph->single_wanted) {
		ph->single = fn;
		ph->single_arg = arg;
	} else if (ph->single != fn || ph->single_arg != arg) {
		hd_carrier_peek((uintptr_t)ph); /* it makes a difference who comes last */
	}
	ph->single_wanted = true;
	do_signal(r);
	do_wait(r, fn, arg);
}

HD_EXPORT void hj_phaser_next_single(hj_phaser_t *ph, hj_fn *fn, void *arg)
{
	HD_CALL;
	struct hd_task *me = hd_task_enter(HD_CALLER, "hj_phaser_next_single");

	if (!me)
		return;
	hd_task_may_block(me, "hj_phaser_next_single");
	hd_carrier_calm_point();
	next_single(me, ph, fn, arg);
}

HD_EXPORT void hj_next_single(hj_fn *fn, void *arg)
{
	HD_CALL;
	struct hd_task *me = hd_task_enter(HD_CALLER, "hj_next_single");

	if (!me)
		return;
	hd_task_may_block(me, "hj_next_single");
	hd_carrier_calm_point();
	if (!me->phasers)
		hd_carrier_misuse(0, "hj_next_single of a task that is registered on no phaser");
	else if (me->phasers->next_of_task)
		hd_carrier_misuse(0, "hj_next_single of a task with several phasers: say which by "
				     "hj_phaser_next_single");
	else
		next_single(me, me->phasers->ph, fn, arg);
}

HD_EXPORT unsigned long hj_phaser_phase(hj_phaser_t *ph)
{
	if (hd_carrier_enter(HD_CALLER)) {
		hd_carrier_point();
		hd_carrier_peek((uintptr_t)ph);
	}
	return ph->phase;
}
