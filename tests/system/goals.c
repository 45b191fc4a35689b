/*
 * Two threads add 1 to a counter. "torn": the lock is given back between the read and the write. "held": it
 * is not, so nobody writes in between. "bare": there is no lock. Tests name the lines.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static bool torn, bare;

static void *add(void *arg)
{
	int seen;

	if (!bare)
		pthread_mutex_lock(&lock);
	seen = count; /* line 20 */
	if (torn) {
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
	}
	count = seen + 1; /* line 25 */
	if (!bare)
		pthread_mutex_unlock(&lock);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	torn = argc > 1 && !strcmp(argv[1], "torn");
	bare = argc > 1 && !strcmp(argv[1], "bare");
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(count == 2);
	return 0;
}
