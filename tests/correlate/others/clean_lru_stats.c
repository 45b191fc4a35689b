/*
 * A small cache: entry and age are changed in one section, hits and misses in the next one, where they are only
 * counted; a thread that prints reads the two counts at different times.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

#define ENTRIES 4

static struct {
	int key, value;
	unsigned age;
} entry[ENTRIES];
static unsigned clock_;
static unsigned hits, misses;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static int lookup(int key)
{
	int oldest = 0, found = -1, value;

	pthread_mutex_lock(&m);
	for (int i = 0; i < ENTRIES; i++) {
		if (entry[i].age && entry[i].key == key)
			found = i;
		if (entry[i].age < entry[oldest].age)
			oldest = i;
	}
	if (found < 0) {
		entry[oldest].key = key;
		entry[oldest].value = key * key;
	}
	value = entry[found < 0 ? oldest : found].value;
	entry[found < 0 ? oldest : found].age = ++clock_;
	pthread_mutex_unlock(&m);

	pthread_mutex_lock(&m);
	if (found < 0)
		misses++;
	else
		hits++;
	pthread_mutex_unlock(&m);
	return value;
}

static void *user(void *arg)
{
	int n = *(int *)arg, sum = 0;

	for (int i = 0; i < 8; i++)
		sum += lookup((i * n) % 6);
	*(int *)arg = sum;
	return NULL;
}

static void *printer(void *arg)
{
	unsigned h, n;

	pthread_mutex_lock(&m);
	h = hits;
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	n = misses;
	pthread_mutex_unlock(&m);
	printf("%u hits\n", h);
	printf("%u misses\n", n);
	return arg;
}

int main(void)
{
	int one = 1, two = 5;
	pthread_t t[3];

	pthread_create(&t[0], NULL, user, &one);
	pthread_create(&t[1], NULL, user, &two);
	pthread_create(&t[2], NULL, printer, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
