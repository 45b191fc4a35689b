/*
 * A producer asks whether the box is open, once for each message, and puts the message in in the next section. Who closes the box
 * empties it: a message that comes after that is lost. GOOD: it is asked where the message is put in.
 *
 * EXPECT: extended-race is_open filled
 * PART
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int is_open = 1, filled, box[32];

static int ask(void)
{
	int yes;

	pthread_mutex_lock(&m);
	yes = is_open;
	pthread_mutex_unlock(&m);
	return yes;
}

static int put(int message)
{
	int yes = 1;

	pthread_mutex_lock(&m);
#ifdef GOOD
	yes = is_open;
	if (yes)
#endif
		box[filled++] = message;
	pthread_mutex_unlock(&m);
	return yes;
}

static void *produce(void *arg)
{
	for (int i = 0; i < 20; i++) {
#ifndef GOOD
		if (!ask())
			break;
#endif
		if (!put(i))
			break;
	}
	return arg;
}

static void *close_box(void *drained)
{
	pthread_mutex_lock(&m);
	is_open = 0;
	*(int *)drained = filled;
	filled = 0;
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t producer, closer;
	int drained = 0;

	(void)ask;
	pthread_create(&producer, NULL, produce, NULL);
	pthread_create(&closer, NULL, close_box, &drained);
	pthread_join(producer, NULL);
	pthread_join(closer, NULL);
	printf("%d\n", drained);
	return 0;
}
