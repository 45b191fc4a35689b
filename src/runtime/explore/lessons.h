/*
 * What executions teach about loops that wait (await.h), and about operations that go together (one_step.h): numbers that stand
 * for it, which the explorer tells all executions that it asks for later.
 */
#ifndef HD_RUNTIME_EXPLORE_LESSONS_H
#define HD_RUNTIME_EXPLORE_LESSONS_H

#include "common/hash.h"
#include "trace/execution_shared.h"

/* @way: digest of what is read besides. */
static inline uint64_t hd_rt_lesson_in_vain(uint64_t state, uintptr_t addr, uint64_t value,
					    uint64_t way)
{
	return hd_hash_all(hd_hash_triple(state, addr, value) + way) | 1;
}

/* A look in @state that found @value led to @next, before the next look, and did nothing else. */
static inline uint64_t hd_rt_lesson_step(uint64_t state, uintptr_t addr, uint64_t value,
					 uint64_t next)
{
	return hd_hash_all(hd_hash_triple(state + 1, addr, value) + next) | 1;
}

/* What it leads to was looked for. */
static inline uint64_t hd_rt_lesson_supposed(uint64_t state, uintptr_t addr, uint64_t value)
{
	return hd_hash_all(hd_hash_triple(state + 2, addr, value)) | 1;
}

/* A look in @then that finds @value leads to the same as one in @state. */
static inline uint64_t hd_rt_lesson_late(uint64_t state, uint64_t then, uintptr_t addr,
					 uint64_t value)
{
	return hd_hash_all(hd_hash_triple(state + 3, addr, value) + then) | 1;
}

/* A place where a thread looked twice in a row: only there states are worth computing. */
static inline uint64_t hd_rt_lesson_loop(uintptr_t pc)
{
	return 2 * hd_hash_place(pc, HD_X_LOOPS - 1);
}

bool hd_rt_is_known(uint64_t lesson);
bool hd_rt_is_loop(uintptr_t pc);

/*
 * The explorer is told, and makes what this request taught known to all that come later. False: it was known, or there is
 * no room. A request that has taught too much goes on with looks in vain, which is no harm but to their number.
 */
bool hd_rt_note(uint64_t lesson);
/* The same, and then the execution is made again. */
void hd_rt_learn(uint64_t lesson);
/* From now on no two operations are one step: for that there is room in any case. */
void hd_rt_learn_apart(void);

/* What is in memory now. */
uint64_t hd_rt_look_value(uintptr_t addr, uint32_t size);

#endif
