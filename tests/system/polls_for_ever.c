/*
 * Two threads look under a lock for something that nobody does. Each takes the lock on its way, so none
 * of them is proved to go in circles.
 */
#include "../programs/program.h"
#include <sched.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *look(void *arg)
{
	for (int now = 0; !now; sched_yield()) {
		pthread_mutex_lock(&mutex);
		now = done;
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

int main(void)
{
	pthread_t t = start(look, NULL), u = start(look, NULL);

	finish(t);
	finish(u);
	return 0;
}
