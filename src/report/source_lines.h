/*
 * Lines of source files, for quoting.
 */
#ifndef HD_REPORT_SOURCE_LINES_H
#define HD_REPORT_SOURCE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "symbols/symbols.h"

/*
 * Line @frame->line of the file into @buf, without blanks at its start and cut to @len.
 * False if the file cannot be read, is no plain file, has no such line, or was changed
 * after the program was built: then the line would be another one.
 */
bool hd_source_line(const struct hd_frame *frame, char *buf, size_t len);

#endif
