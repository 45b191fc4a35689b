/*
 * Errors in the use of HClib: a value is got that is not there, and a finish ends that none began.
 *
 * RUN: run
 * EXPECT: misuse hclib_future_get before the value is there @entry:GET within 10 seeds
 * EXPECT: misuse hj_finish_end without a finish that this task began @entry:END
 * EXIT: 0
 */
#include "../program.h"

#include <hclib.h>

static void put(void *arg)
{
	hclib_promise_put(arg, arg);
}

static void entry(void *arg)
{
	hclib_promise_t *p = hclib_promise_create();

#ifdef FIXED
	hclib_start_finish();
#endif
	hclib_async(put, p, NULL, 0, NULL);
#ifdef FIXED
	hclib_end_finish();
#endif
	if (!hclib_future_get(&p->future)) /* GET */
		puts("too early");
#ifndef FIXED
	hclib_end_finish(); /* END */
#endif
}

int main(void)
{
	hclib_launch(entry, NULL, NULL, 0);
	return 0;
}
