/*
 * isolated_null.c without the object that both tasks would have in common.
 *
 * CC: -DRACY
 * RUN: run --seed 1..3
 * EXPECT: race b
 */
#include "isolated_null.c"
