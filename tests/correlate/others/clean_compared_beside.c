/*
 * Two records of eight bytes that lie next to each other, each with its thread; one compares its own with memcmp, which in
 * libc reads whole vectors.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct {
	char mine[8], its[8];
} records __attribute__((aligned(64)));

static void *writer(void *arg)
{
	for (int i = 0; i < 8; i++)
		records.its[i] = (char)i;
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	size_t len = argc > 1 ? strlen(argv[1]) : 8;
	int differ;

	pthread_create(&thread, NULL, writer, NULL);
	differ = memcmp(records.mine, "\0\0\0\0\0\0\0", len);
	pthread_join(thread, NULL);
	printf("%d %d\n", differ, records.its[7]);
	return 0;
}
