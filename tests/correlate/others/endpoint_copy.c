/*
 * A client's endpoint is copied member by member, in two sections, into a struct that it connects to.
 *
 * EXPECT: extended-race server.host server.port
 * PART
 * MISSED: -O0
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
struct endpoint {
	char host[24];
	int port;
};
static struct endpoint server = { "alpha", 80 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __attribute__((noinline)) int dial(const struct endpoint *e)
{
	unsigned h = (unsigned)e->port;
	for (const char *p = e->host; *p; p++)
		h = h * 31 + (unsigned char)*p;
	return (int)(h & 1023);
}
static void *client(void *arg)
{
	struct endpoint e;
	pthread_mutex_lock(&lock);
	memcpy(e.host, server.host, sizeof e.host);
#ifndef GOOD
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	e.port = server.port;
	pthread_mutex_unlock(&lock);
	*(int *)arg = dial(&e);
	return NULL;
}
static void *reconfigure(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	strcpy(server.host, "beta.example");
	server.port = 8080;
	pthread_mutex_unlock(&lock);
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	int fd;
	pthread_create(&a, NULL, client, &fd);
	pthread_create(&b, NULL, reconfigure, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", fd);
	return 0;
}
