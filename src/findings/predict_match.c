#include "predict_match.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hash.h"
#include "common/map.h"
#include "goal_ways.h"
#include "report/explain.h"
#include "trace/event_meaning.h"

#define FITS_KEPT   16	  /* of each description: half of them the first, half the last */
#define FITS_OF_TWO 128	  /* if a goal has no more than two */
#define AVOIDED_MAX 65536 /* of what must not happen in between, all have to be known */

struct matching {
	struct hd_user_goals *goals;
	const struct hd_run *run;
	struct hd_map places; /* pc * terms + term -> 1 no, 2 yes */
	struct hd_map names;  /* address * terms + term -> the same */
	size_t nterms;
	struct hd_map last_fit; /* thread and term -> 1 no, 2 yes: the thread's last event fits */
	struct hd_map pointed;	/* block and term -> 1: the name has pointed to it */
	struct hd_map forks;	/* thread -> the event that started it, plus 1 */
	/* The latest block at each address, by address. */
	struct block {
		uint64_t addr, size, number; /* of its allocation, plus 1 */
	} * blocks;
	size_t nblocks, blocks_room;
};

/* "pool.c" and "src/pool.c" are both "/home/x/src/pool.c". */
static bool same_file(const char *path, const char *wanted)
{
	size_t n = strlen(path), m = strlen(wanted);

	return n >= m && !strcmp(path + n - m, wanted) &&
	       (n == m || path[n - m - 1] == '/' || *wanted == '/');
}

static bool is_frame(const struct hd_frame *f, const struct hd_term *t)
{
	return (!t->file || (f->file && f->line == t->line && same_file(f->file, t->file))) &&
	       (!t->function || (f->function && !strcmp(f->function, t->function)));
}

/* Any frame of the program there may be meant, also of a function that was inlined. */
static bool is_at(const struct hd_run *run, const struct hd_event *ev, const struct hd_term *t)
{
	uint64_t pc = ev->pc;
	struct hd_stack stack;
	bool found = false;
	const char *file;
	uint32_t line;

	if (hd_trace_site(run->trace, pc, &file, &line))
		return t->file && !t->function && line == t->line && same_file(file, t->file);
	if (!pc || hd_run_stack(run, pc, 0, &stack) != HD_OK)
		return false;
	for (size_t i = 0; i < stack.nframes; i++)
		found |= is_frame(&stack.frames[i], t);
	hd_stack_free(&stack);
	return found;
}

static bool is_named(const struct hd_run *run, const struct hd_event *ev, const struct hd_term *t)
{
	bool memory = hd_op_info[ev->op].addr == HD_U_LOC;
	char name[512];

	if (!ev->addr)
		return false;
	if (memory && hd_location_name(run, ev->addr, ev->size, name, sizeof(name)) &&
	    !strcmp(name, t->name))
		return true;
	return hd_object_name(run, ev->addr, name, sizeof(name)) && !strcmp(name, t->name);
}

/* ---- what an event is about --------------------------------------------------------------- */

static bool is_done(const struct hd_event *ev, const struct hd_term *t)
{
	enum hd_touch touches = hd_op_touches(ev->op);
	bool reads = touches == HD_TOUCH_READ || ev->op == HD_OP_ATOMIC_RMW;
	bool writes = touches == HD_TOUCH_WRITE;

	switch (t->verb) {
	case HD_VERB_READS:
		return reads;
	case HD_VERB_WRITES:
		return writes;
	case HD_VERB_USES:
		return reads || writes;
	default:
		return t->op ? ev->op == t->op : hd_op_about(ev->op) != HD_ABOUT_RUN;
	}
}

typedef bool asking(const struct hd_run *run, const struct hd_event *ev, const struct hd_term *t);

/* Ask once for each place and each address. */
static enum hd_err ask_once(struct matching *m, struct hd_map *known, uint64_t key, asking *is,
			    const struct hd_event *ev, const struct hd_term *t, bool *yes)
{
	uint64_t answer = hd_map_get(known, key);

	if (!answer) {
		answer = is(m->run, ev, t) ? 2 : 1;
		if (!hd_map_set(known, key, answer))
			return HD_ERR_NOMEM;
	}
	*yes = answer == 2;
	return HD_OK;
}

/* ---- heap blocks ------------------------------------------------------------------ */

