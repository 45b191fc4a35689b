/*
 * Tasks use mutexes, condition variables and threads of their own like anybody else, and threads may
 * launch tasks.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --seed 1..10
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..5
 * EXPECT: clean
 */
#include "../program.h"

#include <heddle/hj.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int turn, sum;

static void *helper(void *arg)
{
	pthread_mutex_lock(&m);
	sum += 100;
	pthread_mutex_unlock(&m);
	return NULL;
}

static void member(void *arg)
{
	int me = (int)(long)arg;

	pthread_mutex_lock(&m);
	while (turn != me)
		pthread_cond_wait(&c, &m);
	sum += me;
	turn++;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	if (me == 2)
		finish(start(helper, NULL));
	if (me == 3)
		pthread_exit(NULL);
}

static void root(void *arg)
{
	HJ_FINISH {
		for (long i = 4; i-- > 0;)
			hj_async(member, (void *)i);
	}
	pthread_mutex_lock(&m);
	assert(turn == 4);
	turn = 0;
	pthread_mutex_unlock(&m);
}

static void *launcher(void *arg)
{
	hj_launch(root, NULL);
	return NULL;
}

int main(void)
{
	finish(start(launcher, NULL));
	hj_launch(root, NULL);
	assert(sum == 2 * (0 + 1 + 2 + 3 + 100));
	return 0;
}
