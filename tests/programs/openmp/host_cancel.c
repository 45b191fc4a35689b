/*
 * What runs on the host alone: target, teams and distribute; cancellation, on and off; locks.
 *
 * CC: -fopenmp
 * ENV: OMP_CANCELLATION=true
 * RUN: run --seed 1..10
 * EXPECT: clean
 */
#include "host.c"
