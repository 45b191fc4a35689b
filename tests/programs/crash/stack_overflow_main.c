/*
 * The same in the main thread.
 *
 * CC: -Wno-infinite-recursion
 * RUN: run
 * EXPECT: crash SIGSEGV @recurse
 * EXIT: SIGSEGV
 */
static volatile int go = 1;

static __attribute__((noinline)) int recurse(int n)
{
	volatile char frame[512];

	frame[n % 512] = (char)n;
	return go ? recurse(n + 1) + frame[n % 512] : 0;
}

int main(void)
{
	return recurse(0);
}
