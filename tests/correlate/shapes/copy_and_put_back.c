/*
 * A record is copied out with the lock, changed, and copied back with the lock. GOOD: the lock is
 * held.
 *
 * EXPECT: extended-race shared.a
 * PART
 * ALSO: shared.b shared.c shared.d
 */
#include <pthread.h>
#include <string.h>

struct record {
	long a, b, c, d;
};

static struct record shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *change(void *arg)
{
	struct record mine;

	pthread_mutex_lock(&lock);
	memcpy(&mine, &shared, sizeof(mine));
#ifndef GOOD
	pthread_mutex_unlock(&lock);
#endif
	mine.a += 1;
	mine.b -= 1;
#ifndef GOOD
	pthread_mutex_lock(&lock);
#endif
	memcpy(&shared, &mine, sizeof(mine));
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, change, NULL);
	pthread_create(&b, NULL, change, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return shared.a == 0;
}
