/*
 * Each of two threads reads under one lock and wants to write under the other.
 *
 * RUN: run
 * EXPECT: deadlock @writer:LOCK within 20 seeds
 */
#include "../program.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER, k = PTHREAD_RWLOCK_INITIALIZER;

static void *writer(void *arg)
{
	pthread_rwlock_t *mine = arg ? &k : &l, *other = arg ? &l : &k;

	pthread_rwlock_rdlock(mine);
	pthread_rwlock_wrlock(other); /* LOCK */
	pthread_rwlock_unlock(other);
	pthread_rwlock_unlock(mine);
	return NULL;
}

int main(void)
{
	pthread_t t = start(writer, NULL), u = start(writer, &k);

	finish(t);
	finish(u);
	return 0;
}
