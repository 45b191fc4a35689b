/*
 * The write comes after the outer unlock of a recursive mutex, in both threads.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'total' @work
 */
#include "../program.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int total;

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	pthread_mutex_unlock(&lock);
	total++;
	return NULL;
}

int main(void)
{
	pthread_t a = start(work, NULL), b = start(work, NULL);

	finish(a);
	finish(b);
	return 0;
}
