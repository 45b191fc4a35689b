/* The variables of tests in line, for either carrier: nothing matches until somebody says so. */
#include "inline_vars.h"

#include "idle_reads.h"

uintptr_t hd_idle_reads[HD_IDLE_READS];

unsigned char *hd_rt_inline_words;

static _Alignas(16) const uint64_t nowhere[2]; /* no word matches anything here */

#define DEFINE __attribute__((tls_model("initial-exec"))) __thread
DEFINE uint64_t heddle_inline1_tags = HD_INLINE_NEVER;
DEFINE uint8_t heddle_inline1_wrote, heddle_inline1_calls, heddle_inline1_ranges;
DEFINE int heddle_inline1_budget = HD_INLINE_BUDGET;
DEFINE uintptr_t heddle_inline1_base = (uintptr_t)nowhere;
DEFINE uintptr_t heddle_inline1_window;
/* A word of which the bits @bytes are accessed; @shift: for reads or for writes. */
#define WORD(bytes, shift) ((bytes) ? HD_INLINE_TIME | (uint64_t)(bytes) << (shift) : 0)
/* @bytes of eight, from bit @at on. */
#define CARE(bytes, at, shift)                                                                     \
	(WORD((bytes) << (at)&HD_INLINE_TOUCHED, shift) |                                          \
	 WORD((bytes) << (at) >> 4 & HD_INLINE_TOUCHED, shift) << 32)
#define CARES(bytes, shift)                                                                        \
	CARE(bytes, 0, shift), CARE(bytes, 1, shift), CARE(bytes, 2, shift), CARE(bytes, 3, shift)
DEFINE const uint64_t heddle_inline1_care[HD_INLINE_CARES] = { CARES(15u, 0),
							       CARES(15u, HD_INLINE_WRITTEN_SHIFT),
							       CARES(3u, 0),
							       CARES(3u, HD_INLINE_WRITTEN_SHIFT) };
DEFINE struct hd_call *heddle_inline1_top, *heddle_inline1_limit;
