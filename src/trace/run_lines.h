/*
 * What the text files that describe a run have in common: words, and the lines that say which
 * program it was, with which options and when.
 */
#ifndef HD_TRACE_RUN_LINES_H
#define HD_TRACE_RUN_LINES_H

#include <stdio.h>

#include "schedule.h"
#include "trace_import.h"
#include "trace_reader.h"

struct hd_run_lines {
	struct hd_schedule *s; /* gets program, options, start time */
	size_t argv_room, keys_room, values_room, choices_room;
	const char *file; /* for messages */
	unsigned long line;
	struct hd_errbuf *eb;
};

enum hd_err hd_run_no_memory(struct hd_run_lines *l);
/* "FILE: line N: @what" */
enum hd_err hd_run_bad(struct hd_run_lines *l, const char *what);

/*
 * The next word of the line, or quoted text, as a string of its own; NULL: there is
 * none (then *@err is HD_OK) or it is bad.
 */
char *hd_run_word(struct hd_run_lines *l, struct hd_token *rest, enum hd_err *err);
enum hd_err hd_run_nothing_more(struct hd_run_lines *l, struct hd_token rest);

/* The first line is "@kind VERSION", e.g. "heddle-schedule 1"; @what for people: "a schedule". */
enum hd_err hd_run_first_line(struct hd_run_lines *l, struct hd_token line, const char *kind,
			      const char *what);
/* If @word begins a line that says something of the run, take it and set *@taken. */
enum hd_err hd_run_line(struct hd_run_lines *l, const char *word, struct hd_token rest,
			bool *taken);
/* Takes both over; they come from malloc, and may be NULL: no memory. */
enum hd_err hd_run_option(struct hd_run_lines *l, char *key, char *value);
/* The same from the head of a trace. */
enum hd_err hd_run_from_trace(struct hd_run_lines *l, const struct hd_trace *t);

/* A word with a space before it, in quotes where it needs them. */
void hd_run_put_word(FILE *out, const char *s);
void hd_run_put(FILE *out, const struct hd_schedule *s);

#endif
