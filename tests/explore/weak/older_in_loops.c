/*
 * Loops that wait for either of two variables which others have set, all of them relaxed: what a thread reads in the round
 * that is its last is in its exit status, as a number of bits. CASE says which loop it is.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define READ(v)	    atomic_load_explicit(&(v), memory_order_relaxed)
#define WRITE(v, n) atomic_store_explicit(&(v), n, memory_order_relaxed)

static atomic_int x, y, z, u;
static int other_saw;

#if CASE ==                                                                                        \
	1 /* a variable is read before the loop and behind it: 00, 01 or 11; 01, 10 or 11 in the loop */
static void *set(void *arg)
{
	WRITE(x, 1);
	WRITE(y, 1);
	WRITE(z, 1);
	return arg;
}

static int wait_for(void)
{
	int p, q, before = READ(x);

	do {
		p = READ(y);
		q = READ(z);
	} while (!p && !q);
	return p | q << 1 | before << 2 | READ(x) << 3;
}
#elif CASE == 2 /* each waits for what the other has set, and what it gave way to is read again */
static void *set(void *arg)
{
	int p, q;

	WRITE(x, 1);
	WRITE(y, 1);
	do {
		p = READ(z);
		q = READ(u);
	} while (!p && !q);
	other_saw = p | q << 1 | READ(z) << 2;
	return arg;
}

static int wait_for(void)
{
	int p, q;

	WRITE(z, 1);
	WRITE(u, 1);
	do {
		p = READ(x);
		q = READ(y);
	} while (!p && !q);
	return p | q << 1 | READ(x) << 2;
}
#elif CASE ==                                                                                      \
	3 /* one sets for the other what that one waits for, who answers; it has nothing to say before */
static void *set(void *arg)
{
	int p, q;

	WRITE(x, 1);
	do {
		p = READ(z);
		q = READ(u);
	} while (!p && !q);
	WRITE(y, 1);
	other_saw = p | q << 1;
	return arg;
}

static int wait_for(void)
{
	int p, q;

	do {
		p = READ(x);
		q = READ(y);
	} while (!p && !q);
	WRITE(z, 1);
	WRITE(u, 1);
	return p | q << 1 | READ(y) << 2;
}
#elif CASE == 4 /* one of them is read twice in a round */
static void *set(void *arg)
{
	WRITE(x, 1);
	WRITE(y, 1);
	return arg;
}

static int wait_for(void)
{
	int p, q, r;

	do {
		p = READ(x);
		q = READ(y);
		r = READ(x);
	} while (!p && !q && !r);
	return p | q << 1 | r << 2;
}
#elif CASE == 5 /* both are waited for, and which was seen first is kept */
static void *set(void *arg)
{
	WRITE(x, 1);
	WRITE(y, 1);
	return arg;
}

static int wait_for(void)
{
	int p, q, first = 0;

	do {
		p = READ(x);
		q = READ(y);
		if (!first)
			first = p | q << 1;
	} while (!p || !q);
	return first;
}
#endif

int main(void)
{
	pthread_t t;
	int saw;

	pthread_create(&t, NULL, set, NULL);
	saw = wait_for();
	pthread_join(t, NULL);
	return saw | other_saw << 4;
}
