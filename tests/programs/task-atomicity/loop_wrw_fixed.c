/*
 * loop_wrw.c, put right.
 *
 * CC: -DFIXED
 * RUN: run --analyze --atomic-steps --seed 1..2
 * EXPECT: clean
 */
#include "loop_wrw.c"
