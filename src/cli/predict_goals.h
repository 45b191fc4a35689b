/*
 * Goals that people write: files of ordering and co-enabledness goals, and --pattern.
 *
 *     # what should never happen
 *     order free@pool.c:40 < read@pool.c:77
 *     order T1 read x < T2 write x < T1 read x #2 open
 *     next T1 write x, T2 read x
 *     order 12 < 40; next 57, 60
 *
 * docs/predict.md is the grammar. An event is a number, or a description that may fit many.
 */
#ifndef HD_CLI_PREDICT_GOALS_H
#define HD_CLI_PREDICT_GOALS_H

#include <stddef.h>

#include "predict/predict.h"
#include "report/run_model.h"

/* One event of a goal. */
struct hd_term {
	bool numbered;
	uint64_t number;   /* of the event, if numbered */
	uint32_t thread;   /* 0: any */
	uint8_t op;	   /* enum hd_op; 0: any */
	char *name;	   /* of the location or object; NULL: any */
	char *file;	   /* NULL: any place */
	uint32_t line;
	uint64_t nth;	   /* which of those that fit, from 1; 0: any */
	uint64_t *fits;	   /* the events that fit: the first and the last of them */
	size_t nfits;
	uint64_t all_fits; /* how many there are */
};

struct hd_user_goal {
	char *text;	/* the line */
	unsigned line;
	struct hd_term order[HD_WISH_MAX], next[HD_WISH_MAX];
	size_t norder, nnext;
	bool open_end;
	struct hd_wish *wishes; /* what to try, in this order; see hd_user_goals_resolve */
	size_t nwishes;
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
enum hd_err hd_user_goals_patterns(struct hd_user_goals *g, const char *text,
				   struct hd_errbuf *eb);
void hd_user_goals_free(struct hd_user_goals *g);

/*
 * Find the events of the run that each description fits, and fill in the wishes: ways to pick
 * one for each, the nearest to each other first. A description that nothing fits is an error.
 */
enum hd_err hd_user_goals_resolve(struct hd_user_goals *g, struct hd_run *run,
				  struct hd_errbuf *eb);

#endif
