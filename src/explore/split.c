#include "split.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hash.h"
#include "heddle/engine/campaign_config.h"
#include "rounds.h"

/*
 * Executions of the first slice of a part, and four times as many in each later one. What the first parts leave is soon work for
 * many; so many parts later most are small, and one that is left whole costs fewer messages.
 */
#define EARLY		16u
#define LATER		256u
#define SPREAD		2000u /* parts */
#define GROWTH		2u    /* times four */
#define MOST_EXECUTIONS 256u
#define MOST		(1u << 28) /* of anything that is read */
#define NONE		SIZE_MAX
#define EFFORT                                                                                     \
	64u /* executions for each part that is wanted; then those that are there are dealt out */

/* A decision that belongs to no part: its choices are parts, or were. */
struct shared {
	struct shared *up;
	size_t via; /* the choice of @up that leads here */
	struct hd_xtreenode node;
	uint64_t awaited; /* as in struct hd_xtree */
	bool sleep;
	size_t busy;  /* a choice that has not told yet what it does; NONE */
	size_t below; /* parts and shared decisions that come right after it */
	size_t place; /* in the list */
	bool settled; /* all its choices were dealt out */
};

struct part {
	uint64_t number;
	struct shared *at; /* the last decision before it; NULL: there is none */
	size_t via;
	unsigned age;	 /* slices */
	unsigned slices; /* that were not taken in */
	size_t last;	 /* slice */
	uint64_t place;	 /* while it is written */
};

struct slice {
	struct part *part;
	size_t round;
	bool away, done, complete; /* complete: it was the last one of its part */
	char *bytes;		   /* the task; when it is done, what came of it */
	size_t len;
};

struct round {
	size_t *waiting, *done; /* numbers of slices */
	size_t nwaiting, waiting_room, ndone, done_room, open;
};

/* Of a search of which others search portions: they all do the same until it is dealt out. */
enum stage { OURS_ALONE, SPREADING, SETTLING, DEALT };

struct hd_xsplit {
	hd_xtaken_fn *taken;
	void *arg;
	struct hd_xstats stats;
	struct slice *slices;
	size_t nslices, slices_room;
	struct round *rounds;
	size_t nrounds, rounds_room;
	size_t now; /* the first round that was not taken in */
	struct shared **shared;
	size_t nshared, shared_room, shared_live;
	uint64_t nparts, parts_live;
	size_t away;
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

static void shared_free(struct hd_xsplit *s, struct shared *f)
{
	s->shared[f->place] = NULL;
	s->shared_live--;
	node_clear(&f->node);
	free(f);
}

void hd_xsplit_free(struct hd_xsplit *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nslices; i++) {
		struct part *p = s->slices[i].part;

		free(s->slices[i].bytes);
		if (p && --p->slices == 0)
			free(p);
	}
	for (size_t i = 0; i < s->nshared; i++) {
		if (s->shared[i])
			shared_free(s, s->shared[i]);
	}
	for (size_t i = 0; i < s->nrounds; i++) {
		free(s->rounds[i].waiting);
		free(s->rounds[i].done);
	}
	free(s->rounds);
	free(s->shared);
	free(s->slices);
	free(s);
}

/* ---- slices ------------------------------------------------------------------------- */

static bool room_for_round(struct hd_xsplit *s, size_t round)
{
	if (!HD_ROOM_ZEROED(s->rounds, s->rounds_room, round + 1))
		return false;
	if (s->nrounds < round + 1)
		s->nrounds = round + 1;
	return true;
}

static bool let_wait(struct hd_xsplit *s, size_t number)
{
	struct round *r = &s->rounds[s->slices[number].round];

	if (!HD_ROOM(r->waiting, r->waiting_room, r->nwaiting + 1))
		return false;
	r->waiting[r->nwaiting++] = number;
	return true;
}

