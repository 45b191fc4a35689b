/*
 * The same with code built for exceptions, where handlers are found by the unwinder:
 * cleanup handlers run last in, first out, at cancellation and at pthread_exit, from
 * nested functions too, before the destructors of thread-specific data; and not at
 * a plain return.
 *
 * CC: -fexceptions
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static char log_text[64];
static pthread_key_t key;

static void note(void *arg)
{
	strcat(log_text, arg);
}

static void inner(int by_exit)
{
	pthread_cleanup_push(note, "c");
	if (by_exit)
		pthread_exit(NULL);
	for (;;)
		sleep(1);
	pthread_cleanup_pop(0);
}

static void *outer(void *arg)
{
	pthread_setspecific(key, "k");
	pthread_cleanup_push(note, "a");
	pthread_cleanup_push(note, "b");
	pthread_cleanup_push(note, "x");
	pthread_cleanup_pop(0);
	inner(arg != NULL);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *returns(void *arg)
{
	pthread_cleanup_push(note, "1");
	pthread_cleanup_push(note, "2");
	pthread_cleanup_pop(1);
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	pthread_t t;

	pthread_key_create(&key, note);
	t = start(outer, NULL);
	sleep(1);
	pthread_cancel(t);
	assert(finish(t) == PTHREAD_CANCELED);
	assert(strcmp(log_text, "cbak") == 0);
	log_text[0] = 0;
	finish(start(outer, &key));
	assert(strcmp(log_text, "cbak") == 0);
	log_text[0] = 0;
	finish(start(returns, NULL));
	assert(strcmp(log_text, "2") == 0);
	return 0;
}
