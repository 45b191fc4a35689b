/*
 * What runs on the host alone: target, teams and distribute; cancellation, on and off; locks.
 *
 * CC: -fopenmp
 * ENV: OMP_CANCELLATION=true
 * RUN: run --seed 1..10
 * EXPECT: clean
 * RUN: run --seed 1..2 --threads 2 --policy pct
 * EXPECT: clean
 */
#include "host.c"
