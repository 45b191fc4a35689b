/*
 * explore: the explorer's choices, then the default, with the threads left out that are asleep.
 */
#include "common/hash.h"
#include "explore.h"

#include <sys/mman.h>

#include "await.h"
#include "explore_memory.h"
#include "explore_pct.h"
#include "explore_sites.h"
#include "repeat.h"
#include "runtime/memory/arena.h"
#include "runtime/memory/mapped_twice.h"
#include "runtime/observe/record.h"
#include "runtime/sched/policy.h"
#include "runtime/sync/mutex.h"
#include "runtime/sys.h"
#include "runtime/thread/thread.h"
#include "runtime/weak/weak.h"
#include "state.h"
#include "state_exact.h"
#include "one_step.h"
#include "trace/event_meaning.h"

#define SHARED_AT 0x0b8000000000ul
#define KNOWN_AT  0x0b9000000000ul

struct hd_xshared *hd_rt_xsh;
#define sh hd_rt_xsh
static bool asleep[HD_X_ASLEEP];	  /* as in sh->sleepers */
static uint32_t awake_since[HD_X_ASLEEP]; /* the same: their since */
static uint32_t nasleep;		  /* of these were set */
static uint32_t op_thread;   /* whose operation was the last of this step; 0: it has had none */
static uint32_t step_thread; /* who was chosen to make it; 0: nobody was */
static uint32_t
	step_node; /* so many decisions with the one that chose it; 0: nobody else could run */
static uint32_t nfollowed; /* steps of sh->wakeup that were made */
static bool ended;
static struct hd_xknown *known; /* NULL: none */
static uint32_t spent;		/* preemptions so far */
static uint32_t in_vain;	/* how many of those that could run would look in vain: await.h */
static uint64_t left_out;	/* who of those that could run is too tired to; 0: nobody */

/* Memory of the explorer's, at a place of its own; the descriptor is closed. */
static void *map_shared(int fd, uintptr_t at, size_t size, int prot)
{
	long p = hd_sys(SYS_mmap, at, size, prot, MAP_SHARED, fd, 0);

	hd_sys(SYS_close, fd);
	if (p < 0 && p > -4096)
		hd_sys(SYS_exit_group, 125);
	return (void *)p;
}

static void init(void)
{
	sh = map_shared(hd_rt.opt.explore_fd, SHARED_AT, sizeof(*sh), PROT_READ | PROT_WRITE);
	hd_rt_claim(sh, sizeof(*sh));
	if (hd_rt.opt.known_fd > 0)
		known = map_shared(hd_rt.opt.known_fd, KNOWN_AT, sizeof(*known), PROT_READ);
	sh->nchoices = 0; /* constructors come to points, too: their replay does */
	hd_rt.exploring = true;
	hd_rt_pulse = &sh->pulse;
	hd_rt.opt.any_time = true;
	if (hd_rt.opt.states)
		hd_rt_state_start();
}

/* ---- operations ------------------------------------------------------------- */

static void wake_sleepers(const struct hd_xop *op)
{
	if (sh->nnodes < sh->nprefix)
		return;
	for (uint32_t i = 0; i < sh->nsleepers; i++) {
		const struct hd_xsleeper *s = &sh->sleepers[i];
		enum hd_xwake wake;

		if (s->thread == op->thread) {
			awake_since[i] = 0; /* it was its next operation that this is about */
			continue;
		}
		if (!asleep[i] && !awake_since[i])
			continue;
		wake = hd_xop_wake(op, sh->sleep_ops + s->first_op, s->nops);
		if (wake == HD_X_WAKES)
			awake_since[i] = 0;
		else if (wake == HD_X_WAKES_PARTLY && asleep[i])
			awake_since[i] = (uint32_t)(op - sh->ops) + 1;
		asleep[i] &= wake == HD_X_SLEEPS_ON;
	}
}

static void __attribute__((noreturn)) stop(enum hd_xend end)
{
	hd_rt_explore_end();
	sh->end = end;
	hd_rt_repeat(0);
	hd_sys(SYS_exit_group, 0);
	__builtin_unreachable();
}

/* What can come of this is tried elsewhere. By graphs, nobody is to take it for the end of the process. */
static void __attribute__((noreturn)) stop_redundant(void)
{
	ended |= sh->by_graph;
	stop(HD_X_END_REDUNDANT);
}

void hd_rt_explore_redundant(void)
{
	stop_redundant();
}

void hd_rt_explore_again(void)
{
	struct hd_xsupposed *s = &sh->supposed;

	/* Something else was learnt first: then it is asked again. */
	if (s->now > HD_X_SUPPOSE_SOON) {
		s->now = HD_X_SUPPOSE_NO;
		sh->nanswers = s->answer ? s->answer - 1 : sh->nanswers;
	}
	stop(HD_X_END_PROBED);
}

bool hd_rt_explore_is_tried(void)
{
	return sh->supposed.now > HD_X_SUPPOSE_SOON;
}

void hd_rt_suppose_end(void)
{
	sh->supposed.now = HD_X_SUPPOSE_NO;
	ended = true; /* nothing of it counts */
	stop(HD_X_END_PROBED);
}

void hd_rt_explore_cut(void)
{
	stop(HD_X_END_BOUND);
}

static bool announcing;	   /* the operation is a weak one: what it does is decided next */
static uint32_t announced; /* so many operations with it; 0: none */

