/*
 * The mode is looked at in one section; if it is manual, the speed is set in the next. Going
 * automatic sets both. GOOD: in one.
 *
 * EXPECT: extended-race mode speed
 */
#include <pthread.h>
#include <stdio.h>

enum { MANUAL, AUTOMATIC };

static int mode = MANUAL, speed = 3;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int get_mode(void)
{
	int m;

	pthread_mutex_lock(&lock);
	m = mode;
	pthread_mutex_unlock(&lock);
	return m;
}

static void set_speed(int s)
{
	pthread_mutex_lock(&lock);
	speed = s;
	pthread_mutex_unlock(&lock);
}

static void *knob(void *arg)
{
#ifdef GOOD
	pthread_mutex_lock(&lock);
	if (mode == MANUAL)
		speed = *(int *)arg;
	pthread_mutex_unlock(&lock);
#else
	switch (get_mode()) {
	case MANUAL:
		set_speed(*(int *)arg);
		break;
	default:
		break;
	}
#endif
	return NULL;
}

static void *automatic(void *arg)
{
	pthread_mutex_lock(&lock);
	mode = AUTOMATIC;
	speed = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;
	int fast = 9;

	pthread_create(&a, NULL, knob, &fast);
	pthread_create(&b, NULL, automatic, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d %d\n", get_mode(), speed);
	return 0;
}
