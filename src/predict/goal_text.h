/*
 * Goals that people write: files of ordering and co-enabledness goals, and --pattern.
 *
 *     # what should never happen
 *     order free@pool.c:40 < read@pool.c:77
 *     order T1 read x < T2 write x < T1 read x #2 open
 *     next T1 write x, T2 read x
 *     order 12 < 40; next 57, 60
 *     free(p) before use(p)
 *     T2 reads x between pool.c:40 and pool.c:44
 *     pool.c:12 twice without pool.c:20 between
 *     Ta enters push then Tb writes head then Ta leaves push
 *
 * docs/guide/predict.md is the grammar. An event is a number, or a description that may fit many.
 */
#ifndef HD_PREDICT_GOAL_TEXT_H
#define HD_PREDICT_GOAL_TEXT_H

#include <stddef.h>

#include "predict/predict.h"

/* Which operations a verb means, where it is more than one. */
enum hd_verb {
	HD_VERB_OP, /* the one of the term */
	HD_VERB_READS,
	HD_VERB_WRITES,
	HD_VERB_USES, /* an access of any kind */
};

/* An event that a description fits. */
struct hd_fit {
	uint64_t event, pc;
	uint64_t
		block; /* the heap block that it is on: its allocation + 1; 0: none that is known */
	uint64_t fork; /* that started the thread, + 1; 0: none */
	uint32_t thread;
};

/* One event of a goal. */
struct hd_term {
	bool numbered;
	uint64_t number; /* of the event, if numbered */
	uint64_t thread; /* plus 1; 0: any */
	char who;	 /* 'a' for Ta: one and the same thread wherever it stands; 0: any */
	uint8_t op;	 /* enum hd_op; 0: any */
	enum hd_verb verb;
	char *name; /* of the location or object; NULL: any */
	bool block; /* the name is in parentheses: the heap block that it points to, "*": any one */
	bool points;	/* it did so, in the run */
	char *function; /* NULL: any */
	char *file;	/* NULL: any place */
	uint32_t line;
	uint64_t nth;	     /* which of those that fit, from 1; 0: any */
	struct hd_fit *fits; /* the events that fit: the first and the last of them */
	size_t nfits, room;
	uint64_t all_fits; /* how many there are */
};

struct hd_user_goal {
	char *text; /* the line */
	unsigned line;
	struct hd_term order[HD_GOAL_MAX], next[HD_GOAL_MAX];
	size_t norder, nnext;
	bool open_end;
	bool sentence; /* the three below are of sentences only */
	bool between;  /* first and last are of one thread, the middle one is not */
	bool twice;    /* the two are the same line or call, done once more */
	struct hd_term without[HD_GOAL_MAX]; /* does not happen between this event and the next */
	bool is_without[HD_GOAL_MAX];
	struct hd_goal *goals; /* what to try, in this order; filled in by whoever knows the run */
	size_t ngoals;
	bool more; /* there are more ways to fit the descriptions */
};

struct hd_user_goals {
	struct hd_user_goal *list;
	size_t n, room;
};

/* On failure @g is empty and the error names @file and the line. */
enum hd_err hd_user_goals_parse(struct hd_user_goals *g, const char *text, size_t len,
				const char *file, struct hd_errbuf *eb);
enum hd_err hd_user_goals_load(struct hd_user_goals *g, const char *path, struct hd_errbuf *eb);
/* "E1,F,E2" in numbers of events, or several of them with ';' in between. */
enum hd_err hd_user_goals_patterns(struct hd_user_goals *g, const char *text, struct hd_errbuf *eb);
void hd_user_goals_free(struct hd_user_goals *g);

/* Is it a place only, whatever is done there? */
static inline bool hd_term_is_line(const struct hd_term *t)
{
	return t->file && !t->op && !t->verb && !t->name;
}

#endif
