/*
 * The main thread sleeps (argument 1, in milliseconds) and takes it that the other one has set its
 * flag by then. With 0 it joins it instead, which is right. Argument 2: how often, once if not said.
 */
#include "../programs/program.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void *prepare(void *arg)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&mutex);
		ready = i == 19;
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static void once(int nap)
{
	pthread_t t;
	int seen;

	ready = 0;
	t = start(prepare, NULL);
	usleep(nap ? (unsigned)nap * 1000 : 10000);
	if (!nap)
		finish(t);
	pthread_mutex_lock(&mutex);
	seen = ready;
	pthread_mutex_unlock(&mutex);
	assert(seen);
	if (nap)
		finish(t);
}

int main(int argc, char **argv)
{
	int nap = argc > 1 ? atoi(argv[1]) : 0, times = argc > 2 ? atoi(argv[2]) : 1;

	for (int i = 0; i < times; i++)
		once(nap);
	return 0;
}
