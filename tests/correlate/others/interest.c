/*
 * Interest of a bank account on the heap: computed from a balance that was read in an earlier section, while
 * deposits keep both up to date. GOOD: in one section.
 *
 * EXPECT: extended-race heap
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct account {
	pthread_mutex_t mutex;
	long balance;
	long due;
	int id;
} account_t;

static void account_lock(account_t *a)
{
	if (pthread_mutex_lock(&a->mutex))
		abort();
}

static void account_unlock(account_t *a)
{
	if (pthread_mutex_unlock(&a->mutex))
		abort();
}

static account_t *account_new(long balance)
{
	account_t *a = calloc(1, sizeof(*a));

	pthread_mutex_init(&a->mutex, NULL);
	a->balance = balance;
	a->due = balance / 20;
	return a;
}

static void account_accrue(account_t *a, int rate)
{
	long balance, interest;

	account_lock(a);
	balance = a->balance;
#ifndef GOOD
	account_unlock(a);
#endif
	interest = balance * rate / 100;
#ifndef GOOD
	account_lock(a);
#endif
	a->due = interest;
	account_unlock(a);
}

static void account_deposit(account_t *a, long amount)
{
	account_lock(a);
	a->balance += amount;
	a->due = a->balance / 20;
	account_unlock(a);
}

static void *night(void *arg)
{
	for (int i = 0; i < 4; i++)
		account_accrue(arg, 5);
	return NULL;
}

static void *day(void *arg)
{
	for (int i = 0; i < 4; i++)
		account_deposit(arg, 100 + i);
	return NULL;
}

int main(void)
{
	account_t *a = account_new(1000);
	pthread_t t[2];

	pthread_create(&t[0], NULL, night, a);
	pthread_create(&t[1], NULL, day, a);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%ld, %ld due\n", a->balance, a->due);
	free(a);
	return 0;
}
