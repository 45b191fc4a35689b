/*
 * Money is taken from one account in a section and given to another in the next; an audit adds them
 * up. GOOD: in one.
 *
 * EXPECT: extended-race bank
 */
#include <pthread.h>
#include <stdio.h>

enum { ALICE, BOB, PEOPLE };

static int bank[PEOPLE] = { 50, 50 };
static pthread_mutex_t vault = PTHREAD_MUTEX_INITIALIZER;

static void give(int from, int to, int amount)
{
	pthread_mutex_lock(&vault);
	bank[from] -= amount;
#ifndef GOOD
	pthread_mutex_unlock(&vault);
	pthread_mutex_lock(&vault);
#endif
	bank[to] += amount;
	pthread_mutex_unlock(&vault);
}

static void *teller(void *arg)
{
	const int *amounts = arg;

	for (int i = 0; i < 3; i++)
		give(ALICE, BOB, amounts[i]);
	return NULL;
}

static void *auditor(void *arg)
{
	int sum = 0;

	pthread_mutex_lock(&vault);
	for (int i = 0; i < PEOPLE; i++)
		sum += bank[i];
	pthread_mutex_unlock(&vault);
	printf("%d\n", sum);
	return arg;
}

int main(void)
{
	pthread_t t, a;
	int amounts[3] = { 5, 7, 11 };

	pthread_create(&t, NULL, teller, amounts);
	pthread_create(&a, NULL, auditor, NULL);
	pthread_join(t, NULL);
	pthread_join(a, NULL);
	return 0;
}
