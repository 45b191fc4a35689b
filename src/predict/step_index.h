/*
 * Where the steps of an instance stand in their threads: what comes before, who forks
 * whom, and which release ends which acquire.
 *
 * A window of a run may start inside critical sections: a lock whose first step in a
 * thread is a release is held by that thread from the start.
 */
#ifndef HD_PREDICT_STEP_INDEX_H
#define HD_PREDICT_STEP_INDEX_H

#include "predict/instance.h"

#define HD_NO_STEP UINT32_MAX

struct hd_step_index {
	uint32_t *of_thread; /* positions, thread by thread, each in program order */
	uint32_t *start;     /* nthreads + 1: where each thread starts in of_thread */
	uint32_t *ordinal;   /* of each step in its thread, from 1 */
	uint32_t *fork;	     /* of each thread: the step that forks it, or HD_NO_STEP */
	/*
	 * ACQUIRE: the release that ends it; RELEASE: the acquire that it ends; HD_NO_STEP if
	 * it is not in the instance.
	 */
	uint32_t *match;
	/* ACQUIRE, RELEASE: inside another section of the same thread, lock and mode: no effect */
	bool *nested;
};

/*
 * Fill @index, to be freed with hd_step_index_free() unless it failed. An object, thread or
 * position out of range is HD_ERR_INVALID, as is a goal that asks for nothing.
 */
enum hd_err hd_step_index_make(struct hd_step_index *index, const struct hd_instance *instance,
			       const struct hd_step_goal *goal, struct hd_errbuf *eb);
void hd_step_index_free(struct hd_step_index *index);

/* The @ordinal'th step of @thread, from 1, or HD_NO_STEP. */
uint32_t hd_step_at(const struct hd_step_index *index, uint32_t thread, uint32_t ordinal);

/* The last step of @thread, or HD_NO_STEP if it has none. */
uint32_t hd_step_last(const struct hd_step_index *index, uint32_t thread);

/*
 * The step that makes @pos the next of its thread: the one before it, or the fork of the
 * thread; HD_NO_STEP if @pos can be the first of all.
 */
uint32_t hd_step_enabler(const struct hd_step_index *index, const struct hd_instance *instance,
			 uint32_t pos);

/* Is @pos a read that has to see its value, at least if its thread goes on? */
bool hd_step_sees(const struct hd_instance *instance, const struct hd_step_goal *goal,
		  uint32_t pos);

/* Is @pos such a read, but may see any value when it is executed and its thread ends there? */
bool hd_step_is_free(const struct hd_instance *instance, const struct hd_step_goal *goal,
		     uint32_t pos);

/* The value of @location before the first step. */
static inline uint64_t hd_initial_value(const struct hd_instance *instance, uint32_t location)
{
	return instance->init ? instance->init[location] : 0;
}

/* Is the object of @step a lock? */
static inline bool hd_step_locks(const struct hd_step *step)
{
	return step->kind == HD_STEP_ACQUIRE || step->kind == HD_STEP_RELEASE;
}

#endif
