/* Two threads go into a critical section once each; what is counted there is counted twice. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static void enter(int me);
static void leave(int me);

static atomic_int count;

static void *thread(void *arg)
{
	int me = arg != NULL, was;

	enter(me);
	was = atomic_load_explicit(&count, COUNT_ORDER);
	atomic_store_explicit(&count, was + 1, COUNT_ORDER);
	leave(me);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, thread, NULL);
	pthread_create(&b, NULL, thread, &count);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(count == 2);
	return 0;
}
