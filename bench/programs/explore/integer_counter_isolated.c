/*
 * IntegerCounterIsolated: a counter that tasks increment, decrement and read, each in an isolated
 * block; nine tasks use it once each. 10 tasks, 3 regions.
 *
 * Verdict: no race. Isolated blocks exclude each other. There are 9! orders of them, but only as
 * many states as there are sets of tasks that are done, times what the blocks know.
 */
#include <assert.h>
#include <heddle/hj.h>

#define TASKS 9

static int counter;

static void increment(void)
{
	HJ_ISOLATED {
		hj_acquire_w(&counter);
		counter++;
		hj_release_w(&counter);
	}
}

static void decrement(void)
{
	HJ_ISOLATED {
		hj_acquire_w(&counter);
		counter--;
		hj_release_w(&counter);
	}
}

static int value(void)
{
	int now = 0;

	HJ_ISOLATED {
		hj_acquire_r(&counter);
		now = counter;
		hj_release_r(&counter);
	}
	return now;
}

static void use(void *arg)
{
	switch ((long)arg % 3) {
	case 0:
		increment();
		break;
	case 1:
		decrement();
		break;
	default:
		assert(value() <= TASKS / 3);
		break;
	}
}

static void root(void *arg)
{
	(void)arg;
	HJ_FINISH {
		for (long i = 0; i < TASKS; i++)
			hj_async(use, (void *)i);
	}
	assert(counter == 0);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
