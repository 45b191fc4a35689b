/*
 * Small programs with loops and looks that were once left out wrongly, or taken for endless (test_loops.py has what each
 * may print):
 *
 *   stack     what comes of a look depends on a variable on the thread's own stack, which another thread writes
 *   operand   a compare-and-swap is made again with what it found, which is nowhere but in a register
 *   clock     a loop looks at several things before the clock
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static atomic_int x, y;

/* ---- stack: 5 if x was 0 both times; if it was 2 the first time, what came with it, else 0 ---- */

static void *give(void *data)
{
	*(int *)data = 1;
	atomic_store(&x, 2);
	return NULL;
}

static __attribute__((noinline)) int look_and_swap(const int *data)
{
	int old = atomic_load(&x);

	if (old == 2)
		return *data;
	while (!atomic_compare_exchange_strong(&x, &old, 3)) {
		if (old == 2)
			return 0;
	}
	return 5;
}

static __attribute__((noinline)) int look_and_exchange(const int *data)
{
	if (atomic_load(&x) == 2)
		return *data;
	return atomic_exchange(&x, 2) == 2 ? 0 : 5;
}

static void *take(void *arg)
{
	pthread_t giver;
	int data = 0, sum;

	pthread_create(&giver, NULL, give, &data);
	sum = arg ? look_and_exchange(&data) : look_and_swap(&data);
	atomic_store(&y, 1);
	printf("%d\n", sum);
	pthread_join(giver, NULL);
	return NULL;
}

/* ---- operand: from 1 to 1, at the second time ---------------------------------------------- */

static void *swap_twice(void *arg)
{
	int old = 0;

	while (!atomic_compare_exchange_strong(&x, &old, 1))
		;
	printf("%d\n", old);
	return arg;
}

/* ---- clock --------------------------------------------------------------------------------- */

static void *wait_a_while(void *arg)
{
	time_t until = time(NULL) + 3;

	while (!atomic_load(&x) && atomic_load(&y) != 7 && atomic_load(&x) != 7 && time(NULL) < until)
		;
	printf("%d\n", atomic_load(&x));
	return arg;
}

int main(int argc, char **argv)
{
	bool exchange = strcmp(argv[1], "exchange") == 0;
	void *(*work)(void *) = exchange || strcmp(argv[1], "stack") == 0 ? take
				: strcmp(argv[1], "operand") == 0	   ? swap_twice
									   : wait_a_while;
	pthread_t thread;

	atomic_init(&x, work == swap_twice);
	pthread_create(&thread, NULL, work, exchange ? &x : NULL);
	if (work == wait_a_while && argc > 2)
		atomic_store(&x, 1);
	pthread_join(thread, NULL);
	return 0;
}
