/*
 * nginx-like pool: a block is given to the thread that asks, room is looked up and taken in two
 * steps.
 *
 * FAILS: output
 * CAUSE: last
 * REMEDY: m'
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
struct pool {
	char *last, *end;
	char mem[64];
	pthread_mutex_t m;
};
static struct pool p = { .m = PTHREAD_MUTEX_INITIALIZER };
static char *palloc(struct pool *q, size_t n)
{
	char *at;
#ifdef FIXED
	pthread_mutex_lock(&q->m);
	at = q->last;
	q->last = at + n;
	pthread_mutex_unlock(&q->m);
#else
	pthread_mutex_lock(&q->m);
	at = q->last;
	pthread_mutex_unlock(&q->m);
	if (at + n > q->end)
		return NULL;
	pthread_mutex_lock(&q->m);
	q->last = at + n;
	pthread_mutex_unlock(&q->m);
#endif
	return at;
}
static void *request(void *a)
{
	*(char **)a = palloc(&p, 16);
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	char *got[2];
	p.last = p.mem;
	p.end = p.mem + sizeof p.mem;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, request, &got[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%zu bytes in use\n", (size_t)(p.last - p.mem));
	return 0;
}
