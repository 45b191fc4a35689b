/*
 * Transmission 1.42: the bandwidth object is used by the peer thread before tr_sessionInit has set
 * it.
 *
 * FAILS: crash
 * CAUSE: bandwidth|m
 * REMEDY: m'|none
 */
#include <pthread.h>
#include <stdlib.h>
struct session {
	int *bandwidth;
	pthread_mutex_t m;
};
static struct session *h;
static void *event_loop(void *a)
{
	struct session *s = a;
	pthread_mutex_lock(&s->m);
	int *b = s->bandwidth;
	pthread_mutex_unlock(&s->m);
	*b += 1;
	return NULL;
}
int main(void)
{
	pthread_t t;
	int *b = calloc(1, sizeof *b);
	h = calloc(1, sizeof *h);
	pthread_mutex_init(&h->m, NULL);
#ifdef FIXED
	h->bandwidth = b;
	pthread_create(&t, NULL, event_loop, h);
#else
	pthread_create(&t, NULL, event_loop, h);
	pthread_mutex_lock(&h->m);
	h->bandwidth = b;
	pthread_mutex_unlock(&h->m);
#endif
	pthread_join(t, NULL);
	free(b);
	free(h);
	return 0;
}
