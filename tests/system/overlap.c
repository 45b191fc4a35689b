/*
 * How many threads are at work at a time, and the most that there were: two numbers, each under its own lock.
 * What is printed depends on how the threads overlap, and is right in every order.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t working = PTHREAD_MUTEX_INITIALIZER, record = PTHREAD_MUTEX_INITIALIZER;
static int active, most;

static void *work(void *arg)
{
	int now;

	pthread_mutex_lock(&working);
	now = ++active;
	pthread_mutex_unlock(&working);
	pthread_mutex_lock(&record);
	if (now > most)
		most = now;
	pthread_mutex_unlock(&record);
	pthread_mutex_lock(&working);
	active--;
	pthread_mutex_unlock(&working);
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("at most %d at a time\n", most);
	return 0;
}
