/*
 * Three threads take two of three locks each, in a ring.
 *
 * FAILS: deadlock
 * CAUSE: f
 * REMEDY: taking|a new lock
 */
#include <pthread.h>

static pthread_mutex_t f[3] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
				PTHREAD_MUTEX_INITIALIZER };
static int meals[3];

static void *dine(void *p)
{
	long i = (long)p;
	pthread_mutex_t *a = &f[i], *b = &f[(i + 1) % 3];
#ifdef FIXED
	if (a > b) {
		pthread_mutex_t *t = a;
		a = b;
		b = t;
	}
#endif
	for (int k = 0; k < 2; k++) {
		pthread_mutex_lock(a);
		pthread_mutex_lock(b);
		meals[i]++;
		pthread_mutex_unlock(b);
		pthread_mutex_unlock(a);
	}
	return 0;
}

int main(void)
{
	pthread_t t[3];
	for (long i = 0; i < 3; i++)
		pthread_create(t + i, 0, dine, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return meals[0] + meals[1] + meals[2] != 6;
}
