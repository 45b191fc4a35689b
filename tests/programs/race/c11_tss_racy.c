/*
 * The destructors of two C11 threads count without order.
 *
 * CC: gnu11
 * RUN: run --seed 1..5
 * EXPECT: race 'destroyed' @destroy
 */
#include "../program.h"
#include <threads.h>

static tss_t key;
static int destroyed;

static void destroy(void *value)
{
	destroyed++;
}

static int work(void *arg)
{
	return tss_set(key, &key) != thrd_success;
}

int main(void)
{
	thrd_t a, b;

	tss_create(&key, destroy);
	thrd_create(&a, work, NULL);
	thrd_create(&b, work, NULL);
	thrd_join(a, NULL);
	thrd_join(b, NULL);
	return destroyed > 2;
}
