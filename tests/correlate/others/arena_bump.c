/*
 * A bump allocator: the mark is read, the limit checked without the lock, and the mark moved.
 *
 * EXPECT: extended-race arena.used
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
static struct {
	char mem[4096];
	size_t used;
} arena;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *get(size_t n)
{
	size_t at;
	n = (n + 15) & ~(size_t)15;
	pthread_mutex_lock(&lock);
	at = arena.used;
#ifndef GOOD
	pthread_mutex_unlock(&lock);
	if (at + n > sizeof arena.mem)
		return NULL;
	pthread_mutex_lock(&lock);
#else
	if (at + n > sizeof arena.mem) {
		pthread_mutex_unlock(&lock);
		return NULL;
	}
#endif
	arena.used = at + n;
	pthread_mutex_unlock(&lock);
	return arena.mem + at;
}
static void *user(void *arg)
{
	uintptr_t x = 0;
	for (int i = 1; i < 5; i++)
		x ^= (uintptr_t)get((size_t)i * 24);
	*(uintptr_t *)arg = x;
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	uintptr_t x, y;
	pthread_create(&a, NULL, user, &x);
	pthread_create(&b, NULL, user, &y);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%zu %d\n", arena.used, x == y);
	return 0;
}
