/*
 * The logger uses the configuration that main loads after it has started the logger. Mostly main is
 * quicker. There is a lock around every access; what is missing is an order.
 *
 *   heddle cc order.c -o order
 *   heddle check -- ./order
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *log_name;

static void *logger(void *unused)
{
	const char *name;

	(void)unused;
	pthread_mutex_lock(&lock);
	name = log_name;
	pthread_mutex_unlock(&lock);
	assert(name);
	return NULL;
}

static void load_configuration(void)
{
	pthread_mutex_lock(&lock);
	log_name = "server.log";
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	pthread_t t;

#ifdef FIXED
	load_configuration();
	pthread_create(&t, NULL, logger, NULL);
#else
	pthread_create(&t, NULL, logger, NULL);
	load_configuration();
#endif
	pthread_join(t, NULL);
	return 0;
}
