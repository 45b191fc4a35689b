/*
 * Two numbers that are updated together, each under a lock of its own, and one who looks at both: if he
 * comes between the two updates they differ. No access races, and no variable is used twice by the
 * thread that is torn apart, so no pattern on one variable shows it. The first argument says what
 * comes of it:
 *
 *   assertion, exit, output
 *   safe  as assertion, with one lock around both updates and both looks
 *
 * Threads that only pass by make it unlikely that a few random orders show it.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t both = PTHREAD_MUTEX_INITIALIZER, idle = PTHREAD_MUTEX_INITIALIZER;
static int a, b, differ, safe;

static void pass_by(int times)
{
	for (int i = 0; i < times; i++) {
		pthread_mutex_lock(&idle);
		pthread_mutex_unlock(&idle);
	}
}

static void *update(void *arg)
{
	(void)arg;
	pass_by(20);
	if (safe)
		pthread_mutex_lock(&both);
	pthread_mutex_lock(&first);
	a = 1;
	pthread_mutex_unlock(&first);
	pthread_mutex_lock(&second);
	b = 1;
	pthread_mutex_unlock(&second);
	if (safe)
		pthread_mutex_unlock(&both);
	return NULL;
}

static void *look(void *arg)
{
	int x, y;

	(void)arg;
	pass_by(3);
	if (safe)
		pthread_mutex_lock(&both);
	pthread_mutex_lock(&first);
	x = a;
	pthread_mutex_unlock(&first);
	pthread_mutex_lock(&second);
	y = b;
	pthread_mutex_unlock(&second);
	if (safe)
		pthread_mutex_unlock(&both);
	differ = x != y;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	assert(argc > 1);
	safe = !strcmp(argv[1], "safe");
	pthread_create(&threads[0], NULL, update, NULL);
	pthread_create(&threads[1], NULL, look, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (!strcmp(argv[1], "assertion") || safe)
		assert(!differ);
	if (!strcmp(argv[1], "output"))
		printf("%s\n", differ ? "apart" : "together");
	return !strcmp(argv[1], "exit") && differ;
}
