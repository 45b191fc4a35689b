/*
 * The line that says how far long work has come. It is on standard error if that is a terminal and
 * nowhere else, never longer than the terminal is wide (a line that wraps cannot be taken back),
 * and gone before anything else is written. There is one terminal, and so one line.
 */
#ifndef HD_CLI_PROGRESS_H
#define HD_CLI_PROGRESS_H

#include <stdbool.h>

/* Listen to the engine (common/listener.h). @wanted: the user did not ask for silence. */
void hd_progress_init(bool wanted);

#endif
