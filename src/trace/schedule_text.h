/*
 * The text of a schedule from memory, for the fuzz target.
 */
#ifndef HD_TRACE_SCHEDULE_TEXT_H
#define HD_TRACE_SCHEDULE_TEXT_H

#include "schedule.h"

/* @file is for messages. On failure @s is empty. */
enum hd_err hd_schedule_parse(struct hd_schedule *s, const char *text, size_t len, const char *file,
			      struct hd_errbuf *eb);

#endif