static void put(uint32_t thread, enum hd_xop_kind kind, uint64_t object, uint8_t bytes,
		bool resumed)
{
	struct hd_xop *op;

	if (sh->nops == HD_X_OPS) {
		ended = true; /* no room to tell more */
		stop(HD_X_END_FULL);
	}
	if (kind != HD_X_STEP && thread == hd_rt.cur->id && hd_rt.cur->explore.waited_in_loop) {
		hd_rt.cur->explore.waited_in_loop = false;
		resumed = true;
	}
	op = &sh->ops[sh->nops++];
	*op = (struct hd_xop){ .object = object,
			       .thread = thread,
			       .kind = (uint8_t)kind,
			       .bytes = bytes,
			       .resumed = resumed,
			       .begins = op_thread != thread };
	op_thread = thread;
	if (sh->nnodes)
		sh->nodes[sh->nnodes - 1].nops++;
	if (!announcing)
		wake_sleepers(op);
}

static void tell(enum hd_xop_kind kind, uint64_t object)
{
	put(hd_rt.cur->id, kind, object, 0xff, false);
}

/*
 * Objects are named by what makes them one. Memory in pieces of eight bytes has even numbers,
 * everything else odd ones.
 */
static uint64_t thing(uintptr_t addr)
{
	return (uint64_t)hd_rt_name_of(addr) * 2 + 1;
}

uint64_t hd_rt_explore_object(uintptr_t addr)
{
	return thing(addr);
}

/* What passes between a thread that is let go and who does so. */
static uint64_t token(const struct fiber *f)
{
	return UINT64_MAX - 2 * (uint64_t)f->id;
}

#define THE_END (UINT64_MAX - 2 * (uint64_t)UINT32_MAX) /* of the process */

static void tell_memory(enum hd_xop_kind kind, uintptr_t addr, uint64_t size)
{
	while (size) {
		unsigned at = addr & 7;
		unsigned n = size < 8 - at ? (unsigned)size : 8 - at;

		put(hd_rt.cur->id, kind, (addr >> 3) * 2, (uint8_t)(((1u << n) - 1) << at), false);
		addr += n;
		size -= n;
	}
}

static void tell_acquire(uintptr_t addr, uint16_t mode)
{
	if (mode & HD_LOCK_AGAIN)
		return;
	if (mode & (HD_LOCK_TRY | HD_LOCK_TIMED))
		tell(HD_X_WRITE, thing(addr));
	tell(mode & HD_LOCK_SHARED ? HD_X_LOCK_SHARED : HD_X_LOCK, thing(addr));
}

static bool resumed_at(uintptr_t addr)
{
	struct fiber *me = hd_rt.cur;
	bool yes = me->explore.resumed_at == addr;

	me->explore.resumed_at = 0;
	return yes;
}

static bool adding; /* the next event is an addition whose result nobody uses */

void hd_rt_explore_adds(void)
{
	adding = true;
	hd_rt_explore_uses(HD_X_USES_ADDS);
}

static enum hd_xop_kind kind_of_write(void)
{
	enum hd_xop_kind kind = adding ? HD_X_ADD : HD_X_WRITE;

	adding = false;
	return kind;
}

static bool taking; /* the next event takes what the fiber stood before until there was one */

void hd_rt_explore_takes(void)
{
	taking = true;
}

static void tell_permit(uintptr_t addr)
{
	bool resumed = resumed_at(addr);

	put(hd_rt.cur->id, taking ? HD_X_TAKE : HD_X_WRITE, thing(addr), 0xff, resumed && !taking);
	taking = false;
}

/* An event that means something new is to be thought of here. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"
#pragma GCC diagnostic error "-Wswitch-enum"

void hd_rt_explore_soon(enum hd_op op, uintptr_t addr, uint32_t size)
{
	announcing = sh->by_graph;
	tell_memory(hd_op_is_write(op) ? HD_X_WRITE : HD_X_READ, addr, size);
	announcing = false;
	announced = sh->by_graph ? sh->nops : 0;
	if (announced)
		sh->ops[announced - 1].weak = HD_X_WEAK |
					      (op == HD_OP_ATOMIC_STORE ? 0 : HD_X_WEAK_READS) |
					      (op == HD_OP_ATOMIC_RMW ? HD_X_WEAK_TRIES : 0);
}

uint32_t hd_rt_explore_chosen(unsigned what, uint32_t source)
{
	struct hd_xop *op = &sh->ops[announced - 1];

	if (!announced)
		return 0;
	op->weak |= (uint8_t)what;
	op->source = what & HD_X_WEAK_READS ? source : 0;
	wake_sleepers(op);
	return announced;
}

uint32_t hd_rt_explore_since(void)
{
	for (uint32_t i = 0; sh->nnodes >= sh->nprefix && i < sh->nsleepers; i++) {
		if (awake_since[i] && sh->sleepers[i].thread == hd_rt.cur->id)
			return awake_since[i];
	}
	return 0;
}

/* Was the event of the current fiber announced, and is all that it does known? */
static bool was_announced(void)
{
	bool was = announced && announced == sh->nops && op_thread == hd_rt.cur->id;

	announced = 0;
	return was;
}

