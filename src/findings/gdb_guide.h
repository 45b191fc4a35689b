/*
 * What the script for gdb is told of a schedule: the decisions that switch threads, and where the
 * accesses of the finding are.
 */
#ifndef HD_FINDINGS_GDB_GUIDE_H
#define HD_FINDINGS_GDB_GUIDE_H

#include <stdio.h>

#include "common/err.h"

/*
 * Lines about the trace at @path; nothing if it is a schedule as text.
 *
 *   switch FROM TO PLACE               the thread that is left is about to do PLACE
 *   mark ROLE THREAD CHOICES PC NTH OP PLACE
 *                                      after CHOICES decisions, the NTH time at PC
 */
enum hd_err hd_gdb_guide(const char *path, FILE *out, struct hd_errbuf *eb);

#endif
