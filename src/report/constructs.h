/*
 * Constructs of OpenMP in reports: which one an access was in, which part of it, and where its
 * pragma is.
 */
#ifndef HD_REPORT_CONSTRUCTS_H
#define HD_REPORT_CONSTRUCTS_H

#include <stdio.h>

#include "run_model.h"

struct hd_construct_text {
	const char *word; /* "parallel for", "task", ... */
	const char *
		part; /* what its parts are: "iteration", ...; NULL: none, or it is not known which one */
	struct hd_frame frame; /* of the pragma; file NULL: unknown */
};

/* False: none is known. */
bool hd_construct_text(const struct hd_run *run, const struct hd_within *w,
		       struct hd_construct_text *text);
/* @before, then "iteration 3 of `parallel for` at f.c:12"; nothing if no construct is known. */
bool hd_put_within(FILE *out, const char *before, const struct hd_run *run,
		   const struct hd_within *w);

#endif
