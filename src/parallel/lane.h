/*
 * What a worker has at hand for checking: the step of the task that it runs, its call stack,
 * and the one lock around the analysis.
 */
#ifndef HD_PARALLEL_LANE_H
#define HD_PARALLEL_LANE_H

#include "analysis/tasks/task_thin.h"
#include "runtime/abi/inline_words.h"
#include "worker.h"

struct hd_par_lane_call {
	uintptr_t pc;
	uint32_t ctx; /* of the function that was called from there; 0: not asked for yet */
};

struct hd_par_lane {
	struct hd_par_strand *task; /* NULL: accesses are not of interest */
	uint32_t step;		    /* of it, for the front; 0: unknown, or not for it */
	bool noted;		    /* there may be words that match (inline_words.h) */
	struct hd_par_lane_call *top, *base, *limit;
	uint32_t over; /* calls that are too deep, or of a time when nothing is checked */
};

/* What a task leaves here while others run. */
struct hd_par_side {
	struct hd_par_lane_call *top, *base, *limit;
	uint32_t over;
};

extern __thread struct hd_par_lane hd_par_lane
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

/* par_words.c: what the step at hand is done with is tested in line from now on, or is not any more. */
void hd_par_words_start(void);
void hd_par_words_enter(void); /* on a worker, before a task runs */
void hd_par_words_new_step(void);
/* The step at hand is done with such accesses there. */
static inline void hd_par_words_note(uintptr_t addr, unsigned size, bool write)
{
	if (heddle_inline1_tags == HD_INLINE_NEVER)
		return;
	hd_par_lane.noted = true;
	hd_inline_put((unsigned char *)heddle_inline1_base, addr, size, write);
}

/* Has it been noted that it is done with such accesses there? */
static inline bool hd_par_words_know(uintptr_t addr, unsigned size, bool write)
{
	const uint32_t *w = hd_inline_word_of((unsigned char *)heddle_inline1_base, addr);
	uint32_t tag = (uint32_t)heddle_inline1_tags, rest = write ? 0 : HD_INLINE_WRITTEN;

	return ((w[0] | rest) == tag) & ((w[size == 8] | rest) == tag);
}

/* To be noted, where it is known what the step is done with (HD_THIN_DONE_*): a write only where reads are, too. */
static inline void hd_par_words_note_done(uintptr_t addr, unsigned size, uint32_t done)
{
	if (done & HD_THIN_DONE_READ)
		hd_par_words_note(addr, size, done & HD_THIN_DONE_WRITE);
}

/* The step is to be asked for. */
static inline void hd_par_no_step(void)
{
	hd_par_lane.step = 0;
	heddle_inline1_tags = HD_INLINE_NEVER;
}

/* par_check.c: around everything of the analysis and the trace. */
void hd_par_check_lock(void);
void hd_par_check_unlock(void);

/* An event for the analysis. */
void hd_par_take(const struct hd_event *ev);
/* par_access.c: an access of the current task. */
void hd_par_access(uintptr_t addr, size_t len, bool write, uintptr_t pc);
/* The same of 1, 2, 4 or 8 bytes that are aligned. */
void hd_par_access_word(uintptr_t addr, unsigned size, bool write, uintptr_t pc);
/* As many elements of 4 or 8 bytes, aligned, as lie in @len bytes. The step is known: hd_par_has_step(). */
void hd_par_access_run(uintptr_t addr, size_t len, unsigned size, bool write, uintptr_t pc);
bool hd_par_has_step(void);
void hd_par_atomic(enum hd_op op, uintptr_t addr, unsigned size, int order, uintptr_t pc);
/* Memory is given out or back. */
void hd_par_memory(enum hd_op op, uintptr_t addr, size_t len);

/* par_calls.c: the context that the current task is in. */
uint32_t hd_par_new_context(void);
uint32_t hd_par_context_now(void);
static inline uint32_t hd_par_context(void)
{
	const struct hd_par_lane *l = &hd_par_lane;

	if (l->top == l->base)
		return 0;
	return likely(l->top[-1].ctx) ? l->top[-1].ctx : hd_par_new_context();
}
void hd_par_calls_enter(struct hd_par_strand *f);
void hd_par_calls_ended(struct hd_par_strand *f);

/* par_abi.c: some of the program's code tells of its accesses. */
extern bool hd_par_instrumented __attribute__((visibility("hidden")));

/* For who tries again and again: other tasks run on this worker. */
static inline void hd_par_wait_a_bit(unsigned *n)
{
	if (++*n < 200)
		__builtin_ia32_pause();
	else
		hd_par_yield();
}

#endif
