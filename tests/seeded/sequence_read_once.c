/*
 * The reader of a sequence lock does not look at the sequence again.
 *
 * FAILS: assertion
 * CAUSE: seq|x1|x2
 * REMEDY: a new lock
 */
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>

static atomic_int seq, x1, x2;

static void *w(void *x)
{
	for (int i = 1; i < 3; i++) {
		seq++;
		x1 = i;
		x2 = i;
		seq++;
	}
	return x;
}

static void *r(void *x)
{
	int s, a, b;
	do {
		s = seq;
		a = x1;
		b = x2;
	} while ((s & 1)
#ifdef FIXED
		 || s != seq
#endif
	);
	assert(a == b);
	return x;
}

int main(void)
{
	pthread_t s, t;
	pthread_create(&s, 0, w, 0);
	pthread_create(&t, 0, r, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	return 0;
}
