/*
 * Two tasks with a permission region to write; the second opens its own only if it was the first
 * to come to the isolated block. In the order in which they are made the regions never meet. With
 * -DEMPTY nothing is written in them: they are in conflict all the same, but it is only their size.
 */
#include <heddle/hj.h>

static int turn, shared;

static void write_it(int value)
{
#ifndef EMPTY
	shared = value;
#endif
}

static void early(void *arg)
{
	HJ_ISOLATED {
		turn++;
	}
	hj_acquire_w(&shared);
	write_it(1);
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
		write_it(2);
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
