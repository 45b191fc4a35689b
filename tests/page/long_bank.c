/* The lost deposit at the end of a long run: thousands of events come before it. */
#include <assert.h>
#include <pthread.h>

#ifndef ROUNDS
#define ROUNDS 1300
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100, visits;

static void *teller(void *arg)
{
	int now;

	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&other);
		visits++;
		pthread_mutex_unlock(&other);
	}
	pthread_mutex_lock(&lock);
	now = balance;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	balance = now + *(int *)arg;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	int amounts[] = { 50, 7 };

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, teller, &amounts[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(balance == 157);
	return 0;
}
