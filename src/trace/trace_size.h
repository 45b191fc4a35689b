/*
 * Trace files that unpack to far more than any run is recorded in.
 */
#ifndef HD_TRACE_SIZE_H
#define HD_TRACE_SIZE_H

#include "common/err.h"

/* Bytes that any file may unpack to, where nothing else was said: seconds to read. */
#define HD_TRACE_UNPACKED (256ull << 20)
/* Times its own size that a file may always unpack to; loops that repeat one access reach 1300. */
#define HD_TRACE_RATIO 4000u

/*
 * HD_ERR_LIMIT if the chunks of @path say that they unpack to more than @bytes and to more than
 * HD_TRACE_RATIO times the file. Only headers are read. What is no trace, or is damaged, is left to
 * the reader, which holds each chunk to what its header says.
 */
enum hd_err hd_trace_check_size(const char *path, uint64_t bytes, struct hd_errbuf *eb);

#endif
