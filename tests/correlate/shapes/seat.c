/*
 * A free seat is looked for in one section and booked in the next, by two clerks. GOOD: in one.
 *
 * EXPECT: extended-race taken
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#define SEATS 4

static volatile bool taken[SEATS];
static pthread_mutex_t hall = PTHREAD_MUTEX_INITIALIZER;

static bool is_free(int seat)
{
	bool f;

	pthread_mutex_lock(&hall);
	f = !taken[seat];
	pthread_mutex_unlock(&hall);
	return f;
}

static void book(int seat)
{
	pthread_mutex_lock(&hall);
	taken[seat] = true;
	pthread_mutex_unlock(&hall);
}

static void *clerk(void *arg)
{
	int sold = 0;

	for (int i = 0; i < SEATS; i++) {
#ifdef GOOD
		pthread_mutex_lock(&hall);
		if (!taken[i]) {
			taken[i] = true;
			sold++;
		}
		pthread_mutex_unlock(&hall);
#else
		if (is_free(i)) {
			book(i);
			sold++;
		}
#endif
	}
	printf("%d\n", sold);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, clerk, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
