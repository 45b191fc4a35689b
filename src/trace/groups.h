/*
 * Groups: locations that belong together and are meant as one variable, as a file of text.
 *
 *     # what belongs together
 *     group account: balance, count
 *     group entry: struct entry.key, struct entry.value
 *     group cell: alloc bank.c:12 +0..8, +8..16
 *
 * The first names variables; the second members of a struct, which make one group in every
 * instance; the third bytes of every block that a line of the source allocates (the end is not
 * included). docs/reference/groups.md says more.
 *
 * Names become addresses through calls that the user of this file provides.
 */
#ifndef HD_TRACE_GROUPS_H
#define HD_TRACE_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/err.h"
#include "event.h"

enum hd_group_kind {
	HD_GROUP_VARIABLES,
	HD_GROUP_STRUCT,
	HD_GROUP_ALLOC,
};

struct hd_group_member {
	char *name;	   /* of the variable or member; NULL for HD_GROUP_ALLOC */
	uint64_t from, to; /* for HD_GROUP_ALLOC */
};

struct hd_group {
	char *name;
	enum hd_group_kind kind;
	char *place;   /* the struct, or the source file of the allocation; else NULL */
	uint32_t line; /* of the allocation */
	struct hd_group_member *members;
	size_t nmembers, members_room;
};

struct hd_groups {
	struct hd_group *groups;
	size_t ngroups, room;
};

/* On failure @g is empty and the error names @file and the line. */
enum hd_err hd_groups_parse(struct hd_groups *g, const char *text, size_t len, const char *file,
			    struct hd_errbuf *eb);
enum hd_err hd_groups_load(struct hd_groups *g, const char *path, struct hd_errbuf *eb);
void hd_groups_free(struct hd_groups *g);

/* Write them so that hd_groups_parse() gives the same again. */
void hd_groups_write(const struct hd_groups *g, FILE *out);

/* What the names mean in the program at hand. A call that is NULL knows nothing. */
struct hd_group_resolver {
	void *arg;
	/* Where a global variable (or a part of one: "bank.total", "slots[3]") is. */
	bool (*variable)(void *arg, const char *name, uint64_t *addr, uint64_t *len);
	/* Where in a struct a member is. */
	bool (*member)(void *arg, const char *type, const char *member, uint64_t *offset,
		       uint64_t *len);
	/* The @i-th variable, from 0, that is such a struct; false: there are no more. */
	bool (*instance)(void *arg, const char *type, size_t i, uint64_t *addr);
	/*
	 * Where @alloc was made, and for what: *file and *type are NULL and *type_size is 0 where
	 * it is not known.
	 */
	void (*allocation)(void *arg, const struct hd_event *alloc, const char **file,
			   uint32_t *line, const char **type, uint64_t *type_size);
};

/* Bytes of one instance of @group; the same @number for all that belong together. */
typedef void hd_group_sink(void *arg, const struct hd_group *group, uint32_t number, uint64_t addr,
			   uint64_t len);

/* Groups of a file are numbered from here, so that they are not taken for those of events. */
#define HD_GROUP_FIRST (1u << 24)

/*
 * Tell @sink of what exists before the program runs. *@next is the number of the next instance.
 * A variable or member that the program does not have is an error that names it.
 */
enum hd_err hd_groups_resolve(const struct hd_groups *g, const struct hd_group_resolver *r,
			      uint32_t *next, hd_group_sink *sink, void *arg, struct hd_errbuf *eb);

/* The same for the memory of one HD_OP_ALLOC. */
void hd_groups_allocated(const struct hd_groups *g, const struct hd_group_resolver *r,
			 const struct hd_event *alloc, uint32_t *next, hd_group_sink *sink,
			 void *arg);

#endif
