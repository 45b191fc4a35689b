#include "split.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hash.h"
#include "heddle/engine/campaign_config.h"
#include "rounds.h"

/*
 * Executions of the first slice of a part, and four times as many in each later one. What the first parts leave is soon work for
 * many; those that begin in later rounds are many already, and most are small: one that is left whole costs fewer messages.
 */
#define EARLY		4u
#define LATER		64u
#define SPREAD		12u /* rounds */
#define GROWTH		3u  /* times four */
#define MOST_EXECUTIONS 256u
#define MOST		(1u << 28) /* of anything that is read */
#define MOST_AHEAD	(1u << 20) /* rounds, of which each has some executions */
#define NONE		SIZE_MAX
#define EFFORT                                                                                     \
	64u /* executions for each part that is wanted; then those that are there are dealt out */

/* What a slice has told, on its way up from decision to decision, until it is taken in. */
struct news {
	struct news *next;
	uint64_t round;
	struct hd_xstats stats;
	struct hd_xwants wants;
	char *said;
	size_t said_len;
};

/* What comes after a choice, if it is not over: a part or a shared decision; and what was told from there, by rounds. */
struct below {
	struct part *part;
	struct shared *shared;
	struct news *first, *last;
};

/* A decision that belongs to no part: its choices are parts, or were. */
struct shared {
	struct shared *up;
	size_t via; /* the choice of @up that leads here */
	size_t depth;
	struct hd_xtreenode node;
	struct below *below; /* by choice */
	uint64_t round;	  /* those before it are over below, and what was told of them is heard */
	uint64_t awaited; /* as in struct hd_xtree */
	bool sleep;
	size_t busy;  /* a choice of which nobody here has heard yet what it does; NONE */
	size_t place; /* in the list */
	bool settled; /* all its choices were dealt out */
};

struct part {
	struct shared *at; /* the last decision before it; NULL: there is none */
	size_t via;
	unsigned age;	 /* slices */
	uint64_t born;	 /* round of the first slice */
	uint64_t round;	 /* of the present slice */
	uint64_t number; /* of that slice */
	char *task;
	size_t len;
};

struct slice {
	struct part *part; /* NULL: it is done */
	bool away;
};

/* Numbers of slices that nobody works at. */
struct round {
	size_t *waiting;
	size_t n, room;
};

/* Of a search of which others search portions: they all do the same until it is dealt out. */
enum stage { OURS_ALONE, SPREADING, SETTLING, DEALT };

struct hd_xsplit {
	hd_xtaken_fn *taken;
	void *arg;
	struct hd_xstats stats;
	struct below top;
	struct slice *slices;
	size_t nslices, slices_room;
	struct round *rounds; /* from the @base-th on */
	size_t nrounds, rounds_room;
	uint64_t base;
	uint64_t low; /* in no round before this one anything waits */
	uint64_t now; /* the first round that was not taken in */
	struct shared **shared;
	size_t nshared, shared_room, shared_live;
	uint64_t nparts, parts_live;
	size_t away, waiting;
	bool stopped; /* the present round is the last one */
	bool over;
	uint64_t stage, part, nportions; /* enum stage; ours of so many */
	uint64_t wanted;		 /* parts to be dealt out */
	uint64_t before;		 /* executions when that began */
	uint64_t digest, missed;
};

struct hd_xsplit *hd_xsplit_new(void)
{
	return calloc(1, sizeof(struct hd_xsplit));
}

void hd_xsplit_take(struct hd_xsplit *s, hd_xtaken_fn *taken, void *arg)
{
	s->taken = taken;
	s->arg = arg;
}

bool hd_xsplit_has_begun(const struct hd_xsplit *s)
{
	return s->nparts > 0;
}

static void node_clear(struct hd_xtreenode *n)
{
	for (size_t i = 0; i < n->nchoices; i++)
		free(n->choices[i].ops);
	free(n->choices);
	hd_xwakeup_free(&n->wakeup);
}

static void news_free(struct news *n)
{
	hd_xwants_free(&n->wants);
	free(n->said);
	free(n);
}

static void tell(struct below *b, struct news *n)
{
	n->next = NULL;
	if (b->first)
		b->last->next = n;
	else
		b->first = n;
	b->last = n;
}

/* The next news, if they are of @round; else NULL. */
static struct news *next_news(struct below *b, uint64_t round)
{
	struct news *n = b->first;

	if (!n || n->round != round)
		return NULL;
	b->first = n->next;
	return n;
}

static void below_free(struct below *b)
{
	while (b->first)
		news_free(next_news(b, b->first->round));
}

static void shared_free(struct hd_xsplit *s, struct shared *f)
{
	s->shared[f->place] = NULL;
	s->shared_live--;
	for (size_t i = 0; i < f->node.nenabled; i++)
		below_free(&f->below[i]);
	free(f->below);
	node_clear(&f->node);
	free(f);
}

static void part_free(struct part *p)
{
	free(p->task);
	free(p);
}

