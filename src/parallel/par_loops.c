/*
 * Loops whose accesses all lie side by side, or on each other.
 *
 * The compiler plugin makes two of such a loop, tells of its parts and asks whether the one without calls
 * will do: it will if all is said of it here, as ranges, one part after the other.
 */
#include "lane.h"
#include "runtime/abi/abi.h"
#include "runtime/abi/loop_parts.h"

/* Shorter loops are no gain. */
#define FEWEST_ROUNDS 4

static __thread struct hd_loop_part parts[HD_LOOP_PARTS] __attribute__((tls_model("initial-exec")));
static __thread unsigned nparts __attribute__((tls_model("initial-exec")));

HD_EXPORT void heddle_inline1_part(void *p, long step, unsigned kind)
{
	if (!hd_par_lane.task || nparts == HD_LOOP_PARTS)
		return;
	parts[nparts++] = hd_loop_part((uintptr_t)p, step, kind, HD_CALLER);
}

static bool can_be_whole(unsigned n, unsigned long rounds)
{
	return n && rounds >= FEWEST_ROUNDS && rounds <= UINT32_MAX && hd_par_has_step() &&
	       hd_loop_is_ranges(parts, n, rounds);
}

/* @n parts were told of. @back: what a function that was not told of returns to, or NULL. */
HD_EXPORT int heddle_inline1_whole(unsigned long rounds, unsigned n, void *back)
{
	bool all = nparts == n; /* not if a signal handler came in between */

	nparts = 0;
	if (!all || !can_be_whole(n, rounds))
		return 0;
	if (back)
		__tsan_func_entry(back);
	hd_loop_tell(parts, n, rounds, hd_par_access_run);
	if (back)
		__tsan_func_exit();
	return 1;
}

/* Only of loops of which all has been told. */
HD_EXPORT void heddle_inline1_range(void *p, long step, unsigned long count, unsigned kind,
				    void *back)
{
}
