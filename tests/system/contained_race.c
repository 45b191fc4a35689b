/* Two threads count, under a lock; with an argument one of them forgets it. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *locked(void *arg)
{
	pthread_mutex_lock(&lock);
	count++;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *forgetful(void *arg)
{
	count++;
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	(void)argv;
	pthread_create(&a, NULL, locked, NULL);
	pthread_create(&b, NULL, argc > 1 ? forgetful : locked, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
