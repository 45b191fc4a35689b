/*
 * Input files, read at once.
 */
#ifndef HD_COMMON_WHOLE_FILE_H
#define HD_COMMON_WHOLE_FILE_H

#include <stddef.h>

#include "common/err.h"

#define HD_SMALL_FILE ((size_t)256 << 20) /* more than anybody writes by hand */

/*
 * *@text is the caller's to free; it ends with a zero byte that is not counted. HD_ERR_LIMIT: there
 * are more than @most bytes; 0: there is no limit.
 */
enum hd_err hd_read_whole(const char *path, size_t most, char **text, size_t *len,
			  struct hd_errbuf *eb);

#endif
