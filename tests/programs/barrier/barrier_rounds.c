/*
 * In every round of a barrier exactly one thread is told that it is the serial one,
 * and nobody leaves before all have come.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

#define THREADS 4
#define ROUNDS 5

static pthread_barrier_t b;
static int arrived[ROUNDS], serial[ROUNDS];

static void *go_round(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		int rc;

		__atomic_fetch_add(&arrived[i], 1, __ATOMIC_SEQ_CST);
		rc = pthread_barrier_wait(&b);
		assert(rc == 0 || rc == PTHREAD_BARRIER_SERIAL_THREAD);
		assert(__atomic_load_n(&arrived[i], __ATOMIC_SEQ_CST) == THREADS);
		if (rc)
			__atomic_fetch_add(&serial[i], 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];

	assert(pthread_barrier_init(&b, NULL, 0) == EINVAL);
	assert(pthread_barrier_init(&b, NULL, THREADS) == 0);
	for (int i = 0; i < THREADS; i++)
		t[i] = start(go_round, NULL);
	for (int i = 0; i < THREADS; i++)
		finish(t[i]);
	for (int i = 0; i < ROUNDS; i++)
		assert(serial[i] == 1);
	assert(pthread_barrier_destroy(&b) == 0);
	assert(pthread_barrier_init(&b, NULL, 1) == 0);
	assert(pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD);
	assert(pthread_barrier_destroy(&b) == 0);
	return 0;
}
