/*
 * Tasks that one thread runs never overlap: they keep data by thread, found by a thread-local variable, a key, or the
 * thread's handle and number.
 * clean
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_key_t key;
static _Thread_local int *mine;
static pthread_t handles[64];
static int counts[64], by_key[64], by_handle[64], numbers[64], slots, known;

static int slot(void)
{
	int n;

#pragma omp atomic capture
	n = slots++;
	return n;
}

static void count_by_key(void)
{
	int *count = pthread_getspecific(key);

	if (!count) {
		count = &by_key[slot()];
		pthread_setspecific(key, count);
	}
	++*count;
}

static void count_by_handle(void)
{
	pthread_t me = pthread_self();
	int at = 0;

#pragma omp critical
	{
		while (at < known && !pthread_equal(handles[at], me))
			at++;
		if (at == known) {
			handles[known] = me;
			numbers[known++] = gettid();
		}
		assert(numbers[at] == gettid());
	}
	by_handle[at]++;
}

int main(void)
{
	int sum = 0;

	pthread_key_create(&key, NULL);
#pragma omp parallel num_threads(3)
#pragma omp single
	for (int i = 0; i < 12; i++) {
#pragma omp task
		{
			if (!mine)
				mine = &counts[slot()];
			++*mine;
		}
#pragma omp task
		count_by_key();
#pragma omp task
		count_by_handle();
	}
	for (int i = 0; i < 64; i++)
		sum += counts[i] + by_key[i] + by_handle[i];
	assert(sum == 36);
	return 0;
}