void hd_xsplit_free(struct hd_xsplit *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nslices; i++) {
		if (s->slices[i].part)
			part_free(s->slices[i].part);
	}
	for (size_t i = 0; i < s->nshared; i++) {
		if (s->shared[i])
			shared_free(s, s->shared[i]);
	}
	below_free(&s->top);
	for (size_t i = 0; i < s->nrounds; i++)
		free(s->rounds[i].waiting);
	free(s->rounds);
	free(s->shared);
	free(s->slices);
	free(s);
}

/* ---- slices ------------------------------------------------------------------------- */

/* Where @f is below choice @via, or a part is. */
static struct below *slot_of(struct hd_xsplit *s, struct shared *up, size_t via)
{
	return up ? &up->below[via] : &s->top;
}

static bool room_for_round(struct hd_xsplit *s, uint64_t round)
{
	size_t n = (size_t)(round - s->base) + 1;

	if (!HD_ROOM_ZEROED(s->rounds, s->rounds_room, n))
		return false;
	if (s->nrounds < n)
		s->nrounds = n;
	return true;
}

static bool let_wait(struct hd_xsplit *s, size_t number)
{
	uint64_t round = s->slices[number].part->round;
	struct round *r;

	if (!room_for_round(s, round))
		return false;
	r = &s->rounds[round - s->base];
	if (!HD_ROOM(r->waiting, r->room, r->n + 1))
		return false;
	r->waiting[r->n++] = number;
	s->waiting++;
	if (round < s->low)
		s->low = round;
	return true;
}

/* The next slice of @p: its task is there. False: no memory. */
static bool add_slice(struct hd_xsplit *s, struct part *p)
{
	if (!HD_ROOM(s->slices, s->slices_room, s->nslices + 1))
		return false;
	s->slices[s->nslices] = (struct slice){ .part = p };
	p->number = s->nslices++;
	return let_wait(s, p->number);
}

static char *task_of(const struct hd_xposition *p, size_t *len)
{
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, len);
	bool ok = out && hd_xposition_write(p, out);

	if (out && fclose(out) == 0 && ok)
		return bytes;
	free(bytes);
	return NULL;
}

/* A part has come, or was read. */
static bool put_part(struct hd_xsplit *s, struct part *p)
{
	slot_of(s, p->at, p->via)->part = p;
	s->parts_live++;
	if (add_slice(s, p))
		return true;
	s->nslices--; /* nothing else points to it */
	slot_of(s, p->at, p->via)->part = NULL;
	part_free(p);
	return false;
}

/* A new part after choice @via of @at, from the position @p. False: no memory. */
static bool add_part(struct hd_xsplit *s, struct shared *at, size_t via,
		     const struct hd_xposition *p, uint64_t round)
{
	struct part *part = calloc(1, sizeof(*part));

	if (!part)
		return false;
	*part = (struct part){ .at = at, .via = via, .born = round, .round = round };
	part->task = task_of(p, &part->len);
	if (!part->task) {
		free(part);
		return false;
	}
	s->nparts++;
	return put_part(s, part);
}

/* It is searched, or somebody else's. */
static void end_part(struct hd_xsplit *s, struct part *p)
{
	slot_of(s, p->at, p->via)->part = NULL;
	s->slices[p->number].part = NULL;
	s->parts_live--;
	part_free(p);
}

enum hd_err hd_xsplit_begin(struct hd_xsplit *s, struct hd_xposition *p,
			    const struct hd_xstats *before)
{
	bool ok = add_part(s, NULL, 0, p, 0);

	s->stats = *before;
	hd_xposition_free(p);
	return ok ? HD_OK : HD_ERR_NOMEM;
}

static uint64_t executions_of(const struct part *p)
{
	unsigned first = p->born < SPREAD ? EARLY : LATER;
	uint64_t n = (uint64_t)first << 2 * (p->age < GROWTH ? p->age : GROWTH);

	return n < MOST_EXECUTIONS ? n : MOST_EXECUTIONS;
}

/* Do others, elsewhere, do the same? Then a round comes after the other, lest who is faster has other slices. */
static bool is_common(const struct hd_xsplit *s)
{
	return s->stage == SPREADING || s->stage == SETTLING;
}

bool hd_xsplit_next(struct hd_xsplit *s, struct hd_xtask *task)
{
	static const enum hd_xshare shares[] = {
		[SPREADING] = HD_SHARE_ALL, [SETTLING] = HD_SHARE_NOTHING, [DEALT] = HD_SHARE_WANTED
	};
	struct part *p;
	struct round *r;
	size_t number;

	if (s->over || !s->waiting)
		return false;
	while (!s->rounds[s->low - s->base].n)
		s->low++;
	if (is_common(s) && s->low > s->now)
		return false;
	r = &s->rounds[s->low - s->base];
	number = r->waiting[--r->n];
	p = s->slices[number].part;
	s->slices[number].away = true;
	s->away++;
	s->waiting--;
	*task = (struct hd_xtask){ .number = number,
				   .executions = is_common(s) ? 1 : executions_of(p),
				   .share = shares[s->stage],
				   .bytes = p->task,
				   .len = p->len };
	return true;
}

bool hd_xsplit_has_spare(const struct hd_xsplit *s, unsigned hands)
{
	return s->waiting && s->waiting >= hands;
}

