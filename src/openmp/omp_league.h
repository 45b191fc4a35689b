/*
 * Threads that begin as if nothing was around them: teams of a league, target regions.
 */
#ifndef HD_OPENMP_OMP_LEAGUE_H
#define HD_OPENMP_OMP_LEAGUE_H

#include "omp_rt.h"

/* Run @fn(@data) as the initial thread of team @team_num of @nteams. */
void hd_omp_alone(struct omp_task *me, enum hd_construct construct, void (*fn)(void *), void *data,
		  unsigned team_num, unsigned nteams, unsigned thread_limit);
/* omp_team.c: threads for regions inside, apart from those of @p. */
struct omp_pool *hd_omp_pool_alone(struct omp_pool *p);

#endif
