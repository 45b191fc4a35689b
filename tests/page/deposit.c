/* Two tasks that add to a balance in two isolated blocks each: an update can get lost. */
#include <heddle/hj.h>

static int balance;

static void deposit(void *arg)
{
	int seen;

	HJ_ISOLATED
		seen = balance;
	HJ_ISOLATED
		balance = seen + 10;
}

static void root(void *arg)
{
	HJ_FINISH {
		hj_async(deposit, NULL);
		hj_async(deposit, NULL);
	}
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