void hd_rt_explore_event(enum hd_op op, uintptr_t addr, uint64_t value, uint32_t size, uint16_t arg)
{
	uint64_t bytes = hd_op_is_range(op) ? value : size;

	/* A place is a part of the operation that comes next. */
	hd_rt.cur->explore.deeds +=
		op != HD_OP_PLACE && (op < HD_OP_CHOICE || hd_op_touches(op) != HD_TOUCH_NONE);
	if (op == HD_OP_FREE)
		hd_rt_await_freed(addr, value);
	if (hd_rt.opt.states && hd_op_digest(op) != HD_DIGEST_ACCESS)
		hd_rt_state_event(op, addr, value, size, arg);
	switch (hd_op_touches(op)) {
	case HD_TOUCH_READ:
		if (!was_announced())
			tell_memory(HD_X_READ, addr, bytes);
		break;
	case HD_TOUCH_WRITE:
		if (!was_announced())
			tell_memory(kind_of_write(), addr, bytes);
		break;
	case HD_TOUCH_LOCK:
		tell_acquire(addr, arg);
		break;
	case HD_TOUCH_UNLOCK:
		if (!(arg & HD_LOCK_AGAIN))
			tell(arg & HD_LOCK_SHARED ? HD_X_UNLOCK_SHARED : HD_X_UNLOCK, thing(addr));
		break;
	case HD_TOUCH_TRY:
		tell(HD_X_TRY, thing(addr));
		break;
	case HD_TOUCH_FORK:
		tell(HD_X_FORK, value);
		break;
	case HD_TOUCH_JOIN:
		tell(HD_X_JOIN, value);
		break;
	case HD_TOUCH_PERMIT:
		tell_permit(addr);
		break;
	case HD_TOUCH_LOOK:
		tell(HD_X_READ, thing(addr));
		break;
	case HD_TOUCH_PHASE:
		if (arg < HD_TEAM_BARRIER) /* OpenMP tells itself what its barriers order */
			tell(HD_X_WRITE, thing(addr));
		break;
	case HD_TOUCH_OBJECT:
		tell(op == HD_OP_SEM_POST && value == 1 ? HD_X_GIVE : HD_X_WRITE, thing(addr));
		break;
	case HD_TOUCH_NONE:
		break;
	}
}

#pragma GCC diagnostic pop

/* What the operation that a thread waits with is. */
static void put_wait(const struct fiber *f, enum hd_thread_state why, uintptr_t addr)
{
	switch (why) {
	case HD_TS_MUTEX:
	case HD_TS_RWLOCK_WRITE:
	case HD_TS_SPIN:
	case HD_TS_OMP_LOCK:
		put(f->id, HD_X_LOCK, thing(addr), 0xff, false);
		break;
	case HD_TS_RWLOCK_READ:
		put(f->id, HD_X_LOCK_SHARED, thing(addr), 0xff, false);
		break;
	case HD_TS_JOIN:
	case HD_TS_SLEEP:
	case HD_TS_BARRIER: /* it has arrived, and that was told */
	case HD_TS_TEAM:
		break;
	default:
		if (addr)
			put(f->id, HD_X_WRITE, thing(addr), 0xff, false);
		break;
	}
}

static bool waits_for_lock(enum hd_thread_state why)
{
	return why == HD_TS_MUTEX || why == HD_TS_SPIN || why == HD_TS_OMP_LOCK ||
	       why == HD_TS_RWLOCK_READ || why == HD_TS_RWLOCK_WRITE;
}

void hd_rt_explore_block(enum hd_thread_state why, uintptr_t addr)
{
	/* A lock that is taken is not touched by waiting for it. */
	if (!waits_for_lock(why) && !hd_rt.cur->wait.told)
		put_wait(hd_rt.cur, why, addr);
	hd_rt.cur->explore.resumed_at = addr;
	hd_rt.cur->explore.calm = why == HD_TS_FINISH || why == HD_TS_FUTURE ||
				  why == HD_TS_PHASER || why == HD_TS_MAILBOX ||
				  why == HD_TS_TASKS || why == HD_TS_EVENT || why == HD_TS_TURN ||
				  why == HD_TS_SINGLE || why == HD_TS_RUNNABLE;
}

/* At a barrier, who waits for whom is known without. */
static bool leaves_barrier(const struct fiber *f)
{
	return f->explore.at_barrier && f->wait.result == HD_WOKEN;
}

void hd_rt_explore_wake(const struct fiber *f)
{
	if (f != hd_rt.cur && !leaves_barrier(f))
		tell(HD_X_WRITE, token(f));
}

void hd_rt_explore_resume(bool woken, enum hd_wake result)
{
	/* Nobody can let it go on any more: that matters to those who would. */
	if (woken && result == HD_TIMEOUT) {
		if (hd_rt.cur->explore.resumed_at)
			tell(HD_X_WRITE, thing(hd_rt.cur->explore.resumed_at));
	} else if (woken && !leaves_barrier(hd_rt.cur)) {
		put(hd_rt.cur->id, HD_X_WRITE, token(hd_rt.cur), 0xff, true);
	}
}

void hd_rt_explore_change(uintptr_t addr, uint64_t was, uint64_t is)
{
	if (!hd_rt.exploring)
		return;
	hd_rt.cur->explore.deeds += was != is;
	tell(HD_X_WRITE, thing(addr));
	if (hd_rt.opt.states)
		hd_rt_state_change(addr, was, is);
}

void hd_rt_explore_come(uintptr_t addr)
{
	if (hd_rt.exploring)
		tell(HD_X_READ, thing(addr));
}

void hd_rt_explore_turn(uintptr_t addr, bool waited)
{
	if (!hd_rt.exploring)
		return;
	hd_rt.cur->explore.deeds++;
	put(hd_rt.cur->id, HD_X_WRITE, thing(addr), 0xff, waited);
}

void hd_rt_explore_touch(uintptr_t addr)
{
	if (!hd_rt.exploring)
		return;
	hd_rt.cur->explore.deeds++;
	tell(HD_X_WRITE, thing(addr));
}

/* Where they are told who was the last, the order is what matters. */
void hd_rt_explore_arrive(uintptr_t addr, uint32_t round, bool last, bool seen)
{
	struct fiber *me = hd_rt.cur;

	put(me->id, last ? HD_X_ARRIVE_LAST : HD_X_ARRIVE, thing(addr), hd_x_round(round), false);
	if (seen)
		tell(HD_X_WRITE, thing(addr + 1));
	me->explore.at_barrier = true;
}

