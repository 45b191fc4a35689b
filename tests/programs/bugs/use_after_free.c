/*
 * A message is freed by its sender, which does not wait until the receiver is done
 * with it. The allocator gives the memory back to the system, so a late access
 * crashes.
 *
 * RUN: run
 * EXPECT: crash SIGSEGV @receive:USE within 20 seeds
 * EXIT: SIGSEGV
 */
#include "../program.h"
#include <sys/mman.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *message;

static void *receive(void *arg)
{
	int *mine, value = 0;

	pthread_mutex_lock(&m);
	mine = message;
	pthread_mutex_unlock(&m);
	if (mine) {
		pthread_mutex_lock(&m);
		value = *mine; /* USE */
		pthread_mutex_unlock(&m);
	}
	return (void *)(intptr_t)value;
}

static int *page_alloc(void)
{
	int *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert(page != MAP_FAILED);
	return page;
}

int main(void)
{
	pthread_t t;
	int *old;

	message = page_alloc();
	*message = 42;
	t = start(receive, NULL);
	pthread_mutex_lock(&m);
	old = message;
	message = NULL;
	pthread_mutex_unlock(&m);
	munmap(old, 4096);
	finish(t);
	return 0;
}
