/*
 * Two tasks with a permission region to write; the second opens its own only if it was the first
 * to come to the isolated block. In the order in which they are made the regions never meet.
 */
#include <heddle/hj.h>

static int turn, shared;

static void early(void *arg)
{
	HJ_ISOLATED {
		turn++;
	}
	hj_acquire_w(&shared);
	hj_release_w(&shared);
}

static void late(void *arg)
{
	int mine;

	HJ_ISOLATED {
		mine = ++turn;
	}
	if (mine == 1) {
		hj_acquire_w(&shared);
		hj_release_w(&shared);
	}
}

static void root(void *arg)
{
	HJ_FINISH {
		hj_async(early, NULL);
		hj_async(late, NULL);
	}
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