void hd_rt_explore_leave(uintptr_t addr, uint32_t round)
{
	hd_rt.cur->explore.at_barrier = false;
	if (hd_rt.exploring)
		put(hd_rt.cur->id, HD_X_LEAVE, thing(addr), hd_x_round(round), false);
}

void hd_rt_explore_peek(uintptr_t addr)
{
	if (!hd_rt.exploring)
		return;
	hd_rt_explore_uses(HD_X_USES_PEEKS);
	hd_rt.cur->explore.deeds++;
	tell(HD_X_READ, thing(addr));
}

/* It stays known for later executions. */
void hd_rt_explore_uses(unsigned what)
{
	if (!hd_rt.exploring)
		return;
	sh->uses |= what;
}

void hd_rt_explore_assumed(void)
{
	if (hd_rt.exploring)
		sh->assumed = 1;
}

/* ---- decisions -------------------------------------------------------------- */

static bool go_round_again; /* nobody could do anything else: those who made rounds in vain go on */

static bool stops_in_loop(const struct fiber *f)
{
	return !go_round_again && hd_rt_await_stops(f);
}

/* Would @f only find that it has to wait? */
static bool would_wait(const struct fiber *f)
{
	const pthread_rwlock_t *l = (const pthread_rwlock_t *)f->explore.wants_addr;
	const struct fiber *other;
	const uint32_t *word;

	if (hd_rt_await_stands(f))
		return stops_in_loop(f) || hd_rt_await_in_vain(f);
	switch (f->explore.wants) {
	case HD_TS_MUTEX:
		return hd_rt_mutex_locked((const pthread_mutex_t *)f->explore.wants_addr) &&
		       (uint32_t)((const pthread_mutex_t *)f->explore.wants_addr)->__data.__owner !=
			       f->id;
	case HD_TS_RWLOCK_READ:
		return l->__data.__cur_writer && (uint32_t)l->__data.__cur_writer != f->id;
	case HD_TS_RWLOCK_WRITE:
		return (l->__data.__cur_writer && (uint32_t)l->__data.__cur_writer != f->id) ||
		       l->__data.__readers;
	case HD_TS_SEM:
		return *(const uint32_t *)f->explore.wants_addr == 0 &&
		       (!f->cancel.pending || f->explore.wants_until != HD_NEVER);
	case HD_TS_ISOLATED: /* two numbers: who has it alone, and how many share it (bit 0: it shares) */
		word = (const uint32_t *)(f->explore.wants_addr & ~(uintptr_t)1);
		return word[0] || (!(f->explore.wants_addr & 1) && word[1]);
	case HD_TS_JOIN:
		other = hd_rt_thread_find((pthread_t)f->explore.wants_addr);
		return other && other != f && other->state != HD_F_DONE;
	default:
		return false;
	}
}

static bool is_asleep(uint32_t thread)
{
	for (uint32_t i = 0; i < sh->nsleepers; i++) {
		if (asleep[i] && sh->sleepers[i].thread == thread)
			return true;
	}
	return false;
}

/*
 * Has @f gone round a loop so often without anything having happened that others, if there are
 * any, come first? A loop that is in the same state again is left by itself (spin.c); this is for those that
 * count, which would have a schedule for every number.
 */
static bool is_tired(const struct fiber *f)
{
	return hd_rt.opt.spins && f->spin.count >= hd_rt.opt.spins && hd_rt_spins_on(f);
}

/* Would the next thing that happens to @f be that its time is up? */
static bool is_late(const struct fiber *f)
{
	return f->run_index < 0 ||
	       (f->explore.wants_until != HD_NEVER && !hd_rt_await_stands(f) && would_wait(f));
}

static bool can_run(const struct fiber *f, enum hd_pick why)
{
	return why != HD_PICK_RUN || is_late(f) || !would_wait(f);
}

/* Are some tired, and some not? */
static bool is_unfair(struct fiber *const *cand, unsigned n)
{
	bool tired = false, fresh = false;

	for (unsigned i = 0; i < n && !sh->random; i++) {
		if (can_run(cand[i], HD_PICK_RUN)) {
			tired |= is_tired(cand[i]);
			fresh |= !is_tired(cand[i]);
		}
	}
	return tired && fresh;
}

bool hd_rt_explore_stands_before(enum hd_thread_state why, uintptr_t addr)
{
	/* A replay of what an explorer has found has to find it, too. */
	for (const struct fiber *f = hd_rt.opt.any_time ? hd_rt.all : NULL; f; f = f->next) {
		if (f != hd_rt.cur && f->explore.wants == why && f->explore.wants_addr == addr &&
		    f->state != HD_F_DONE && would_wait(f))
			return true;
	}
	return false;
}

/* If it waits in a loop or for a semaphore, what it does next was made possible by others. */
static void note_await(struct fiber *f)
{
	if (f->explore.wants == HD_TS_SEM)
		f->explore.resumed_at = f->explore.wants_addr;
	if (!f->explore.look.stands)
		return;
	if (stops_in_loop(f)) {
		f->explore.waited_in_loop |= !f->explore.round.in_vain;
		in_vain +=
			hd_rt_await_is_known_late(f); /* when that was not known, it could go on */
		return;
	}
	in_vain++;
	f->explore.waited_in_loop = true;
	sh->awaited |= hd_rt_await_bit(f->explore.look.addr);
}

