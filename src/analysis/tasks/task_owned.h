/*
 * Memory that is a thread's own while a parallel region lasts: its stack, and what is allocated in the
 * region. Iterations that one thread runs use it one after the other, and rightly so.
 */
#ifndef HD_ANALYSIS_TASK_OWNED_H
#define HD_ANALYSIS_TASK_OWNED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/map.h"

struct hd_owned_stack {
	uint64_t addr, len;
	uint32_t times; /* announced and not taken back */
};

/* Zero-initialise; free with hd_owned_free. */
struct hd_owned {
	struct hd_owned_stack *stacks;
	size_t nstacks, stacks_room;
	uint32_t open;	      /* announcements that have not been taken back: a region lasts */
	struct hd_map blocks; /* address / 1024 -> bits, one for every 16 bytes */
	bool wanted;	      /* somebody will ask */
};

void hd_owned_free(struct hd_owned *o);
/* An OWN event. False: out of memory. */
bool hd_owned_range(struct hd_owned *o, uint64_t addr, uint64_t len, bool begins);
bool hd_owned_alloc(struct hd_owned *o, uint64_t addr, uint64_t len);
void hd_owned_free_block(struct hd_owned *o, uint64_t addr, uint64_t len);

bool hd_owned_find(const struct hd_owned *o, uint64_t addr);

static inline bool hd_owned_has(const struct hd_owned *o, uint64_t addr)
{
	return o->wanted && hd_owned_find(o, addr);
}

#endif
