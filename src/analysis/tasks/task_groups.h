/*
 * Locations that are meant as one variable, in task programs: steps that touch several of them.
 *
 * Two parallel steps S and T are in conflict on a member where both access it and one writes. If some
 * schedule has S before T on one member and T before S on another, no order of whole steps does the
 * same: a cycle of two steps. Nothing less is reported: accesses to different members of which
 * only one is in conflict are serializable.
 *
 * What a step did to a group is a *story*: its accesses to members and its lock operations, in
 * order. Two stories are decided as two lock words are (lock_word.h), by paths through a grid;
 * the answer is remembered. For each story two steps stand for all (task_cells.h).
 */
#ifndef HD_ANALYSIS_TASK_GROUPS_H
#define HD_ANALYSIS_TASK_GROUPS_H

#include "task_hits.h"

#define HD_STORY_MAX   64 /* a longer one is not looked at */
#define HD_MEMBERS_MAX 16 /* nor are more members */

/* An event of a story: a lock operation (lock_word.h), or an access. */
enum { HD_STORY_ACCESS = 1u << 31, HD_STORY_WRITE = 1 };
typedef uint32_t hd_story_item; /* HD_STORY_ACCESS | member << 1 | writes */

/* What the step at hand of a task did, to all groups. */
struct hd_telling {
	struct hd_told {
		hd_story_item item;
		uint32_t group; /* of an access */
		struct hd_did_at at;
		uint64_t addr;
	} * told;
	size_t n, room;
	bool accessed, too_long;
};

struct hd_task_groups {
	struct hd_addr_map at;	/* address / 8 + 1 -> first of its members */
	struct hd_slab members; /* struct member */
	struct hd_map group_of; /* number in events -> place in groups, plus 1 */
	struct hd_group_cell {
		uint32_t number, nmembers;
		struct hd_task_cell cell; /* sets by story */
	} * groups;
	size_t ngroups, room;
	struct hd_intern stories;
	struct hd_intern places; /* for each step that is kept: where its accesses were */
	struct hd_map answers;
	uint64_t left_out; /* stories that were too long */
	bool failed;
};

bool hd_task_groups_init(struct hd_task_groups *g);
void hd_task_groups_free(struct hd_task_groups *g);

/* @len bytes at @addr belong to group @number from now on, as one more member. */
void hd_task_groups_add(struct hd_task_groups *g, uint64_t addr, uint64_t len, uint32_t number);
void hd_task_groups_forget(struct hd_task_groups *g, uint64_t addr, uint64_t len);

/* Does the memory of @granule belong to groups? Then what is done to @mask of it goes into @t. */
void hd_task_groups_access(struct hd_task_groups *g, struct hd_telling *t, uint64_t granule,
			   uint8_t mask, bool write, struct hd_did_at at);
void hd_task_groups_lock(struct hd_telling *t, hd_lock_op op);

/* The step is over: compare its stories with those of others, then keep them. */
void hd_task_groups_step(struct hd_task_groups *g, struct hd_telling *t, hd_dpst_id step,
			 struct hd_task_cells *cells, struct hd_task_hits *hits);

static inline bool hd_task_groups_any(const struct hd_task_groups *g)
{
	return g->ngroups;
}

#endif
