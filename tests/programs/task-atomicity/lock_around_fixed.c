/*
 * lock_around.c, put right.
 *
 * CC: -DFIXED
 * RUN: run --analyze --atomic-steps --seed 1..2
 * EXPECT: clean
 * RUN: run --algorithm complete --atomic-steps --seed 1
 * EXPECT: clean
 */
#include "lock_around.c"
