/*
 * null_futures.c, put right.
 *
 * CC: -DFIXED
 * RUN: run --seed 1..5
 * EXPECT: clean
 */
#include "null_futures.c"
