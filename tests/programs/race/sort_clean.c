/*
 * The same under a lock, which the comparison function also takes another one in; and two threads that
 * sort different parts.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

#include <stdlib.h>

static int numbers[8] = { 5, 3, 8, 1 }, halves[8] = { 4, 3, 2, 1, 9, 8, 7, 6 };
static unsigned compared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, count = PTHREAD_MUTEX_INITIALIZER;

static int by_size(const void *a, const void *b)
{
	pthread_mutex_lock(&count);
	compared++;
	pthread_mutex_unlock(&count);
	return *(const int *)a - *(const int *)b;
}

static int by_size_r(const void *a, const void *b, void *sign)
{
	return (*(const int *)a - *(const int *)b) * *(int *)sign;
}

static void *sorter(void *arg)
{
	int sign = 1;

	qsort_r(arg, 4, sizeof(int), by_size_r, &sign);
	pthread_mutex_lock(&lock);
	qsort(numbers, 8, sizeof(numbers[0]), by_size);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t a = start(sorter, halves), b = start(sorter, halves + 4);

	pthread_mutex_lock(&lock);
	numbers[7]++;
	pthread_mutex_unlock(&lock);
	finish(a);
	finish(b);
	for (int i = 0; i < 7; i++)
		assert(numbers[i] <= numbers[i + 1]);
	assert(halves[0] == 1 && halves[3] == 4 && halves[4] == 6 && halves[7] == 9);
	return 0;
}
