/*
 * Ranks that a launcher has started (mpirun, srun), on this machine or others.
 */
#ifndef HD_RANKS_LAUNCHED_RANKS_H
#define HD_RANKS_LAUNCHED_RANKS_H

#include "common/err.h"
#include "heddle/engine/campaign_config.h"
#include "ranks.h"

/* Is there such a launcher, or is one wanted? */
bool hd_ranks_are_launched(enum hd_mpi mpi);
/* Has srun started several that would all do the same work? Then that is an error. */
enum hd_err hd_ranks_look_around(enum hd_mpi mpi);

/* Join the others; @ranks->end() is the way out. HD_ERR_REQUEST: heddle is without what that needs. */
enum hd_err hd_ranks_join(struct hd_ranks *ranks, enum hd_mpi mpi);

/* What MPI has opened is not the program's. */
void hd_ranks_keep_files(void);
/* The launcher's own variables are others in each rank: they leave the environment. */
void hd_ranks_drop_launchers(void);

#endif