static bool is_away(const struct hd_xsplit *s, uint64_t number)
{
	return number < s->nslices && s->slices[number].away;
}

void hd_xsplit_lost(struct hd_xsplit *s, uint64_t number)
{
	if (!is_away(s, number))
		return;
	s->slices[number].away = false;
	s->away--;
	let_wait(s, number); /* there was room for it before */
}

/* ---- what a slice has come to --------------------------------------------------------- */

struct result {
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

static bool put(FILE *out, const void *p, size_t size)
{
	return !size || fwrite(p, size, 1, out) == 1;
}

static bool put_number(FILE *out, uint64_t v)
{
	return put(out, &v, sizeof(v));
}

static bool get_number(FILE *in, uint64_t *v)
{
	return fread(v, sizeof(*v), 1, in) == 1;
}

static bool put_bytes(FILE *out, const char *bytes, size_t len)
{
	return put_number(out, len) && put(out, bytes, len);
}

static bool get_bytes(FILE *in, char **bytes, size_t *len)
{
	uint64_t n;

	*bytes = NULL;
	if (!get_number(in, &n) || n > MOST)
		return false;
	*bytes = n ? hd_xread_many(in, n, 1) : calloc(1, 1);
	*len = (size_t)n;
	return *bytes;
}

/* Only its choice is of interest any more. */
static void strip(struct hd_xtreenode *n)
{
	struct hd_xchoice kept = n->choices[n->chosen];

	n->choices[n->chosen].ops = NULL;
	for (size_t i = 0; i < n->nchoices; i++)
		free(n->choices[i].ops);
	hd_xwakeup_free(&n->wakeup);
	n->wakeup = (struct hd_xwakeup){ 0 };
	n->choices[0] = kept;
	n->nchoices = n->nenabled = 1;
	n->chosen = 0;
}

static bool anything_left(const struct hd_xtree *t)
{
	for (size_t k = t->base; k < t->n; k++) {
		if (hd_xtree_next(&t->nodes[k]) < t->nodes[k].nenabled)
			return true;
	}
	return false;
}

static bool put_wants(FILE *out, const struct hd_xwants *w)
{
	bool ok = put_number(out, w->n);

	for (size_t i = 0; ok && i < w->n; i++) {
		const struct hd_xwant *want = &w->list[i];
		uint64_t head[] = { want->node, want->forced, want->nthreads };

		ok = put(out, head, sizeof(head)) &&
		     put(out, want->threads, want->nthreads * sizeof(*want->threads));
	}
	return ok;
}

static bool get_wants(FILE *in, struct hd_xwants *w)
{
	uint64_t n, head[3];
	bool ok = get_number(in, &n);

	for (; ok && n; n--) {
		struct hd_xwant want = { 0 };

		ok = fread(head, sizeof(head), 1, in) == 1 && head[2] <= MOST;
		if (ok && head[2])
			want.threads = hd_xread_many(in, head[2], sizeof(*want.threads));
		want.node = (size_t)head[0];
		want.forced = head[1];
		want.nthreads = ok ? (size_t)head[2] : 0;
		ok = ok && (want.threads || !head[2]) && hd_xwants_add(w, &want);
		free(want.threads);
	}
	return ok;
}

/* With sleep sets: without them, all that are to be tried are wanted already. */
static void want_all(const struct hd_xtree *t, struct hd_xtreenode *n)
{
	for (size_t i = 0; t->sleep && i < n->nenabled; i++)
		n->choices[i].wanted = true;
}

/* The decisions from the base to the topmost that has more to try are shared from now on. */
static bool share_decisions(FILE *out, struct hd_xtree *t, enum hd_xshare what)
{
	size_t until = t->base;
	bool ok, found = what == HD_SHARE_NOTHING;

	while (until < t->n && !found) {
		struct hd_xtreenode *n = &t->nodes[until++];

		if (what == HD_SHARE_ALL)
			want_all(t, n);
		found = hd_xtree_next(n) < n->nenabled;
	}
	ok = put_number(out, until - t->base);
	for (; ok && t->base < until; t->base++) {
		ok = hd_xnode_write(&t->nodes[t->base], out);
		strip(&t->nodes[t->base]);
	}
	return ok;
}

bool hd_xslice_write(FILE *out, struct hd_xposition *p, enum hd_xshare share,
		     const struct hd_xstats *stats, const char *said, size_t len)
{
	struct hd_xstats own = *stats;
	struct hd_xtree *t = p ? &p->tree : NULL;
	const size_t tried = t && t->base ? t->base : 0;
	bool complete = stats->complete, ok;

	own.stopped = NULL;
	ok = put(out, &own, sizeof(own)) && put_number(out, t ? t->awaited : 0) &&
	     put_number(out, t && t->sleep) && put_number(out, tried > 0);
	if (ok && tried) {
		strip(&t->nodes[tried - 1]);
		ok = hd_xnode_write(&t->nodes[tried - 1], out);
	}
	ok = ok && put_wants(out, t ? &t->wants : &(struct hd_xwants){ 0 });
	if (complete)
		return ok && put_number(out, 0) && put_number(out, 1) && put_bytes(out, said, len);
	ok = ok && share_decisions(out, t, share);
	hd_xwants_free(&t->wants);
	complete = !anything_left(t);
	ok = ok && put_number(out, complete);
	if (ok && !complete) {
		size_t n = 0;
		char *bytes;

		p->stats = (struct hd_xstats){ 0 };
		bytes = task_of(p, &n);
		ok = bytes && put_bytes(out, bytes, n);
		free(bytes);
	}
	return ok && put_bytes(out, said, len);
}

static void result_free(struct result *r)
{
	hd_xtree_free(&r->shared);
	hd_xtree_free(&r->tried);
	hd_xwants_free(&r->wants);
	free(r->next);
	free(r->said);
}

static bool get_result(FILE *in, struct result *r)
{
	uint64_t tried, n;
	bool ok = hd_xstats_read(in, &r->stats) && get_number(in, &r->awaited) &&
		  get_number(in, &r->sleep) && get_number(in, &tried) &&
		  (!tried || hd_xnode_read(in, &r->tried)) && get_wants(in, &r->wants) &&
		  get_number(in, &n);

	for (; ok && n; n--)
		ok = hd_xnode_read(in, &r->shared);
	return ok && get_number(in, &r->complete) &&
	       (r->complete || get_bytes(in, &r->next, &r->next_len)) &&
	       get_bytes(in, &r->said, &r->said_len);
}

static bool read_result(const char *bytes, size_t len, struct result *r)
{
	FILE *in = fmemopen((char *)bytes, len, "re");
	bool ok;

	*r = (struct result){ 0 };
	ok = in && get_result(in, r);
	if (in)
		fclose(in);
	if (!ok)
		result_free(r);
	return ok;
}

/* ---- shared decisions ------------------------------------------------------------------ */

/* Between @p and what was before it; above, it is there in place of the part. */
static struct shared *add_shared(struct hd_xsplit *s, struct part *p, const struct hd_xtreenode *n)
{
	struct shared *f = calloc(1, sizeof(*f));
	struct below *below = calloc(n->nenabled, sizeof(*below)), *slot;

