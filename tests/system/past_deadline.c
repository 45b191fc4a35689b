/*
 * A wait with a deadline that is past, in a loop, while another thread sleeps and then says that it is done.
 *
 *   past_deadline        it does
 *   past_deadline never  it does not
 */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int done, never;

static void *sleep_first(void *arg)
{
	(void)arg;
	usleep(200000);
	pthread_mutex_lock(&mutex);
	done = !never;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(int argc, char **argv)
{
	struct timespec past = { .tv_sec = 1 };
	pthread_t thread;

	(void)argv;
	never = argc > 1;
	pthread_create(&thread, NULL, sleep_first, NULL);
	pthread_mutex_lock(&mutex);
	while (!done)
		pthread_cond_timedwait(&condition, &mutex, &past);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
	return 0;
}
