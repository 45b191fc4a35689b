/*
 * A reader goes from lock to lock and never holds none; a writer that takes both waits for it. FIXED
 * is right; without it the writer takes only the second.
 *
 * RUN: run --analyze --atomic-steps --seed 1..2
 * EXPECT: atomicity on 'value' (RWR)
 * EXPECT: race
 */
#include "../program.h"

#include <heddle/hj.h>

#include "use.h"

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void look(void *arg)
{
	pthread_mutex_lock(&one);
	USE(value);
	pthread_mutex_lock(&two);
	pthread_mutex_unlock(&one);
	USE(value);
	pthread_mutex_unlock(&two);
}

static void change(void *arg)
{
#ifdef FIXED
	pthread_mutex_lock(&one);
#endif
	pthread_mutex_lock(&two);
	value = 1;
	pthread_mutex_unlock(&two);
#ifdef FIXED
	pthread_mutex_unlock(&one);
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
