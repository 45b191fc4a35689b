/*
 * Executions again and again in one process: when one has ended, memory is put back as it was where
 * it began. That takes a tenth of the time of a copy of the process and its end.
 *
 * It is tried where a copy of a place was asked for twice, and given up for good
 * (hd_xshared.once) where it would not do: the execution has changed something in the kernel that is not
 * put back, has threads of its own, or too much memory; or the kernel cannot list touched pages
 * (PAGEMAP_SCAN, Linux 6.7).
 */
#ifndef HD_RUNTIME_REPEAT_H
#define HD_RUNTIME_REPEAT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * In a copy that is about to execute: keep what is needed to come back here. Returns now, and again
 * for each further execution, when @next says that there is one; if it says no, the process
 * ends.
 */
void hd_rt_repeat_from_here(bool (*next)(void));

/*
 * The middle: a place behind that one, to which memory is put back for executions with the same beginning, which
 * then need not be made again. Is this decision a good one for it? Then keep it; AGAIN: this is another execution.
 */
enum hd_repeat_middle { HD_MIDDLE_REFUSED, HD_MIDDLE_KEPT, HD_MIDDLE_AGAIN };
bool hd_rt_repeat_is_middle(uint32_t decisions);
enum hd_repeat_middle hd_rt_repeat_keep_middle(void);

/* This execution has done something that is not put back. */
void hd_rt_repeat_cannot(void);

/* An execution is over, with @status as waitpid(2) would have it. Returns if the process has to end. */
void hd_rt_repeat(int32_t status);

/* In a copy of a process: what that one kept is not for this one. */
void hd_rt_repeat_forget(void);

#endif
