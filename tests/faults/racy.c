/* Two threads count without a lock: a race in every run. */
#include <pthread.h>

static int count;

static void *add(void *arg)
{
	count++;
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
