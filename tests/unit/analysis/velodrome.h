/*
 * Conflict-serializability by the book: the graph of transactions, with an edge for every pair
 * of conflicting events, and a search for a path back at each new edge. For short runs.
 */
#ifndef HD_TEST_VELODROME_H
#define HD_TEST_VELODROME_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/event.h"

#define VELODROME_EVENTS 96u
#define VELODROME_NONE	 SIZE_MAX

struct velodrome {
	const struct hd_event *events;
	size_t n;
	size_t node[VELODROME_EVENTS]; /* of each event */
	bool in_block[VELODROME_EVENTS];
	/* Nodes: one for each event at most, and one for the birth of each forked thread. */
	size_t nnodes;
	bool edge[2 * VELODROME_EVENTS][2 * VELODROME_EVENTS];
	size_t first; /* the event that closes the first cycle; VELODROME_NONE: serializable */
};

/* Build the graph of @n <= VELODROME_EVENTS events. */
void velodrome(struct velodrome *v, const struct hd_event *events, size_t n);

/* Do events @i < @j of different threads conflict? */
bool velodrome_conflict(const struct velodrome *v, size_t i, size_t j);

/* Are these events, in this order, a cycle through the block of the first and the last? */
bool velodrome_is_cycle(const struct velodrome *v, const size_t *at, size_t n);

#endif
