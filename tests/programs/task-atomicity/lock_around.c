/*
 * Free of races, and the two reads have a lock in common all the time. The writer does not take it.
 *
 * RUN: run --analyze --atomic-steps --seed 1..2
 * EXPECT: atomicity on 'value' (RWR)
 * NEVER: race
 */
#include "../program.h"

#include <heddle/hj.h>

#include "use.h"

static pthread_mutex_t around = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void look(void *arg)
{
	pthread_mutex_lock(&around);
	pthread_mutex_lock(&inner);
	USE(value);
	pthread_mutex_unlock(&inner);
	pthread_mutex_lock(&inner);
	USE(value);
	pthread_mutex_unlock(&inner);
	pthread_mutex_unlock(&around);
}

static void change(void *arg)
{
#ifdef FIXED
	pthread_mutex_lock(&around);
#endif
	pthread_mutex_lock(&inner);
	value = 1;
	pthread_mutex_unlock(&inner);
#ifdef FIXED
	pthread_mutex_unlock(&around);
#endif
}

static void root(void *arg)
{
	HJ_FINISH {
		hj_async(look, NULL);
		hj_async(change, NULL);
	}
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
