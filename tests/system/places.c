/* Prints where the program's memory lies: small and large blocks, mappings, stacks. */
#include "../programs/program.h"
#include <sys/mman.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *print_places(void *arg)
{
	void *small, *large, *page;

	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&m);
		small = malloc(100);
		large = malloc(1 << 20);
		page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		pthread_mutex_unlock(&m);
		printf("%s %p %p %p %p\n", (char *)arg, small, large, page, (void *)&small);
	}
	return NULL;
}

int main(void)
{
	pthread_t t = start(print_places, "a"), u = start(print_places, "b");

	print_places("main");
	finish(t);
	finish(u);
	return 0;
}
