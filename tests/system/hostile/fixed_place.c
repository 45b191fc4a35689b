/*
 * Maps memory at the place that the argument says, whatever is there, and uses it; threads go on.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	shared++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(int argc, char **argv)
{
	char *at = (char *)strtoul(argv[1], NULL, 16);
	size_t size = 1u << 20;
	pthread_t thread;
	char *p = mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		       -1, 0);

	if (p == MAP_FAILED) {
		puts("refused");
	} else {
		memset(p, 0x5a, size);
		printf("mapped %d %d\n", p == at, p[size - 1]);
	}
	pthread_create(&thread, NULL, work, NULL);
	work(NULL);
	pthread_join(thread, NULL);
	printf("%d %d\n", shared, munmap(at, size));
	return 0;
}
