/*
 * Who uses a document holds a reference to it: counted under the lock, used without, and freed by the last one. What is
 * current is replaced, never changed.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct document {
	int users;
	int length, sum;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct document *current;

static struct document *make(int length)
{
	struct document *d = malloc(sizeof(*d));

	d->users = 1;
	d->length = length;
	d->sum = length * 2;
	return d;
}

static struct document *get(void)
{
	struct document *d;

	pthread_mutex_lock(&lock);
	d = current;
	d->users++;
	pthread_mutex_unlock(&lock);
	return d;
}

static void put(struct document *d)
{
	int last;

	pthread_mutex_lock(&lock);
	last = --d->users == 0;
	pthread_mutex_unlock(&lock);
	if (last)
		free(d);
}

static void *reader(void *arg)
{
	int wrong = 0;

	for (int i = 0; i < 20; i++) {
		struct document *d = get();

		wrong += d->sum != 2 * d->length;
		put(d);
	}
	*(int *)arg = wrong;
	return NULL;
}

static void *editor(void *arg)
{
	for (int i = 0; i < 10; i++) {
		struct document *new = make(i), *old;

		pthread_mutex_lock(&lock);
		old = current;
		current = new;
		pthread_mutex_unlock(&lock);
		put(old);
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;
	int wrong = 0;

	current = make(7);
	pthread_create(&a, NULL, reader, &wrong);
	pthread_create(&b, NULL, editor, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	put(current);
	return wrong;
}
