#include "debug.h"

#include "arena.h"

/* Written by the debugger; 0: do not stop. */
HD_EXPORT volatile uint64_t heddle_debug_stop_choice, heddle_debug_stop_switch;
/* For the debugger to read. */
HD_EXPORT volatile uint64_t heddle_debug_choices, heddle_debug_switches;

void heddle_debug_started(void);
void heddle_debug_stopped(void);
const char *heddle_debug_threads(void);

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

void hd_rt_debug_choice(void)
{
	heddle_debug_choices = hd_rt.choices;
	if (heddle_debug_choices == heddle_debug_stop_choice)
		heddle_debug_stopped();
}

void hd_rt_debug_switched(void)
{
	heddle_debug_switches++;
	if (heddle_debug_switches == heddle_debug_stop_switch)
		heddle_debug_stopped();
}

static const char *const waits[HD_TS_LIMIT] = {
	[HD_TS_MUTEX] = "waits for the mutex",
	[HD_TS_RWLOCK_READ] = "waits to read under the rwlock",
	[HD_TS_RWLOCK_WRITE] = "waits to write under the rwlock",
	[HD_TS_SPIN] = "waits for the spin lock",
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
};

static const char *state_of(const struct fiber *f)
{
	if (f == hd_rt.cur)
		return "running";
	if (f->state == HD_F_DONE)
		return "ended";
	if (f->state == HD_F_BLOCKED)
		return waits[f->wait_why] ? waits[f->wait_why] : "waits";
	return "runnable";
}

/* One line a thread: number, state, and what it waits for. Called by the debugger. */
HD_EXPORT const char *heddle_debug_threads(void)
{
	static char text[16384];
	size_t used = 0;

	text[0] = 0;
	for (const struct fiber *f = hd_rt.all; f && used < sizeof(text) - 128; f = f->next) {
		used += (size_t)hd_rt_print(text + used, sizeof(text) - used, "T%u %s", f->id,
					    state_of(f));
		if (f->state == HD_F_BLOCKED && f->wait_addr)
			used += (size_t)hd_rt_print(text + used, sizeof(text) - used, " 0x%lx",
						    f->wait_addr);
		used += (size_t)hd_rt_print(text + used, sizeof(text) - used, "\n");
	}
	return text;
}
