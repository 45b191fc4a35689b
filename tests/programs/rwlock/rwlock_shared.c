/*
 * Readers hold the lock together, a writer holds it alone.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t together;
static int writers, value;

static void *reader(void *arg)
{
	assert(pthread_rwlock_rdlock(&l) == 0);
	pthread_barrier_wait(&together); /* would never end if readers shut each other out */
	assert(writers == 0);
	assert(pthread_rwlock_unlock(&l) == 0);
	for (int i = 0; i < 5; i++) {
		assert(pthread_rwlock_rdlock(&l) == 0);
		assert(writers == 0 && value % 2 == 0);
		assert(pthread_rwlock_unlock(&l) == 0);
	}
	return NULL;
}

static void *writer(void *arg)
{
	for (int i = 0; i < 5; i++) {
		assert(pthread_rwlock_wrlock(&l) == 0);
		assert(writers++ == 0);
		value++;
		sched_yield();
		value++;
		assert(--writers == 0);
		assert(pthread_rwlock_unlock(&l) == 0);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	pthread_barrier_init(&together, NULL, 2);
	for (int i = 0; i < 4; i++)
		t[i] = start(i < 2 ? reader : writer, NULL);
	for (int i = 0; i < 4; i++)
		finish(t[i]);
	assert(value == 20);
	assert(pthread_rwlock_destroy(&l) == 0);
	return 0;
}
