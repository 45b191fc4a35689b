/*
 * Does a caller look at what a function returned to it? If it does not, which of several possible results it
 * got makes no difference.
 */
#ifndef HD_RUNTIME_UNUSED_RESULT_H
#define HD_RUNTIME_UNUSED_RESULT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Is the register that results are in overwritten on every way from @pc, where the function with this @frame
 * (__builtin_frame_address(0)) returns to, before anything reads it? False also where that is not known.
 */
bool hd_rt_is_result_unused(uintptr_t pc, const void *frame);

#endif
