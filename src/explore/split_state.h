/*
 * What the files of a split search (split.h) know of each other:
 *
 *   split.c             the search as a whole: slices that are done are taken in
 *   split_parts.c       parts, and their slices that wait for somebody
 *   split_decisions.c   shared decisions, and what is told to them on its way up
 *   split_portions.c    a search of which others search portions
 *   slice_result.c      what came of a slice, as bytes
 *   split_file.c        all of it, in a file
 */
#ifndef HD_EXPLORE_SPLIT_STATE_H
#define HD_EXPLORE_SPLIT_STATE_H

#include <stdio.h>

#include "split.h"

#define HD_X_NOTHING   SIZE_MAX
#define HD_X_MOST_READ (1u << 28) /* of anything that is read */

/* What a slice has told, on its way up from decision to decision, until it is taken in. */
struct hd_xnews {
	struct hd_xnews *next;
	uint64_t round;
	struct hd_xstats stats;
	struct hd_xwants wants;
	char *said;
	size_t said_len;
};

/* What comes after a choice, if it is not over: a part or a shared decision; and what was told from there, by rounds. */
struct hd_xbelow {
	struct hd_xpart *part;
	struct hd_xdecision *shared;
	struct hd_xnews *first, *last;
};

/* A decision that belongs to no part: its choices are parts, or were. */
struct hd_xdecision {
	struct hd_xdecision *up;
	size_t via; /* the choice of @up that leads here */
	size_t depth;
	struct hd_xtreenode node;
	struct hd_xbelow *below; /* by choice */
	uint64_t round;	  /* those before it are over below, and what was told of them is heard */
	uint64_t awaited; /* as in struct hd_xtree */
	bool sleep;
	size_t busy;  /* a choice of which nobody here has heard yet what it does; HD_X_NOTHING */
	size_t place; /* in the list */
	bool settled; /* all its choices were dealt out */
};

/* A part of the search, which is searched slice by slice. */
struct hd_xpart {
	struct hd_xdecision *at; /* the last decision before it; NULL: there is none */
	size_t via;
	unsigned age;	 /* slices */
	uint64_t born;	 /* round of the first slice */
	uint64_t round;	 /* of the present slice */
	uint64_t number; /* of that slice */
	char *task;
	size_t len;
};

struct hd_xslice {
	struct hd_xpart *part; /* NULL: it is done */
	bool away;
};

/* Numbers of slices that nobody works at. */
struct hd_xround {
	size_t *waiting;
	size_t n, room;
};

/* Of a search of which others search portions: they all do the same until it is dealt out. */
enum hd_xstage { HD_STAGE_OURS_ALONE, HD_STAGE_SPREADING, HD_STAGE_SETTLING, HD_STAGE_DEALT };

struct hd_xsplit {
	hd_xtaken_fn *taken;
	void *arg;
	struct hd_xstats stats;
	struct hd_xbelow top;
	struct hd_xslice *slices;
	size_t nslices, slices_room;
	struct hd_xround *rounds; /* from the @base-th on */
	size_t nrounds, rounds_room;
	uint64_t base;
	uint64_t low; /* in no round before this one anything waits */
	uint64_t now; /* the first round that was not taken in */
	struct hd_xdecision **shared;
	size_t nshared, shared_room, shared_live;
	uint64_t nparts, parts_live;
	size_t away, waiting;
	bool stopped; /* the present round is the last one */
	bool over;
	uint64_t stage, part, nportions; /* enum hd_xstage; ours of so many */
	uint64_t wanted;		 /* parts to be dealt out */
	uint64_t before;		 /* executions when that began */
	uint64_t digest, missed;
};

/* What came of a slice. */
struct hd_xresult {
	struct hd_xstats stats;
	uint64_t complete, awaited, sleep;
	struct hd_xtree shared; /* nodes that leave the part */
	struct hd_xtree tried;	/* what the part's first choice does: one node with one choice */
	struct hd_xwants wants;
	char *next; /* the next task */
	size_t next_len;
	char *said;
	size_t said_len;
};