/* How many blocks begin at or before @addr. */
static size_t blocks_upto(const struct matching *m, uint64_t addr)
{
	size_t low = 0, high = m->nblocks;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->blocks[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The block around @addr: a freed one until the memory is given out again; 0: none. */
static uint64_t block_at(const struct matching *m, uint64_t addr)
{
	size_t i = blocks_upto(m, addr);
	const struct block *b = i ? &m->blocks[i - 1] : NULL;

	return b && addr - b->addr < b->size ? b->number : 0;
}

static bool follow_blocks(struct matching *m, const struct hd_event *ev, uint64_t number)
{
	struct block new = { ev->addr, ev->value, number + 1 };
	size_t first, end;

	if (ev->op != HD_OP_ALLOC || !ev->value)
		return true;
	first = blocks_upto(m, ev->addr);
	end = blocks_upto(m, ev->addr + ev->value - 1);
	if (first && m->blocks[first - 1].addr + m->blocks[first - 1].size > ev->addr)
		first--;
	if (!HD_ROOM(m->blocks, m->blocks_room, m->nblocks + 1))
		return false;
	memmove(&m->blocks[first + 1], &m->blocks[end], (m->nblocks - end) * sizeof(new));
	m->nblocks += 1 - (end - first);
	m->blocks[first] = new;
	return true;
}

static uint64_t key_of(uint64_t what, size_t term)
{
	return hd_hash_pair(what, term);
}

/* ---- what fits ------------------------------------------------------------------------------ */

/* @block: what is in parentheses, the block that the event is on. */
static enum hd_err fits(struct matching *m, const struct hd_event *ev, const struct hd_term *t,
			size_t number, uint64_t block, bool *yes)
{
	enum hd_err err = HD_OK;

	*yes = (!t->thread || ev->thread + 1ull == t->thread) && is_done(ev, t);
	if (*yes && (t->file || t->function))
		err = ask_once(m, &m->places, ev->pc * m->nterms + number, is_at, ev, t, yes);
	if (!*yes || err)
		return err;
	if (t->block)
		*yes = block &&
		       (!strcmp(t->name, "*") || hd_map_get(&m->pointed, key_of(block, number)));
	else if (t->name)
		err = ask_once(m, &m->names, (ev->addr * 64 + (ev->size & 63)) * m->nterms + number,
			       is_named, ev, t, yes);
	return err;
}

static size_t fits_kept(const struct hd_user_goal *g)
{
	return g->sentence && g->norder == 2 ? FITS_OF_TWO : FITS_KEPT;
}

static bool add_fit(struct hd_term *t, const struct hd_fit *fit, size_t kept)
{
	t->all_fits++;
	if (t->nth && t->all_fits != t->nth)
		return true;
	if (t->nfits == AVOIDED_MAX)
		return true;	/* they are too many to say anything of them */
	if (t->nfits == kept) { /* the second half holds the last ones */
		memmove(t->fits + kept / 2, t->fits + kept / 2 + 1,
			(kept / 2 - 1) * sizeof(*t->fits));
		t->nfits--;
	}
	if (!HD_ROOM(t->fits, t->room, t->nfits + 1))
		return false;
	t->fits[t->nfits++] = *fit;
	return true;
}

/*
 * A line is several events in a row. Something comes after it when the last one has happened, and
 * before it when the first one has not.
 */
static bool keep_fit(struct matching *m, struct hd_user_goal *g, size_t k, size_t number,
		     const struct hd_fit *fit)
{
	struct hd_term *t = &g->order[k];
	bool line = hd_term_is_line(t);
	bool again = hd_map_get(&m->last_fit, key_of(fit->thread, number)) == 2;
	struct hd_fit *last = t->nfits ? &t->fits[t->nfits - 1] : NULL;

	if (!g->sentence || !line || !again)
		return add_fit(t, fit, fits_kept(g));
	for (size_t i = t->nfits; i-- > 0 && last->thread != fit->thread;)
		last = &t->fits[i];
	if (!k && !g->twice && last && last->thread == fit->thread &&
	    (!t->nth || t->nth == t->all_fits))
		*last = *fit;
	return true;
}

static struct hd_term *term_of(struct hd_user_goal *g, size_t i)
{
	size_t n = g->norder + g->nnext;

	return i < g->norder ? &g->order[i] : i < n ? &g->next[i - g->norder] : &g->without[i - n];
}

/* Terms of @g, with those that must not happen. */
static size_t terms(const struct hd_user_goal *g)
{
	return g->norder + g->nnext + (g->sentence ? g->norder - 1 : 0);
}

static enum hd_err look_at(struct matching *m, const struct hd_event *ev, uint64_t event,
			   struct hd_user_goal *g, size_t k, size_t number)
{
	struct hd_fit fit = { .event = event,
			      .pc = ev->pc,
			      .block = block_at(m, ev->addr),
			      .fork = hd_map_get(&m->forks, ev->thread),
			      .thread = ev->thread };
	struct hd_term *t = term_of(g, k);
	bool avoided = k >= g->norder + g->nnext, yes = false;
	enum hd_err err;

	if (t->numbered || (avoided && !g->is_without[k - g->norder - g->nnext]))
		return HD_OK;
	if (g->sentence &&
	    (hd_op_about(ev->op) == HD_ABOUT_RUN || hd_op_about(ev->op) == HD_ABOUT_FINDING))
		return HD_OK; /* nothing that the program does */
	/* Where a function is left, debug information has the line of some statement before. */
	if (g->sentence && hd_term_is_line(t) && ev->op == HD_OP_FUNC_EXIT)
		return HD_OK;
	err = fits(m, ev, t, number, fit.block, &yes);
	if (!err && yes &&
	    !(avoided	      ? add_fit(t, &fit, AVOIDED_MAX)
	      : k < g->norder ? keep_fit(m, g, k, number, &fit)
			      : add_fit(t, &fit, FITS_KEPT)))
		err = HD_ERR_NOMEM;
	if (!err && g->sentence &&
	    !hd_map_set(&m->last_fit, key_of(ev->thread, number), yes ? 2 : 1))
		err = HD_ERR_NOMEM;
	return err;
}

static enum hd_err look(void *arg, const struct hd_event *events, size_t n, uint64_t first)
{
	struct matching *m = arg;

	for (size_t e = 0; e < n; e++) {
		const struct hd_event *ev = &events[e];
		size_t number = 0;

		if (!follow_blocks(m, ev, first + e) ||
		    (ev->op == HD_OP_FORK && !hd_map_set(&m->forks, ev->value, first + e + 1)))
			return HD_ERR_NOMEM;
		for (size_t i = 0; i < m->goals->n; i++) {
			struct hd_user_goal *g = &m->goals->list[i];

			for (size_t k = 0; k < terms(g); k++, number++) {
				if (look_at(m, ev, first + e, g, k, number))
					return HD_ERR_NOMEM;
			}
		}
	}
	return HD_OK;
}

/* Before that: which blocks the names in parentheses have pointed to. */
static enum hd_err look_for_blocks(void *arg, const struct hd_event *events, size_t n,
				   uint64_t first)
{
	struct matching *m = arg;

	for (size_t e = 0; e < n; e++) {
		const struct hd_event *ev = &events[e];
		bool access = hd_op_info[ev->op].addr == HD_U_LOC && ev->size == 8;
		uint64_t block = access ? block_at(m, ev->value) : 0;
		size_t number = 0;

		if (!follow_blocks(m, ev, first + e))
			return HD_ERR_NOMEM;
		for (size_t i = 0; i < m->goals->n && block; i++) {
			struct hd_user_goal *g = &m->goals->list[i];

			for (size_t k = 0; k < terms(g); k++, number++) {
				struct hd_term *t = term_of(g, k);

				if (!t->block || !is_named(m->run, ev, t))
					continue;
				t->points = true;
				if (!hd_map_set(&m->pointed, key_of(block, number), 1))
					return HD_ERR_NOMEM;
			}
		}
	}
	return HD_OK;
}

/* A name that never points to a block is meant itself. */
static enum hd_err find_blocks(struct matching *m, struct hd_run *run, struct hd_errbuf *eb)
{
	enum hd_err err = HD_OK;
	bool any = false;

	for (size_t i = 0; i < m->goals->n; i++) {
		for (size_t k = 0; k < terms(&m->goals->list[i]); k++)
			any |= term_of(&m->goals->list[i], k)->block;
	}
	if (any)
		err = hd_run_each(run, look_for_blocks, m, eb);
	m->nblocks = 0;
	for (size_t i = 0; i < m->goals->n && !err; i++) {
		for (size_t k = 0; k < terms(&m->goals->list[i]); k++) {
			struct hd_term *t = term_of(&m->goals->list[i], k);

			t->block = t->block && (t->points || !strcmp(t->name, "*"));
		}
	}
	return err;
}

enum hd_err hd_user_goals_resolve(struct hd_user_goals *g, struct hd_run *run, struct hd_predict *p,
				  struct hd_errbuf *eb)
{
	struct matching m = { .goals = g, .run = run };
	bool sentences = false;
	enum hd_err err;

	for (size_t i = 0; i < g->n; i++) {
		m.nterms += terms(&g->list[i]);
		sentences |= g->list[i].sentence;
	}
	err = find_blocks(&m, run, eb);
	if (!err && p && sentences)
		err = hd_predict_take_all(p, eb);
	if (!err)
		err = hd_run_each(run, look, &m, eb);
	if (err == HD_ERR_NOMEM)
		hd_fail(eb, err, "out of memory for goals");
	hd_map_free(&m.places);
	hd_map_free(&m.names);
	hd_map_free(&m.last_fit);
	hd_map_free(&m.pointed);
	hd_map_free(&m.forks);
	free(m.blocks);
	for (size_t i = 0; i < g->n && !err; i++)
		err = hd_goal_ways(&g->list[i], p, eb);
	return err;
}
