/*
 * group_torn.c, put right.
 *
 * CC: -DFIXED
 * RUN: run --analyze --seed 1..2
 * EXPECT: clean
 */
#include "group_torn.c"
