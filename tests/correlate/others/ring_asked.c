/*
 * A ring with a function that says whether it is full: asked in one section, filled in the next. Two entries of the ring
 * share eight bytes; which of them a section accessed is told apart. GOOD: asked and filled in one section.
 *
 * EXPECT: extended-race rb.head
 * PART
 * ALWAYS: gcc-O2
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#define CAP 4
typedef struct { int buf[CAP]; int head, tail; pthread_mutex_t m; } ringbuf_t;
static ringbuf_t rb = { .m = PTHREAD_MUTEX_INITIALIZER };
static bool is_full_locked(ringbuf_t *r) { return r->head - r->tail == CAP; }
static bool ring_full(ringbuf_t *r)
{
	pthread_mutex_lock(&r->m);
	bool f = is_full_locked(r);
	pthread_mutex_unlock(&r->m);
	return f;
}
static void ring_put(ringbuf_t *r, int x)
{
	pthread_mutex_lock(&r->m);
	r->buf[r->head % CAP] = x;
	r->head++;
	pthread_mutex_unlock(&r->m);
}
static bool ring_try_put(ringbuf_t *r, int x)
{
	bool done = false;
	pthread_mutex_lock(&r->m);
	if (!is_full_locked(r)) { r->buf[r->head % CAP] = x; r->head++; done = true; }
	pthread_mutex_unlock(&r->m);
	return done;
}
static int ring_get(ringbuf_t *r)
{
	int x = -1;
	pthread_mutex_lock(&r->m);
	if (r->head != r->tail) { x = r->buf[r->tail % CAP]; r->tail++; }
	pthread_mutex_unlock(&r->m);
	return x;
}
static void *prod(void *arg)
{
	for (int i = 0; i < 5; i++) {
#ifndef GOOD
		if (!ring_full(&rb)) ring_put(&rb, i);
#else
		ring_try_put(&rb, i);
#endif
	}
	return arg;
}
static void *cons(void *arg) { long s = 0; for (int i = 0; i < 5; i++) s += ring_get(&rb); return (void *)s; }
int main(void)
{
	pthread_t a, b, c;
	(void)ring_try_put; (void)ring_full; (void)ring_put;
	pthread_create(&a, 0, prod, 0); pthread_create(&b, 0, prod, 0); pthread_create(&c, 0, cons, 0);
	pthread_join(a, 0); pthread_join(b, 0); pthread_join(c, 0);
	return 0;
}