	if (!f || !below || !HD_ROOM(s->shared, s->shared_room, s->nshared + 1)) {
		free(f);
		free(below);
		return NULL;
	}
	*f = (struct shared){ .up = p->at,
			      .via = p->via,
			      .depth = p->at ? p->at->depth + 1 : 0,
			      .node = *n,
			      .below = below,
			      .busy = NONE,
			      .place = s->nshared };
	s->shared[s->nshared++] = f;
	s->shared_live++;
	slot = slot_of(s, p->at, p->via);
	slot->part = NULL;
	slot->shared = f;
	p->at = f;
	p->via = n->chosen;
	f->below[p->via].part = p;
	return f;
}

static bool covers(const struct shared *f, uint32_t thread)
{
	struct hd_xchoice *c = hd_xtree_choice((struct hd_xtreenode *)&f->node, thread);

	return c && (c->wanted || c->asleep);
}

/* As want_first() in reversal.c. Where all is wanted anyway, nothing is left to do. */
static void apply_want(struct hd_xsplit *s, struct shared *f, const struct hd_xwant *w)
{
	for (size_t i = 0; i < w->nthreads; i++) {
		if (covers(f, w->threads[i]))
			return;
	}
	for (size_t i = 0; i < w->nthreads; i++) {
		struct hd_xchoice *c = hd_xtree_choice(&f->node, w->threads[i]);

		if (c) {
			s->missed |= f->settled;
			c->wanted = true;
			return;
		}
	}
	for (size_t i = 0; w->forced && i < f->node.nenabled; i++) {
		s->missed |= f->settled && !f->node.choices[i].wanted;
		f->node.choices[i].wanted = true;
	}
}

/* The decisions up to @f, and of it choice @choice alone to be tried. Operations are borrowed. */
static bool lay_path(struct hd_xtree *t, const struct shared *f, size_t choice)
{
	size_t n = f->depth + 1, via = choice;

	t->nodes = calloc(n, sizeof(*t->nodes));
	for (size_t k = n; t->nodes && k-- > 0; via = f->via, f = f->up) {
		struct hd_xtreenode *node = &t->nodes[k];
		const bool last = k + 1 == n;

		*node = f->node;
		node->wakeup = (struct hd_xwakeup){ 0 };
		node->nchoices = last ? f->node.nchoices : 1;
		node->nenabled = last ? f->node.nenabled : 1;
		node->chosen = last ? choice : 0;
		node->choices = calloc(node->nchoices + 1, sizeof(*node->choices));
		if (!node->choices)
			return false;
		t->n++;
		if (!last) {
			node->choices[0] = f->node.choices[via];
			continue;
		}
		memcpy(node->choices, f->node.choices, node->nchoices * sizeof(*node->choices));
		for (size_t i = 0; i < node->nenabled; i++)
			node->choices[i].wanted = i == choice;
	}
	return t->nodes;
}

static bool begin_choice(struct hd_xsplit *s, struct shared *f, size_t choice, uint64_t round)
{
	struct hd_xposition p = {
		.tree = { .sleep = f->sleep, .awaited = f->awaited, .fresh = true }
	};
	size_t n = f->depth + 1;
	bool ok;

	p.tree.base = n;
	ok = lay_path(&p.tree, f, choice) && add_part(s, f, choice, &p, round);
	for (size_t k = 0; p.tree.nodes && k < n; k++)
		free(p.tree.nodes[k].choices);
	free(p.tree.nodes);
	f->node.choices[choice].done = true;
	return ok;
}

/* Choices that are left at @f become parts: one at a time, where the next one sleeps by what the last one does. */
static bool begin_left(struct hd_xsplit *s, struct shared *f, uint64_t round)
{
	while (f->busy == NONE) {
		size_t i = hd_xtree_next(&f->node);

		if (i == f->node.nenabled)
			return true;
		if (!begin_choice(s, f, i, round))
			return false;
		if (f->sleep && f->node.why == HD_X_RUN)
			f->busy = i;
	}
	return true;
}

/* ---- what is told, on its way up ----------------------------------------------------------- */

/* Which rounds are over below @b: those before this one. NONE: nothing is left there. */
static uint64_t round_below(const struct below *b)
{
	return b->part ? b->part->round : b->shared ? b->shared->round : NONE;
}

static uint64_t round_of(const struct shared *f)
{
	uint64_t round = NONE;

	for (size_t i = 0; i < f->node.nenabled; i++) {
		uint64_t r = round_below(&f->below[i]);

		if (r < round)
			round = r;
	}
	return round;
}

/* The first round of which something was told that @f has not heard. */
static uint64_t first_told(const struct shared *f)
{
	uint64_t round = NONE;

	for (size_t i = 0; i < f->node.nenabled; i++) {
		if (f->below[i].first && f->below[i].first->round < round)
			round = f->below[i].first->round;
	}
	return round;
}

/* What choice @choice has told: its first slice tells what it does. */
static bool hear_one(struct hd_xsplit *s, struct shared *f, size_t choice, struct news *n)
{
	const uint64_t round = n->round;

	if (f->busy == choice)
		f->busy = NONE;
	for (size_t i = 0; i < n->wants.n; i++) {
		if (n->wants.list[i].node == f->depth)
			apply_want(s, f, &n->wants.list[i]);
	}
	tell(slot_of(s, f->up, f->via), n);
	return begin_left(s, f, round + 1);
}

/* A round is heard when it is over everywhere below, choice by choice: so it does not matter who was faster. */
static bool hear(struct hd_xsplit *s, struct shared *f, bool *changed)
{
	const uint64_t before = f->round;
	uint64_t round;

	*changed = false;
	for (round = first_told(f); round < round_of(f); round = first_told(f)) {
		for (size_t i = 0; i < f->node.nenabled; i++) {
			struct news *n;

			while ((n = next_news(&f->below[i], round))) {
				*changed = true;
				if (!hear_one(s, f, i, n))
					return false;
			}
		}
	}
	f->round = round_of(f);
	*changed |= f->round != before;
	return true;
}

/* Something was told to @f, or is over below it: what does that change above? */
static bool climb(struct hd_xsplit *s, struct shared *f)
{
	bool changed = true;

	while (f && changed) {
		struct shared *up = f->up;

		if (!hear(s, f, &changed))
			return false;
		if (f->round == NONE) {
			slot_of(s, up, f->via)->shared = NULL;
			shared_free(s, f);
		}
		f = up;
	}
	return true;
}

/* The part's first choice has told what it does: it sleeps by that in what is begun when that is heard. */
static bool learn_choice(struct part *p, struct result *r)
{
	struct shared *f = p->at;
	struct hd_xchoice *told;

	if (!f || f->busy != p->via || p->age > 0)
		return true;
	if (!r->tried.n)
		return false;
	told = &r->tried.nodes[0].choices[0];
	free(f->node.choices[p->via].ops);
	f->node.choices[p->via].ops = told->ops;
	f->node.choices[p->via].nops = told->nops;
	told->ops = NULL;
	told->nops = 0;
	return true;
}

/* They are new, and nothing but the part is below: what is left at them begins. */
static bool share_nodes(struct hd_xsplit *s, struct part *p, struct result *r)
{
	const size_t first = s->nshared;
	bool ok = true;

	for (size_t i = 0; i < r->shared.n; i++) {
		struct shared *f = add_shared(s, p, &r->shared.nodes[i]);

		if (!f)
			return false;
		r->shared.nodes[i] = (struct hd_xtreenode){ 0 };
		f->awaited = r->awaited;
		f->sleep = r->sleep;
	}
	for (size_t i = s->nshared; ok && i-- > first;)
		ok = begin_left(s, s->shared[i], p->round);
	return ok;
}

static struct news *news_of(struct result *r, uint64_t round)
{
	struct news *n = malloc(sizeof(*n));

