/*
 * Lines of source files, for quoting.
 */
#ifndef HD_REPORT_SOURCE_LINES_H
#define HD_REPORT_SOURCE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/map.h"
#include "symbols/symbols.h"

/*
 * Where the source of @frame, whose file is known, is to be read: where the compiler found it, or, if
 * there is no such file (the program came from elsewhere), by the name that it was given there.
 */
const char *hd_source_path(const struct hd_frame *frame);

/*
 * Line @frame->line of the file into @buf, without blanks at its start and cut to @len.
 * False if the file cannot be read, is no plain file, has no such line, or was changed
 * after the program was built: then the line would be another one.
 */
bool hd_source_line(const struct hd_frame *frame, char *buf, size_t len);

/* Files by name, and where each is to be read: those that a page shows whole. */
struct hd_source_files {
	struct hd_texts names;
	char **paths; /* of the name with this index */
	size_t cap;
};

/* False: out of memory. The file of @frame is known and not among them. */
bool hd_source_files_add(struct hd_source_files *files, const struct hd_frame *frame);
bool hd_source_files_have(const struct hd_source_files *files, const struct hd_frame *frame);
void hd_source_files_free(struct hd_source_files *files);

#endif
