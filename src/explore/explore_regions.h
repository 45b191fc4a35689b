/*
 * What the races of a task program have to do with its permission regions.
 *
 * Two regions that are open at once and must not be are *real* if accesses inside of both race in some
 * schedule; if everything was tried and none do, a region is larger than it need be, and what was
 * accessed inside says by how much. A racing access outside of any region and isolated block is
 * *sharing* that nobody has said anything about.
 */
#ifndef HD_EXPLORE_EXPLORE_REGIONS_H
#define HD_EXPLORE_EXPLORE_REGIONS_H

#include "campaign/campaign.h"

/* Where a region is opened, and what executions did inside. */
struct hd_region_site {
	uint64_t pc;
	bool write;    /* it is opened to write */
	bool elements; /* of elements of an array, these: */
	uint64_t from, to;
	char *object; /* its name; NULL: unknown */
	char *file;
	uint32_t line;
	/* Inside: */
	bool reads, writes, outside; /* outside: of isolated blocks */
	uint32_t first, last;	     /* lines; 0: there were no accesses */
	uint64_t low, high;	     /* elements that were accessed, if it is of elements */
	bool named;		     /* somebody has been told of it */
};

struct hd_region_pair {
	uint64_t a, b; /* pcs, the lower first */
	char *words;   /* the accesses that race, if there are some; else NULL */
};

struct hd_regions {
	struct hd_region_site *sites;
	size_t nsites, sites_room;
	struct hd_region_pair *real, *conflicts;
	size_t nreal, real_room, nconflicts, conflicts_room;
};

/* Look at a run, complete and with its trace, and put annotations to its races. False: no memory. */
bool hd_regions_look(struct hd_regions *r, struct hd_trial *t);
/*
 * After all runs: what becomes of the conflicts of regions, in the findings of all runs that were kept
 * and in notes. @proved: everything was tried. False: no memory.
 */
bool hd_regions_settle(struct hd_regions *r, struct hd_campaign *c, bool proved);
void hd_regions_free(struct hd_regions *r);

#endif
