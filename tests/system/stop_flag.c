/*
 * "Work for 10 ms, then stop", as stress tests and benchmarks do it.
 *
 *   stop_flag atomic|plain|yield|lock       main says stop
 *   stop_flag atomic|plain|yield|lock never  it does not: the workers never end
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static atomic_int stop;
static volatile int plain_stop;
static int guarded_stop;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const char *how;

static int is_over(void)
{
	int over;

	if (!strcmp(how, "plain"))
		return plain_stop;
	if (!strcmp(how, "lock")) {
		pthread_mutex_lock(&mutex);
		over = guarded_stop;
		pthread_mutex_unlock(&mutex);
		return over;
	}
	if (!strcmp(how, "yield"))
		sched_yield();
	return atomic_load_explicit(&stop, memory_order_relaxed);
}

static void *work(void *rounds)
{
	while (!is_over())
		++*(long *)rounds;
	return NULL;
}

static void *wait_only(void *arg)
{
	(void)arg;
	while (!is_over())
		;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	long rounds[2] = { 0 };
	int never = argc > 2;

	if (argc < 2)
		return 2;
	how = argv[1];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, never ? wait_only : work, &rounds[i]);
	usleep(10000);
	if (!never) {
		atomic_store(&stop, 1);
		plain_stop = 1;
		pthread_mutex_lock(&mutex);
		guarded_stop = 1;
		pthread_mutex_unlock(&mutex);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
