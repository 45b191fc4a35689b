/*
 * Kinds of findings; kinds.def is the list and says what its columns mean.
 */
#ifndef HD_TRACE_KINDS_H
#define HD_TRACE_KINDS_H

#include <stdbool.h>

enum hd_rule {
#define HD_RULE(name, word, title, maybe, sarif, text) HD_RULE_##name,
#define HD_KIND(name, number, rule, as, certainty, criterion, id, traits)
#include "kinds.def"
#undef HD_RULE
#undef HD_KIND
	HD_RULE_NONE, /* not a fault of the program, so no rule is broken */
	HD_RULES = HD_RULE_NONE
};

enum hd_kind {
#define HD_RULE(name, word, title, maybe, sarif, text)
#define HD_KIND(name, number, rule, as, certainty, criterion, id, traits) HD_KIND_##name = (number),
#include "kinds.def"
#undef HD_RULE
#undef HD_KIND
};

enum hd_certainty {
	HD_CERTAIN,   /* it happened in this run */
	HD_PREDICTED, /* some schedule of the same work has it */
	HD_CANDIDATE, /* nothing that was looked at excludes it: to be tried */
};

enum hd_kind_trait {
	HD_HAS_ACCESSES = 1, /* about accesses or locks taken, not about threads in some state */
	HD_ENDS_RUN = 2,     /* others are noticed, and the program goes on */
	HD_NO_FAULT = 4,     /* it tells of a replay, not of the program */
	/* What a fingerprint is made from, beside the kind and the code: */
	HD_ID_VALUE = 0x10,    /* the signal or status */
	HD_ID_LOCATION = 0x20, /* the variable */
	HD_ID_TEXT = 0x40,     /* the sentence */
	HD_ID_ROLES = 0x80,    /* which access has which role */
	HD_ID_LOCKS = 0x100,   /* the locks taken */
	HD_ID_GOAL = 0x200,    /* the goal as it is written, and nothing else */
};

struct hd_rule_info {
	const char *word, *title, *maybe, *sarif, *text;
};

struct hd_kind_info {
	enum hd_rule rule;
	enum hd_kind as;
	enum hd_certainty certainty;
	const char *criterion; /* NULL: there is but one */
	const char *id;
	unsigned traits;
};

extern const struct hd_rule_info hd_rules[HD_RULES];

/* A number that is none of ours, from a newer heddle's trace, counts as a misuse. */
const struct hd_kind_info *hd_kind_info(unsigned kind);

/* The word of its rule. */
const char *hd_kind_word(unsigned kind);
/* Its title; with @candidate, as something possible. */
const char *hd_kind_title(unsigned kind, bool candidate);

static inline bool hd_kind_has(unsigned kind, enum hd_kind_trait trait)
{
	return hd_kind_info(kind)->traits & trait;
}

#endif
