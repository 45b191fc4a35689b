/*
 * Names of files.
 */
#ifndef HD_COMMON_PATH_H
#define HD_COMMON_PATH_H

#include <stddef.h>
#include <string.h>

/* What follows the last slash; all of @path where there is none. NULL of NULL. */
static inline const char *hd_base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

#endif
