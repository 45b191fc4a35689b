/*
 * PrimeNumCounter: a task for each number up to 25 counts it, in an isolated block, if it is
 * prime; the root reads the count after the finish. 25 tasks, 2 regions.
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

static void look_at(void *arg)
{
	if (!is_prime((long)arg))
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
		for (long n = 2; n < 26; n++)
			hj_async(look_at, (void *)n);
	}
	hj_acquire_r(&primes);
	assert(primes == 9);
	hj_release_r(&primes);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