	if (!n)
		return NULL;
	*n = (struct news){ .round = round,
			    .stats = r->stats,
			    .wants = r->wants,
			    .said = r->said,
			    .said_len = r->said_len };
	r->wants = (struct hd_xwants){ 0 };
	r->said = NULL;
	return n;
}

static void add_stats(struct hd_xstats *sum, const struct hd_xstats *s)
{
	uint64_t cut = sum->cut, too_long = sum->too_long;

	hd_xstats_add(sum, s);
	sum->cut += cut; /* of a round in parts all of them count */
	if (too_long > sum->too_long)
		sum->too_long = too_long;
	sum->complete = false;
}

/* In the order of their paths. */
static int by_path(const void *a, const void *b, void *slices)
{
	const struct slice *list = slices;
	const struct part *p = list[*(const size_t *)a].part, *q = list[*(const size_t *)b].part;
	const struct shared *f = p->at, *g = q->at;
	size_t i = p->via, k = q->via;

	while (f != g) {
		if (!g || (f && f->depth > g->depth)) {
			i = f->via;
			f = f->up;
		} else {
			k = g->via;
			g = g->up;
		}
	}
	return i < k ? -1 : i > k;
}

/* ---- portions ------------------------------------------------------------------------- */

void hd_xsplit_deal(struct hd_xsplit *s, unsigned part, unsigned parts, unsigned each)
{
	s->stage = parts > 1 ? SPREADING : OURS_ALONE;
	s->part = part;
	s->nportions = parts;
	s->wanted = (uint64_t)parts * each;
	s->before = s->stats.executions;
}

bool hd_xsplit_is_dealt(const struct hd_xsplit *s)
{
	return s->stage == DEALT;
}

uint64_t hd_xsplit_digest(const struct hd_xsplit *s)
{
	return s->digest;
}

bool hd_xsplit_missed(const struct hd_xsplit *s)
{
	return s->missed;
}

/* Is there a choice that is no part yet, or one of which nobody knows what it does? */
static bool any_choice_left(const struct hd_xsplit *s)
{
	for (size_t i = 0; i < s->nshared; i++) {
		const struct shared *f = s->shared[i];

		if (f && (f->busy != NONE || hd_xtree_next(&f->node) < f->node.nenabled))
			return true;
	}
	return false;
}

/* Where a part begins, and what sleeps there: by threads, as addresses may differ from machine to machine. */
static uint64_t add_to_digest(uint64_t h, const struct part *p)
{
	size_t via = p->via;

	for (const struct shared *f = p->at; f; via = f->via, f = f->up) {
		for (size_t i = 0; i < f->node.nchoices; i++) {
			const struct hd_xchoice *c = &f->node.choices[i];
			uint32_t v[] = { c->thread, c->wanted, c->done, c->asleep, i == via };

			h = hd_fnv_bytes(h, v, sizeof(v));
		}
	}
	return h;
}

/* Every part that is left has one slice, which waits in the present round. */
static bool deal_out(struct hd_xsplit *s)
{
	struct round *r = &s->rounds[s->now - s->base];
	size_t n = 0;
	bool ok = true;

	qsort_r(r->waiting, r->n, sizeof(*r->waiting), by_path, s->slices);
	s->digest = hd_fnv_bytes(HD_FNV_START, &s->nportions, sizeof(s->nportions));
	for (size_t i = 0; i < r->n; i++)
		s->digest = add_to_digest(s->digest, s->slices[r->waiting[i]].part);
	for (size_t i = 0; i < s->nshared; i++) {
		if (s->shared[i])
			s->shared[i]->settled = true;
	}
	for (size_t i = 0; i < r->n; i++) {
		struct part *p = s->slices[r->waiting[i]].part;
		struct shared *at = p->at;

		if (i % s->nportions == s->part - 1) {
			r->waiting[n++] = r->waiting[i];
			continue;
		}
		end_part(s, p);
		ok = ok && climb(s, at);
	}
	s->waiting = r->n = n;
	s->stage = DEALT;
	return ok;
}

static bool look_at_stage(struct hd_xsplit *s)
{
	if (s->stage == SPREADING &&
	    (s->parts_live >= s->wanted || s->stats.executions - s->before >= EFFORT * s->wanted))
		s->stage = SETTLING;
	return s->stage != SETTLING || any_choice_left(s) || deal_out(s);
}

static bool is_all(const struct hd_xsplit *s)
{
	return !s->top.part && !s->top.shared && !s->top.first;
}

static void take_in(struct hd_xsplit *s, struct news *n)
{
	add_stats(&s->stats, &n->stats);
	if (!s->taken(s->arg, &n->stats, n->said, n->said_len))
		s->stopped = true;
	news_free(n);
}

/* All rounds that are over. */
static bool take_in_rounds(struct hd_xsplit *s)
{
	bool ok = true;

	while (ok && !s->over && s->top.first && s->top.first->round < round_below(&s->top)) {
		const uint64_t round = s->top.first->round;
		struct news *n;

		while ((n = next_news(&s->top, round)))
			take_in(s, n);
		s->now = round + 1;
		if (!s->stopped && !is_all(s))
			ok = look_at_stage(s);
		s->stats.complete = is_all(s);
		s->over = s->stopped || s->stats.complete;
	}
	return ok;
}

/* What came of the slice of @p, which is well formed. */
static bool put_result(struct hd_xsplit *s, struct part *p, struct result *r)
{
	struct news *n = news_of(r, p->round);
	struct shared *at;

	if (!n)
		return false;
	tell(slot_of(s, p->at, p->via), n);
	free(p->task);
	p->task = r->next;
	p->len = r->next_len;
	r->next = NULL;
	p->round++;
	p->age += !is_common(s);
	if (!share_nodes(s, p, r))
		return false;
	at = p->at;
	s->slices[p->number].part = NULL;
	if (r->complete)
		end_part(s, p);
	else if (!add_slice(s, p))
		return false;
	return climb(s, at) && take_in_rounds(s);
}

enum hd_err hd_xsplit_done(struct hd_xsplit *s, uint64_t number, const char *bytes, size_t len)
{
	struct part *p = is_away(s, number) ? s->slices[number].part : NULL;
	struct result r;
	bool ok;

