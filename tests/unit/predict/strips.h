/*
 * A planner for small STRIPS problems without parameters: it takes nothing that is not
 * declared, and searches breadth first, so that it finds a shortest plan or proves that
 * there is none.
 */
#ifndef HD_TEST_STRIPS_H
#define HD_TEST_STRIPS_H

#include <stdbool.h>
#include <stddef.h>

#define STRIPS_ATOMS   128
#define STRIPS_ACTIONS 256
#define STRIPS_NAMES   256
#define STRIPS_WORD    48
#define STRIPS_PLAN    64

typedef unsigned __int128 strips_set; /* of atoms */

struct strips_action {
	char name[STRIPS_WORD];
	strips_set needs, adds, deletes;
};

struct strips {
	char domain[STRIPS_WORD];
	char constants[STRIPS_NAMES][STRIPS_WORD], predicates[STRIPS_NAMES][STRIPS_WORD];
	size_t nconstants, npredicates;
	char atoms[STRIPS_ATOMS][2 * STRIPS_WORD]; /* "done t1_1" */
	size_t natoms;
	struct strips_action actions[STRIPS_ACTIONS];
	size_t nactions;
	strips_set init, goal;
};

/* NULL, or what is wrong with one of them. All names end up in lower case. */
const char *strips_parse(struct strips *s, const char *domain, const char *problem);

/* The number of actions of a shortest plan, -1 if there is none. */
int strips_plan(const struct strips *s, const struct strips_action *plan[STRIPS_PLAN]);

/* The set of "done t1_1; not_executed t1_2", which must all be there; 0 if one is not. */
strips_set strips_atoms(const struct strips *s, const char *list);

const struct strips_action *strips_action(const struct strips *s, const char *name);

#endif
