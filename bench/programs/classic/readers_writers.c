/*
 * Readers and writers, with a mutex and a condition: two writers and N readers. Bad: a writer that was
 * woken does not look again whether it may go on, and writes while another one does. Good: it looks.
 */
#include "classic.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers, writers;

static void enter_to_write(void)
{
	pthread_mutex_lock(&lock);
	if (is_bad && (readers || writers))
		pthread_cond_wait(&changed, &lock);
	while (!is_bad && (readers || writers))
		pthread_cond_wait(&changed, &lock);
	assert(!readers && !writers);
	writers++;
	pthread_mutex_unlock(&lock);
}

static void enter_to_read(void)
{
	pthread_mutex_lock(&lock);
	while (writers)
		pthread_cond_wait(&changed, &lock);
	readers++;
	pthread_mutex_unlock(&lock);
}

static void leave(int *which)
{
	pthread_mutex_lock(&lock);
	--*which;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
	if ((long)arg < 2) {
		enter_to_write();
		leave(&writers);
	} else {
		enter_to_read();
		leave(&readers);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	read_arguments(argc, argv, 1, 1, 10);
	run_threads(size + 2, work);
	return 0;
}
