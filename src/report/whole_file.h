/*
 * Small input files, read at once.
 */
#ifndef HD_REPORT_WHOLE_FILE_H
#define HD_REPORT_WHOLE_FILE_H

#include <stddef.h>

#include "common/err.h"

/* *@text is the caller's to free; it ends with a zero byte that is not counted. */
enum hd_err hd_read_whole(const char *path, char **text, size_t *len, struct hd_errbuf *eb);

#endif
