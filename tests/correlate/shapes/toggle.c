/*
 * A light is switched to what it is not, seen in an earlier section. GOOD: in one.
 *
 * EXPECT: extended-race on
 */
#include <pthread.h>
#include <stdbool.h>

static bool on;
static pthread_mutex_t wall = PTHREAD_MUTEX_INITIALIZER;

static bool is_on(void)
{
	bool x;

	pthread_mutex_lock(&wall);
	x = on;
	pthread_mutex_unlock(&wall);
	return x;
}

static void turn(bool to)
{
	pthread_mutex_lock(&wall);
	on = to;
	pthread_mutex_unlock(&wall);
}

static void *child(void *arg)
{
#ifdef GOOD
	pthread_mutex_lock(&wall);
	on = !on;
	pthread_mutex_unlock(&wall);
#else
	turn(!is_on());
#endif
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, child, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	turn(false);
	return is_on();
}
