/*
 * Host and port are copied in two sections and printed as one address. In the good twin a vector that is
 * not aligned has halves of granules, each of which begins a unit in every round.
 *
 * EXPECT: extended-race cur.host cur.port
 * PART
 * ALWAYS: gcc-O2
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct cfg {
	int port;
	char host[16];
};
struct cfg cur = { 80, "a.example" };
char out[64];
static void *use(void *x)
{
	for (int i = 0; i < 3; i++) {
		char h[16];
		int p;
		pthread_mutex_lock(&m);
		memcpy(h, cur.host, 16);

#ifndef GOOD
		pthread_mutex_unlock(&m);
		pthread_mutex_lock(&m);
#endif
		p = cur.port;
		pthread_mutex_unlock(&m);
		snprintf(out, sizeof out, "%s:%d", h, p);
	}
	return x;
}
static void *load(void *x)
{
	for (int i = 0; i < 3; i++) {
		struct cfg c = { 8000 + i, "b.example" };
		c.host[0] += i;
		pthread_mutex_lock(&m);
		cur = c;
		pthread_mutex_unlock(&m);
	}
	return x;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, use, (void *)1);
	pthread_create(&t[1], 0, load, (void *)2);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
