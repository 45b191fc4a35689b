/*
 * Ways to go on for long without an end, some of which heddle cannot see into.
 *
 * hangs assembler  a thread spins in inline assembler
 * hangs library    a thread is busy in code that has no hooks (plain_loop.c)
 * hangs atomic     a thread spins on an atomic variable that main sets when there is input
 * hangs work       a thread computes on memory, main waits for input
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

void loop_forever(volatile int *p); /* plain_loop.c, built without heddle */

static int word;
static atomic_int stop;
static unsigned sums[64];

static void *assembler(void *arg)
{
	__asm__ volatile("1: cmpl $0, %0; je 1b" : : "m"(word) : "memory", "cc"); /* SPINS */
	return arg;
}

static void *library(void *arg)
{
	loop_forever(&word); /* CALLS */
	return arg;
}

static void *atomic(void *arg)
{
	while (!atomic_load(&stop))
		__builtin_ia32_pause();
	return arg;
}

static void *work(void *arg)
{
	for (unsigned i = 0; !atomic_load(&stop); i++) {
		for (unsigned k = 0; k < 100000; k++)
			sums[k % 64] += i ^ k;
	}
	return arg;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pthread_t t;

	if (!strcmp(how, "assembler"))
		pthread_create(&t, NULL, assembler, NULL);
	else if (!strcmp(how, "library"))
		pthread_create(&t, NULL, library, NULL);
	else if (!strcmp(how, "atomic"))
		pthread_create(&t, NULL, atomic, NULL);
	else
		pthread_create(&t, NULL, work, NULL);
	if (strcmp(how, "assembler") != 0 && strcmp(how, "library") != 0) {
		getchar();
		atomic_store(&stop, 1);
	}
	pthread_join(t, NULL);
	puts("done");
	return 0;
}
