/* What instrumented code and the runtime share for tests in line, in each thread. */
#ifndef HD_RUNTIME_INLINE_VARS_H
#define HD_RUNTIME_INLINE_VARS_H

#include <stdint.h>

#include "fiber_calls.h"
#include "inline_layout.h"

/* As instrumented code sees them: of the running thread. */
#define HD_INLINE_VARIABLE(type, what)                                                             \
	extern __thread type heddle_inline1_##what                                                 \
		__attribute__((tls_model("initial-exec"), visibility("default")))
HD_INLINE_VARIABLE(uint64_t,
		   tags); /* what its words look like, twice; HD_INLINE_NEVER: nothing does */
HD_INLINE_VARIABLE(uint8_t, wrote);    /* it may have written since this was last looked at */
HD_INLINE_VARIABLE(uint8_t, calls);    /* entries and exits of all functions are to be told */
HD_INLINE_VARIABLE(uint8_t, ranges);   /* accesses of a loop may be told of before it */
HD_INLINE_VARIABLE(int, budget);       /* work until heddle_inline1_loop() is called */
HD_INLINE_VARIABLE(uintptr_t, base);   /* where the words are */
HD_INLINE_VARIABLE(uintptr_t, window); /* bits of an address that choose one */
HD_INLINE_VARIABLE(const uint64_t, care[HD_INLINE_CARES]);
HD_INLINE_VARIABLE(struct hd_call *, top); /* the call that it is in; NULL: the runtime is to say */
HD_INLINE_VARIABLE(struct hd_call *,
		   limit); /* where there is no room below, or not for code in line */

#define HD_INLINE_NEVER	 UINT64_MAX
#define HD_INLINE_BUDGET 4096

/* What was done in line since this was last asked. */
static inline uint32_t hd_inline_work(void)
{
	uint32_t done = (uint32_t)(HD_INLINE_BUDGET - heddle_inline1_budget);

	heddle_inline1_budget = HD_INLINE_BUDGET;
	return done;
}

#endif
