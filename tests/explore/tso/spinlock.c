/*
 * A spin lock that is taken by a locked instruction and released by a plain store: right on x86, whose stores stay in
 * order. EARLY: what it protects is written after the release.
 */
#include <assert.h>
#include <pthread.h>

static LOCK_TYPE lock;
static int count;

static void *add(void *arg)
{
	while (TAKE)
		;
#ifdef EARLY
	int seen = count;
	lock = 0;
	count = seen + 1;
#else
	count++;
	lock = 0;
#endif
	return NULL;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, add, NULL);
	add(NULL);
	pthread_join(t, NULL);
	assert(count == 2);
	return 0;
}
