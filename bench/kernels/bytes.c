/*
 * Byte histograms: two threads each count the bytes of a half into a table of their own.
 *
 *   bytes [KILOBYTES]      prints a checksum
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned char *data;
static size_t size;
static unsigned counts[2][256];

static void *work(void *arg)
{
	size_t me = (size_t)arg, end = me ? size : size / 2;

	for (int round = 0; round < 10; round++)
		for (size_t i = me ? size / 2 : 0; i < end; i++)
			counts[me][data[i]]++;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t other;
	unsigned long sum = 0;

	size = (argc > 1 ? strtoul(argv[1], NULL, 10) : 2000) * 1024;
	data = malloc(size);
	if (!data)
		return 1;
	for (size_t i = 0; i < size; i++)
		data[i] = (unsigned char)(i * i >> 7);
	pthread_create(&other, NULL, work, (void *)1);
	work(NULL);
	pthread_join(other, NULL);
	for (int i = 0; i < 256; i++)
		sum = sum * 31 + counts[0][i] + counts[1][i];
	printf("%lu\n", sum);
	free(data);
	return 0;
}
