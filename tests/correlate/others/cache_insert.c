/*
 * A chained cache: lookup and insertion are two sections; the good one looks again before it inserts.
 *
 * EXPECT: extended-race buckets
 * PART
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct entry {
	struct entry *next;
	int key, value;
};
static struct entry *buckets[8];
static int entries;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *find(int key)
{
	struct entry *e;
	for (e = buckets[key % 8]; e; e = e->next)
		if (e->key == key)
			break;
	return e;
}
static int lookup(int key)
{
	struct entry *e, *n;
	int v;
	pthread_mutex_lock(&lock);
	e = find(key);
	v = e ? e->value : -1;
	pthread_mutex_unlock(&lock);
	if (e)
		return v;
	n = malloc(sizeof *n);
	n->key = key;
	n->value = key * key;
	v = n->value;
	pthread_mutex_lock(&lock);
#ifdef GOOD
	e = find(key);
	if (!e)
#endif
	{
		n->next = buckets[key % 8];
		buckets[key % 8] = n;
		entries++;
	}
	pthread_mutex_unlock(&lock);
#ifdef GOOD
	if (e)
		free(n);
#endif
	return v;
}
static void *client(void *arg)
{
	long s = 0;
	for (int k = 0; k < 6; k++)
		s += lookup(k * 3);
	*(long *)arg = s;
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	long s, t;
	pthread_create(&a, NULL, client, &s);
	pthread_create(&b, NULL, client, &t);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%ld %d\n", s + t, entries);
	return 0;
}
