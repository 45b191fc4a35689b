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
DEFINE struct hd_call *heddle_inline1_top, *heddle_inline1_limit;
