/*
 * The argument of a new thread is overwritten for the next one. GOOD: each has its own.
 *
 * EXPECT: race arg
 */

#include <pthread.h>

static volatile int arg, args[2];

static void *work(void *p)
{
	return (void *)(long)*(volatile int *)p;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++) {
#ifdef GOOD
		args[i] = i;
		pthread_create(&t[i], NULL, work, (void *)&args[i]);
#else
		arg = i;
		pthread_create(&t[i], NULL, work, (void *)&arg);
#endif
	}
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
