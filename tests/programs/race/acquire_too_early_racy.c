/*
 * The acquire load may see the value from before the release, and then it orders nothing.
 *
 * RUN: run
 * EXPECT: race 'data' @produce @main within 20 seeds
 */
#include "../program.h"

static int flag;
int data; /* not static: the compiler must not know all its values */

static void *produce(void *arg)
{
	data = 42;
	__atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
	return NULL;
}

int main(void)
{
	pthread_t t = start(produce, NULL);
	int seen = __atomic_load_n(&flag, __ATOMIC_ACQUIRE);

	seen += data;
	finish(t);
	return seen < 0;
}
