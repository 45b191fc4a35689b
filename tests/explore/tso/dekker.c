/*
 * The heart of Dekker's lock with volatile variables: each says that it wants to enter, and looks whether the other
 * does. On x86 the store waits in a buffer while the load goes ahead, so both enter. FENCED: it does not wait.
 */
#include <assert.h>
#include <pthread.h>

static volatile int wants[2], inside;

static void *enter(void *arg)
{
	int me = arg != 0;

	wants[me] = 1;
#ifdef FENCED
	__sync_synchronize();
#endif
	if (!wants[!me]) {
		assert(__sync_fetch_and_add(&inside, 1) == 0);
		__sync_fetch_and_sub(&inside, 1);
	}
	wants[me] = 0;
	return NULL;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, enter, &t);
	enter(NULL);
	pthread_join(t, NULL);
	return 0;
}
