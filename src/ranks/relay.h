/*
 * Two processes for each rank that MPI has started: one that heddle works in, and one that has MPI and passes on messages.
 *
 * So whoever works has neither MPI's files and threads nor its errors; what is lost with it is told to the others, who go on;
 * and there is a sign of life of each rank at any time.
 */
#ifndef HD_RANKS_RELAY_H
#define HD_RANKS_RELAY_H

#include "common/err.h"
#include "ranks.h"

/*
 * This process stays behind as the one that has MPI, by the library @path, and ends as the other one does, which
 * returns from here.
 */
enum hd_err hd_ranks_relayed(struct hd_ranks *ranks, const char *path);

#endif
