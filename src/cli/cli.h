/*
 * What the commands share: exit codes and messages.
 */
#ifndef HD_CLI_H
#define HD_CLI_H

#include <stddef.h>

#include "common/err.h"

enum hd_exit {
	HD_EXIT_CLEAN = 0,    /* nothing found, and everything was tried */
	HD_EXIT_FINDINGS = 1, /* findings */
	HD_EXIT_USAGE = 2,    /* the command or its input was wrong */
	HD_EXIT_FAILED = 3,   /* heddle itself failed */
	HD_EXIT_STOPPED = 4,  /* nothing found, but not everything was tried */
};

/* "heddle: ..." on standard error, one line; returns @code so that `return hd_die(...)` works. */
int hd_die(enum hd_exit code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void hd_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Called before such a message, if it is set: a line of progress must go first. */
extern void (*hd_before_message)(void);

/* Each command: argv[0] is the command's own name. Listed in commands.def. */
#define HD_COMMAND(word, function, summary) int function(int argc, char **argv);
#include "commands.def"
#undef HD_COMMAND

#endif
