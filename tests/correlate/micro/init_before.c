/*
 * Set up by main before there are threads, then only read.
 *
 * EXPECT: none
 */

#include <pthread.h>

static int table[64];
static volatile int sums[2];

static void *work(void *arg)
{
	int sum = 0;

	for (int i = 0; i < 64; i++)
		sum += table[i];
	sums[arg != NULL] = sum;
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 64; i++)
		table[i] = i;
	pthread_create(&t[0], NULL, work, NULL);
	pthread_create(&t[1], NULL, work, table);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
