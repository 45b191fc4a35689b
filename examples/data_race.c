/*
 * Two threads count visitors, and the counter has no lock. `counter++` reads, adds and writes: two
 * of them at once count one visitor. Compilers may also assume that nobody else writes.
 *
 *   heddle cc data_race.c -o data_race
 *   heddle run -- ./data_race
 */
#include <pthread.h>

static int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *visit(void *unused)
{
	(void)unused;
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	counter++;
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#else
	(void)lock;
#endif
	return NULL;
}

int main(void)
{
	pthread_t door[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&door[i], NULL, visit, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(door[i], NULL);
	return 0;
}
