/* Prints an order that depends on the schedule, and allocates so that addresses do, too. */
#include "../programs/program.h"

#define STEPS 8

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char order[4 * STEPS + 1];
static int length;
static char *blocks[4 * STEPS];

static void *append(void *arg)
{
	for (int i = 0; i < STEPS; i++) {
		char *block = malloc(16 + 24 * (size_t)(i % 5));

		block[0] = *(char *)arg;
		pthread_mutex_lock(&m);
		blocks[length] = block;
		order[length++] = block[0];
		pthread_mutex_unlock(&m);
	}
	return NULL;
}

int main(void)
{
	static char names[] = "abcd";
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		t[i] = start(append, &names[i]);
	for (int i = 0; i < 4; i++)
		finish(t[i]);
	printf("%s", order);
	for (int i = 0; i < length; i++) {
		/* Places in the heap: they follow from the schedule alone. */
		printf(" %lx", (unsigned long)(uintptr_t)blocks[i] & 0xfffff);
		free(blocks[i]);
	}
	printf("\n");
	return 0;
}