	if (!p)
		return HD_OK; /* it was done by somebody else */
	if (!read_result(bytes, len, &r)) {
		hd_xsplit_lost(s, number);
		return HD_ERR_CORRUPT;
	}
	if (!learn_choice(p, &r)) {
		result_free(&r);
		hd_xsplit_lost(s, number);
		return HD_ERR_CORRUPT;
	}
	s->slices[number].away = false;
	s->away--;
	ok = put_result(s, p, &r);
	result_free(&r);
	return ok ? HD_OK : HD_ERR_NOMEM;
}

enum hd_err hd_xsplit_go_on(struct hd_xsplit *s)
{
	return take_in_rounds(s) ? HD_OK : HD_ERR_NOMEM;
}

bool hd_xsplit_is_over(const struct hd_xsplit *s)
{
	return s->over;
}

const struct hd_xstats *hd_xsplit_stats(const struct hd_xsplit *s)
{
	return &s->stats;
}

struct hd_xsplit_load hd_xsplit_load(const struct hd_xsplit *s)
{
	return (struct hd_xsplit_load){ .slices = s->nslices,
					.parts = s->nparts,
					.shared = s->shared_live,
					.waiting = s->waiting,
					.away = s->away };
}

/* ---- in a file ---------------------------------------------------------------------- */

static uint64_t place_of(const struct shared *f, const uint64_t *places)
{
	return f ? places[f->place] : UINT64_MAX;
}

static bool put_shared(FILE *out, const struct shared *f, const uint64_t *places)
{
	uint64_t head[] = { place_of(f->up, places),
			    f->via,
			    f->awaited,
			    f->sleep,
			    f->busy == NONE ? UINT64_MAX : f->busy,
			    f->settled };

	return put(out, head, sizeof(head)) && hd_xnode_write(&f->node, out);
}

static bool put_all_shared(FILE *out, const struct hd_xsplit *s, uint64_t *places)
{
	bool ok = put_number(out, s->shared_live);
	uint64_t n = 0;

	for (size_t i = 0; ok && i < s->nshared; i++) {
		if (!s->shared[i])
			continue;
		ok = put_shared(out, s->shared[i], places);
		places[i] = n++;
	}
	return ok;
}

static bool put_all_parts(FILE *out, const struct hd_xsplit *s, const uint64_t *places)
{
	bool ok = put_number(out, s->parts_live);

	for (size_t i = 0; ok && i < s->nslices; i++) {
		const struct part *p = s->slices[i].part;

		if (!p)
			continue;
		ok = put(out,
			 (uint64_t[]){ place_of(p->at, places), p->via, p->age, p->born, p->round },
			 5 * sizeof(uint64_t)) &&
		     put_bytes(out, p->task, p->len);
	}
	return ok;
}

static bool put_news(FILE *out, const struct below *b)
{
	uint64_t n = 0;
	bool ok;

	for (const struct news *k = b->first; k; k = k->next)
		n++;
	ok = put_number(out, n);
	for (const struct news *k = b->first; ok && k; k = k->next)
		ok = put_number(out, k->round) && put(out, &k->stats, sizeof(k->stats)) &&
		     put_wants(out, &k->wants) && put_bytes(out, k->said, k->said_len);
	return ok;
}

static bool put_all_news(FILE *out, const struct hd_xsplit *s)
{
	bool ok = put_news(out, &s->top);

	for (size_t i = 0; i < s->nshared; i++) {
		const struct shared *f = s->shared[i];

		for (size_t k = 0; ok && f && k < f->node.nenabled; k++)
			ok = put_news(out, &f->below[k]);
	}
	return ok;
}

bool hd_xsplit_write(const struct hd_xsplit *s, FILE *out)
{
	uint64_t *places = calloc(s->nshared + 1, sizeof(*places));
	const uint64_t head[] = { s->stage,  s->part,	s->nportions, s->wanted, s->before,
				  s->digest, s->missed, s->nparts,    s->now };
	bool ok = places && put(out, &s->stats, sizeof(s->stats)) && put(out, head, sizeof(head)) &&
		  put_all_shared(out, s, places) && put_all_parts(out, s, places) &&
		  put_all_news(out, s);

	free(places);
	return ok;
}

/* The place after choice @via of the @up-th shared decision, if it is free. */
static struct below *free_slot(struct hd_xsplit *s, uint64_t up, uint64_t via)
{
	struct below *b;

