/*
 * pair_www.c, put right.
 *
 * CC: -DFIXED
 * RUN: run --analyze --atomic-steps --seed 1..2
 * EXPECT: clean
 */
#include "pair_www.c"