/* Those of @cand that can do something, by number, into the log; how many. */
static uint32_t log_enabled(enum hd_pick why, struct fiber *const *cand, unsigned n)
{
	uint32_t *out = sh->threads + sh->nthreads, count = 0;
	bool unfair = why == HD_PICK_RUN && is_unfair(cand, n);

	if (sh->nthreads + n > HD_X_THREADS)
		stop(HD_X_END_FULL);
	left_out = in_vain = 0;
	for (unsigned i = 0; i < n; i++) {
		uint32_t k = count;

		if (!can_run(cand[i], why)) {
			note_await(cand[i]);
			continue;
		}
		if (unfair && is_tired(cand[i])) {
			left_out += hd_hash_number(cand[i]->id);
			sh->uses |= HD_X_USES_PATIENCE;
			continue;
		}
		for (; k > 0 && out[k - 1] > cand[i]->id; k--)
			out[k] = out[k - 1];
		out[k] = cand[i]->id;
		count++;
	}
	return count;
}

/* Where all are tired, they take turns. */
static uint32_t default_choice(const uint32_t *awake, uint32_t n, uint32_t current)
{
	for (uint32_t i = 0; i < n && hd_rt.cur->id == current && is_tired(hd_rt.cur); i++) {
		if (awake[i] > current)
			return awake[i];
	}
	if (hd_rt.cur->id == current && is_tired(hd_rt.cur))
		return awake[0];
	return hd_x_default(awake, n, current);
}

/* By default time is up only where nothing else can happen, and then for the first deadline. */
static uint32_t prefer_in_time(uint32_t *awake, uint32_t n)
{
	uint32_t count = 0;
	uint64_t first = HD_NEVER;

	for (uint32_t i = 0; i < n; i++) {
		const struct fiber *f = hd_rt_fiber_by_id(awake[i]);
		uint64_t until = !is_late(f)	    ? 0
				 : f->run_index < 0 ? f->wait.deadline
						    : f->explore.wants_until;

		if (i > 0 && until > first)
			continue;
		if (until < first)
			count = 0;
		first = until;
		awake[count++] = awake[i];
	}
	return count;
}

/* The step that was asked for next, if one of the @n threads can make it; 0: none, from now on. */
static uint32_t follow(const uint32_t *threads, uint32_t n)
{
	if (sh->nnodes < sh->nprefix || nfollowed >= sh->nwakeup)
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		if (threads[i] == sh->wakeup[nfollowed] && !is_asleep(threads[i]))
			return sh->wakeup[nfollowed++];
	}
	nfollowed = sh->nwakeup;
	return 0;
}

static bool is_awaited(uint32_t thread)
{
	uintptr_t addr = hd_rt_fiber_by_id(thread)->explore.writes;

	return addr && (sh->await_bits & hd_rt_await_bit(addr));
}

/*
 * Who changes a variable that loops wait for comes last, so that others stand before these loops then, and it is
 * known that they had to wait.
 */
static uint32_t put_off_awaited(uint32_t *awake, uint32_t n)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++)
		count += !is_awaited(awake[i]);
	if (count == 0 || count == n)
		return n;
	count = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (!is_awaited(awake[i]))
			awake[count++] = awake[i];
	}
	return count;
}

static unsigned reads_next(uint32_t thread)
{
	const struct hd_fiber_explore *e = &hd_rt_fiber_by_id(thread)->explore;

	return !e->reads ? 0 : e->writes ? 1 : 2;
}

/* Who reads comes after who writes: then it may read everything, and need not be tried in other places. */
static uint32_t put_off_reads(uint32_t *awake, uint32_t n)
{
	unsigned least = 2;
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++)
		least = reads_next(awake[i]) < least ? reads_next(awake[i]) : least;
	for (uint32_t i = 0; i < n; i++) {
		if (reads_next(awake[i]) == least)
			awake[count++] = awake[i];
	}
	return count;
}

static uint32_t choose_awake(const uint32_t *enabled, uint32_t n, uint32_t current)
{
	uint32_t *awake = hd_rt_alloc(n * sizeof(*awake)), nawake = 0, chosen = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (!is_asleep(enabled[i]))
			awake[nawake++] = enabled[i];
	}
	if (!sh->random)
		nawake = prefer_in_time(awake, nawake);
	if (sh->await_bits && !sh->random)
		nawake = put_off_awaited(awake, nawake);
	if (sh->by_graph && !sh->random)
		nawake = put_off_reads(awake, nawake);
	if (nawake && sh->random && sh->pct_depth)
		chosen = hd_rt_explore_pct_choose(awake, nawake);
	else if (nawake)
		chosen = sh->random ? awake[hd_rng_below(&hd_rt_rng, nawake)]
				    : default_choice(awake, nawake, current);
	hd_rt_free(awake, n * sizeof(*awake));
	if (!chosen)
		stop_redundant();
	return chosen;
}

static void fall_asleep(void)
{
	for (uint32_t i = 0; i < sh->nsleepers; i++) {
		asleep[i] = !sh->sleepers[i].since;
		awake_since[i] = sh->sleepers[i].since;
	}
	nasleep = sh->nsleepers;
}

static void forget(void)
{
	for (uint32_t i = 0; i < nasleep; i++) {
		asleep[i] = false;
		awake_since[i] = 0;
	}
	nasleep = 0;
	nfollowed = 0;
}

/* The state of this decision is known: what can come of it was tried. */
static void __attribute__((noreturn)) stop_at(struct hd_xnode *node, uint32_t any)
{
	node->chosen = any;
	sh->nthreads += node->nenabled;
	sh->nnodes++;
	ended = true;
	stop(HD_X_END_MATCHED);
}

static void log_state(struct hd_xnode *node)
{
	node->state = hd_rt_state();
	if (!hd_rt_exact)
		return;
	node->first_exact = sh->nexact;
	node->nexact = (uint32_t)hd_rt_exact_write(sh->exact + sh->nexact, HD_X_EXACT - sh->nexact);
	if (!node->nexact)
		stop(HD_X_END_LOST);
	sh->nexact += node->nexact;
}

