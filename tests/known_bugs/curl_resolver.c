/*
 * curl's threaded resolver: who ends last frees the shared block; both sides must agree under the
 * lock.
 *
 * FAILS: memory
 * CAUSE: sync|allocated at
 * REMEDY: none
 */
#include <pthread.h>
#include <stdlib.h>
struct sync {
	pthread_mutex_t m;
	int done;
	int abandoned;
	int *addr;
};
static void destroy(struct sync *s)
{
	free(s->addr);
	pthread_mutex_destroy(&s->m);
	free(s);
}
static void *getaddrinfo_thread(void *a)
{
	struct sync *s = a;
	int *addr = calloc(1, sizeof *addr);
	pthread_mutex_lock(&s->m);
	s->addr = addr;
	if (s->abandoned) {
		pthread_mutex_unlock(&s->m);
		destroy(s);
	} else {
#ifdef FIXED
		s->done = 1;
		pthread_mutex_unlock(&s->m);
#else
		pthread_mutex_unlock(&s->m);
		pthread_mutex_lock(&s->m);
		s->done = 1;
		pthread_mutex_unlock(&s->m);
#endif
	}
	return NULL;
}
int main(void)
{
	pthread_t t;
	struct sync *s = calloc(1, sizeof *s);
	int done;
	pthread_mutex_init(&s->m, NULL);
	pthread_create(&t, NULL, getaddrinfo_thread, s);
	pthread_mutex_lock(&s->m);
	done = s->done;
	s->abandoned = !done;
	pthread_mutex_unlock(&s->m);
	pthread_join(t, NULL);
	if (done)
		destroy(s);
#ifndef FIXED
	else if (s->done)
		destroy(s); /* it has not seen that we gave up */
#endif
	return 0;
}
