#include "worker.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/hash.h"
#include "runtime/fiber/stack_switch.h"
#include "runtime/sys.h"

#define WORKERS_MAX 1024u
#define LOOKS	    200u /* for work, before a worker goes to sleep */

struct hd_worker *hd_par_workers;
unsigned hd_par_nworkers;
__thread struct hd_worker *hd_par_self;

static unsigned wanted;
static pthread_mutex_t launching = PTHREAD_MUTEX_INITIALIZER;

/* Whoever is out of work: raised at each change that may end that. */
static uint32_t news, sleepers;

static void die(const char *why)
{
	char line[200];
	int n = hd_rt_print(line, sizeof(line), "heddle: %s\n", why);

	hd_sys(SYS_write, 2, line, n);
	hd_sys(SYS_exit_group, 3);
}

struct hd_par_strand *hd_par_current(void)
{
	return hd_par_self ? hd_par_self->current : NULL;
}

void hd_par_want_workers(unsigned n)
{
	wanted = n;
}

/* ---- stacks ------------------------------------------------------------------ */

struct hd_par_stack *hd_par_stacks;
uintptr_t hd_par_stacks_low = 1ul << 63; /* nobody is there */
static unsigned long nstacks;

static struct hd_par_stack *new_stack(void)
{
	unsigned long i = __atomic_fetch_add(&nstacks, 1, __ATOMIC_RELAXED);
	struct hd_par_stack *s = &hd_par_stacks[i];

	if (i >= HD_STACKS)
		die("more than 16384 tasks wait at one time: there is no stack for another one");
	s->low = hd_par_stacks_low + i * HD_STACK_SIZE;
	s->top = s->low + HD_STACK_SIZE;
	s->dirty = s->top;
	hd_sys(SYS_mprotect, s->low, 4096, PROT_NONE);
	return s;
}

static struct hd_par_stack *take_stack(struct hd_worker *w)
{
	struct hd_par_stack *s = w->unused;

	if (!s)
		return new_stack();
	w->unused = s->next;
	return s;
}

bool hd_par_stack_left(const struct hd_worker *w)
{
	return (uintptr_t)__builtin_frame_address(0) - w->stack->low > HD_STACK_SIZE / 4;
}

/* ---- waking up ------------------------------------------------------------------ */

static void wake_somebody(bool all)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (likely(!__atomic_load_n(&sleepers, __ATOMIC_RELAXED)))
		return;
	__atomic_fetch_add(&news, 1, __ATOMIC_SEQ_CST);
	hd_sys(SYS_futex, &news, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, all ? WORKERS_MAX : 1, 0, 0, 0);
}

static void queue(struct hd_par_strand **last[static 1], struct hd_par_strand *f)
{
	f->next = NULL;
	**last = f;
	*last = &f->next;
}

void hd_par_push(struct hd_task *t)
{
	struct hd_worker *w = hd_par_self;

	if (!w) { /* a thread that is no worker has put a promise */
		t->strand->worker = &hd_par_workers[0];
		hd_par_resume(t->strand);
		return;
	}
	if (!hd_deque_put(&w->deque, t))
		die("out of memory for tasks");
	wake_somebody(false);
}

void hd_par_resume(struct hd_par_strand *f)
{
	struct hd_worker *w = f->worker;

	if (w == hd_par_self) {
		queue(&w->ready_last, f);
		return;
	}
	f->next = __atomic_load_n(&w->inbox, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&w->inbox, &f->next, f, true, __ATOMIC_SEQ_CST,
					    __ATOMIC_RELAXED))
		;
	wake_somebody(true); /* it must be that one */
}

/* What came into the inbox, the oldest first, goes behind what is ready. */
static void empty_inbox(struct hd_worker *w)
{
	struct hd_par_strand *f, *old = NULL;

	if (!__atomic_load_n(&w->inbox, __ATOMIC_RELAXED))
		return;
	f = __atomic_exchange_n(&w->inbox, NULL, __ATOMIC_ACQUIRE);
	while (f) {
		struct hd_par_strand *next = f->next;

		f->next = old;
		old = f;
		f = next;
	}
	while (old) {
		struct hd_par_strand *next = old->next;

		if (old->sp)
			queue(&w->ready_last, old);
		else
			hd_par_push(old->task); /* it has not begun */
		old = next;
	}
}

