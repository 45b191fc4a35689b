/*
 * The price is computed without the lock from what was read with it; before it is stored it is looked whether anything has
 * changed since, by a stamp, and if so all is done again.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stamp, cost = 10, margin = 2, price = 12;

static void *pricer(void *arg)
{
	for (int i = 0; i < 10; i++) {
		int seen, c, k, done = 0;

		while (!done) {
			pthread_mutex_lock(&lock);
			seen = stamp;
			c = cost;
			k = margin;
			pthread_mutex_unlock(&lock);
			pthread_mutex_lock(&lock);
			if (stamp == seen) {
				price = c + k;
				done = 1;
			}
			pthread_mutex_unlock(&lock);
		}
	}
	return arg;
}

static void *buyer(void *arg)
{
	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&lock);
		cost = 10 + i;
		margin = i % 3;
		price = cost + margin;
		stamp++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, pricer, NULL);
	pthread_create(&b, NULL, buyer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d %d\n", price, cost + margin);
	return 0;
}