static void put_await(const struct fiber *f)
{
	struct hd_xop op = hd_rt_await_op(f);

	put(f->id, op.kind, op.object, op.bytes, false);
}

static bool would_look_in_vain(uint32_t thread)
{
	const struct fiber *f = hd_rt_fiber_by_id(thread);

	return f && hd_rt_await_in_vain(f);
}

static bool is_known_late(uint32_t thread)
{
	const struct fiber *f = hd_rt_fiber_by_id(thread);

	return f && hd_rt_await_is_known_late(f);
}

/* Who was asked for can do nothing here that makes a difference; that was not known when it was asked for. */
static void __attribute__((noreturn)) stop_in_vain(struct hd_xnode *node)
{
	sh->nthreads += node->nenabled;
	sh->nnodes++;
	op_thread = 0;
	put_await(hd_rt_fiber_by_id(node->chosen));
	ended = true;
	stop(HD_X_END_REDUNDANT);
}

/* A decision among @n enabled threads, which are at the end of the log. */
static uint32_t decide(enum hd_pick why, uint32_t n, uint32_t current)
{
	const uint32_t *enabled = sh->threads + sh->nthreads;
	struct hd_xnode *node = &sh->nodes[sh->nnodes];
	bool possible = false;

	if (hd_rt_explore_stay())
		forget(); /* those asleep were the other request's */
	if (sh->nnodes == HD_X_NODES || sh->nnodes == sh->max_nodes)
		stop(HD_X_END_BOUND);
	*node = (struct hd_xnode){ .first_enabled = sh->nthreads,
				   .nenabled = n,
				   .first_op = sh->nops,
				   .first_choice = sh->nchoices,
				   .uses = sh->uses,
				   .why = why == HD_PICK_RUN ? HD_X_RUN : HD_X_PICK };
	if (hd_rt.opt.states && why == HD_PICK_RUN && sh->nnodes >= sh->nprefix)
		log_state(node);
	if (node->state && left_out) /* what can come of a state depends on it */
		node->state = (node->state ^ left_out) | 1;
	for (uint32_t i = 0; i < n; i++) {
		if (enabled[i] == current)
			node->current = current;
	}
	if (node->state && sh->match && known &&
	    hd_xknown_has(known, hd_x_state_key(node, sh->bounded), spent))
		stop_at(node, enabled[0]);
	if (sh->nnodes < sh->nprefix)
		node->chosen = sh->prefix[sh->nnodes];
	else if (why != HD_PICK_RUN && sh->random)
		node->chosen = enabled[hd_rng_below(&hd_rt_rng, n)];
	else if (why != HD_PICK_RUN)
		node->chosen = enabled[0];
	else if (!(node->chosen = follow(enabled, n)))
		node->chosen = choose_awake(enabled, n, current);
	for (uint32_t i = 0; i < n; i++)
		possible |= enabled[i] == node->chosen;
	if (!possible && !would_look_in_vain(node->chosen))
		stop(HD_X_END_DIVERGED);
	if (sh->nnodes + 1 == sh->nprefix && (!possible || is_known_late(node->chosen)))
		stop_in_vain(node); /* elsewhere it was not known at the time */
	spent += hd_x_is_preemption(node);
	sh->nthreads += n;
	if (++sh->nnodes == sh->nprefix) {
		fall_asleep();
		spent = sh->preemptions;
	}
	return node->chosen;
}

static unsigned index_of(struct fiber *const *cand, unsigned n, uint32_t id)
{
	for (unsigned i = 0; i < n; i++) {
		if (cand[i]->id == id)
			return i;
	}
	return 0;
}

/*
 * With regions, a thread that stands at none, nor before anything else whose order matters, is on
 * its own: what it does up to its next such place concerns nobody, so it may as well be done at
 * once. 0: for all of them order matters.
 *
 * That this is sound, also with states that are matched: as long as no execution has a data race,
 * what threads do between these places commutes, and what they do there that is calm commutes and
 * is seen by nobody who does not wait for it (who does is counted among HD_X_USES_PEEKS, and not
 * explored like this). If some execution has a race, one of those with the fewest steps
 * before it has the two accesses in the stretches of two threads that follow each other, the
 * first of which has not synchronised with anybody since; so it is noticed in whichever way the
 * state before was come to.
 */
static uint32_t outside(struct fiber *const *cand, unsigned n, int cur)
{
	uint32_t lowest = 0;

	if (cur >= 0 && cand[cur]->explore.calm && !would_wait(cand[cur]))
		return cand[cur]->id;
	for (unsigned i = 0; i < n; i++) {
		if (cand[i]->explore.calm && !would_wait(cand[i]) &&
		    (!lowest || cand[i]->id < lowest))
			lowest = cand[i]->id;
	}
	return lowest;
}

/* Whom would @f have to wait for, or does, where exactly one other can help? 0: nobody, or unknown. */
static uint32_t must_wait_for(const struct fiber *f)
{
	const struct fiber *other;

	if (!f || f->state == HD_F_BLOCKED)
		return f ? hd_rt_waits_for(f) : 0;
	if (f->state == HD_F_DONE || is_late(f) || !would_wait(f))
		return 0;
	switch (f->explore.wants) {
	case HD_TS_MUTEX:
		return (uint32_t)((const pthread_mutex_t *)f->explore.wants_addr)->__data.__owner;
	case HD_TS_RWLOCK_READ:
	case HD_TS_RWLOCK_WRITE:
		return (uint32_t)((const pthread_rwlock_t *)f->explore.wants_addr)
			->__data.__cur_writer;
	case HD_TS_JOIN:
		other = hd_rt_thread_find((pthread_t)f->explore.wants_addr);
		return other ? other->id : 0;
	default:
		return 0;
	}
}

