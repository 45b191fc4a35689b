/*
 * Messages of two fields are posted to a box, each in one critical section. Two messages are two operations, though who reads
 * adds all of them up, and though clang -O2 makes several rounds of the loop, and several variables of the box.
 *
 * EXPECT: none
 * ALWAYS: clang-O2
 */
#include <pthread.h>
#include <stdio.h>

struct message {
	int used;
	long from, to;
};

static struct message box[4];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void post(int i, long from, long to)
{
	struct message *message = &box[i];

	pthread_mutex_lock(&m);
	message->from = from;
	message->to = to;
	pthread_mutex_unlock(&m);
}

static void *poster(void *arg)
{
	for (int i = 0; i < 3; i++)
		post(i & 1, 10 * i, 10 * i + 3);
	return arg;
}

static void *reader(void *sum)
{
	long d = 0;

	pthread_mutex_lock(&m);
	for (int i = 0; i < 2; i++)
		d += box[i].to - box[i].from;
	pthread_mutex_unlock(&m);
	*(long *)sum = d;
	return NULL;
}

int main(void)
{
	pthread_t first, second;
	long d;

	pthread_create(&first, NULL, poster, NULL);
	pthread_create(&second, NULL, reader, &d);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	printf("%ld\n", d);
	return 0;
}
