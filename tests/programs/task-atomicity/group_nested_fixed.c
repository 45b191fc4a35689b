/*
 * group_nested.c, put right.
 *
 * CC: -DFIXED
 * RUN: run --analyze --seed 1..2
 * EXPECT: clean
 * RUN: run --algorithm complete --atomic-steps --seed 1
 * EXPECT: clean
 */
#include "group_nested.c"
