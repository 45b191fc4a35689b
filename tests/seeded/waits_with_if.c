/*
 * A wait with if in place of while: another thread may take the item before the woken one.
 *
 * FAILS: assertion
 * CAUSE: items
 * REMEDY: waiting again
 */
#include <pthread.h>
#include <assert.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int items, closed;

static void *take(void *x)
{
	pthread_mutex_lock(&m);
#ifdef FIXED
	while (!items && !closed)
#else
	if (!items && !closed)
#endif
		pthread_cond_wait(&c, &m);
	if (!closed || items) {
		items--;
		assert(items >= 0);
	}
	pthread_mutex_unlock(&m);
	return x;
}

static void *give(void *x)
{
	pthread_mutex_lock(&m);
	items++;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	items++;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return x;
}

int main(void)
{
	pthread_t t[3];
	pthread_create(t, 0, take, 0);
	pthread_create(t + 1, 0, take, 0);
	pthread_create(t + 2, 0, give, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return items;
}
