/*
 * A window of the last samples: the old one leaves the sum in one section, the new one comes to its place in the next, and the
 * place is found by the index as it was. GOOD: one critical section.
 *
 * EXPECT: extended-race win.pos
 * PART
 */
#include <pthread.h>
#include <stdio.h>
#define W 4
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static struct {
	int sample[W];
	unsigned pos;
	long sum;
} win;
static void add(int v)
{
	pthread_mutex_lock(&mu);
	unsigned at = win.pos % W;
	win.sum -= win.sample[at];
#ifndef GOOD
	pthread_mutex_unlock(&mu);
	pthread_mutex_lock(&mu);
#endif
	win.sample[at] = v;
	win.sum += v;
	win.pos++;
	pthread_mutex_unlock(&mu);
}
static void *sensor(void *arg)
{
	int base = *(int *)arg;
	for (int i = 0; i < 10; i++)
		add(base + i);
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	int base[2] = { 100, 900 };
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, sensor, &base[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%ld\n", win.sum / W);
	return 0;
}
