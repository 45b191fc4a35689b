/*
 * The last thread says that it has ended while it still holds the lock of the queue, which is then freed.
 *
 * FAILS: memory
 * CAUSE: q|allocated at
 * REMEDY: none
 */
#include <pthread.h>
#include <stdlib.h>

struct q {
	pthread_mutex_t m;
	int items, stop, gone;
	pthread_cond_t c;
};
static struct q *q;
static pthread_mutex_t gm = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gc = PTHREAD_COND_INITIALIZER;
static int ended;

static void *work(void *x)
{
	struct q *w = x;
	pthread_mutex_lock(&w->m);
	while (!w->stop || w->items) {
		if (w->items)
			w->items--;
		else
			pthread_cond_wait(&w->c, &w->m);
	}
#ifdef FIXED
	pthread_mutex_unlock(&w->m);
	pthread_mutex_lock(&gm);
	ended = 1;
	pthread_cond_signal(&gc);
	pthread_mutex_unlock(&gm);
#else
	pthread_mutex_lock(&gm);
	ended = 1;
	pthread_cond_signal(&gc);
	pthread_mutex_unlock(&gm);
	pthread_mutex_unlock(&w->m);
#endif
	return 0;
}

int main(void)
{
	pthread_t t;
	q = calloc(1, sizeof *q);
	pthread_mutex_init(&q->m, 0);
	pthread_cond_init(&q->c, 0);
	pthread_create(&t, 0, work, q);
	pthread_detach(t);
	pthread_mutex_lock(&q->m);
	q->items = 2;
	pthread_cond_signal(&q->c);
	pthread_mutex_unlock(&q->m);
	pthread_mutex_lock(&q->m);
	q->stop = 1;
	pthread_cond_signal(&q->c);
	pthread_mutex_unlock(&q->m);
	pthread_mutex_lock(&gm);
	while (!ended)
		pthread_cond_wait(&gc, &gm);
	pthread_mutex_unlock(&gm);
	free(q);
	return 0;
}
