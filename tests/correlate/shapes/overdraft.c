/*
 * The balance is looked at in one section and lowered, by what it is then, in the next.
 * GOOD: in one.
 *
 * EXPECT: extended-race balance
 */
#include <pthread.h>
#include <stdbool.h>

static int balance = 100;
static pthread_mutex_t account = PTHREAD_MUTEX_INITIALIZER;

static bool enough(int amount)
{
	bool is;

	pthread_mutex_lock(&account);
	is = balance >= amount;
	pthread_mutex_unlock(&account);
	return is;
}

static void *withdraw(void *arg)
{
	int amount = *(int *)arg;

#ifdef GOOD
	pthread_mutex_lock(&account);
	if (balance >= amount)
		balance -= amount;
	pthread_mutex_unlock(&account);
#else
	if (enough(amount)) {
		pthread_mutex_lock(&account);
		balance -= amount;
		pthread_mutex_unlock(&account);
	}
#endif
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	int some = 70, less = 20;

	pthread_create(&a, NULL, withdraw, &some);
	pthread_create(&b, NULL, withdraw, &less);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return !enough(1);
}
