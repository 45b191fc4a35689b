/*
 * Buffers go from a free list to a busy one and back; each list has its own section, and whoever
 * holds a buffer in between owns it.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdlib.h>

struct buffer {
	struct buffer *next;
	int uses;
};

static struct buffer pool[4], *unused, *busy;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct buffer *pop(struct buffer **from)
{
	struct buffer *b;

	pthread_mutex_lock(&lock);
	b = *from;
	if (b)
		*from = b->next;
	pthread_mutex_unlock(&lock);
	return b;
}

static void push(struct buffer **to, struct buffer *b)
{
	pthread_mutex_lock(&lock);
	b->next = *to;
	*to = b;
	pthread_mutex_unlock(&lock);
}

static void *rotate(void *arg)
{
	for (int i = 0; i < 4; i++) {
		struct buffer *b = pop(&unused);

		if (b) {
			b->uses++;
			push(&busy, b);
		}
		b = pop(&busy);
		if (b)
			push(&unused, b);
	}
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 4; i++)
		push(&unused, &pool[i]);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, rotate, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
