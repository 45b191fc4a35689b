/*
 * The destructors of two threads count without order.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'destroyed' @destroy
 */
#include "../program.h"

static pthread_key_t key;
static int destroyed;

static void destroy(void *value)
{
	destroyed++;
}

static void *work(void *arg)
{
	pthread_setspecific(key, arg);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_key_create(&key, destroy);
	a = start(work, &key);
	b = start(work, &key);
	finish(a);
	finish(b);
	return destroyed > 2;
}
