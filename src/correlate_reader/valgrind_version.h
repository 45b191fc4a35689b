/*
 * Which valgrind is in PATH.
 */
#ifndef HD_CORRELATE_READER_VALGRIND_VERSION_H
#define HD_CORRELATE_READER_VALGRIND_VERSION_H

#include <stdbool.h>
#include <stddef.h>

/* The first line that `valgrind --version` writes; false: there is none. */
bool hd_valgrind_version(char *buf, size_t len);

#endif
