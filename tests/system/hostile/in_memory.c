/*
 * Wants to have everything in memory (mlockall with the flags of the argument), and says how much of what was mapped
 * before and after is there: in this process, in a child, and after munlockall.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES 64u
#define PAGE  4096u

static char zeros[PAGES * PAGE] __attribute__((aligned(4096)));

static char *map(void)
{
	char *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	return p == MAP_FAILED ? NULL : p;
}

static void tell(const char *what, char *p)
{
	unsigned char there[PAGES];
	unsigned n = 0;

	if (!p || mincore(p, PAGES * PAGE, there) != 0) {
		printf("%s: none\n", what);
		return;
	}
	for (unsigned i = 0; i < PAGES; i++)
		n += there[i] & 1;
	printf("%s: %u\n", what, n);
}

static void *work(void *arg)
{
	return arg;
}

int main(int argc, char **argv)
{
	char *before = map();
	pthread_t thread;

	if (argc < 2 || mlockall(atoi(argv[1])) != 0) {
		puts("refused"); /* as the user may */
		return 0;
	}
	tell("globals", zeros);
	tell("before", before);
	tell("after", map());
	fflush(stdout);
	if (fork() == 0) {
		tell("child", map());
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	printf("thread %d\n",
	       pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL));
	printf("munlockall %d\n", munlockall());
	tell("in the end", map());
	return 0;
}
