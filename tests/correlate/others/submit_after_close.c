/*
 * Whether a service is closed is asked in one section, and a request is counted in the next: the
 * one who closes has asked in between whether there are requests. What ends a loop is not seen as a part of its rounds.
 *
 * EXPECT: extended-race closed pending
 * PART
 * MISSED: -O0 gcc-O2
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int closed, pending, done;
static void *submit(void *x)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&m);
		int c = closed;
#ifndef GOOD
		pthread_mutex_unlock(&m);
#endif
		if (c) {
#ifdef GOOD
			pthread_mutex_unlock(&m);
#endif
			break;
		}
#ifndef GOOD
		pthread_mutex_lock(&m);
#endif
		pending++;
		pthread_mutex_unlock(&m);
		pthread_mutex_lock(&m);
		pending--;
		if (closed && !pending)
			done = 1;
		pthread_mutex_unlock(&m);
	}
	return x;
}
static void *closer(void *x)
{
	pthread_mutex_lock(&m);
	closed = 1;
	if (pending == 0)
		done = 1;
	pthread_mutex_unlock(&m);
	return x;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, submit, (void *)1);
	pthread_create(&t[1], 0, closer, (void *)2);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
