/*
 * An accumulator has its value at the end of its finish.
 *
 * RUN: run --seed 1..3
 * EXPECT: misuse an accumulator is put after the end of its finish @root:LATE
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static void root(void *arg)
{
	hj_accum_t *a;

	hj_finish_begin();
	a = hj_accum_new(HJ_SUM);
#ifdef FIXED
	hj_accum_put(a, 1);
#endif
	hj_finish_end();
#ifdef FIXED
	assert(hj_accum_get(a) == 1);
#else
	hj_accum_put(a, 1); /* LATE */
#endif
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
