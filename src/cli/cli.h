/*
 * What the commands share: exit codes and messages.
 */
#ifndef HD_CLI_H
#define HD_CLI_H

#include <stddef.h>

#include "common/err.h"
#include "heddle/engine/status.h"

enum hd_exit {
	HD_EXIT_CLEAN = 0,    /* nothing found, and everything was tried */
	HD_EXIT_FINDINGS = 1, /* findings */
	HD_EXIT_USAGE = 2,    /* the command or its input was wrong */
	HD_EXIT_FAILED = 3,   /* heddle itself failed */
	HD_EXIT_STOPPED = 4,  /* nothing found, but not everything was tried */
};

/* "heddle: ..." on standard error, one line. */
void hd_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same, and @code. */
int hd_complain(enum hd_exit code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same, and the exit status for what the user, or heddle, did wrong. */
int hd_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int hd_failed(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The engine's failure as an exit status, after its sentence (hd_last_error). HD_OK is clean. */
int hd_exit_for(enum hd_err err);
int hd_exit_with(enum hd_err err, const enum hd_status *status);

struct hd_outputs;
/* Close them; @rc, or the exit status of a failure to write. */
int hd_close_outputs(struct hd_outputs *out, int rc);

/* How `heddle cc` sees accesses, and why: a sentence without its full stop. */
void hd_cc_describe(char *out, size_t size);

/* Each command: argv[0] is the command's own name. Listed in commands.def. */
#define HD_COMMAND(word, function, summary) int function(int argc, char **argv);
#include "commands.def"
#undef HD_COMMAND

#endif
