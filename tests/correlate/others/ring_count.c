/*
 * How full a ring is: head and tail are read in two sections and subtracted; another thread may reset the
 * ring in between. GOOD: read together.
 *
 * EXPECT: extended-race heap
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SLOTS 8

struct ring {
	pthread_spinlock_t spin;
	unsigned head, tail;
	int slot[SLOTS];
};

static unsigned ring_head(struct ring *r)
{
	unsigned n;

	pthread_spin_lock(&r->spin);
	n = r->head;
	pthread_spin_unlock(&r->spin);
	return n;
}

static unsigned ring_tail(struct ring *r)
{
	unsigned n;

	pthread_spin_lock(&r->spin);
	n = r->tail;
	pthread_spin_unlock(&r->spin);
	return n;
}

static unsigned ring_used(struct ring *r)
{
#ifdef GOOD
	unsigned n;

	pthread_spin_lock(&r->spin);
	n = r->tail - r->head;
	pthread_spin_unlock(&r->spin);
	return n;
#else
	return ring_tail(r) - ring_head(r);
#endif
}

static void ring_push(struct ring *r, int v)
{
	pthread_spin_lock(&r->spin);
	if (r->tail - r->head < SLOTS)
		r->slot[r->tail++ % SLOTS] = v;
	pthread_spin_unlock(&r->spin);
}

static void ring_reset(struct ring *r)
{
	pthread_spin_lock(&r->spin);
	r->head = r->tail = 0;
	pthread_spin_unlock(&r->spin);
}

static void *monitor(void *arg)
{
	unsigned most = 0;

	for (int i = 0; i < 4; i++) {
		unsigned n = ring_used(arg);

		if (n > most)
			most = n;
	}
	printf("at most %u\n", most);
	return NULL;
}

static void *producer(void *arg)
{
	for (int i = 0; i < 6; i++)
		ring_push(arg, i);
	ring_reset(arg);
	return NULL;
}

int main(void)
{
	struct ring *r = calloc(1, sizeof(*r));
	pthread_t a, b;

	pthread_spin_init(&r->spin, 0);
	pthread_create(&b, NULL, producer, r);
	pthread_create(&a, NULL, monitor, r);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	free(r);
	return 0;
}
