/*
 * pair_rwr.c, put right.
 *
 * CC: -DFIXED
 * RUN: run --analyze --atomic-steps --seed 1..2
 * EXPECT: clean
 * RUN: run --algorithm complete --atomic-steps --seed 1
 * EXPECT: clean
 */
#include "pair_rwr.c"
