/*
 * Two slots of an array are exchanged, the second half in another section; two threads do so.
 * GOOD: in one section.
 *
 * EXPECT: extended-race slots
 */
#include <pthread.h>
#include <stdio.h>

struct slot {
	int key, value;
};

static struct slot slots[4] = { { 1, 10 }, { 2, 20 }, { 3, 30 }, { 4, 40 } };
static pthread_mutex_t mx = PTHREAD_MUTEX_INITIALIZER;

static void swap(int i, int j)
{
	struct slot a, b;

	pthread_mutex_lock(&mx);
	a = slots[i];
	b = slots[j];
	slots[i] = b;
#ifndef GOOD
	pthread_mutex_unlock(&mx);
	pthread_mutex_lock(&mx);
#endif
	slots[j] = a;
	pthread_mutex_unlock(&mx);
}

static void *mixer(void *arg)
{
	const int *p = arg;

	for (int i = 0; i < 3; i++)
		swap(p[0], p[1]);
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	int one[2] = { 0, 2 }, two[2] = { 2, 0 }, sum = 0;

	pthread_create(&a, NULL, mixer, one);
	pthread_create(&b, NULL, mixer, two);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	for (int i = 0; i < 4; i++)
		sum += slots[i].value;
	printf("%d\n", sum);
	return 0;
}
