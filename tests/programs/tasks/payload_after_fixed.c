/*
 * payload_after.c, put right.
 *
 * CC: -DFIXED
 * RUN: run --races no --algorithm complete --seed 1..5
 * EXPECT: clean
 * RUN: run --parallel 2
 * EXPECT: clean
 */
#include "payload_after.c"
