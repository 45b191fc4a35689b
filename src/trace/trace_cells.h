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
	uint8_t op;
	uint32_t thread;
	const struct hd_cell *cell;
	uint64_t value, value2; /* of the cell's size */
};

/* Return anything but HD_OK to stop. */
typedef enum hd_err hd_step_fn(void *arg, const struct hd_cell_step *step, struct hd_errbuf *eb);

/*
 * Call @fn for every step of the run. All events before damage to the file are
 * delivered, then the error returned.
 */
enum hd_err hd_cells_each(struct hd_trace *t, hd_step_fn *fn, void *arg, struct hd_errbuf *eb);

/* A cell's value as people write it: four and eight bytes signed, others not. */
int64_t hd_cell_signed(const struct hd_cell *cell, uint64_t value);

#endif
