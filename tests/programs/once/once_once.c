/*
 * pthread_once: the routine runs once, and nobody passes before it has ended.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int begun, ended;

static void init(void)
{
	begun++;
	for (int i = 0; i < 5; i++)
		sched_yield();
	ended++;
}

static void *use(void *arg)
{
	assert(pthread_once(&once, init) == 0);
	assert(begun == 1 && ended == 1);
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		t[i] = start(use, NULL);
	use(NULL);
	for (int i = 0; i < 3; i++)
		finish(t[i]);
	return 0;
}