static struct hd_par_strand *unqueue(struct hd_par_strand **first, struct hd_par_strand ***last)
{
	struct hd_par_strand *f = *first;

	if (f) {
		*first = f->next;
		if (!*first)
			*last = first;
	}
	return f;
}

/* ---- switching -------------------------------------------------------------------- */

static void loop_main(void) __attribute__((noreturn));

static void settle(struct hd_worker *w)
{
	bool (*commit)(void *) = w->commit;
	struct hd_par_strand *f = w->committing;

	w->commit = NULL;
	if (commit && !commit(w->commit_arg))
		queue(&w->ready_last, f);
}

void hd_par_suspend(bool (*commit)(void *arg), void *arg)
{
	struct hd_worker *w = hd_par_self;
	struct hd_par_strand *f = w->current;
	struct hd_par_stack *s = take_stack(w);

	f->stack = w->stack;
	f->worker = w;
	w->commit = commit;
	w->commit_arg = arg;
	w->committing = f;
	w->stack = s;
	w->current = NULL;
	if (hd_par_checked())
		hd_par_checker.enter(NULL);
	hd_rt_switch_stack(&f->sp, hd_rt_stack_prepare(s->top, loop_main));
	/* Here again, by go_on(). */
	if (hd_par_checked())
		hd_par_checker.enter(f);
}

/* From the loop to a task that was put aside; the loop's own stack is then of no use. */
static void go_on(struct hd_worker *w, struct hd_par_strand *f)
{
	void *nowhere;

	w->stack->next = w->unused;
	w->unused = w->stack;
	w->stack = f->stack;
	w->current = f;
	hd_rt_switch_stack(&nowhere, f->sp);
	__builtin_unreachable();
}

static bool commit_yield(void *arg)
{
	struct hd_worker *w = hd_par_self;

	queue(&w->yielded_last, arg);
	return true;
}

void hd_par_yield(void)
{
	struct hd_worker *w = hd_par_self;

	if (w && w->current)
		hd_par_suspend(commit_yield, w->current);
	else
		hd_par_pause();
}

void hd_par_pause(void)
{
	hd_sys(SYS_sched_yield);
}

/* ---- the loop ------------------------------------------------------------------------ */

static struct hd_task *steal(struct hd_worker *w)
{
	unsigned n = hd_par_nworkers, at;

	w->random = w->random * 6364136223846793005ull + 1442695040888963407ull;
	at = (unsigned)(w->random >> 33) % n;
	for (unsigned i = 0; i < n; i++, at = at + 1 < n ? at + 1 : 0) {
		struct hd_task *t =
			at == w->number ? NULL : hd_deque_steal(&hd_par_workers[at].deque);

		if (t)
			return t;
	}
	return NULL;
}

/* A look at everything, taking nothing. */
static bool is_work(void)
{
	for (unsigned i = 0; i < hd_par_nworkers; i++) {
		if (!hd_deque_empty(&hd_par_workers[i].deque) ||
		    __atomic_load_n(&hd_par_workers[i].inbox, __ATOMIC_SEQ_CST))
			return true;
	}
	return false;
}

/* All sleep while a launch goes on, and nothing is about that could wake anybody. */
static bool is_stuck(uint32_t seen)
{
	return __atomic_load_n(&sleepers, __ATOMIC_SEQ_CST) == hd_par_nworkers && !is_work() &&
	       __atomic_load_n(&news, __ATOMIC_SEQ_CST) == seen;
}

static void sleep_a_while(struct hd_worker *w)
{
	static const struct timespec a_while = { .tv_nsec = 100000000 };
	uint32_t seen = __atomic_load_n(&news, __ATOMIC_SEQ_CST);

	__atomic_fetch_add(&sleepers, 1, __ATOMIC_SEQ_CST);
	if (!is_work()) {
		bool watches = w->number == 0 && hd_par_checker.deadlock;
		long rc = hd_sys(SYS_futex, &news, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, seen,
				 watches ? &a_while : NULL, 0, 0);

		if (rc == -ETIMEDOUT && watches && is_stuck(seen))
			hd_par_checker.deadlock();
	}
	__atomic_fetch_sub(&sleepers, 1, __ATOMIC_SEQ_CST);
}

