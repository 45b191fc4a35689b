/*
 * Money goes from one part of an account to the other, in two critical sections; meanwhile another
 * thread looks at the sum. The two parts are members of one record.
 */
#include <assert.h>
#include <pthread.h>

static struct account {
	long cash, savings;
} account = { 100, 100 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *move(void *arg)
{
	long part;

	pthread_mutex_lock(&lock);
	part = account.cash / 2;
	account.cash -= part;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	account.savings += part;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *count(void *arg)
{
	long cash, savings;

	pthread_mutex_lock(&lock);
	cash = account.cash;
	savings = account.savings;
	pthread_mutex_unlock(&lock);
	assert(cash + savings == 200);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, move, NULL);
	pthread_create(&b, NULL, count, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
