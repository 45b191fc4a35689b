/*
 * Is there something on the stack? If so, the top is taken, in the next section, by two threads.
 * GOOD: in one.
 *
 * EXPECT: extended-race top
 */
#include <pthread.h>
#include <stdio.h>

static int item[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, top = 8;
static pthread_mutex_t stack_lock = PTHREAD_MUTEX_INITIALIZER;

static int depth(void)
{
	int d;

	pthread_mutex_lock(&stack_lock);
	d = top;
	pthread_mutex_unlock(&stack_lock);
	return d;
}

static void *drain(void *arg)
{
	int got = 0;

	for (int i = 0; i < 3; i++) {
#ifdef GOOD
		pthread_mutex_lock(&stack_lock);
		if (top > 0)
			got += item[--top];
		pthread_mutex_unlock(&stack_lock);
#else
		if (depth() > 0) {
			pthread_mutex_lock(&stack_lock);
			got += item[--top];
			pthread_mutex_unlock(&stack_lock);
		}
#endif
	}
	printf("%d\n", got);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, drain, NULL);
	pthread_create(&b, NULL, drain, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
