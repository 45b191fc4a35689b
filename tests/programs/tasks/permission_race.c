/*
 * Regions of two tasks on one object, one of them to write.
 *
 * RUN: run
 * EXPECT: permission regions of 's' in conflict @writer:WRITE @root:READ within 10 seeds
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

struct stack {
	int depth;
} s;

static void writer(void *arg)
{
	hj_acquire_w(&s); /* WRITE */
	HJ_ISOLATED
		s.depth++;
	hj_release_w(&s);
}

static void root(void *arg)
{
#ifdef FIXED
	HJ_FINISH
		hj_async(writer, NULL);
#else
	hj_async(writer, NULL);
#endif
	hj_acquire_r(&s); /* READ */
	HJ_ISOLATED
		assert(s.depth >= 0);
	hj_release_r(&s);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
