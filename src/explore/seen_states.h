/*
 * States that were met, with the fewest preemptions that had been spent by then.
 *
 * Hashes of 64 bits stand for states. Among a million states two different ones get
 * the same hash with a probability of 3 in 100 million; an executor that can do better puts more
 * bits in.
 *
 * States can be kept in full as well. Then one counts as met only if all of it is equal, and it
 * is known how often the hash alone would have been wrong.
 */
#ifndef HD_EXPLORE_SEEN_STATES_H
#define HD_EXPLORE_SEEN_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_seen_states {
	struct hd_seen_state {
		uint64_t hash; /* 0: unused */
		uint32_t spent;
		uint32_t nfull;
		uint64_t *full; /* NULL: not kept */
	} * slots;
	size_t cap, n;
};

/* *@known: it was met before with no more than @spent. Remembers the better one. False: no memory. */
bool hd_seen_states_add(struct hd_seen_states *s, uint64_t hash, uint32_t spent, bool *known);

/*
 * Is what was first given as the state in full under @hash, which was added, just this? If nothing
 * was, this is it. False: no memory.
 */
bool hd_seen_states_compare(struct hd_seen_states *s, uint64_t hash, const uint64_t *full,
			    uint32_t n, bool *equal);
void hd_seen_states_free(struct hd_seen_states *s);

#endif
