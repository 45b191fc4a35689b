/*
 * A cached document: its length is asked for in one section, that many bytes are copied in the next; a
 * refresh replaces both. GOOD: in one section.
 *
 * EXPECT: extended-race cache.len cache.data
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cache {
	pthread_mutex_t lock;
	size_t len;
	char data[64];
} cache = { PTHREAD_MUTEX_INITIALIZER, 5, "hello" };

static void refresh(const char *text)
{
	pthread_mutex_lock(&cache.lock);
	cache.len = strlen(text);
	memcpy(cache.data, text, cache.len);
	pthread_mutex_unlock(&cache.lock);
}

static char *fetch(void)
{
	size_t n;
	char *copy;

	pthread_mutex_lock(&cache.lock);
	n = cache.len;
#ifndef GOOD
	pthread_mutex_unlock(&cache.lock);
#endif
	copy = malloc(n + 1);
#ifndef GOOD
	pthread_mutex_lock(&cache.lock);
#endif
	memcpy(copy, cache.data, n);
	copy[n] = 0;
	pthread_mutex_unlock(&cache.lock);
	return copy;
}

static void *client(void *arg)
{
	for (int i = 0; i < 3; i++) {
		char *s = fetch();

		puts(s);
		free(s);
	}
	return arg;
}

static void *refresher(void *arg)
{
	static const char *const texts[] = { "a longer text than before", "short", "middle of it" };

	for (int i = 0; i < 3; i++)
		refresh(texts[i]);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, client, NULL);
	pthread_create(&b, NULL, refresher, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
