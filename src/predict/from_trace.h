/*
 * A trace as a prediction problem.
 *
 * Locations are cells (trace_cells.h), so that accesses of different sizes meet where they
 * overlap; an access of several cells is several steps with the event's number. What instance.h
 * has no word for is said in reads and writes, so that every solver understands it:
 * - An atomic read-modify-write is a read and a write under a lock of the cell, which other
 *   writes of such a cell take as well.
 * - Semaphores count, tries that fail find the lock held, a once or a future is there for all who
 *   come after its end, and whoever leaves a barrier has seen all of its round enter.
 * - A wait for a condition ends (at the mutex that it takes again) after some notification
 *   that came after its beginning; where several wait and one is notified, after the one that
 *   ended it in the run: that is assumed, others would do.
 * - Annotations, phasers, and whatever does not follow the rule of its kind (sync_survey.h) keep the
 *   order of their operations, each object for itself: assumed as well.
 * - Writes of code that heddle did not see belong to the thread that first shows them.
 */
#ifndef HD_PREDICT_FROM_TRACE_H
#define HD_PREDICT_FROM_TRACE_H

#include "instance.h"
#include "trace/trace_reader.h"

/*
 * Free with hd_instance_free. Thread n of the trace is thread n - 1. Like every reader of traces:
 * damage to the file is an error, but all before it is in @out, which is to be freed then too.
 */
enum hd_err hd_instance_from_trace(struct hd_instance *out, struct hd_trace *t,
				   struct hd_errbuf *eb);

/*
 * The same without what no order changes (thin.h), which is never kept. *@nlocations: how many there were
 * with that.
 */
enum hd_err hd_instance_thin_from_trace(struct hd_instance *out, uint32_t *nlocations,
					struct hd_trace *t, struct hd_errbuf *eb);

/*
 * The steps of event @index that are its own, not those of locks around it: the first and the
 * last, in the observed order. False: it has none. For a goal, take the last of an event that
 * others must come after, the first of one that comes last or is to be next.
 */
bool hd_instance_steps_of(const struct hd_instance *in, uint64_t index, uint32_t *first,
			  uint32_t *last);

/* The first step of the event, locks around it included: for next, where it is an atomic. */
bool hd_instance_entry_of(const struct hd_instance *in, uint64_t index, uint32_t *step);

#endif
