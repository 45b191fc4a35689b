/*
 * With the attribute that prefers writers, a reader that locks again while a writer
 * waits shuts itself out.
 *
 * RUN: run
 * EXPECT: deadlock @reader:AGAIN @main:WRITE within 20 seeds
 */
#include "../program.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static void *reader(void *arg)
{
	pthread_rwlock_rdlock(&l);
	sched_yield();
	pthread_rwlock_rdlock(&l); /* AGAIN */
	pthread_rwlock_unlock(&l);
	pthread_rwlock_unlock(&l);
	return NULL;
}

int main(void)
{
	pthread_t t = start(reader, NULL);

	pthread_rwlock_wrlock(&l); /* WRITE */
	pthread_rwlock_unlock(&l);
	finish(t);
	return 0;
}