/*
 * One of those who would have to wait for each other; 0: nobody. They are let find out, for a deadlock is
 * one even if somebody else can go on, or end the process.
 */
static uint32_t of_cycle(struct fiber *const *cand, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint32_t id = cand[i]->run_index >= 0 ? must_wait_for(cand[i]) : 0;

		for (uint32_t steps = 0; id && id != cand[i]->id && steps <= hd_rt.nthreads;
		     steps++)
			id = must_wait_for(hd_rt_fiber_by_id(id));
		if (id == cand[i]->id)
			return id;
	}
	return 0;
}

/*
 * @member of a cycle finds out now, or later: what others do until the end that it makes is not known without
 * them. @n of these are at the end of the log.
 */
static uint32_t decide_end(uint32_t member, uint32_t n)
{
	uint32_t *out = sh->threads + sh->nthreads, k = n;

	if (n == 0)
		return member;
	for (uint32_t i = 0; i < n; i++) {
		if (out[i] == member)
			return decide(HD_PICK_RUN, n, member);
	}
	if (sh->nthreads + n + 1 > HD_X_THREADS)
		stop(HD_X_END_FULL);
	for (; k > 0 && out[k - 1] > member; k--)
		out[k] = out[k - 1];
	out[k] = member;
	return decide(HD_PICK_RUN, n + 1, member);
}

/* Whoever comes first: who that is has been decided, and others that come are in an order with it. */
static unsigned pick_first(unsigned n)
{
	if (sh->nchoices < HD_X_THREADS)
		sh->choices[sh->nchoices++] = hd_rt.cur->id;
	return n - 1;
}

static bool left_in_loops; /* the execution ends because some were */

/*
 * Nobody of @cand can do anything. If some have stopped after rounds in vain: would these end in the same way
 * again? Then they go on, to be found in a livelock. Else what would happen next is tried elsewhere.
 */
static uint32_t enabled_after_rounds(struct fiber *const *cand, unsigned n)
{
	bool any = false;

	for (unsigned i = 0; i < n; i++) {
		if (!stops_in_loop(cand[i]))
			continue;
		any = true;
		left_in_loops |= hd_rt_await_would_differ(cand[i]);
	}
	if (!any)
		return 0;
	if (left_in_loops)
		stop_redundant();
	go_round_again = true;
	return log_enabled(HD_PICK_RUN, cand, n);
}

/* The current fiber makes another operation in the same step. */
static void go_on_together(struct fiber *me)
{
	if (sh->nchoices < HD_X_THREADS)
		sh->choices[sh->nchoices++] = me->id;
	me->explore.waited_in_loop |= op_thread == me->id && sh->ops[sh->nops - 1].resumed;
}

static unsigned pick(enum hd_pick why, struct fiber *const *cand, unsigned n, int cur)
{
	uint32_t enabled, before, chosen, alone;
	unsigned at;

	if (hd_rt_explore_is_tried())
		hd_rt_suppose_end(); /* it did something else than to look */
	if (why == HD_PICK_RUN && cur >= 0 && cand[cur]->explore.look.stands &&
	    cand[cur]->explore.look.together) {
		go_on_together(cand[cur]);
		return (unsigned)cur;
	}
	hd_rt_together_watch();
	if (why == HD_PICK_GRANT)
		return pick_first(n);
	before = sh->nnodes;
	enabled = log_enabled(why, cand, n);
	if (why == HD_PICK_RUN && !enabled)
		enabled = enabled_after_rounds(cand, n);
	if (why == HD_PICK_RUN && step_thread && !op_thread)
		put(step_thread, HD_X_STEP, 0, 0xff, false);
	if (why == HD_PICK_RUN && enabled < n && (alone = of_cycle(cand, n))) {
		chosen = decide_end(alone, enabled);
		enabled = 0;
	} else if (enabled == 0) { /* a deadlock: let them find out */
		chosen = cand[hd_rt_pick_default(why, cand, n, cur)]->id;
	} else if (why == HD_PICK_RUN && hd_rt.opt.regions && (alone = outside(cand, n, cur))) {
		chosen = alone;
	} else if (enabled + in_vain > 1) { /* who is known to look in vain counts as before */
		chosen = decide(why, enabled, cur >= 0 ? cand[cur]->id : 0);
	} else {
		chosen = sh->threads[sh->nthreads];
	}
	if (sh->nnodes == before && why == HD_PICK_RUN) {
		if (enabled == 1 && is_asleep(chosen))
			stop_redundant();
		if (enabled <= 1)
			follow(&chosen, 1);
	}
	if (sh->nchoices < HD_X_THREADS)
		sh->choices[sh->nchoices++] = chosen;
	at = index_of(cand, n, chosen);
	if (why == HD_PICK_RUN) {
		step_thread = chosen;
		step_node = sh->nnodes == before ? 0 : sh->nnodes;
		op_thread = 0;
	}
	/* And somebody has made a difference since. */
	cand[at]->explore.waited_in_loop |= cand[at]->spin.cycle;
	hd_rt_await_goes_on(cand[at]);
	return at;
}

/* The decision for the current step is unmade: its thread is asleep, as it can do nothing that was not tried. */
static void unmake_step(void)
{
	const struct hd_xnode *node = &sh->nodes[sh->nnodes - 1];

	for (uint32_t i = 0; i < sh->nsleepers; i++) {
		if (awake_since[i] && sh->sleepers[i].thread == hd_rt.cur->id) {
			asleep[i] = true;
			awake_since[i] = 0;
		}
	}
	spent -= hd_x_is_preemption(node);
	sh->nops = node->first_op;
	sh->nthreads = node->first_enabled;
	sh->nchoices = node->first_choice;
	sh->nnodes--;
	announced = op_thread = step_thread = step_node = 0;
}

