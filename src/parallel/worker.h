/*
 * Worker threads: each runs tasks from its own deque, or steals them from others'.
 *
 * A task runs as a call on the stack of its worker's loop. If it has to wait, that stack is put aside
 * as it is and the worker goes on with another loop on a fresh stack, so no worker ever waits
 * for a task. A task that can go on does so on the worker where it began: what hangs on the
 * thread (errno, thread-local variables, the owner of a mutex) stays the same for all of a task.
 */
#ifndef HD_PARALLEL_WORKER_H
#define HD_PARALLEL_WORKER_H

#include "deque.h"
#include "par.h"
#include "tasks/task.h"

/* A task and its carrier's part of it, in one piece. */
struct hd_par_task {
	struct hd_task task;
	struct hd_par_strand strand;
};

struct hd_par_stack {
	uintptr_t low, top;
	uintptr_t dirty; /* the checker's: no address below it is known to it */
	void *calls;	 /* the checker's: its shadow call stack */
	struct hd_par_stack *next;
};

struct hd_worker {
	struct hd_deque deque;
	struct hd_par_strand *current;
	struct hd_par_stack *stack;		       /* that it runs on */
	struct hd_par_stack *unused;		       /* that it has run on before */
	struct hd_par_strand *ready, **ready_last;     /* can go on; oldest first */
	struct hd_par_strand *yielded, **yielded_last; /* could, and let others go first */
	bool (*commit)(void *arg);
	void *commit_arg;
	struct hd_par_strand *committing;
	void *home; /* where its thread came from */
	uint64_t random;
	unsigned number;
	struct hd_par_strand *inbox __attribute__((aligned(64))); /* made ready by other threads */
};

extern struct hd_worker *hd_par_workers __attribute__((visibility("hidden")));
extern unsigned hd_par_nworkers __attribute__((visibility("hidden")));
extern __thread struct hd_worker *hd_par_self
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

/* How many workers there are to be; before the first launch. */
void hd_par_want_workers(unsigned n);

/* Run @entry on a stack of the first worker, which the calling thread becomes until it ends. */
void hd_par_launch(void (*entry)(void));
/* One launch at a time: another thread's waits. */
void hd_par_launch_lock(void);
void hd_par_launch_unlock(void);
/* The end of @entry. */
void hd_par_launch_over(void) __attribute__((noreturn));

/* A task that can run, for the calling worker or a thief. */
void hd_par_push(struct hd_task *t);
/*
 * Put the current task aside. @commit is called when it is, on another stack: it lets others know, and
 * returns false if that is not needed any more. Whoever then says hd_par_resume() lets it go on.
 */
void hd_par_suspend(bool (*commit)(void *arg), void *arg);
void hd_par_resume(struct hd_par_strand *f);

/* par_task.c: carry a task out on the stack at hand. */
void hd_par_run(struct hd_worker *w, struct hd_task *t);

/* The stack that @addr is on; NULL: none of ours. */
#define HD_STACK_SIZE (1ul << 20)
#define HD_STACKS     16384ul /* tasks that wait at one time, more or less */
extern struct hd_par_stack *hd_par_stacks __attribute__((visibility("hidden")));
extern uintptr_t hd_par_stacks_low __attribute__((visibility("hidden")));
static inline struct hd_par_stack *hd_par_stack_of(uintptr_t addr)
{
	uintptr_t at = addr - hd_par_stacks_low;

	return at < HD_STACKS * HD_STACK_SIZE ? &hd_par_stacks[at / HD_STACK_SIZE] : NULL;
}
/* Is there enough of the current stack left for another task on top? */
bool hd_par_stack_left(const struct hd_worker *w);

#endif
