/*
 * Drain the ring into a trace while the tested program runs.
 */
#ifndef HD_LAUNCH_COLLECTOR_H
#define HD_LAUNCH_COLLECTOR_H

#include "common/err.h"
#include "trace/ring.h"
#include "trace/trace_writer.h"

struct hd_collector;

/*
 * Make a ring in a memfd: *fd for the program to map, *ring mapped here.
 */
enum hd_err hd_ring_create(int *fd, struct hd_ring **ring, struct hd_errbuf *eb);
enum hd_err hd_ring_map(int fd, struct hd_ring **ring, struct hd_errbuf *eb);
void hd_ring_unmap(struct hd_ring *ring);

/*
 * Start a thread that takes buffers from @ring and gives their events to @w, and
 * those that a report needs (threads, modules, findings) to @digest as well, unless
 * it is NULL. If writing to @w fails (disk full), it tells the program to stop
 * recording, keeps draining so that the program never waits, and keeps the error.
 */
enum hd_err hd_collector_start(struct hd_collector **out, struct hd_ring *ring,
			       struct hd_trace_writer *w, struct hd_trace_writer *digest,
			       struct hd_errbuf *eb);

/*
 * From now on, before the program has begun: @fn hears of the events that a report needs as soon as
 * they are there, and of no event (NULL) some ten times a second. It is called by the collector's
 * thread.
 */
typedef void hd_collected_fn(void *arg, const struct hd_event *ev);
void hd_collector_listen(struct hd_collector *c, hd_collected_fn *fn, void *arg);
/* For it: the text with that number; NULL: there is none. */
const char *hd_collector_string(struct hd_collector *c, uint64_t id);

/* What went by; for after hd_collector_stop. */
struct hd_collected {
	uint64_t events, choices;
};

/*
 * The program has ended (however it did): take what is left, including the last
 * partly filled buffer, stop the thread and free @c. The writer is the caller's
 * to finish. Returns the first error of writing, if any. @counts may be NULL.
 */
enum hd_err hd_collector_stop(struct hd_collector *c, struct hd_collected *counts,
			      struct hd_errbuf *eb);

#endif
