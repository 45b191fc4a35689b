/*
 * Two threads deposit into one account. Each looks at the balance under the lock
 * and writes it back under the lock, but lets go of the lock in between: if the other
 * one comes then, its deposit is lost. Every access is locked, so this is no data race.
 *
 *   heddle cc bank_transfer.c -o bank_transfer
 *   heddle check -- ./bank_transfer
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static int get_balance(void)
{
	pthread_mutex_lock(&lock);
	int now = balance;
	pthread_mutex_unlock(&lock);
	return now;
}

static void set_balance(int value)
{
	pthread_mutex_lock(&lock);
	balance = value;
	pthread_mutex_unlock(&lock);
}

static void *deposit(void *amount)
{
	set_balance(get_balance() + *(int *)amount);
	return NULL;
}

int main(void)
{
	pthread_t teller[2];
	int amount[2] = { 50, 7 };

	for (int i = 0; i < 2; i++)
		pthread_create(&teller[i], NULL, deposit, &amount[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(teller[i], NULL);
	assert(balance == 157);
	return 0;
}
