/*
 * PrimeNumCounterForAll: like PrimeNumCounter, as a loop in parallel, with a region that is too large:
 * it is open before the isolated block begins. 25 tasks, 2 regions.
 *
 * Verdict: no race. Several tasks have the region at the same time, but what is in it is done one
 * after the other, in isolated blocks. (The paper's tool says race.)
 */
#include <assert.h>
#include <heddle/hj.h>

static int primes;

static int is_prime(long n)
{
	for (long i = 2; i * i <= n; i++) {
		if (n % i == 0)
			return 0;
	}
	return n > 1;
}

static void look_at(long n, void *arg)
{
	(void)arg;
	if (!is_prime(n))
		return;
	hj_acquire_w(&primes);
	HJ_ISOLATED {
		primes++;
	}
	hj_release_w(&primes);
}

static void root(void *arg)
{
	(void)arg;
	hj_forall1(&(struct hj_range){ .low = 2, .high = 26 }, look_at, NULL);
	hj_acquire_r(&primes);
	assert(primes == 9);
	hj_release_r(&primes);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
