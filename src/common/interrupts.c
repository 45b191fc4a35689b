#include "interrupts.h"

#include <stddef.h>
#include <unistd.h>

#include "budget.h"

static const int interrupts[] = { SIGINT, SIGTERM, SIGHUP };
#define NINTERRUPTS (sizeof(interrupts) / sizeof(interrupts[0]))

static volatile sig_atomic_t interrupted;
static struct sigaction before[NINTERRUPTS];
static unsigned taken;

void hd_interrupts_raise(void)
{
	interrupted = 1;
	hd_budget_interrupt();
}

static void note_interrupt(int sig)
{
	if (interrupted)
		_exit(128 + sig);
	hd_interrupts_raise();
}

void hd_interrupts_take(void)
{
	struct sigaction note = { .sa_handler = note_interrupt };

	if (taken++)
		return;
	for (size_t i = 0; i < NINTERRUPTS; i++) {
		sigaction(interrupts[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN) /* nohup stays nohup */
			sigaction(interrupts[i], &note, NULL);
	}
}

void hd_interrupts_give_back(void)
{
	if (!taken)
		return;
	taken = 0;
	for (size_t i = 0; i < NINTERRUPTS; i++)
		sigaction(interrupts[i], &before[i], NULL);
}

void hd_interrupts_forget(void)
{
	interrupted = 0;
}

void hd_interrupts_hold(sigset_t *before_them)
{
	sigset_t block;

	sigemptyset(&block);
	for (size_t i = 0; i < NINTERRUPTS; i++)
		sigaddset(&block, interrupts[i]);
	sigprocmask(SIG_BLOCK, &block, before_them);
}

bool hd_interrupted(void)
{
	return interrupted != 0;
}
