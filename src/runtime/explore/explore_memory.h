/*
 * What the parts of exploring share inside the program: the explorer's memory, and how the
 * process that executes came to be.
 */
#ifndef HD_RUNTIME_EXPLORE_MEMORY_H
#define HD_RUNTIME_EXPLORE_MEMORY_H

#include "trace/execution_shared.h"
#include "runtime/rt.h"

extern struct hd_xshared *hd_rt_xsh;

/* explore_spare.c: before main, in the process that is copied: make the donors that @sh asks for. */
void hd_rt_spares_make(void);

/*
 * explore_serve.c: at a decision, before anything is noted about it. The execution may
 * stay here for others that begin alike, and go on as a copy. True: this copy is for another request.
 */
bool hd_rt_explore_stay(void);
/* The execution that was asked for has ended, as waitpid(2) would say. */
void hd_rt_explore_answer(int32_t status);

#endif
