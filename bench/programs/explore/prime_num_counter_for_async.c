/*
 * PrimeNumCounterForAsync: like PrimeNumCounter for the numbers up to 21, two of them in each of ten
 * tasks. 11 tasks, 2 regions.
 *
 * Verdict: no race. The count is only changed in isolated blocks, and read after all of them.
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
	HJ_ISOLATED {
		hj_acquire_w(&primes);
		primes++;
		hj_release_w(&primes);
	}
}

static void root(void *arg)
{
	(void)arg;
	HJ_FINISH {
		hj_forasync1(&(struct hj_range){ .low = 2, .high = 22, .chunk = 2 }, look_at, NULL);
	}
	hj_acquire_r(&primes);
	assert(primes == 8);
	hj_release_r(&primes);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