/* The next slice of @p; @bytes becomes its own. False: no memory. */
static bool add_slice(struct hd_xsplit *s, struct part *p, size_t round, char *bytes, size_t len)
{
	struct slice slice = { .part = p, .round = round, .bytes = bytes, .len = len };

	if (!HD_ROOM(s->slices, s->slices_room, s->nslices + 1) || !room_for_round(s, round)) {
		free(bytes);
		return false;
	}
	s->slices[s->nslices] = slice;
	p->last = s->nslices;
	p->slices++;
	s->rounds[round].open++;
	return let_wait(s, s->nslices++);
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

/* A new part after choice @via of @at, from the position @p. False: no memory. */
static bool add_part(struct hd_xsplit *s, struct shared *at, size_t via,
		     const struct hd_xposition *p, size_t round)
{
	struct part *part = calloc(1, sizeof(*part));
	size_t len = 0;
	char *bytes = part ? task_of(p, &len) : NULL;

	if (!bytes) {
		free(part);
		return false;
	}
	*part = (struct part){ .number = s->nparts++, .at = at, .via = via };
	if (at)
		at->below++;
	s->parts_live++;
	return add_slice(s, part, round, bytes, len);
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
	unsigned first = p->number < SPREAD ? EARLY : LATER;
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
	const size_t end = is_common(s) ? s->now + 1 : s->nrounds;

	for (size_t i = s->now; !s->over && i < end; i++) {
		struct round *r = &s->rounds[i];
		size_t number;

		if (!r->nwaiting)
			continue;
		number = r->waiting[--r->nwaiting];
		s->slices[number].away = true;
		s->away++;
		*task = (struct hd_xtask){
			.number = number,
			.executions = is_common(s) ? 1 : executions_of(s->slices[number].part),
			.share = shares[s->stage],
			.bytes = s->slices[number].bytes,
			.len = s->slices[number].len
		};
		return true;
	}
	return false;
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

static struct shared *add_shared(struct hd_xsplit *s, struct part *p, const struct hd_xtreenode *n)
{
	struct shared *f = calloc(1, sizeof(*f));

	if (!f || !HD_ROOM(s->shared, s->shared_room, s->nshared + 1)) {
		free(f);
		return NULL;
	}
	*f = (struct shared){ .up = p->at,
			      .via = p->via,
			      .node = *n,
			      .busy = NONE,
			      .below = 1, /* the part */
			      .place = s->nshared };
	s->shared[s->nshared++] = f;
	s->shared_live++;
	p->at = f; /* above, this decision is there in place of the part */
	p->via = n->chosen;
	return f;
}

static size_t depth_of(const struct shared *f)
{
	size_t n = 0;

	for (; f; f = f->up)
		n++;
	return n;
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
	size_t n = depth_of(f), via = choice;

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

static bool begin_choice(struct hd_xsplit *s, struct shared *f, size_t choice, size_t round)
{
	struct hd_xposition p = {
		.tree = { .sleep = f->sleep, .awaited = f->awaited, .fresh = true }
	};
	size_t n = depth_of(f);
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
static bool begin_left(struct hd_xsplit *s, struct shared *f, size_t round)
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

/* Something right after @f is over. */
static void end_below(struct hd_xsplit *s, struct shared *f)
{
	while (f && --f->below == 0) {
		struct shared *up = f->up;

		shared_free(s, f);
		f = up;
	}
}

/* The part's first choice has told what it does. False: it should have. */
static bool learn_choice(struct part *p, struct result *r)
{
	struct shared *f = p->at;
	struct hd_xchoice *told;

	if (!f || f->busy != p->via)
		return true;
	if (!r->tried.n)
		return false;
	told = &r->tried.nodes[0].choices[0];
	free(f->node.choices[p->via].ops);
	f->node.choices[p->via].ops = told->ops;
	f->node.choices[p->via].nops = told->nops;
	told->ops = NULL;
	told->nops = 0;
	f->busy = NONE;
	return true;
}

static bool share_nodes(struct hd_xsplit *s, struct part *p, struct result *r)
{
	for (size_t i = 0; i < r->shared.n; i++) {
		struct shared *f = add_shared(s, p, &r->shared.nodes[i]);

		if (!f)
			return false;
		r->shared.nodes[i] = (struct hd_xtreenode){ 0 };
		f->awaited = r->awaited;
		f->sleep = r->sleep;
	}
	return true;
}

static void apply_wants(struct hd_xsplit *s, struct part *p, const struct result *r)
{
	size_t depth = depth_of(p->at);
	const struct shared *f;

	for (size_t i = 0; i < r->wants.n; i++) {
		size_t up = depth - 1;

		for (f = p->at; f && up > r->wants.list[i].node; up--)
			f = f->up;
		if (f)
			apply_want(s, (struct shared *)f, &r->wants.list[i]);
	}
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

/* Take in a slice that is done. */
static bool take_in(struct hd_xsplit *s, struct slice *slice)
{
	struct part *p = slice->part;
	struct result r;
	bool ok = read_result(slice->bytes, slice->len, &r);

	if (!ok)
		return false;
	ok = learn_choice(p, &r) && share_nodes(s, p, &r);
	apply_wants(s, p, &r);
	for (struct shared *f = p->at; ok && f; f = f->up)
		ok = begin_left(s, f, slice->round + 1);
	add_stats(&s->stats, &r.stats);
	if (!s->taken(s->arg, &r.stats, r.said, r.said_len))
		s->stopped = true;
	if (r.complete) {
		s->parts_live--;
		end_below(s, p->at);
	}
	result_free(&r);
	return ok;
}

static int by_part(const void *a, const void *b, void *slices)
{
	const struct slice *list = slices;
	uint64_t x = list[*(const size_t *)a].part->number,
		 y = list[*(const size_t *)b].part->number;

	return x < y ? -1 : x > y;
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

	h = hd_fnv_bytes(h, &p->number, sizeof(p->number));
	for (const struct shared *f = p->at; f; via = f->via, f = f->up) {
		for (size_t i = 0; i < f->node.nchoices; i++) {
			const struct hd_xchoice *c = &f->node.choices[i];
			uint32_t v[] = { c->thread, c->wanted, c->done, c->asleep, i == via };

			h = hd_fnv_bytes(h, v, sizeof(v));
		}
	}
	return h;
}

static void give_away(struct hd_xsplit *s, size_t number)
{
	struct slice *slice = &s->slices[number];
	struct part *p = slice->part;

	s->rounds[slice->round].open--;
	s->parts_live--;
	end_below(s, p->at);
	free(p);
	slice->part = NULL;
	free(slice->bytes);
	slice->bytes = NULL;
}

/* Every part that is left has one slice, which waits in the present round. */
static void deal_out(struct hd_xsplit *s)
{
	struct round *r = &s->rounds[s->now];
	size_t n = 0;

	qsort_r(r->waiting, r->nwaiting, sizeof(*r->waiting), by_part, s->slices);
	s->digest = hd_fnv_bytes(HD_FNV_START, &s->nportions, sizeof(s->nportions));
	for (size_t i = 0; i < r->nwaiting; i++)
		s->digest = add_to_digest(s->digest, s->slices[r->waiting[i]].part);
	for (size_t i = 0; i < s->nshared; i++) {
		if (s->shared[i])
			s->shared[i]->settled = true;
	}
	for (size_t i = 0; i < r->nwaiting; i++) {
		if (i % s->nportions == s->part - 1)
			r->waiting[n++] = r->waiting[i];
		else
			give_away(s, r->waiting[i]);
	}
	r->nwaiting = n;
	s->stage = DEALT;
}

static void look_at_stage(struct hd_xsplit *s)
{
	if (s->stage == SPREADING &&
	    (s->parts_live >= s->wanted || s->stats.executions - s->before >= EFFORT * s->wanted))
		s->stage = SETTLING;
	if (s->stage == SETTLING && !any_choice_left(s))
		deal_out(s);
}

/* All rounds that are done. */
static bool take_in_rounds(struct hd_xsplit *s)
{
	while (!s->over && s->now < s->nrounds && !s->rounds[s->now].open) {
		struct round *r = &s->rounds[s->now];
		size_t *done = r->done, n = r->ndone;
		bool ok = true;

		if (n)
			qsort_r(done, n, sizeof(*done), by_part, s->slices);
		for (size_t i = 0; i < n && ok; i++) {
			struct slice copy = s->slices[done[i]];

			ok = take_in(s, &copy);
			s->slices[done[i]].part = NULL;
			free(copy.bytes);
			s->slices[done[i]].bytes = NULL;
			if (--copy.part->slices == 0)
				free(copy.part);
		}
		if (!ok)
			return false;
		s->now++;
		s->over = s->stopped || s->now == s->nrounds;
		s->stats.complete = s->now == s->nrounds;
		if (!s->over)
			look_at_stage(s);
	}
	return true;
}

enum hd_err hd_xsplit_done(struct hd_xsplit *s, uint64_t number, const char *bytes, size_t len)
{
	struct slice *slice = is_away(s, number) ? &s->slices[number] : NULL;
	struct result r;
	struct round *round;
	struct part *p;
	size_t at;
	char *copy;

	if (!slice)
		return HD_OK; /* it was done by somebody else */
	if (!read_result(bytes, len, &r)) {
		hd_xsplit_lost(s, number);
		return HD_ERR_CORRUPT;
	}
	copy = malloc(len);
	round = &s->rounds[slice->round];
	if (!copy || !HD_ROOM(round->done, round->done_room, round->ndone + 1)) {
		free(copy);
		result_free(&r);
		return HD_ERR_NOMEM;
	}
	memcpy(copy, bytes, len);
	free(slice->bytes);
	slice->bytes = copy;
	slice->len = len;
	slice->away = false;
	slice->done = true;
	slice->complete = r.complete;
	s->away--;
	p = slice->part;
	at = slice->round;
	round->done[round->ndone++] = (size_t)number;
	round->open--;
	p->age += !is_common(s);
	if (!r.complete && !add_slice(s, p, at + 1, r.next, r.next_len)) {
		r.next = NULL;
		result_free(&r);
		return HD_ERR_NOMEM;
	}
	r.next = NULL; /* it is the slice's */
	result_free(&r);
	return take_in_rounds(s) ? HD_OK : HD_ERR_NOMEM;
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
	struct hd_xsplit_load l = {
		.slices = s->nslices, .parts = s->nparts, .shared = s->shared_live, .away = s->away
	};

	for (size_t i = s->now; i < s->nrounds; i++)
		l.waiting += s->rounds[i].nwaiting;
	return l;
}

/* ---- in a file ---------------------------------------------------------------------- */

static bool put_shared(FILE *out, const struct shared *f, const uint64_t *places)
{
	uint64_t head[] = {
		f->up ? places[f->up->place] : UINT64_MAX, f->via,     f->awaited, f->sleep,
		f->busy == NONE ? UINT64_MAX : f->busy,	   f->settled,
	};

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

/* Rounds are counted from @now on. */
static bool put_slice(FILE *out, const struct slice *slice, size_t now, uint64_t *nparts,
		      const uint64_t *places)
{
	struct part *p = slice->part;
	bool new = p->place == UINT64_MAX;
	uint64_t at = p->at ? places[p->at->place] : UINT64_MAX;
	uint64_t part[] = { p->number, at, p->via, p->age };

	if (new)
		p->place = (*nparts)++;
	return put_number(out, p->place) && (!new || put(out, part, sizeof(part))) &&
	       put_number(out, slice->round - now) && put_number(out, slice->done) &&
	       put_bytes(out, slice->bytes, slice->len);
}

bool hd_xsplit_write(const struct hd_xsplit *s, FILE *out)
{
	uint64_t *places = calloc(s->nshared + 1, sizeof(*places)), n = 0, nparts = 0;
	const uint64_t deal[] = { s->stage,  s->part,	s->nportions, s->wanted,
				  s->before, s->digest, s->missed };
	bool ok = places && put(out, &s->stats, sizeof(s->stats)) && put(out, deal, sizeof(deal)) &&
		  put_number(out, s->nparts) && put_all_shared(out, s, places);

	for (size_t i = 0; i < s->nslices; i++) {
		if (!s->slices[i].part)
			continue;
		s->slices[i].part->place = UINT64_MAX;
		n++;
	}
	ok = ok && put_number(out, n);
	for (size_t i = 0; ok && i < s->nslices; i++) {
		if (s->slices[i].part)
			ok = put_slice(out, &s->slices[i], s->now, &nparts, places);
	}
	free(places);
	return ok;
}

static bool get_shared(FILE *in, struct hd_xsplit *s)
{
	struct shared *f = calloc(1, sizeof(*f));
	struct hd_xtree t = { 0 };
	uint64_t head[6];
	bool ok = f && HD_ROOM(s->shared, s->shared_room, s->nshared + 1) &&
		  fread(head, sizeof(head), 1, in) == 1 && hd_xnode_read(in, &t) &&
		  (head[0] == UINT64_MAX || head[0] < s->nshared) &&
		  (head[4] == UINT64_MAX || head[4] < t.nodes[0].nenabled);

	if (!ok) {
		hd_xtree_free(&t);
		free(f);
		return false;
	}
	*f = (struct shared){ .up = head[0] == UINT64_MAX ? NULL : s->shared[head[0]],
			      .via = (size_t)head[1],
			      .node = t.nodes[0],
			      .awaited = head[2],
			      .sleep = head[3],
			      .busy = head[4] == UINT64_MAX ? NONE : (size_t)head[4],
			      .settled = head[5],
			      .place = s->nshared };
	t.n = 0;
	hd_xtree_free(&t);
	s->shared[s->nshared++] = f;
	s->shared_live++;
	if (f->up)
		f->up->below++;
	return !f->up || f->via < f->up->node.nenabled;
}

static struct part *get_part(FILE *in, struct hd_xsplit *s)
{
	uint64_t head[4];
	struct part *p;

	if (fread(head, sizeof(head), 1, in) != 1 || head[0] >= s->nparts ||
	    (head[1] != UINT64_MAX &&
	     (head[1] >= s->nshared || head[2] >= s->shared[head[1]]->node.nenabled)))
		return NULL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	*p = (struct part){ .number = head[0],
			    .at = head[1] == UINT64_MAX ? NULL : s->shared[head[1]],
			    .via = (size_t)head[2],
			    .age = (unsigned)head[3] };
	s->parts_live++;
	if (p->at)
		p->at->below++;
	return p;
}

/* What came of a slice that is done: can it be taken in? */
static bool check_result(struct slice *slice)
{
	struct result r;

	if (!read_result(slice->bytes, slice->len, &r))
		return false;
	slice->complete = r.complete;
	result_free(&r);
	return true;
}

/* A part has a slice a round, until one completes it. */
static bool can_follow(const struct hd_xsplit *s, const struct part *p, uint64_t round)
{
	const struct slice *last = p->slices ? &s->slices[p->last] : NULL;

	return !last || (last->done && !last->complete && round == last->round + 1);
}

/* No round of @nslices is without a slice. */
static bool get_slice(FILE *in, struct hd_xsplit *s, uint64_t nslices, struct part ***parts,
		      size_t *n, size_t *room)
{
	uint64_t place, round, done;
	struct slice *slice;
	struct round *r;
	char *bytes;
	size_t len;

	if (!get_number(in, &place) || place > *n || !HD_ROOM(*parts, *room, *n + 1))
		return false;
	if (place == *n) {
		(*parts)[*n] = get_part(in, s);
		if (!(*parts)[(*n)++])
			return false;
	}
	if (!get_number(in, &round) || round >= nslices || !get_number(in, &done) ||
	    !can_follow(s, (*parts)[place], round) || !get_bytes(in, &bytes, &len) ||
	    !add_slice(s, (*parts)[place], (size_t)round, bytes, len))
		return false;
	if (!done)
		return true;
	slice = &s->slices[s->nslices - 1];
	r = &s->rounds[round];
	if (!HD_ROOM(r->done, r->done_room, r->ndone + 1))
		return false;
	slice->done = true;
	r->nwaiting--; /* it was the last to come */
	r->open--;
	r->done[r->ndone++] = s->nslices - 1;
	return check_result(slice);
}

/* Does every part go on, or come to an end, and does something come after every shared decision? */
static bool adds_up(const struct hd_xsplit *s)
{
	for (size_t i = 0; i < s->nslices; i++) {
		const struct slice *last = &s->slices[s->slices[i].part->last];

		if (last->done && !last->complete)
			return false;
	}
	for (size_t i = 0; i < s->nshared; i++) {
		if (!s->shared[i]->below)
			return false;
	}
	return true;
}

static bool get_deal(FILE *in, struct hd_xsplit *s)
{
	uint64_t v[7];

	if (fread(v, sizeof(v), 1, in) != 1 || v[0] > DEALT ||
	    (v[0] != OURS_ALONE && (v[1] < 1 || v[1] > v[2] || v[2] > HD_MOST_PARTS)))
		return false;
	s->stage = v[0];
	s->part = v[1];
	s->nportions = v[2];
	s->wanted = v[3];
	s->before = v[4];
	s->digest = v[5];
	s->missed = v[6];
	return true;
}

enum hd_err hd_xsplit_read(struct hd_xsplit *s, FILE *in)
{
	struct part **parts = NULL;
	size_t nparts = 0, room = 0;
	uint64_t n;
	bool ok = hd_xstats_read(in, &s->stats) && get_deal(in, s) && get_number(in, &s->nparts) &&
		  get_number(in, &n);

	for (; ok && n; n--)
		ok = get_shared(in, s);
	ok = ok && get_number(in, &n) && n;
	for (uint64_t i = 0; ok && i < n; i++)
		ok = get_slice(in, s, n, &parts, &nparts, &room);
	ok = ok && adds_up(s);
	for (size_t i = 0; i < nparts; i++) {
		if (parts[i] && !parts[i]->slices)
			free(parts[i]);
	}
	free(parts);
	return ok ? HD_OK : HD_ERR_CORRUPT;
}
