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
 * Of variable 0 as a lock, of which 1 is what it guards (load, tell, and store something made of it):
 *
 *   l test and test-and-set         s test and compare-and-swap, with yields
 *   p as l, but reads a plain variable in each round    i as l, but reads one in front of the loop
 *   t try, and tell whether it was taken    u the same; tell whether the second look said so
 *   b store 2, then 0               z store 0
 *   d as b, if variable 1 is odd    e as t; tell whether the second look found 2
 *
 * What threads were told, and the variables, are printed at the end.
 */
#include <pthread.h>
#include <sched.h>
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

static int in_section(int t)
{
	int was = atomic_load(&variables[1]);

	atomic_store(&variables[1], (was * 2 + t + 1) & 7);
	atomic_store(&variables[0], 0);
	return was;
}

static LOOP int test_and_set(int t, atomic_int *x)
{
	do {
		while (atomic_load(x))
			;
	} while (atomic_exchange(x, 1));
	return in_section(t);
}

int one = 1; /* not static, so that it is read each time */

static LOOP int test_and_set_one(int t, atomic_int *x)
{
	do {
		while (atomic_load(x))
			;
	} while (atomic_exchange(x, one));
	return in_section(t);
}

static LOOP int set_what_was_read(int t, atomic_int *x)
{
	int mark = one;

	while (atomic_exchange(x, mark))
		sched_yield();
	return in_section(t);
}

static LOOP int test_and_swap(int t, atomic_int *x)
{
	int zero;

	do {
		while (atomic_load(x))
			sched_yield();
		zero = 0;
	} while (!atomic_compare_exchange_strong(x, &zero, 1));
	return in_section(t);
}

static LOOP int try_once(atomic_int *x, int second)
{
	if (atomic_load(x))
		return 1;
	if (atomic_exchange(x, 1))
		return second;
	atomic_store(x, 0);
	return 2;
}

static LOOP int try_and_look(atomic_int *x)
{
	int old = atomic_load(x);

	if (old)
		return 1;
	old = atomic_exchange(x, 1);
	if (old)
		return old == 2 ? 3 : 1;
	atomic_store(x, 0);
	return 2;
}

static LOOP int close_for_a_while(atomic_int *x)
{
	atomic_store(x, 2);
	atomic_store(x, 0);
	return 0;
}

static int make(int t, char op, atomic_int *x)
{
	switch (op) {
	case 'l':
		return test_and_set(t, x);
	case 's':
		return test_and_swap(t, x);
	case 'p':
		return test_and_set_one(t, x);
	case 'i':
		return set_what_was_read(t, x);
	case 't':
		return try_once(x, 1);
	case 'u':
		return try_once(x, 3);
	case 'b':
		return close_for_a_while(x);
	case 'd':
		return atomic_load(&variables[1]) & 1 ? close_for_a_while(x) : 0;
	case 'e':
		return try_and_look(x);
	case 'z':
		atomic_store(x, 0);
		return 0;
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
