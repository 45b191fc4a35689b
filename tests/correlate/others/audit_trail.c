/*
 * The balance is changed in one section, the amount is put into the history in the next; the auditor compares the balance
 * with the sum. GOOD: one critical section.
 *
 * EXPECT: extended-race balance history
 * PART
 */
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static long balance;
static long history[64];
static int entries, mismatches;
static void deposit(long amount)
{
	pthread_mutex_lock(&mu);
	balance += amount;
#ifndef GOOD
	pthread_mutex_unlock(&mu);
	pthread_mutex_lock(&mu);
#endif
	history[entries++] = amount;
	pthread_mutex_unlock(&mu);
}
static void *teller(void *arg)
{
	for (int i = 1; i <= 12; i++)
		deposit(10 * i);
	return arg;
}
static void *auditor(void *arg)
{
	for (int k = 0; k < 6; k++) {
		long sum = 0;
		pthread_mutex_lock(&mu);
		for (int i = 0; i < entries; i++)
			sum += history[i];
		if (sum != balance)
			mismatches++;
		pthread_mutex_unlock(&mu);
	}
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, teller, NULL);
	pthread_create(&b, NULL, auditor, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%ld, %d mismatches\n", balance, mismatches);
	return 0;
}
