/*
 * Whether there is a seat is asked in one critical section, and it is sold in another one.
 *
 * FAILS: assertion
 * CAUSE: sold
 * REMEDY: 'm'
 */
#include <assert.h>
#include <pthread.h>

#define SEATS 2
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sold;

static int is_full(void)
{
	pthread_mutex_lock(&m);
	int full = sold >= SEATS;
	pthread_mutex_unlock(&m);
	return full;
}

static void *sell(void *x)
{
#ifdef FIXED
	(void)is_full;
#else
	if (is_full())
		return x;
#endif
	pthread_mutex_lock(&m);
#ifdef FIXED
	if (sold < SEATS)
#endif
		sold++;
	pthread_mutex_unlock(&m);
	return x;
}

int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(t + i, 0, sell, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	assert(sold <= SEATS);
	return 0;
}
