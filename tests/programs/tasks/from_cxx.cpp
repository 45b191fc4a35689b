/*
 * The header from C++: the same constructs, and thread_local objects whose destructors run at the end
 * of each task.
 *
 * RUN: run --seed 1..5
 * EXPECT: clean
 */
#include <cassert>
#include <cstddef>

#include <heddle/hj.h>
#include <hclib.h>

static int made, gone, total, a, b;

struct counted {
	int value = 5;
	counted() { HJ_ISOLATED made++; }
	~counted() { HJ_ISOLATED gone++; }
};

static thread_local counted mine;

static void task(void *)
{
	assert(mine.value == 5);
	mine.value = 6;
	HJ_ISOLATED_ON(&a, &b) {
		total++;
	}
}

static void root(void *arg)
{
	for (int round = 0; round < 2; round++) {
		HJ_FINISH {
			for (int i = 0; i < 3; i++)
				hj_async(task, NULL);
			hclib_async(task, NULL, NULL, 0, NULL);
		}
	}
	hj_phaser_t *ph = hj_phaser_new(HJ_SIG_WAIT);
	hj_phased on[] = { { ph, HJ_SIG } };
	hj_async_phased(task, NULL, on, 1);
}

int main()
{
	hj_launch(root, NULL);
	assert(total == 9 && made == 9 && gone == 9);
	return 0;
}
