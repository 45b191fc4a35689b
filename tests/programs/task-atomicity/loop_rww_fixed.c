/*
 * loop_rww.c, put right.
 *
 * CC: -DFIXED
 * RUN: run --analyze --atomic-steps --seed 1..2
 * EXPECT: clean
 */
#include "loop_rww.c"
