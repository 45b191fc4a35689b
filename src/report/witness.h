/*
 * A recorded run for the page that draws it: its events, each one string of fields, with the places
 * and calling contexts that they share listed once.
 */
#ifndef HD_REPORT_WITNESS_H
#define HD_REPORT_WITNESS_H

#include "common/json_out.h"
#include "source_lines.h"

/* More events of a run than this are not drawn: those around the accesses of the finding are. */
#define HD_WITNESS_EVENTS 20000u

/*
 * Member @path of an object: the run in the trace at @path around the events @first to @last
 * (HD_NO_INDEX: its end), at most *@room events, which is then less by as many. Source files that
 * it mentions and that are as they were when the program was built go to @files. A trace that
 * cannot be read is told of in the member "problem".
 *
 *   events    "number thread op object value place context", tabs between them; place and context
 *             are indices, -1: none
 *   places    "file line function"; of inlined functions a line for each, innermost first
 *   contexts  "parent place", where the function was called
 *   threads   "T2 name"
 */
enum hd_err hd_witness_put(struct hd_json *j, const char *path, uint64_t first, uint64_t last,
			   struct hd_source_files *files, uint64_t *room);

#endif
