/*
 * What a block is: where events say so, or in functions that are to be atomic.
 *
 * Blocks within a block belong to the outermost. A thread's end closes its block.
 */
#ifndef HD_ANALYSIS_BLOCKS_H
#define HD_ANALYSIS_BLOCKS_H

#include "trace/event.h"

#include <stdbool.h>

/* Is the function that @pc lies in to be atomic? Asked about once for each @pc. */
typedef bool hd_is_atomic_fn(void *arg, uint64_t pc);

struct hd_blocks_options {
	hd_is_atomic_fn *is_atomic; /* NULL: functions are no blocks ... */
	void *is_atomic_arg;
	bool all_functions; /* ... unless all are */
};

struct hd_blocks;

struct hd_blocks *hd_blocks_new(const struct hd_blocks_options *opt);
void hd_blocks_free(struct hd_blocks *b);

/* Bits of what an event does to its thread's outermost block, in this order. */
enum hd_block_change {
	HD_BLOCK_CLOSES = 1, /* it ended before this event (or with it, for an event that ends) */
	HD_BLOCK_OPENS = 2,
};

/* Take note of @ev. Without memory the change is 0 and hd_blocks_failed() true. */
unsigned hd_blocks_event(struct hd_blocks *b, const struct hd_event *ev);
/* @thread is over, whether or not its end was seen: true if that closes a block. */
bool hd_blocks_thread_over(struct hd_blocks *b, uint32_t thread);
bool hd_blocks_failed(const struct hd_blocks *b);

/* Threads beyond this number are not looked at: memory follows the highest number. */
#define HD_THREADS_MAX (1u << 20)

#endif
