/*
 * A route and its version are cached in a struct of the client's own, in two sections; the version is to tell
 * which route it is.
 *
 * EXPECT: extended-race table.hops table.version
 * MISSED: -O0
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct route {
	unsigned version;
	unsigned hops[3];
};
static struct route table = { 1, { 10, 20, 30 } };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *client(void *arg)
{
	struct route *mine = calloc(1, sizeof *mine);
	pthread_mutex_lock(&lock);
	mine->version = table.version;
#ifndef GOOD
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	for (int i = 0; i < 3; i++)
		mine->hops[i] = table.hops[i];
	pthread_mutex_unlock(&lock);
	printf("%u: %u %u %u\n", mine->version, mine->hops[0], mine->hops[1], mine->hops[2]);
	free(mine);
	return arg;
}
static void *update(void *arg)
{
	pthread_mutex_lock(&lock);
	table.version++;
	for (int i = 0; i < 3; i++)
		table.hops[i] += 5;
	pthread_mutex_unlock(&lock);
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, client, NULL);
	pthread_create(&b, NULL, update, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
