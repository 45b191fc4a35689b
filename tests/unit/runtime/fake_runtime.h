/*
 * A runtime of nothing but its state, for tests of single parts.
 */
#ifndef FAKE_RUNTIME_H
#define FAKE_RUNTIME_H

#include "runtime/rt.h"

/* A fiber that can run and is not in the array yet; @id from 1. */
void fake_fiber(struct fiber *f, uint32_t id);

/* What hd_rt_choose() was asked last, and what it takes. */
extern struct fiber *fake_candidates[256];
extern unsigned fake_ncandidates, fake_choice;

#endif
