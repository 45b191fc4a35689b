/*
 * A schedule: the scheduler's decisions in order, one thread number each.
 *
 * Comes from a trace (its CHOICE events) or from a text file:
 *
 *     heddle-schedule 1
 *     program ./bank 3
 *     option policy random
 *     option seed 7
 *     option switch-at atomics
 *     start-time 1700000000
 *     T1 x14          # T1 was chosen 14 times in a row
 *     T2
 *     T1 x3
 */
#ifndef HD_TRACE_SCHEDULE_H
#define HD_TRACE_SCHEDULE_H

#include <stddef.h>

#include "common/err.h"

struct hd_schedule {
	char **argv;
	int argc;
	char **keys, **values; /* options that shape the run */
	size_t nkeys;
	uint64_t start_time;
	uint32_t *choices;
	size_t nchoices;
};

/* Read a schedule from a text file or from a trace, whichever @path is. */
enum hd_err hd_schedule_load(struct hd_schedule *s, const char *path, struct hd_errbuf *eb);
enum hd_err hd_schedule_save(const struct hd_schedule *s, const char *path, struct hd_errbuf *eb);
/* What that file would have in it; the caller's to free. NULL: no memory. */
char *hd_schedule_text(const struct hd_schedule *s);
const char *hd_schedule_option(const struct hd_schedule *s, const char *key);
void hd_schedule_free(struct hd_schedule *s);

#endif
