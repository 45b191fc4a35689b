/*
 * Double-checked creation with a plain flag: the flag races always, the data with it at times.
 *
 * RUN: run
 * EXPECT: race 'made' @use
 * EXPECT: race 'table' @use within 20 seeds
 */
#include "../program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int made, table;

static void *use(void *arg)
{
	if (!made) {
		pthread_mutex_lock(&lock);
		if (!made) {
			table = 42;
			made = 1;
		}
		pthread_mutex_unlock(&lock);
	}
	return (void *)(intptr_t)table;
}

int main(void)
{
	pthread_t a = start(use, NULL), b = start(use, NULL);

	finish(a);
	finish(b);
	return 0;
}
