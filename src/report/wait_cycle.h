/*
 * Who waits for whom at the moment of a deadlock, and whether that is a cycle.
 */
#ifndef HD_REPORT_WAIT_CYCLE_H
#define HD_REPORT_WAIT_CYCLE_H

#include "run_model.h"

/* Does holding @h keep a thread in @st waiting? Readers do not keep readers out. */
bool hd_blocks(const struct hd_holding *h, const struct hd_finding_thread *st);

/*
 * The threads that @st waits for, one a call, as indices in f->threads; -1 where
 * one is not among them. *@cursor starts at 0; call while hd_more_blockers() says so.
 */
bool hd_more_blockers(const struct hd_finding *f, const struct hd_finding_thread *st,
		      size_t cursor);
ptrdiff_t hd_next_blocker(const struct hd_finding *f, const struct hd_finding_thread *st,
			  size_t *cursor);

/* Find one cycle of waiting threads and store it in the finding (none: ncycle is 0). */
enum hd_err hd_find_cycle(struct hd_finding *f);

#endif
