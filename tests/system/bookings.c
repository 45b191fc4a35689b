/*
 * Each function takes the lock for what it does, but deposit() is two of them: a reset in
 * between is lost. Only who says that deposit() is atomic gets a finding; reset() is.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static __attribute__((noinline)) int get(void)
{
	int value;

	pthread_mutex_lock(&lock);
	value = total;
	pthread_mutex_unlock(&lock);
	return value;
}

static __attribute__((noinline)) void put(int value)
{
	pthread_mutex_lock(&lock);
	total = value;
	pthread_mutex_unlock(&lock);
}

static __attribute__((noinline)) void deposit(int amount)
{
	put(get() + amount);
}

static __attribute__((noinline)) void reset(void)
{
	put(0);
}

static void *worker(void *arg)
{
	reset();
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	deposit(5);
	pthread_join(thread, NULL);
	printf("%d\n", get());
	return 0;
}
