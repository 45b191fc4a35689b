/*
 * A mailbox is marked as empty in one section, and the message is read in the next: by then another may be in it. GOOD: in
 * one section.
 *
 * EXPECT: extended-race full msg
 * PART
 * ALWAYS: gcc-O0 clang-O2
 */
#include <pthread.h>
#include <stdio.h>
static int full, msg;
static pthread_mutex_t bm = PTHREAD_MUTEX_INITIALIZER;
static int got;
static int receive(int *out)
{
	int have;
	pthread_mutex_lock(&bm);
	have = full;
	full = 0;
#ifndef GOOD
	pthread_mutex_unlock(&bm);
	if (!have) return 0;
	pthread_mutex_lock(&bm);
#endif
	if (have) *out = msg;
	pthread_mutex_unlock(&bm);
	return have;
}
static int send(int v)
{
	int ok;
	pthread_mutex_lock(&bm);
	ok = !full;
	if (ok) { msg = v; full = 1; }
	pthread_mutex_unlock(&bm);
	return ok;
}
static void *producer(void *a)
{
	for (int i = 1; i <= 6; i++) send(i);
	return a;
}
static void *consumer(void *a)
{
	int v;
	for (int i = 0; i < 6; i++) if (receive(&v)) got += v;
	return a;
}
int main(void)
{
	pthread_t p, c;
	pthread_create(&p, 0, producer, 0);
	pthread_create(&c, 0, consumer, 0);
	pthread_join(p, 0);
	pthread_join(c, 0);
	printf("%d\n", got);
	return 0;
}
