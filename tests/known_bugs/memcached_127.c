/*
 * memcached 127: incr and decr find the item, compute without the lock and store it: updates are
 * lost.
 *
 * FAILS: output
 * CAUSE: data
 * REMEDY: 'item_lock'
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item {
	char key[8];
	char data[24];
};
static struct item it = { "hits", "100" };
static pthread_mutex_t item_lock = PTHREAD_MUTEX_INITIALIZER;
static void get(char *out)
{
	pthread_mutex_lock(&item_lock);
	strcpy(out, it.data);
	pthread_mutex_unlock(&item_lock);
}
static void put(const char *in)
{
	pthread_mutex_lock(&item_lock);
	strcpy(it.data, in);
	pthread_mutex_unlock(&item_lock);
}
static void add_delta(int incr, long delta)
{
	char buf[24];
	long v;
#ifdef FIXED
	pthread_mutex_lock(&item_lock);
	v = strtol(it.data, NULL, 10);
	v = incr ? v + delta : v - delta;
	snprintf(it.data, sizeof it.data, "%ld", v);
	pthread_mutex_unlock(&item_lock);
	(void)buf;
	(void)get;
	(void)put;
#else
	get(buf);
	v = strtol(buf, NULL, 10);
	v = incr ? v + delta : v - delta;
	snprintf(buf, sizeof buf, "%ld", v);
	put(buf);
#endif
}
static void *conn(void *a)
{
	add_delta(*(int *)a, 5);
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	int k[2] = { 1, 1 };
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, conn, &k[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("VALUE %s %s\n", it.key, it.data);
	return 0;
}
