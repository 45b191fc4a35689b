/*
 * local_racy.c as it is without optimisation: by the frame pointer.
 *
 * CC: -O0
 * RUN: run --seed 1..3
 * EXPECT: race 'both::here.done[1]'
 * EXPECT: race 'both::later'
 * EXIT: 0
 */
#include "local_racy.c"