void hd_rt_explore_put_off(uintptr_t addr, unsigned size, bool writes)
{
	/* Who was asked for, or has nobody beside it, is done. */
	if (sh->nnodes != step_node || step_node <= sh->nprefix)
		stop_redundant();
	unmake_step();
	hd_rt_explore_point_at(addr, size, true, writes);
}

static uint64_t
	tried; /* possibilities of the next choice that are tried elsewhere: a bit for each */

void hd_rt_explore_tried(uint64_t which, unsigned n)
{
	if (which == (UINT64_C(1) << n) - 1) /* what is left is older than a loop may go on with */
		stop_redundant();
	tried = which;
}

/* As decisions among threads are, but the numbers are those of possibilities, from 1. */
static unsigned number(unsigned n)
{
	uint32_t chosen, left = 0;

	if (sh->nthreads + n > HD_X_THREADS)
		stop(HD_X_END_FULL);
	for (uint32_t i = 0; i < n; i++) {
		if (!(tried >> i & 1))
			sh->threads[sh->nthreads + left++] = i + 1;
	}
	tried = 0;
	chosen = decide(HD_PICK_NUMBER, left, 0);
	if (sh->nchoices < HD_X_THREADS)
		sh->choices[sh->nchoices++] = chosen;
	return chosen - 1;
}

/* ---- the end ---------------------------------------------------------------- */

static void add_fault(enum hd_kind kind, uint64_t site, uintptr_t a, uintptr_t b)
{
	if (!sh || sh->nfaults == HD_X_FAULTS || sh->supposed.now == HD_X_SUPPOSED)
		return;
	for (uint32_t i = 0; i < sh->nfaults; i++) {
		if (sh->faults[i].kind == (uint32_t)kind && sh->faults[i].site == site)
			return;
	}
	sh->faults[sh->nfaults++] = (struct hd_xfault){ .kind = kind,
							.thread = hd_rt.cur->id,
							.after = sh->nnodes,
							.site = site,
							.places = { a, b } };
}

void hd_rt_explore_fault(enum hd_kind kind, uint64_t site)
{
	add_fault(kind, site, 0, 0);
}

/*
 * Of places that both are scheduling points it is known already. Which of the two comes first makes
 * no other fault of it.
 */
void hd_rt_explore_fault_between(enum hd_kind kind, uintptr_t a, uintptr_t b)
{
	if (kind != HD_KIND_RACE || !hd_rt_is_site(a) || !hd_rt_is_site(b))
		add_fault(kind, a < b ? hd_hash_pair(a, b) : hd_hash_pair(b, a), a, b);
}

/* Is there a thread that has something to do? */
static bool could_go_on(void)
{
	if (left_in_loops)
		return false;
	if (hd_rt.cur->state == HD_F_RUNNABLE && !hd_rt_is_spinning(hd_rt.cur))
		return true;
	for (const struct fiber *f = hd_rt.all; f; f = f->next) {
		if (f->state == HD_F_RUNNABLE && !hd_rt_is_spinning(f) &&
		    (is_late(f) || stops_in_loop(f) || !would_wait(f)))
			return true;
	}
	return false;
}

/*
 * Has @f come to its end, where an assumption does not hold, or does it wait for the end of one that has? Neither
 * concerns anybody but those who wait in the same way.
 */
static bool stands_behind_assumption(const struct fiber *f)
{
	return hd_rt.assumed && !could_go_on() && f->state == HD_F_BLOCKED &&
	       (f->wait.why == HD_TS_ASSUMPTION || f->wait.why == HD_TS_JOIN);
}

/*
 * What is left undone: what threads wait for, and, where the end of the process comes before the
 * end of a thread, that it might have come later.
 */
void hd_rt_explore_end(void)
{
	uint32_t before;

	if (ended)
		return;
	ended = true;
	hd_rt_pulse->thread = 0;
	if (sh->supposed.now == HD_X_SUPPOSED) {
		sh->end = HD_X_END_PROBED;
		return;
	}
	if (could_go_on()) /* else nobody ends it: there is nothing more to do */
		tell(HD_X_END, THE_END);
	before = sh->nops;
	for (struct fiber *f = hd_rt.all; f; f = f->next) {
		if (f->state == HD_F_DONE || (f == hd_rt.cur && f->state != HD_F_BLOCKED))
			continue;
		if (stands_behind_assumption(f))
			continue;
		op_thread = 0;	    /* each begins anew */
		if (f != hd_rt.cur) /* it may be the one whose wait closed the cycle */
			put(f->id, HD_X_WRITE, THE_END, 0xff, false);
		if (f->state == HD_F_BLOCKED)
			put_wait(f, f->wait.why, f->wait.addr);
		else if (stops_in_loop(f) && (f->weak.in_vain || f->explore.round.in_vain))
			continue; /* it makes no other step */
		else if (f->explore.look.stands && would_wait(f))
			put_await(f);
		else if (would_wait(f) && !is_late(f))
			put_wait(f, f->explore.wants, f->explore.wants_addr);
	}
	sh->npending = sh->nops - before;
	hd_rt_explore_observe();
	sh->graph = hd_rt_is_weak() ? hd_rt_weak_state() : 0;
	sh->end = HD_X_END_DONE;
}

static void yielded(struct fiber *f)
{
	if (sh->random && sh->pct_depth)
		hd_rt_explore_pct_yielded(f);
}

const struct hd_policy hd_rt_policy_explore = {
	.name = "explore",
	.init = init,
	.pick = pick,
	.number = number,
	.yielded = yielded,
};
