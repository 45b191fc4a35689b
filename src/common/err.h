/*
 * How libraries report failure: a code, and a sentence with the details.
 *
 * Libraries return enum hd_err and fill a caller's struct hd_errbuf; they never
 * print and never exit. The command line turns both into one line for a person.
 */
#ifndef HD_COMMON_ERR_H
#define HD_COMMON_ERR_H

#include <stdarg.h>
#include <stdint.h>

#include "heddle/engine/err.h"

/* Fill @eb (may be NULL) and return @code, so that `return hd_fail(...)` works. */
enum hd_err hd_fail(struct hd_errbuf *eb, enum hd_err code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * The same for code that many calls lie above: the failure is kept for this thread, and whoever
 * lets the user know of it asks hd_last_error(). Only who returns the code may set it.
 */
enum hd_err hd_error(enum hd_err code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The last failure of this thread that hd_error() was told of. */
const struct hd_errbuf *hd_last_error(void);

#endif
