/*
 * bounded_racy.c, put right.
 *
 * CC: -DFIXED
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "bounded_racy.c"
