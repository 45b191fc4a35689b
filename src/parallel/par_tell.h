/*
 * The trace of a run on workers: no events, only findings and what reports need to tell them. One
 * thread at a time.
 */
#ifndef HD_PARALLEL_PAR_TELL_H
#define HD_PARALLEL_PAR_TELL_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/tasks/task_check.h"

struct hd_par_options {
	unsigned workers;
	bool checks; /* else the run is only carried out */
	struct hd_task_options tasks;
	bool stats;
	int exitcode;
};

/* Read the options. */
void hd_par_tell_start(struct hd_par_options *o);
/* Open the trace: without, the command says that there was nothing to look at. */
void hd_par_tell_attach(void);
void hd_par_tell_end(int status);
/* The program uses OpenMP: it ends, and whoever started it is told why. */
_Noreturn void hd_par_tell_openmp(void);

/* Task @id was made by @parent; once for each that is mentioned. */
void hd_par_tell_task(uint32_t id, uint32_t parent, uintptr_t pc, uint32_t ctx);
/* The program has named this data. */
void hd_par_tell_named(uintptr_t addr, size_t len);
void hd_par_tell_found(const struct hd_found *f);

void hd_par_tell_limits(const struct hd_task_check *check);
/* On standard error. */
void hd_par_tell_stats(const struct hd_task_stats *s);

/* A finding with tasks, frames and accesses between begin and end. */
void hd_par_tell_begin(unsigned kind, uintptr_t addr, uint64_t value, const char *text,
		       uint32_t task);
void hd_par_tell_state(uint32_t task, unsigned state, uintptr_t addr);
void hd_par_tell_frames(uintptr_t pc, uint32_t ctx);
void hd_par_tell_frame(uintptr_t pc);
void hd_par_tell_access(uintptr_t addr, uint32_t task, bool write, uintptr_t pc, uint32_t ctx,
			unsigned number);
void hd_par_tell_finish(void);
void hd_par_tell_drop(const char *reason);

/* The context of a call from @pc in context @parent. */
uint32_t hd_par_tell_context(uint32_t parent, uintptr_t pc);

#endif