static bool turn(struct hd_worker *w)
{
	struct hd_par_strand *f;
	struct hd_task *t;

	empty_inbox(w);
	f = unqueue(&w->ready, &w->ready_last);
	if (f)
		go_on(w, f);
	t = hd_deque_take(&w->deque);
	if (!t)
		t = steal(w);
	if (t) {
		hd_par_run(w, t);
		return true;
	}
	f = unqueue(&w->yielded, &w->yielded_last);
	if (f) {
		hd_par_pause();
		go_on(w, f);
	}
	return false;
}

static void loop_main(void)
{
	struct hd_worker *w = hd_par_self;
	unsigned looked = 0;

	settle(w);
	for (;;) {
		if (turn(w)) {
			looked = 0;
		} else if (++looked < LOOKS) {
			for (int i = 0; i < 20; i++)
				__builtin_ia32_pause();
		} else {
			sleep_a_while(w);
			looked = 0;
		}
	}
}

/* ---- starting ------------------------------------------------------------------------ */

static void *thread_main(void *arg)
{
	struct hd_worker *w = arg;

	hd_par_self = w;
	w->stack = take_stack(w);
	hd_rt_switch_stack(&w->home, hd_rt_stack_prepare(w->stack->top, loop_main));
	return NULL;
}

static unsigned count_processors(void)
{
	const char *s = getenv("HEDDLE_WORKERS");
	int n = s ? atoi(s) : 0;
	cpu_set_t set;

	if (n < 1 && sched_getaffinity(0, sizeof(set), &set) == 0)
		n = CPU_COUNT(&set);
	return n < 1 ? 1 : n > (int)WORKERS_MAX ? WORKERS_MAX : (unsigned)n;
}

/* The other workers are nobody's: they are there until the process ends. */
static void start_workers(void)
{
	unsigned n = wanted ? wanted : count_processors();
	pthread_attr_t attr;
	sigset_t all, old;
	pthread_t thread;
	void *memory;

	hd_par_workers = hd_rt_reserve(n * sizeof(*hd_par_workers));
	hd_par_stacks = hd_rt_reserve(HD_STACKS * sizeof(*hd_par_stacks));
	memory = mmap(NULL, HD_STACKS * HD_STACK_SIZE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (!hd_par_workers || !hd_par_stacks || memory == MAP_FAILED)
		die("there is no address space for the stacks of tasks");
	hd_par_stacks_low = (uintptr_t)memory;
	for (unsigned i = 0; i < n; i++) {
		struct hd_worker *w = &hd_par_workers[i];

		if (!hd_deque_init(&w->deque))
			die("out of memory for tasks");
		w->number = i;
		w->random = hd_hash_number(i) + 1;
		w->ready_last = &w->ready;
		w->yielded_last = &w->yielded;
	}
	hd_par_nworkers = n;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	/* Signals are for the program's own threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	for (unsigned i = 1; i < n; i++) {
		if (pthread_create(&thread, &attr, thread_main, &hd_par_workers[i]) != 0)
			die("a worker thread cannot be started");
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
}

void hd_par_launch(void (*entry)(void))
{
	struct hd_worker *w;

	if (!hd_par_workers)
		start_workers();
	w = &hd_par_workers[0];
	hd_par_self = w;
	w->stack = take_stack(w);
	hd_rt_switch_stack(&w->home, hd_rt_stack_prepare(w->stack->top, entry));
	hd_par_self = NULL;
}

void hd_par_launch_lock(void)
{
	pthread_mutex_lock(&launching);
}

void hd_par_launch_unlock(void)
{
	pthread_mutex_unlock(&launching);
}

void hd_par_launch_over(void)
{
	struct hd_worker *w = hd_par_self;
	void *nowhere;

	w->current = NULL;
	w->stack->next = w->unused;
	w->unused = w->stack;
	hd_rt_switch_stack(&nowhere, w->home);
	__builtin_unreachable();
}
