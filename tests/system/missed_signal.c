/*
 * Threads that wait for ever. With "level" one looks at a flag without the lock and then waits: a signal between
 * the two is missed. The level, which it reads before and after that, changes at about that time and has nothing
 * to do with it; with "safe" it looks under the lock. With "count" two threads count down in two steps, and who
 * comes to none left says so: if one count is lost, nobody does.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int ready, level;
static atomic_int left = 2;
static sem_t none_left;
static int same;

static void wait_once(void)
{
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void *look_once(void *arg)
{
	int before = atomic_load(&level);

	if (!atomic_load(&ready))
		wait_once();
	same = before == atomic_load(&level);
	return arg;
}

static void *look_safely(void *arg)
{
	int before = atomic_load(&level);

	pthread_mutex_lock(&lock);
	while (!atomic_load(&ready))
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	same = before == atomic_load(&level);
	return arg;
}

static void *tell(void *arg)
{
	atomic_store(&level, 1);
	pthread_mutex_lock(&lock);
	atomic_store(&ready, 1);
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *count_down(void *arg)
{
	int now = atomic_load(&left) - 1;

	atomic_store(&left, now);
	if (!now)
		sem_post(&none_left);
	return arg;
}

static void count(void)
{
	pthread_t a, b;

	sem_init(&none_left, 0, 0);
	pthread_create(&a, NULL, count_down, NULL);
	pthread_create(&b, NULL, count_down, NULL);
	sem_wait(&none_left);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}

int main(int argc, char **argv)
{
	bool level = argc > 1 && !strcmp(argv[1], "level");
	pthread_t waits, tells;

	if (argc > 1 && !strcmp(argv[1], "count")) {
		count();
		return 0;
	}
	pthread_create(&waits, NULL, level ? look_once : look_safely, NULL);
	pthread_create(&tells, NULL, tell, NULL);
	pthread_join(waits, NULL);
	pthread_join(tells, NULL);
	return 0;
}
