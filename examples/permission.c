/*
 * Two tasks say in permission regions what they work on: both of them on cell 1. Nothing orders
 * them, so each may meet the other in its region.
 *
 *   heddle cc permission.c -o permission
 *   heddle explore -- ./permission
 */
#include <heddle/hj.h>

static int cells[2];

static void work(void *arg)
{
	int *cell = arg;

	hj_acquire_w(cell);
	*cell += 1;
	hj_release_w(cell);
}

static void root(void *unused)
{
	(void)unused;
	HJ_FINISH {
#ifdef FIXED
		hj_async(work, &cells[0]);
#else
		hj_async(work, &cells[1]);
#endif
		hj_async(work, &cells[1]);
	}
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
