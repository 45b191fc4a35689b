/*
 * A buffer's fill is looked at; if it has room, a byte count is added to it in the next section,
 * without another look. GOOD: in one.
 *
 * EXPECT: extended-race fill
 */
#include <pthread.h>
#include <stdio.h>

#define ROOM 100

static int fill;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *arg)
{
	int n = *(int *)arg, room;

	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		room = ROOM - fill;
#ifndef GOOD
		pthread_mutex_unlock(&lock);
		if (room < n)
			continue;
		pthread_mutex_lock(&lock);
		fill += n;
#else
		if (room >= n)
			fill += n;
#endif
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	int n[2] = { 20, 30 };

	pthread_create(&a, NULL, writer, &n[0]);
	pthread_create(&b, NULL, writer, &n[1]);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", fill);
	return 0;
}
