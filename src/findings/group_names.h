/*
 * What the names in a file of groups mean in a run: from the program's debug
 * information, or from the names that an imported trace has.
 */
#ifndef HD_FINDINGS_GROUP_NAMES_H
#define HD_FINDINGS_GROUP_NAMES_H

#include "report/run_model.h"
#include "trace/groups.h"

struct hd_group_names;

/* Both are borrowed. NULL: no memory. */
struct hd_group_names *hd_group_names_new(const struct hd_run *run, const struct hd_trace *trace);
void hd_group_names_free(struct hd_group_names *g);

/* Look at events for names that the trace has; all of them before the first question. */
bool hd_group_names_learn(struct hd_group_names *g, const struct hd_event *events, size_t n);

const struct hd_group_resolver *hd_group_names_resolver(struct hd_group_names *g);

#endif
