/*
 * A transfer whose two halves are macros on one line, each with a section of its own; an auditor sums.
 *
 * EXPECT: extended-race savings checking
 */
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long savings = 500, checking = 500;
#define WITH(stmt) (pthread_mutex_lock(&lock), (stmt), pthread_mutex_unlock(&lock))
static void *move(void *arg)
{
	long n = (long)arg;
	for (int i = 0; i < 3; i++) {
#ifdef GOOD
		WITH((savings -= n, checking += n));
#else
		WITH(savings -= n);
		WITH(checking += n);
#endif
	}
	return NULL;
}
static void *audit(void *arg)
{
	long sum;
	WITH(sum = savings + checking);
	*(int *)arg = sum == 1000;
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	int ok;
	pthread_create(&a, NULL, move, (void *)10);
	pthread_create(&b, NULL, audit, &ok);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	puts(ok ? "ok" : "off");
	return 0;
}
