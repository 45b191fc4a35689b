/*
 * The line that says how far long work has come. It is on standard error if that is a terminal and
 * nowhere else, never longer than the terminal is wide (a line that wraps cannot be taken back),
 * and gone before anything else is written. There is one terminal, and so one line.
 */
#ifndef HD_CLI_PROGRESS_H
#define HD_CLI_PROGRESS_H

#include <stdbool.h>

/* @wanted: the user did not ask for silence. Until this is called, nothing is shown. */
void hd_progress_init(bool wanted);

/* Is there a terminal, and has the line been there long enough? */
bool hd_progress_due(void);

/* Show this from now on; nothing without a terminal. */
void hd_progress_show(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void hd_progress_clear(void);

#define HD_PROGRESS_LEFT 32
/*
 * ", about 12 s left" for work of which @part (0 to 1) is done after @seconds; of no more than @most
 * seconds, if that is not 0. Nothing, if it is too early to tell. Returns @buf.
 */
const char *hd_progress_left(char buf[HD_PROGRESS_LEFT], double part, double seconds, double most);

#endif
