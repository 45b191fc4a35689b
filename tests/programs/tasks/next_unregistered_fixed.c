/*
 * next_unregistered.c, put right.
 *
 * CC: -DFIXED
 * RUN: run --seed 1..5
 * EXPECT: clean
 */
#include "next_unregistered.c"
