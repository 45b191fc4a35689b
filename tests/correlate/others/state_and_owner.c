/*
 * A state and its owner are set in two sections; another thread asks for both in one condition, and
 * never gets to what that decides.
 *
 * EXPECT: extended-race state owner
 * PART
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
enum { FREE, BUSY };
int state = FREE, owner = -1, wrong;
static void *claim(void *x)
{
	int me = (int)(long)x;
	pthread_mutex_lock(&m);
	state = BUSY;

#ifndef GOOD
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
#endif
	owner = me;
	pthread_mutex_unlock(&m);
	return x;
}
static void *watch(void *x)
{
	for (int i = 0; i < 4; i++) {
		pthread_mutex_lock(&m);
		if (state == BUSY && owner == -1)
			wrong = 1;
		pthread_mutex_unlock(&m);
	}
	return x;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, claim, (void *)1);
	pthread_create(&t[1], 0, watch, (void *)2);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
