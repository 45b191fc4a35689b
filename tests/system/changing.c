/* A program of which there are several versions. */
#include "../programs/program.h"

#ifdef FEWER_THREADS
#define THREADS 1
#else
#define THREADS 3
#endif

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *count(void *arg)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&m);
		counter++;
		pthread_mutex_unlock(&m);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		t[i] = start(count, NULL);
	for (int i = 0; i < THREADS; i++)
		finish(t[i]);
#ifdef OTHER_TEXT
	puts("changed");
#else
	puts("original");
#endif
	return counter != 20 * THREADS;
}
