/*
 * Settings are replaced as a whole: a reader takes a reference to the present ones under the lock, reads both members
 * without, and gives the reference back; whoever gives the last one back frees them.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct settings {
	int refs;
	int low, high;
};

static struct settings *now;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct settings *get(void)
{
	struct settings *s;

	pthread_mutex_lock(&lock);
	s = now;
	s->refs++;
	pthread_mutex_unlock(&lock);
	return s;
}

static void put(struct settings *s)
{
	int last;

	pthread_mutex_lock(&lock);
	last = --s->refs == 0;
	pthread_mutex_unlock(&lock);
	if (last)
		free(s);
}

static void replace(int low, int high)
{
	struct settings *s = malloc(sizeof(*s)), *old;

	s->refs = 1;
	s->low = low;
	s->high = high;
	pthread_mutex_lock(&lock);
	old = now;
	now = s;
	pthread_mutex_unlock(&lock);
	put(old);
}

static void *reader(void *arg)
{
	long sum = 0;

	for (int i = 0; i < 5; i++) {
		struct settings *s = get();

		sum += s->high - s->low;
		put(s);
	}
	*(long *)arg = sum;
	return NULL;
}

static void *writer(void *arg)
{
	for (int i = 0; i < 5; i++)
		replace(i, i + 10);
	return arg;
}

int main(void)
{
	pthread_t a, b;
	long sum;

	now = malloc(sizeof(*now));
	*now = (struct settings){ 1, 0, 10 };
	pthread_create(&a, NULL, reader, &sum);
	pthread_create(&b, NULL, writer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%ld\n", sum);
	put(now);
	return 0;
}
