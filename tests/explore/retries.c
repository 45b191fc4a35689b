/*
 * Threads that go round compare-and-swap, for comparison with all their interleavings (test_retries.py):
 *
 *   retries OPS OPS ...
 *
 * A thread for each word, a letter and the number of a variable for each operation:
 *
 *   r load, and tell it         w store          a add
 *   k add by load, compare and swap in a loop    K the same, with a load in each round
 *   q the same, with 0 for what it loads         m raise to a number, if it is less
 *   f as k; tell whether the first load was odd  c as k; tell how often it failed, up to 2
 *   n as k, but gives up after two failures
 *
 * What threads were told, and the variables, are printed at the end.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define THREADS 4
#define LOOP	__attribute__((noinline))

static atomic_int variables[2];
static char **words;
static int sums[THREADS];

static LOOP int add(atomic_int *x, int v)
{
	int old = atomic_load(x);

	while (!atomic_compare_exchange_strong(x, &old, old + v))
		;
	return old;
}

static LOOP int add_and_load(atomic_int *x, int v)
{
	int old;

	do
		old = atomic_load(x);
	while (!atomic_compare_exchange_strong(x, &old, old + v));
	return old;
}

static LOOP int add_to_guess(atomic_int *x, int v)
{
	int old = 0;

	while (!atomic_compare_exchange_strong(x, &old, old + v))
		;
	return old;
}

static LOOP int raise_to(atomic_int *x, int v)
{
	int old = atomic_load(x);

	while (old < v && !atomic_compare_exchange_strong(x, &old, v))
		;
	return old;
}

/* What the first load has seen makes a difference: it cannot be put off. */
static LOOP int add_and_tell(atomic_int *x, int v)
{
	int old = atomic_load(x), odd = old & 1;

	while (!atomic_compare_exchange_strong(x, &old, old + v))
		;
	return odd;
}

static LOOP int add_and_count(atomic_int *x, int v)
{
	int old = atomic_load(x), failed = 0;

	while (!atomic_compare_exchange_strong(x, &old, old + v))
		failed += failed < 2;
	return failed;
}

static LOOP int add_or_give_up(atomic_int *x, int v)
{
	int old = atomic_load(x);

	for (int i = 0; i < 2; i++) {
		if (atomic_compare_exchange_strong(x, &old, old + v))
			return 0;
	}
	return 1;
}

static int make(int t, char op, atomic_int *x)
{
	switch (op) {
	case 'r':
		return atomic_load(x);
	case 'w':
		atomic_store(x, 2 * t + 1);
		return 0;
	case 'a':
		return atomic_fetch_add(x, t + 1);
	case 'k':
		return add(x, t + 1);
	case 'K':
		return add_and_load(x, t + 1);
	case 'q':
		return add_to_guess(x, t + 1);
	case 'm':
		return raise_to(x, 2 * t + 1);
	case 'f':
		return add_and_tell(x, t + 1);
	case 'c':
		return add_and_count(x, t + 1);
	default:
		return add_or_give_up(x, t + 1);
	}
}

static void *work(void *arg)
{
	int t = (int)((char **)arg - words);

	for (const char *p = words[t]; *p; p += 2)
		sums[t] = sums[t] * 7 + make(t, *p, &variables[p[1] - '0']);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	words = argv + 1;
	for (int i = 0; i < argc - 1 && i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, &words[i]);
	for (int i = 0; i < argc - 1 && i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d:", variables[0], variables[1]);
	for (int i = 0; i < argc - 1 && i < THREADS; i++)
		printf(" %d", sums[i]);
	printf("\n");
	return 0;
}
