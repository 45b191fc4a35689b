/*
 * Two threads pay into an account. By definition:
 *
 *   LOCKED  under a mutex; else without, a data race
 *   SPLIT   read and write back in two critical sections; with BLOCK, in a block that is
 *           declared atomic
 *   HEAP    the account is on the heap
 *   CROSSED a second mutex inside the first; main takes them in the other order, when the
 *           threads have ended or, with LOOSE, before: then it can deadlock
 */
#include <heddle/heddle.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct account {
	int number;
	long balance;
};

static struct account ledger[4];
static struct account *heap;
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER, vault = PTHREAD_MUTEX_INITIALIZER;

#ifdef HEAP
#define ACCOUNT heap
#else
#define ACCOUNT (&ledger[2])
#endif

#ifdef LOCKED
#define LOCK() pthread_mutex_lock(&door)
#define UNLOCK() pthread_mutex_unlock(&door)
#else
#define LOCK() ((void)0)
#define UNLOCK() ((void)0)
#endif

__attribute__((noinline)) static long look(void)
{
	long found;

	LOCK();
	found = ACCOUNT->balance;
	UNLOCK();
	return found;
}

__attribute__((noinline)) static void store(long value)
{
	LOCK();
	ACCOUNT->balance = value;
	UNLOCK();
}

__attribute__((noinline)) static void deposit(long sum)
{
#if defined(SPLIT) && defined(BLOCK)
	HEDDLE_ATOMIC {
		long before = look();

		store(before + sum);
	}
#elif defined(SPLIT)
	store(look() + sum);
#else
	HEDDLE_ATOMIC {
		LOCK();
		ACCOUNT->balance += sum;
		UNLOCK();
	}
#endif
}

#ifdef CROSSED
static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	ACCOUNT->number++;
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}
#endif

static void *worker(void *arg)
{
	deposit(*(int *)arg);
#ifdef CROSSED
	both(&door, &vault);
#endif
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int sums[2] = { 5, 7 };

	heap = calloc(1, sizeof(*heap));
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, &sums[i]);
#ifdef LOOSE
	both(&vault, &door);
#endif
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
#if defined(CROSSED) && !defined(LOOSE)
	both(&vault, &door);
#endif
	printf("%ld\n", ACCOUNT->balance);
	free(heap);
	return 0;
}
