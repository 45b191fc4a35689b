/*
 * What a run is told, as lines for the runtime, for a trace and as words of a command line.
 */
#ifndef HD_TRACE_RUN_CONFIG_TEXT_H
#define HD_TRACE_RUN_CONFIG_TEXT_H

#include <stdio.h>

#include "heddle/engine/run_config.h"
#include "schedule.h"
#include "trace_writer.h"

/* "key=value" lines, from which the runtime makes the same struct. */
void hd_run_config_print(const struct hd_run_config *c, FILE *out);

/* Take such lines, which are cut up and keep the texts. Keys that nobody knows are passed over. */
enum hd_err hd_run_config_read(struct hd_run_config *c, char *lines, const char *where);

/* The options in a trace's header, which are to live as long as that is written. */
struct hd_run_meta {
	const char *keys[HD_RUN_COUNT], *values[HD_RUN_COUNT];
	char text[HD_RUN_COUNT][HD_RUN_VALUE];
};

/* What shapes the run, without unimportant defaults. */
void hd_run_config_meta(const struct hd_run_config *c, struct hd_run_meta *m,
			struct hd_trace_meta *meta);

/* The same as words of `heddle run`, each with a blank before it. */
void hd_run_config_words(const struct hd_run_config *c, FILE *out);

/* Take what shaped the run of @s; the rest goes back to its default. @s owns the texts. */
enum hd_err hd_run_config_from_schedule(struct hd_run_config *c, const struct hd_schedule *s,
					const char *path);

#endif
