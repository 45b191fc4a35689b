/*
 * future_orders.c, put right.
 *
 * CC: -DFIXED
 * RUN: run --analyze --seed 1..2
 * EXPECT: clean
 */
#include "future_orders.c"
