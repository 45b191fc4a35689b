/*
 * A handle is taken in one critical section and forgotten in another: two threads free it.
 *
 * FAILS: memory
 * CAUSE: h
 * REMEDY: 'm'
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char *h;

static void *closer(void *x)
{
	pthread_mutex_lock(&m);
	char *p = h;
#ifdef FIXED
	h = 0;
#endif
	pthread_mutex_unlock(&m);
	if (p) {
		free(p);
		pthread_mutex_lock(&m);
		h = 0;
		pthread_mutex_unlock(&m);
	}
	return x;
}

int main(void)
{
	pthread_t s, t;
	h = malloc(8);
	pthread_create(&s, 0, closer, 0);
	pthread_create(&t, 0, closer, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	return 0;
}
