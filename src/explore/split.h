/*
 * A search in parts, which many work at, at the same time.
 *
 * A part is the search below a decision, from one choice at it: a position whose first decisions are made
 * (tree.base). Whoever works at a part makes so many executions, a *slice*. Then the topmost decision
 * at which more is wanted leaves the part: it is *shared*, and its other choices become parts. Races
 * that want another choice at a shared decision are told with the slice.
 *
 * What comes of a slice depends on the part alone. What is made of that depends on the order of the
 * slices: so they have one. Slices have rounds: the first of a new part is one round after the slice that the part
 * came of, and a part has one slice a round. What slices tell goes up from one shared decision to the next. A decision hears a
 * round when that is over everywhere below it, choice by choice; what nobody below has to do with does not hold it up. What has come
 * to the top is taken in. So executions, findings and parts are the same however many work, in whatever
 * order, and however often somebody is lost and a slice done again. Parts go on in later rounds meanwhile: nobody waits.
 *
 * A choice sleeps in the parts of the choices tried after it at a shared decision; so the next one begins when the first slice of
 * the one before it has told what it does. Sharing costs no executions but those whose order
 * of discovery is another one. It is for searches by first steps (not tree.sequences, not tree.by_graph) that match no states.
 */
#ifndef HD_EXPLORE_SPLIT_H
#define HD_EXPLORE_SPLIT_H

#include "position.h"

struct hd_xsplit;

/* Of a part, after a slice: the topmost decision that has more to try leaves it; whose choices are all tried; none. */
enum hd_xshare { HD_SHARE_WANTED, HD_SHARE_ALL, HD_SHARE_NOTHING };

/* A slice to be made, as bytes for whoever makes it. */
struct hd_xtask {
	uint64_t number;     /* of the slice: for hd_xsplit_done() and hd_xsplit_lost() */
	uint64_t executions; /* so many */
	enum hd_xshare share;
	const char *bytes; /* of the split's; until the slice is done */
	size_t len;
};

/*
 * A slice is taken in, with what its maker said of it besides (hd_xslice_write). False: the search is over with
 * this round; the rest of the round is still taken in.
 */
typedef bool hd_xtaken_fn(void *arg, const struct hd_xstats *slice, const char *said, size_t len);

/* NULL: no memory. */
struct hd_xsplit *hd_xsplit_new(void);
/* Who takes slices in. */
void hd_xsplit_take(struct hd_xsplit *s, hd_xtaken_fn *taken, void *arg);
void hd_xsplit_free(struct hd_xsplit *s);

/* The search that is to be split; @before counts besides. Frees @p. */
enum hd_err hd_xsplit_begin(struct hd_xsplit *s, struct hd_xposition *p,
			    const struct hd_xstats *before);
bool hd_xsplit_has_begun(const struct hd_xsplit *s);

/*
 * Right after that: only the @part-th, from 1, of @parts portions is to be searched, and others who know nothing of us search
 * the rest. All of them begin alike, with slices of one execution. At decisions that are shared meanwhile, all
 * choices become parts: so nobody can ever want another one there. When there are enough parts, and each has told what
 * its first choice does, they are dealt out by their numbers: @each for everybody, or more, unless that takes too long.
 */
void hd_xsplit_deal(struct hd_xsplit *s, unsigned part, unsigned parts, unsigned each);
bool hd_xsplit_is_dealt(const struct hd_xsplit *s);
/* Of all that was dealt out, to whomever: portions of one search have the same. */
uint64_t hd_xsplit_digest(const struct hd_xsplit *s);
/* Something was wanted that belongs to somebody else: a fault of ours, and no proof. */
bool hd_xsplit_missed(const struct hd_xsplit *s);

/* A slice that nobody works at; false: there is none at present. */
bool hd_xsplit_next(struct hd_xsplit *s, struct hd_xtask *task);
/* Are there so many that each of @hands, who all have one, may have the next one at hand, too, and nobody will miss it? */
bool hd_xsplit_has_spare(const struct hd_xsplit *s, unsigned hands);
/* Whoever had it will not finish it. */
void hd_xsplit_lost(struct hd_xsplit *s, uint64_t number);
/* What hd_xslice_write() wrote of it. HD_ERR_CORRUPT: it makes no sense, and the slice is lost. */
enum hd_err hd_xsplit_done(struct hd_xsplit *s, uint64_t number, const char *bytes, size_t len);

/*
 * Is there nothing more to hand out or to wait for: everything was searched, or a round ended it? What is written
 * then can go on.
 */
bool hd_xsplit_is_over(const struct hd_xsplit *s);
/* Of what was taken in. `complete`: all of it was searched, even if the last round was to end it. */
const struct hd_xstats *hd_xsplit_stats(const struct hd_xsplit *s);
/* Slices that were made, shared decisions at present, parts at present: for those who measure. */
struct hd_xsplit_load {
	uint64_t slices, parts;
	size_t shared, waiting, away;
};
struct hd_xsplit_load hd_xsplit_load(const struct hd_xsplit *s);

/* All of it, in a file; slices that are being made count as not begun. False: not written. */
bool hd_xsplit_write(const struct hd_xsplit *s, FILE *out);
/* HD_ERR_CORRUPT: it makes no sense. */
enum hd_err hd_xsplit_read(struct hd_xsplit *s, FILE *in);
/* After that, and hd_xsplit_take(): takes in what was done by then. */
enum hd_err hd_xsplit_go_on(struct hd_xsplit *s);

/* ---- whoever makes slices ---------------------------------------------------------- */

/*
 * After hd_explore() from the position of a task: where it stands (NULL: it is complete), what it
 * counted, and anything that the taker is to be told. Shares what the task says. False: not written.
 */
bool hd_xslice_write(FILE *out, struct hd_xposition *p, enum hd_xshare share,
		     const struct hd_xstats *stats, const char *said, size_t len);

#endif
