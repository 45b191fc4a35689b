#include "debug.h"

#include "runtime/sched/queues.h"

/* Written by the debugger; 0: do not stop. */
HD_EXPORT volatile uint64_t heddle_debug_stop_choice, heddle_debug_stop_switch;
/* For the debugger to read: decisions, and those of them that another thread runs. */
HD_EXPORT volatile uint64_t heddle_debug_choices, heddle_debug_switches;

void heddle_debug_started(void);
void heddle_debug_stopped(void);

/* The script has breakpoints on these two. */
HD_EXPORT HD_NOINLINE void heddle_debug_started(void)
{
	__asm__ volatile("");
}

HD_EXPORT HD_NOINLINE void heddle_debug_stopped(void)
{
	__asm__ volatile("");
}

void hd_rt_debug_start(void)
{
	heddle_debug_started();
}

static bool stop_when_switched;

void hd_rt_debug_choice(const struct fiber *to)
{
	heddle_debug_choices = hd_rt.choices;
	if (to && to->id && to != hd_rt.cur && ++heddle_debug_switches == heddle_debug_stop_switch)
		stop_when_switched = true;
	if (heddle_debug_choices == heddle_debug_stop_choice)
		heddle_debug_stopped();
}

void hd_rt_debug_switched(void)
{
	if (stop_when_switched) {
		stop_when_switched = false;
		heddle_debug_stopped();
	}
}

HD_EXPORT const char *const heddle_debug_waits[HD_TS_LIMIT] = {
	[HD_TS_MUTEX] = "waits for the mutex",
	[HD_TS_RWLOCK_READ] = "waits to read under the rwlock",
	[HD_TS_RWLOCK_WRITE] = "waits to write under the rwlock",
	[HD_TS_SPIN] = "waits for the spin lock",
	[HD_TS_OMP_LOCK] = "waits for the lock",
	[HD_TS_COND] = "waits on the condition variable",
	[HD_TS_BARRIER] = "waits at the barrier",
	[HD_TS_SEM] = "waits for the semaphore",
	[HD_TS_ONCE] = "waits for the initialisation",
	[HD_TS_JOIN] = "waits for a thread's end",
	[HD_TS_FUTEX] = "waits on the futex",
	[HD_TS_SLEEP] = "sleeps",
	[HD_TS_IO] = "waits for input or output",
	[HD_TS_SIGNAL] = "waits for a signal",
	[HD_TS_CHILD] = "waits for a process",
	[HD_TS_FILE] = "waits for the stream",
	[HD_TS_FINISH] = "waits at the end of a finish",
	[HD_TS_FUTURE] = "waits for the future",
	[HD_TS_PHASER] = "waits at the phaser",
	[HD_TS_ISOLATED] = "waits for an isolated block",
	[HD_TS_MAILBOX] = "waits for a message",
	[HD_TS_ASSUMPTION] = "stopped at an assumption that does not hold",
	[HD_TS_TEAM] = "waits for its team at the barrier",
	[HD_TS_TASKS] = "waits for tasks to end",
	[HD_TS_EVENT] = "waits for the event of its detach clause",
	[HD_TS_TURN] = "waits for an earlier iteration",
	[HD_TS_SINGLE] = "waits for a single block to end",
};

/*
 * Where the script finds the threads: offsets into struct fiber, so that it needs no debug
 * information of ours and calls nothing in the stopped program.
 */
HD_EXPORT struct fiber *const *const heddle_debug_all = &hd_rt.all;
HD_EXPORT struct fiber *const *const heddle_debug_current = &hd_rt.cur;
HD_EXPORT const uint64_t *const heddle_debug_queue_looks = &hd_rt_queue_looks;
HD_EXPORT const uint32_t heddle_debug_layout[] = {
	offsetof(struct fiber, next),	   offsetof(struct fiber, id),
	offsetof(struct fiber, state),	   offsetof(struct fiber, wait.why),
	offsetof(struct fiber, wait.addr),
};
