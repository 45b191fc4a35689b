/*
 * A key and its value are set in two sections; another compares the key and takes the value.
 *
 * EXPECT: extended-race e.key e.value
 * PART
 */
#include <pthread.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct ent {
	int key;
	int value;
};
struct ent e = { 1, 100 };
int got;
static void put(int k, int v)
{
	pthread_mutex_lock(&m);
	e.key = k;

#ifndef GOOD
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
#endif
	e.value = v;
	pthread_mutex_unlock(&m);
}
static int find(int k)
{
	int v = -1;
	pthread_mutex_lock(&m);
	if (e.key == k)
		v = e.value;
	pthread_mutex_unlock(&m);
	return v;
}
static void *w(void *p)
{
	for (int i = 1; i < 4; i++)
		put(i, i * 100);
	return p;
}
static void *r(void *p)
{
	for (int i = 1; i < 4; i++)
		got += find(i);
	return p;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, w, (void *)1);
	pthread_create(&t[1], 0, r, (void *)2);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
