/*
 * Accounts with a lock each: a transfer holds both, taken in the order of their numbers; so does the audit.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

struct account {
	pthread_mutex_t lock;
	long balance;
};

static struct account accounts[3] = {
	{ PTHREAD_MUTEX_INITIALIZER, 100 },
	{ PTHREAD_MUTEX_INITIALIZER, 200 },
	{ PTHREAD_MUTEX_INITIALIZER, 300 },
};

static void transfer(int from, int to, long amount)
{
	int low = from < to ? from : to, high = from < to ? to : from;

	pthread_mutex_lock(&accounts[low].lock);
	pthread_mutex_lock(&accounts[high].lock);
	if (accounts[from].balance >= amount) {
		accounts[from].balance -= amount;
		accounts[to].balance += amount;
	}
	pthread_mutex_unlock(&accounts[high].lock);
	pthread_mutex_unlock(&accounts[low].lock);
}

static void *clerk(void *arg)
{
	int n = *(int *)arg;

	for (int i = 0; i < 6; i++)
		transfer((n + i) % 3, (n + i + 1) % 3, 10 + i);
	return NULL;
}

static void *audit(void *arg)
{
	long sum = 0;

	for (int i = 0; i < 3; i++)
		pthread_mutex_lock(&accounts[i].lock);
	for (int i = 0; i < 3; i++)
		sum += accounts[i].balance;
	for (int i = 0; i < 3; i++)
		pthread_mutex_unlock(&accounts[i].lock);
	printf("%ld\n", sum);
	return arg;
}

int main(void)
{
	int numbers[2] = { 0, 1 };
	pthread_t t[3];

	pthread_create(&t[0], NULL, clerk, &numbers[0]);
	pthread_create(&t[1], NULL, clerk, &numbers[1]);
	pthread_create(&t[2], NULL, audit, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
