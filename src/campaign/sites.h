/*
 * Find in another run what was predicted of an observed one: threads at the same places in the
 * code, in the order that breaks the program.
 */
#ifndef HD_CAMPAIGN_SITES_H
#define HD_CAMPAIGN_SITES_H

#include <stdbool.h>

#include "common/err.h"
#include "trace/found.h"
#include "trace/trace_reader.h"

#define HD_SITES_MAX 8u

struct hd_sites {
	struct hd_found found; /* as the one looked for, with the events of this run */
	struct hd_found_access accesses[HD_SITES_MAX];
	bool complete; /* all of them; else the run ended before the last one */
};

/*
 * The last time that the accesses of @wanted (a pattern: e1, f, e2, ...) come in their order in
 * @t: at the same places, on memory that they share where they did, by the same thread where they
 * were; which threads these are does not matter. *@found is false: never. @t is read from its
 * start. The result has pointers into itself: do not copy it; hd_sites_free it in every case.
 */
enum hd_err hd_sites_find(struct hd_sites *out, struct hd_trace *t, const struct hd_found *wanted,
			  bool *found, struct hd_errbuf *eb);
void hd_sites_free(struct hd_sites *s);

#endif
