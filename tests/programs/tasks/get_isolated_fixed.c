/*
 * get_isolated.c, put right.
 *
 * CC: -DFIXED
 * RUN: run --seed 1..5
 * EXPECT: clean
 */
#include "get_isolated.c"
