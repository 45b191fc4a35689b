/*
 * Readers copy the whole configuration under the lock for reading and work with the copy; the writer replaces all of it
 * at once.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

struct config {
	int host, port, timeout;
};

static struct config current = { 1, 2, 3 };
static pthread_rwlock_t guard = PTHREAD_RWLOCK_INITIALIZER;

static void *client(void *arg)
{
	long used = 0;

	for (int i = 0; i < 20; i++) {
		struct config mine;

		pthread_rwlock_rdlock(&guard);
		mine = current;
		pthread_rwlock_unlock(&guard);
		used += mine.host * 100 + mine.port * 10 + mine.timeout;
	}
	*(long *)arg = used;
	return NULL;
}

static void *admin(void *arg)
{
	for (int i = 0; i < 20; i++) {
		struct config next = { i, i + 1, i + 2 };

		pthread_rwlock_wrlock(&guard);
		current = next;
		pthread_rwlock_unlock(&guard);
	}
	return arg;
}

int main(void)
{
	pthread_t t[3];
	long used[2];

	pthread_create(&t[0], NULL, client, &used[0]);
	pthread_create(&t[1], NULL, client, &used[1]);
	pthread_create(&t[2], NULL, admin, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return used[0] + used[1] < 0;
}
