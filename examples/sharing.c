/*
 * A task program that says in permission regions what its tasks share, and has forgotten one
 * variable: `done` is written by both tasks, outside of any region.
 *
 *   heddle cc sharing.c -o sharing
 *   heddle explore -- ./sharing
 */
#include <heddle/hj.h>

static int cells[2], done;

static void work(void *arg)
{
	int *cell = arg;

	hj_acquire_w(cell);
	*cell += 1;
	hj_release_w(cell);
#ifdef FIXED
	HJ_ISOLATED
		done++;
#else
	done++;
#endif
}

static void root(void *unused)
{
	(void)unused;
	HJ_FINISH {
		hj_async(work, &cells[0]);
		hj_async(work, &cells[1]);
	}
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
