/*
 * hclib_wrong.c, put right.
 *
 * CC: -DFIXED
 * RUN: run --seed 1..5
 * EXPECT: clean
 */
#include "hclib_wrong.c"