/* ---- split_parts.c ------------------------------------------------------------------ */

/* Where a decision is below choice @via of @up, or a part is. */
struct hd_xbelow *hd_xbelow_of(struct hd_xsplit *s, struct hd_xdecision *up, size_t via);
/* A new part after choice @via of @at, from the position @p; or one that was read. False: no memory. */
bool hd_xpart_add(struct hd_xsplit *s, struct hd_xdecision *at, size_t via,
		  const struct hd_xposition *p, uint64_t round);
bool hd_xpart_put(struct hd_xsplit *s, struct hd_xpart *p);
/* The next slice of @p: its task is there. False: no memory. */
bool hd_xpart_add_slice(struct hd_xsplit *s, struct hd_xpart *p);
/* It is searched, or somebody else's. */
void hd_xpart_end(struct hd_xsplit *s, struct hd_xpart *p);
void hd_xpart_free(struct hd_xpart *p);
/* Do others, elsewhere, do the same? Then a round comes after the other, lest who is faster has other slices. */
bool hd_xsplit_is_common(const struct hd_xsplit *s);
bool hd_xsplit_is_away(const struct hd_xsplit *s, uint64_t number);

/* ---- split_decisions.c ---------------------------------------------------------------- */

void hd_xnews_free(struct hd_xnews *n);
void hd_xnews_tell(struct hd_xbelow *b, struct hd_xnews *n);
/* The next news, if they are of @round; else NULL. */
struct hd_xnews *hd_xnews_next(struct hd_xbelow *b, uint64_t round);
void hd_xbelow_free(struct hd_xbelow *b);
void hd_xdecision_free(struct hd_xsplit *s, struct hd_xdecision *f);
/* Which rounds are over below: those before this one. HD_X_NOTHING: nothing is left there. */
uint64_t hd_xbelow_round(const struct hd_xbelow *b);
uint64_t hd_xdecision_round(const struct hd_xdecision *f);
/* The first round of which something was told that @f has not heard. */
uint64_t hd_xdecision_first_told(const struct hd_xdecision *f);
/* Something was told to @f, or is over below it: what does that change above? */
bool hd_xdecision_climb(struct hd_xsplit *s, struct hd_xdecision *f);
/* The part's first choice has told what it does. */
bool hd_xpart_learn_choice(struct hd_xpart *p, struct hd_xresult *r);
/* Decisions that leave the part are shared now. */
bool hd_xpart_share(struct hd_xsplit *s, struct hd_xpart *p, struct hd_xresult *r);

/* ---- split_portions.c ------------------------------------------------------------------- */

/* A round is over: are there enough parts to deal out? */
bool hd_xsplit_look_at_stage(struct hd_xsplit *s);

/* ---- split.c ------------------------------------------------------------------------------ */

bool hd_xsplit_is_all(const struct hd_xsplit *s);

/* ---- slice_result.c ------------------------------------------------------------------------ */

bool hd_xput(FILE *out, const void *p, size_t size);
bool hd_xput_number(FILE *out, uint64_t v);
bool hd_xget_number(FILE *in, uint64_t *v);
bool hd_xput_bytes(FILE *out, const char *bytes, size_t len);
bool hd_xget_bytes(FILE *in, char **bytes, size_t *len);
bool hd_xput_wants(FILE *out, const struct hd_xwants *w);
bool hd_xget_wants(FILE *in, struct hd_xwants *w);
/* A position, as bytes for whoever goes on from there. NULL: no memory. */
char *hd_xtask_bytes(const struct hd_xposition *p, size_t *len);
/* False: it is none. */
bool hd_xresult_read(const char *bytes, size_t len, struct hd_xresult *r);
void hd_xresult_free(struct hd_xresult *r);

#endif
