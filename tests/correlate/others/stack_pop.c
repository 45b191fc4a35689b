/*
 * A stack of numbers with a lock of its own: is it empty, and then pop, each a call that locks. With two
 * consumers the second pop finds nothing. GOOD: one call does both.
 *
 * EXPECT: extended-race stack.count
 * PART
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

static struct {
	pthread_mutex_t lock;
	int count;
	int items[16];
} stack = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void push(int v)
{
	pthread_mutex_lock(&stack.lock);
	stack.items[stack.count++] = v;
	pthread_mutex_unlock(&stack.lock);
}

static bool is_empty(void)
{
	bool empty;

	pthread_mutex_lock(&stack.lock);
	empty = stack.count == 0;
	pthread_mutex_unlock(&stack.lock);
	return empty;
}

static int pop(void)
{
	int v;

	pthread_mutex_lock(&stack.lock);
	v = stack.items[--stack.count];
	pthread_mutex_unlock(&stack.lock);
	return v;
}

static bool try_pop(int *v)
{
	bool got = false;

	pthread_mutex_lock(&stack.lock);
	if (stack.count > 0) {
		*v = stack.items[--stack.count];
		got = true;
	}
	pthread_mutex_unlock(&stack.lock);
	return got;
}

static void *consumer(void *arg)
{
	int sum = 0, v;

	for (;;) {
#ifdef GOOD
		if (!try_pop(&v))
			break;
#else
		if (is_empty())
			break;
		v = pop();
#endif
		sum += v;
	}
	*(int *)arg = sum;
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	int sum[2];

	for (int i = 0; i < 8; i++)
		push(i);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, consumer, &sum[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", sum[0] + sum[1]);
	return 0;
}