	if (up != UINT64_MAX && (up >= s->nshared || via >= s->shared[up]->node.nenabled))
		return NULL;
	b = slot_of(s, up == UINT64_MAX ? NULL : s->shared[up], (size_t)via);
	return b->part || b->shared ? NULL : b;
}

static bool get_shared(FILE *in, struct hd_xsplit *s)
{
	struct shared *f = calloc(1, sizeof(*f));
	struct hd_xtree t = { 0 };
	struct below *slot = NULL;
	uint64_t head[6];
	bool ok = f && HD_ROOM(s->shared, s->shared_room, s->nshared + 1) &&
		  fread(head, sizeof(head), 1, in) == 1 && hd_xnode_read(in, &t) &&
		  t.nodes[0].nenabled && (slot = free_slot(s, head[0], head[1])) &&
		  (head[4] == UINT64_MAX || head[4] < t.nodes[0].nenabled);

	if (ok) {
		f->below = calloc(t.nodes[0].nenabled, sizeof(*f->below));
		ok = f->below;
	}
	if (!ok) {
		hd_xtree_free(&t);
		free(f);
		return false;
	}
	f->up = head[0] == UINT64_MAX ? NULL : s->shared[head[0]];
	f->via = (size_t)head[1];
	f->depth = f->up ? f->up->depth + 1 : 0;
	f->node = t.nodes[0];
	f->awaited = head[2];
	f->sleep = head[3];
	f->busy = head[4] == UINT64_MAX ? NONE : (size_t)head[4];
	f->settled = head[5];
	f->place = s->nshared;
	t.n = 0;
	hd_xtree_free(&t);
	s->shared[s->nshared++] = f;
	s->shared_live++;
	slot->shared = f;
	return true;
}

static bool is_near(const struct hd_xsplit *s, uint64_t round)
{
	return round >= s->now && round - s->now < MOST_AHEAD;
}

static bool get_part(FILE *in, struct hd_xsplit *s)
{
	uint64_t head[5];
	struct part *p = calloc(1, sizeof(*p));

	if (!p || fread(head, sizeof(head), 1, in) != 1 || !free_slot(s, head[0], head[1]) ||
	    !is_near(s, head[4]) || !get_bytes(in, &p->task, &p->len)) {
		free(p);
		return false;
	}
	p->at = head[0] == UINT64_MAX ? NULL : s->shared[head[0]];
	p->via = (size_t)head[1];
	p->age = (unsigned)head[2];
	p->born = head[3];
	p->round = head[4];
	return put_part(s, p);
}

/* By rounds. */
static bool get_news(FILE *in, struct hd_xsplit *s, struct below *b)
{
	uint64_t n, round;
	bool ok = get_number(in, &n);

	for (; ok && n; n--) {
		struct news *k;

		if (!get_number(in, &round) || !is_near(s, round) ||
		    (b->first && round < b->last->round))
			return false;
		k = calloc(1, sizeof(*k));
		if (!k)
			return false;
		k->round = round;
		tell(b, k);
		ok = hd_xstats_read(in, &k->stats) && get_wants(in, &k->wants) &&
		     get_bytes(in, &k->said, &k->said_len);
	}
	return ok;
}

static bool get_all_news(FILE *in, struct hd_xsplit *s)
{
	bool ok = get_news(in, s, &s->top);

	for (size_t i = 0; ok && i < s->nshared; i++) {
		struct shared *f = s->shared[i];

		for (size_t k = 0; ok && k < f->node.nenabled; k++)
			ok = get_news(in, s, &f->below[k]);
	}
	return ok;
}

/* Is something below every shared decision, will whoever is waited for tell something, and was all heard that can be? */
static bool adds_up(struct hd_xsplit *s)
{
	for (size_t i = s->nshared; i-- > 0;) {
		struct shared *f = s->shared[i];
		const struct below *b = f->busy == NONE ? NULL : &f->below[f->busy];

		f->round = round_of(f);
		if (f->round == NONE || first_told(f) < f->round ||
		    (b && !b->part && !b->shared && !b->first))
			return false;
	}
	return true;
}

static bool get_head(FILE *in, struct hd_xsplit *s)
{
	uint64_t v[9];

	if (fread(v, sizeof(v), 1, in) != 1 || v[0] > DEALT ||
	    (v[0] != OURS_ALONE && (v[1] < 1 || v[1] > v[2] || v[2] > HD_MOST_PARTS)) || !v[7] ||
	    v[8] > UINT64_MAX / 2)
		return false;
	s->stage = v[0];
	s->part = v[1];
	s->nportions = v[2];
	s->wanted = v[3];
	s->before = v[4];
	s->digest = v[5];
	s->missed = v[6];
	s->nparts = v[7];
	s->base = s->low = s->now = v[8];
	return true;
}

enum hd_err hd_xsplit_read(struct hd_xsplit *s, FILE *in)
{
	uint64_t n;
	bool ok = hd_xstats_read(in, &s->stats) && get_head(in, s) && get_number(in, &n);

	for (; ok && n; n--)
		ok = get_shared(in, s);
	ok = ok && get_number(in, &n);
	for (; ok && n; n--)
		ok = get_part(in, s);
	return ok && get_all_news(in, s) && !is_all(s) && adds_up(s) ? HD_OK : HD_ERR_CORRUPT;
}
