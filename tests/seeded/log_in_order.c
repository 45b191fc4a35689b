/*
 * Changes of a row are logged after they are made, under another lock: two may be logged in the other order.
 *
 * FAILS: assertion
 * CAUSE: row|log|n
 * REMEDY: 'table'|'binlog'|a new lock
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER, binlog = PTHREAD_MUTEX_INITIALIZER;
static int row, log[2], n;

static void *execute(void *x)
{
	pthread_mutex_lock(&table);
	row = *(int *)x;
#ifndef FIXED
	pthread_mutex_unlock(&table);
#endif
	pthread_mutex_lock(&binlog);
	log[n++] = *(int *)x;
	pthread_mutex_unlock(&binlog);
#ifdef FIXED
	pthread_mutex_unlock(&table);
#endif
	return x;
}

int main(void)
{
	pthread_t s, t;
	int one = 1, two = 2;
	pthread_create(&s, 0, execute, &one);
	pthread_create(&t, 0, execute, &two);
	pthread_join(s, 0);
	pthread_join(t, 0);
	assert(log[1] == row);
	return 0;
}
