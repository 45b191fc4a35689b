/*
 * Is there room? If so the message is built without the lock, and the room is looked at again before it
 * is counted.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

#define ROOM 5

static int queued, bytes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int has_room(void)
{
	int yes;

	pthread_mutex_lock(&lock);
	yes = queued < ROOM;
	pthread_mutex_unlock(&lock);
	return yes;
}

static void *send(void *arg)
{
	char text[32];

	for (int i = 0; i < 4; i++) {
		int n;

		if (!has_room())
			break;
		n = snprintf(text, sizeof(text), "message %d", i);
		pthread_mutex_lock(&lock);
		if (queued < ROOM) {
			queued++;
			bytes += n;
		}
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, send, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d %d\n", queued, bytes);
	return 0;
}
