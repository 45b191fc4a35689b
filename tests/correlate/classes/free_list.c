/*
 * Blocks from a list of the program's own. GOOD: it has a lock.
 *
 * EXPECT: race list
 * PART
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct block {
	struct block *next;
};
static struct block pool[4], *list;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static struct block *take(void)
{
	struct block *b;

#ifdef GOOD
	pthread_mutex_lock(&m);
#endif
	b = list;
	list = b->next;
#ifdef GOOD
	pthread_mutex_unlock(&m);
#endif
	return b;
}

static void *run(void *arg)
{
	take();
	return arg;
}

int main(void)
{
	pthread_t t;

	for (int i = 0; i < 3; i++)
		pool[i].next = &pool[i + 1];
	list = pool;
	pthread_create(&t, NULL, run, NULL);
	take();
	pthread_join(t, NULL);
	(void)m;
	return 0;
}
