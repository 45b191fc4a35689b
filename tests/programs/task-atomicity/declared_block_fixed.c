/*
 * declared_block.c, put right.
 *
 * CC: -DFIXED
 * RUN: run --analyze --seed 1..2
 * EXPECT: clean
 */
#include "declared_block.c"
