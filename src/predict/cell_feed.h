/*
 * The steps of a trace over cells (trace_cells.h), numbered: what an instance is made of. Kept
 * apart because a step of trace_cells.h and one of instance.h share their name.
 */
#ifndef HD_PREDICT_CELL_FEED_H
#define HD_PREDICT_CELL_FEED_H

#include "trace/trace_reader.h"

#define HD_NO_CELL UINT32_MAX

/* Memory follows the highest number of a thread: beyond this one a run is refused. */
#define HD_FEED_THREADS (1u << 20)

struct hd_fed {
	const struct hd_event *ev; /* NULL: code that heddle did not see */
	uint64_t index;		   /* of ev in the trace */
	uint8_t op;
	uint32_t thread; /* 0: code that heddle did not see; a run's own T0 gets a free number */
	uint32_t other;	 /* FORK, JOIN: the other thread, in the same numbers */
	uint32_t cell;	 /* HD_NO_CELL: not an access */
	uint64_t value, value2;
};

typedef enum hd_err hd_fed_fn(void *arg, const struct hd_fed *fed, struct hd_errbuf *eb);

struct hd_feed {
	struct hd_cells *cells;
	size_t ncells;
	uint32_t highest; /* number of a thread; with a T0 it is one more */
	hd_fed_fn *fn;
	void *arg;
	uint64_t nsteps;
};

/* @t is borrowed. Free with hd_feed_close(), also when it failed. */
enum hd_err hd_feed_open(struct hd_feed *f, struct hd_trace *t, struct hd_errbuf *eb);
void hd_feed_close(struct hd_feed *f);

/* Call @fn for every step, any number of times; as hd_cells_pass. */
enum hd_err hd_feed_pass(struct hd_feed *f, hd_fed_fn *fn, void *arg, struct hd_errbuf *eb);

#endif
