/*
 * What kind of file a program is, before it is started: only what `heddle cc` built comes under control.
 */
#ifndef HD_LAUNCH_PROGRAM_FILE_H
#define HD_LAUNCH_PROGRAM_FILE_H

#include <stdbool.h>

#include "common/err.h"

enum hd_program_kind {
	HD_PROGRAM_BUILT,   /* with `heddle cc`, by this version */
	HD_PROGRAM_VERSION, /* ... by another one */
	HD_PROGRAM_NATIVE,  /* with `heddle cc --native` */
	HD_PROGRAM_PLAIN,   /* by something else */
	HD_PROGRAM_STATIC,  /* statically linked */
	HD_PROGRAM_FOREIGN, /* for another machine, or no program at all */
	HD_PROGRAM_SCRIPT,  /* no machine code: it may start whatever it likes */
	HD_PROGRAM_UNKNOWN, /* it cannot be read */
};

#define HD_BUILT_MAX 64

/* @built: what the version that built it calls itself; "": it does not say. */
enum hd_program_kind hd_program_kind(const char *path, char built[HD_BUILT_MAX]);

/*
 * Is there such a program, and can heddle control it, or might it start one that heddle can control
 * (a shell, make, ...)? HD_OK, or HD_ERR_REQUEST after a message.
 */
enum hd_err hd_find_built_program(const char *name);

#endif
