/*
 * phased_beyond.c, put right.
 *
 * CC: -DFIXED
 * RUN: run --seed 1..5
 * EXPECT: clean
 */
#include "phased_beyond.c"
