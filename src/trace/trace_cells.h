/*
 * A recorded run as a run over cells: locations that no access tears apart.
 *
 * Accesses of a real program overlap with different sizes; the text forms know only
 * locations with a value. Memory is cut where any access begins or ends, an access
 * of several cells becomes several steps, and what the recorder could not see is
 * made explicit, so that the result is a run that explains every value it shows.
 */
#ifndef HD_TRACE_CELLS_H
#define HD_TRACE_CELLS_H

#include "trace_reader.h"

struct hd_cell {
	uint64_t addr;
	uint64_t size;
	uint64_t value;
	uint32_t number; /* place in the order of addresses */
	bool used;
	uint64_t open; /* for trace_cells.c */
};

/*
 * One step: an event as it is where cell is NULL, else op on a cell. Steps that
 * stand for code heddle did not see are INITs, or WRITEs of thread 0.
 */
struct hd_cell_step {
	const struct hd_event *ev; /* NULL: code that heddle did not see */
	uint64_t index;		   /* of ev in the trace */
	uint8_t op;
	uint32_t thread;
	const struct hd_cell *cell;
	uint64_t value, value2; /* of the cell's size */
};

/* Return anything but HD_OK to stop. */
typedef enum hd_err hd_step_fn(void *arg, const struct hd_cell_step *step, struct hd_errbuf *eb);

/* The cells of a run, for whoever goes through its steps several times. */
struct hd_cells;

/* @t is borrowed. Of a damaged file all before the damage is taken, and that is no error here. */
enum hd_err hd_cells_open(struct hd_cells **out, struct hd_trace *t, struct hd_errbuf *eb);
void hd_cells_close(struct hd_cells *c);
size_t hd_cells_count(const struct hd_cells *c);
/* The highest number of a thread, also of one that is only forked or joined. */
uint64_t hd_cells_highest_thread(const struct hd_cells *c);

/*
 * Call @fn for every step of the run. All events before damage to the file are
 * delivered, then the error returned. HD_ERR_STOPPED: the budget is over.
 */
enum hd_err hd_cells_pass(struct hd_cells *c, hd_step_fn *fn, void *arg, struct hd_errbuf *eb);

/* The same, once. */
enum hd_err hd_cells_each(struct hd_trace *t, hd_step_fn *fn, void *arg, struct hd_errbuf *eb);

/* A cell's value as people write it: four and eight bytes signed, others not. */
int64_t hd_cell_signed(const struct hd_cell *cell, uint64_t value);

#endif
