#include "patterns.h"

#include <stdlib.h>
#include <string.h>

#include "call_sites.h"
#include "pattern_walk.h"

#define WORD_SHIFT 3 /* variables are words of 8 bytes; smaller accesses keep their own bytes */

/* Members of a group that a thread touched last, and sites of one block, that are paired. */
#define RECENT_MAX 40
#define GROUP_RECENT_MAX 16
#define FIRSTS_MAX 64

/* Without sites every access is its own, up to here; then the thread and address stand for it. */
#define UNSITED_MAX 256

#define CACHE_SIZE 256 /* owners by variable, for each thread */

/* Entries that were used last, to find them again without the tables. 0: none */
struct access_memo {
	uint64_t site;
	hd_acq acq;
	hd_moment moment;
	uint32_t entry;
};

struct pair_memo {
	uint64_t site1, site2, addr2, len2;
	uint32_t gap, entry;
	bool write1;
};

/* The thread's latest accesses to the same bytes. */
struct recent {
	uint32_t next;
	uint32_t begins;
	uint64_t addr, len;
	struct hd_mark last, last_write;
	struct access_memo access_memo[2]; /* of its reads, of its writes */
	struct pair_memo pair_memo[3];	   /* last with a read, last with a write, writes */
};

/* The first access of a site in the present block. */
struct first {
	uint32_t next;
	uint32_t begins;
	uint64_t addr, len;
	struct hd_mark mark, latest;
	uint32_t nknown; /* how many firsts there were when its pairs were last made */
};

/* What one thread did to one variable. */
struct owner {
	uint32_t next, var, thread; /* thread: its number here */
	uint32_t recents, firsts, nrecents, nfirsts;
	uint64_t block;
};

struct pool {
	char *items; /* [0] is unused */
	size_t size;
	uint32_t count, room, free;
};

struct walker {
	struct hd_walk walk;
	uint64_t depth, block; /* of declared blocks; block 0: none */
	struct {
		uint32_t var, owner;
	} cache[CACHE_SIZE];
};

struct membership {
	uint64_t addr, len;
	uint32_t var;
	uint32_t next; /* of the same word; 0: none */
};

struct hd_patterns {
	struct hd_patterns_options options;
	hd_found_fn *fn;
	void *arg;
	struct hd_lock_state locks;
	struct hd_pattern_store store;
	struct walker **walkers; /* by the number of the standing */
	size_t nwalkers, walkers_room;
	struct hd_map var_of, group_var; /* word, group -> variable */
	struct hd_variable *vars;	 /* [0] is unused */
	size_t nvars, vars_room;
	struct hd_map member_of; /* word -> membership */
	struct membership *members; /* [0] is unused */
	size_t nmembers, members_room;
	struct pool owners, recents, firsts;
	struct hd_map sharing; /* learnt: word -> how it is used */
	bool learnt, failed;
	uint64_t nblocks;
	unsigned nunsited;
	struct hd_call_sites sites;
};

/* How a word is used: who came first, and whether that is all. */
enum { USED = 1, WRITTEN = 2, SHARED = 4, USER_SHIFT = 3 };

/* --- small things --- */

static void *pool_at(const struct pool *p, uint32_t i)
{
	return p->items + i * p->size;
}

/* The free list is chained through the first word of the items. */
static uint32_t pool_new(struct hd_patterns *p, struct pool *pool)
{
	uint32_t i = pool->free;

	if (i) {
		memcpy(&pool->free, pool_at(pool, i), sizeof(pool->free));
	} else {
		if (pool->count + 1 >= pool->room) {
			uint32_t room = pool->room ? pool->room * 2 : 64;
			char *items = room > UINT32_MAX / 4 ? NULL : realloc(pool->items,
									     room * pool->size);

			if (!items) {
				p->failed = true;
				return 0;
			}
			pool->items = items;
			pool->room = room;
		}
		i = ++pool->count;
	}
	memset(pool_at(pool, i), 0, pool->size);
	return i;
}

static void pool_drop(struct pool *pool, uint32_t i)
{
	memcpy(pool_at(pool, i), &pool->free, sizeof(pool->free));
	pool->free = i;
}

static void pool_drop_list(struct pool *pool, uint32_t *head)
{
	for (uint32_t i = *head, next; i; i = next) {
		memcpy(&next, pool_at(pool, i), sizeof(next)); /* next is the first member */
		pool_drop(pool, i);
	}
	*head = 0;
}

static struct owner *owner_at(const struct hd_patterns *p, uint32_t i)
{
	return pool_at(&p->owners, i);
}

static struct recent *recent_at(const struct hd_patterns *p, uint32_t i)
{
	return pool_at(&p->recents, i);
}

static struct first *first_at(const struct hd_patterns *p, uint32_t i)
{
	return pool_at(&p->firsts, i);
}

static bool overlap(uint64_t a, uint64_t alen, uint64_t b, uint64_t blen)
{
	return a < b ? b - a < alen : a - b < blen;
}

struct hd_patterns *hd_patterns_new(const struct hd_patterns_options *options, hd_found_fn *fn,
				    void *arg)
{
	struct hd_patterns *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->fn = fn;
	p->arg = arg;
	p->nvars = p->nmembers = 1;
	p->owners.size = sizeof(struct owner);
	p->recents.size = sizeof(struct recent);
	p->firsts.size = sizeof(struct first);
	hd_pattern_store_init(&p->store);
	if (!hd_lock_state_init(&p->locks)) {
		free(p);
		return NULL;
	}
	if (options)
		p->options = *options;
	for (size_t i = 0; options && i < options->ngroups; i++) {
		if (hd_patterns_add_group(p, &options->groups[i]) != HD_OK) {
			hd_patterns_free(p);
			return NULL;
		}
	}
	return p;
}

void hd_patterns_free(struct hd_patterns *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->nwalkers; i++)
		free(p->walkers[i]);
	free(p->walkers);
	hd_lock_state_free(&p->locks);
	hd_pattern_store_free(&p->store);
	hd_map_free(&p->var_of);
	hd_map_free(&p->group_var);
	hd_map_free(&p->member_of);
	hd_map_free(&p->sharing);
	hd_call_sites_free(&p->sites);
	free(p->vars);
	free(p->members);
	free(p->owners.items);
	free(p->recents.items);
	free(p->firsts.items);
	free(p);
}

/* --- what an event does to memory --- */

struct touch {
	uint64_t addr, len;
	bool write;
};

static bool touches(const struct hd_patterns *p, const struct hd_event *ev, struct touch *t)
{
	bool atomic = false;

	*t = (struct touch){ .addr = ev->addr, .len = ev->size };
	switch (ev->op) {
	case HD_OP_READ:
		break;
	case HD_OP_WRITE:
		t->write = true;
		break;
	case HD_OP_READ_RANGE:
		t->len = ev->value;
		break;
	case HD_OP_WRITE_RANGE:
		t->len = ev->value;
		t->write = true;
		break;
	case HD_OP_ATOMIC_LOAD:
	case HD_OP_ATOMIC_CAS_FAIL:
		atomic = true;
		break;
	case HD_OP_ATOMIC_STORE:
	case HD_OP_ATOMIC_RMW:
		atomic = true;
		t->write = true;
		break;
	default:
		return false;
	}
	if (t->len > UINT64_MAX - t->addr)
		t->len = UINT64_MAX - t->addr;
	return t->len && !(atomic && p->options.leave_out_atomics);
}

enum hd_err hd_patterns_learn(struct hd_patterns *p, const struct hd_event *events, size_t n)
{
	p->learnt = true;
	for (size_t i = 0; i < n; i++) {
		struct touch t;
		uint64_t last;

		if (!touches(p, &events[i], &t))
			continue;
		last = (t.addr + t.len - 1) >> WORD_SHIFT;
		for (uint64_t w = t.addr >> WORD_SHIFT; w <= last; w++) {
			uint64_t was = hd_map_get(&p->sharing, w), now = was;

			if (!was)
				now = USED | (uint64_t)events[i].thread << USER_SHIFT;
			else if (was >> USER_SHIFT != events[i].thread)
				now |= SHARED;
			if (t.write)
				now |= WRITTEN;
			if (now != was && !hd_map_set(&p->sharing, w, now))
				return HD_ERR_NOMEM;
		}
	}
	return HD_OK;
}

static bool matters(const struct hd_patterns *p, uint64_t word)
{
	const uint64_t both = SHARED | WRITTEN;

	return !p->learnt || (hd_map_get(&p->sharing, word) & both) == both;
}

/* --- variables and groups --- */

static uint32_t new_variable(struct hd_patterns *p, struct hd_map *map, uint64_t key, int32_t group)
{
	uint64_t at = hd_map_get(map, key);

	if (at)
		return (uint32_t)at;
	if (p->nvars >= UINT32_MAX / 2 ||
	    !hd_grow((void **)&p->vars, &p->vars_room, p->nvars, sizeof(*p->vars)) ||
	    !hd_map_set(map, key, p->nvars)) {
		p->failed = true;
		return 0;
	}
	p->vars[p->nvars] = (struct hd_variable){ .key = key, .group = group };
	return (uint32_t)p->nvars++;
}

enum hd_err hd_patterns_add_group(struct hd_patterns *p, const struct hd_group_range *range)
{
	uint64_t from = range->addr >> WORD_SHIFT, to;
	uint32_t var;

	if (!range->len || range->len > UINT64_MAX - range->addr)
		return HD_OK;
	to = (range->addr + range->len - 1) >> WORD_SHIFT;
	var = new_variable(p, &p->group_var, range->group, (int32_t)(range->group & INT32_MAX));
	if (!var)
		return HD_ERR_NOMEM;
	for (uint64_t w = from; w <= to; w++) {
		struct membership m = { range->addr, range->len, var,
					(uint32_t)hd_map_get(&p->member_of, w) };

		if (p->nmembers >= UINT32_MAX ||
		    !hd_grow((void **)&p->members, &p->members_room, p->nmembers,
			     sizeof(*p->members)) ||
		    !hd_map_set(&p->member_of, w, p->nmembers))
			return HD_ERR_NOMEM;
		p->members[p->nmembers++] = m;
	}
	return HD_OK;
}

/* --- where threads are --- */

static struct walker *walker_of(struct hd_patterns *p, struct hd_standing *t)
{
	while (p->nwalkers <= t->at) {
		struct walker *w;

		if (!hd_grow((void **)&p->walkers, &p->walkers_room, p->nwalkers,
			     sizeof(*p->walkers)))
			return NULL;
		w = calloc(1, sizeof(*w));
		if (!w)
			return NULL;
		w->walk.segment = w->walk.last_free = 1;
		p->walkers[p->nwalkers++] = w;
	}
	p->walkers[t->at]->walk.standing = t;
	return p->walkers[t->at];
}

static void change_segment(struct hd_patterns *p, struct hd_standing *t, unsigned change)
{
	struct walker *w = walker_of(p, t);

	if (!w || !hd_walk_change(&w->walk, &p->locks, change))
		p->failed = true;
}

/* --- an access to a variable --- */

/* One access on its way into the tables. */
struct visit {
	struct walker *w;
	uint32_t var;
	struct hd_mark mark;
	uint64_t addr, len; /* within the variable */
	uint32_t begins;
};

static uint32_t gap_since(struct hd_patterns *p, const struct visit *v, const struct hd_mark *since)
{
	uint32_t gap = hd_walk_gap(&v->w->walk, &p->locks, &p->store, since);

	p->failed |= !gap;
	return gap;
}

static uint32_t add_pair(struct hd_patterns *p, const struct visit *v, const struct hd_mark *e1,
			 uint64_t addr1, uint64_t len1, uint32_t begins1, uint32_t gap,
			 bool declared)
{
	struct hd_pair_key key = {
		.site1 = e1->site, .site2 = v->mark.site,
		.addr1 = addr1, .len1 = len1, .addr2 = v->addr, .len2 = v->len,
		.var = v->var, .thread = v->w->walk.standing->at, .gap = gap,
		.write1 = e1->write, .write2 = v->mark.write,
		.begins = begins1 || v->begins, .declared = declared,
	};

	if (p->failed)
		return 0;
	return hd_store_pair(&p->store, &p->vars[v->var], &key, &e1->spot, &v->mark.spot);
}

/* The pair of an access that @r remembers with this one. */
static void add_recent_pair(struct hd_patterns *p, const struct visit *v, const struct recent *r,
			    const struct hd_mark *e1, struct pair_memo *memo)
{
	uint32_t gap = gap_since(p, v, e1);

	if (memo->entry && memo->gap == gap && memo->site1 == e1->site &&
	    memo->site2 == v->mark.site && memo->addr2 == v->addr && memo->len2 == v->len &&
	    memo->write1 == e1->write) {
		hd_store_pair_again(&p->store, memo->entry, &e1->spot, &v->mark.spot);
		return;
	}
	*memo = (struct pair_memo){
		.site1 = e1->site, .site2 = v->mark.site, .addr2 = v->addr, .len2 = v->len,
		.gap = gap, .write1 = e1->write,
		.entry = add_pair(p, v, e1, r->addr, r->len, r->begins, gap, false),
	};
}

/* In a word the accesses of a pair overlap; in a group they are to different members. */
static bool pairs_up(const struct hd_patterns *p, const struct visit *v, uint64_t addr,
		     uint64_t len)
{
	return overlap(addr, len, v->addr, v->len) == (p->vars[v->var].group < 0);
}

static struct owner *owner_of(struct hd_patterns *p, struct walker *w, uint32_t var)
{
	uint32_t slot = var % CACHE_SIZE, i;

	if (w->cache[slot].var == var)
		return owner_at(p, w->cache[slot].owner);
	for (i = p->vars[var].owners; i; i = owner_at(p, i)->next) {
		if (owner_at(p, i)->thread == w->walk.standing->at)
			break;
	}
	if (!i) {
		i = pool_new(p, &p->owners);
		if (!i)
			return NULL;
		*owner_at(p, i) = (struct owner){ .next = p->vars[var].owners, .var = var,
						  .thread = w->walk.standing->at };
		p->vars[var].owners = i;
	}
	w->cache[slot].var = var;
	w->cache[slot].owner = i;
	return owner_at(p, i);
}

/* Pairs with the neighbours before; for a write, also with the write before. */
static void pair_with_recents(struct hd_patterns *p, const struct visit *v, const struct owner *o)
{
	uint64_t block = v->mark.block;

	for (uint32_t i = o->recents; i; i = recent_at(p, i)->next) {
		struct recent *r = recent_at(p, i);

		if (!pairs_up(p, v, r->addr, r->len))
			continue;
		if (!block || r->last.block != block)
			add_recent_pair(p, v, r, &r->last, &r->pair_memo[v->mark.write]);
		if (v->mark.write && !r->last.write && r->last_write.valid &&
		    (!block || r->last_write.block != block))
			add_recent_pair(p, v, r, &r->last_write, &r->pair_memo[2]);
	}
}

static struct first *find_first(struct hd_patterns *p, const struct visit *v, struct owner *o)
{
	for (uint32_t i = o->firsts; i; i = first_at(p, i)->next) {
		struct first *f = first_at(p, i);

		if (f->mark.site == v->mark.site && f->mark.write == v->mark.write &&
		    f->addr == v->addr && f->len == v->len)
			return f;
	}
	return NULL;
}

/*
 * Pairs with the first access of each site in the block. What lies before the same site's
 * access before this one was asked about then: only the gap since is new.
 */
static void pair_with_firsts(struct hd_patterns *p, const struct visit *v, struct owner *o)
{
	struct first *own = find_first(p, v, o);

	if (own && own->latest.segment == v->mark.segment && own->nknown == o->nfirsts) {
		own->latest = v->mark;
		return;
	}
	for (uint32_t i = o->firsts; i; i = first_at(p, i)->next) {
		const struct first *f = first_at(p, i);
		const struct hd_mark *since = &f->mark;

		if (!pairs_up(p, v, f->addr, f->len))
			continue;
		if (own && own->latest.spot.index > since->spot.index)
			since = &own->latest;
		add_pair(p, v, &f->mark, f->addr, f->len, f->begins, gap_since(p, v, since), true);
	}
	if (own) {
		own->latest = v->mark;
		own->nknown = o->nfirsts;
	}
}

static void remember_first(struct hd_patterns *p, const struct visit *v, struct owner *o)
{
	uint32_t i;

	if (o->nfirsts >= FIRSTS_MAX || find_first(p, v, o))
		return;
	i = pool_new(p, &p->firsts);
	if (!i)
		return;
	*first_at(p, i) = (struct first){ .next = o->firsts, .begins = v->begins, .addr = v->addr,
					  .len = v->len, .mark = v->mark, .latest = v->mark };
	o->firsts = i;
	o->nfirsts++;
}

static struct recent *find_recent(struct hd_patterns *p, const struct visit *v,
				  const struct owner *o)
{
	for (uint32_t i = o->recents; i; i = recent_at(p, i)->next) {
		struct recent *r = recent_at(p, i);

		if (r->addr == v->addr && r->len == v->len && r->begins == v->begins)
			return r;
	}
	return NULL;
}

/* The recent of these bytes, made where it is new, in place of the oldest if there are many. */
static struct recent *take_recent(struct hd_patterns *p, const struct visit *v, struct owner *o)
{
	uint32_t max = p->vars[v->var].group < 0 ? RECENT_MAX : GROUP_RECENT_MAX;
	uint32_t oldest = o->recents, i;
	struct recent *r = find_recent(p, v, o);

	if (r)
		return r;
	if (o->nrecents >= max) {
		for (i = o->recents; i; i = recent_at(p, i)->next) {
			r = recent_at(p, i);
			if (r->last.spot.index < recent_at(p, oldest)->last.spot.index)
				oldest = i;
		}
		r = recent_at(p, oldest);
		*r = (struct recent){ .next = r->next };
	} else {
		i = pool_new(p, &p->recents);
		if (!i)
			return NULL;
		r = recent_at(p, i);
		r->next = o->recents;
		o->recents = i;
		o->nrecents++;
	}
	r->addr = v->addr;
	r->len = v->len;
	r->begins = v->begins;
	return r;
}

static void remember_access(struct hd_patterns *p, const struct visit *v, struct owner *o)
{
	struct hd_access_key key = {
		.site = v->mark.site, .addr = v->addr, .len = v->len,
		.var = v->var, .thread = v->w->walk.standing->at,
		.acq = v->mark.acq, .moment = v->mark.moment,
		.write = v->mark.write, .begins = v->begins,
	};
	struct recent *r = take_recent(p, v, o);
	struct access_memo *memo;

	if (!r)
		return;
	memo = &r->access_memo[v->mark.write];
	if (memo->entry && memo->site == key.site && memo->acq == key.acq &&
	    memo->moment == key.moment)
		hd_store_access_again(&p->store, memo->entry, &v->mark.spot);
	else
		*memo = (struct access_memo){
			.site = key.site, .acq = key.acq, .moment = key.moment,
			.entry = hd_store_access(&p->store, &p->vars[v->var], &key, &v->mark.spot),
		};
	r->last = v->mark;
	if (v->mark.write)
		r->last_write = v->mark;
}

static void visit(struct hd_patterns *p, const struct visit *v)
{
	struct owner *o = owner_of(p, v->w, v->var);

	if (!o)
		return;
	if (o->block != v->mark.block) {
		pool_drop_list(&p->firsts, &o->firsts);
		o->nfirsts = 0;
		o->block = v->mark.block;
	}
	pair_with_recents(p, v, o);
	if (v->mark.block) {
		pair_with_firsts(p, v, o);
		remember_first(p, v, o);
	}
	if (!p->failed)
		remember_access(p, v, o);
}

/* --- events --- */

static uint64_t site_of(struct hd_patterns *p, const struct hd_event *ev)
{
	const uint64_t no_pc = 1ull << 63;

	if (ev->pc && p->options.several && ev->ctx) {
		uint64_t site = hd_call_site(&p->sites, ev->pc, ev->ctx);

		p->failed |= !site;
		return site;
	}
	if (ev->pc)
		return ev->pc;
	if (p->nunsited < UNSITED_MAX)
		return no_pc | ++p->nunsited;
	return no_pc | 1ull << 62 | ((uint64_t)ev->thread << 40 ^ ev->addr);
}

static void visit_words(struct hd_patterns *p, struct visit *v, const struct touch *t)
{
	uint64_t from = t->addr >> WORD_SHIFT, to = (t->addr + t->len - 1) >> WORD_SHIFT;

	for (uint64_t word = from; word <= to; word++) {
		uint64_t begin = word << WORD_SHIFT, end = begin + (1u << WORD_SHIFT);

		if (!matters(p, word))
			continue;
		v->var = new_variable(p, &p->var_of, word, -1);
		v->begins = word == from;
		v->addr = begin > t->addr ? begin : t->addr;
		v->len = (end < t->addr + t->len ? end : t->addr + t->len) - v->addr;
		if (!v->var)
			return;
		visit(p, v);
	}
}

static void visit_groups(struct hd_patterns *p, struct visit *v, const struct touch *t)
{
	uint64_t from = t->addr >> WORD_SHIFT, to = (t->addr + t->len - 1) >> WORD_SHIFT;
	uint32_t done = 0; /* of an access to several members of a group, one visit */

	for (uint64_t word = from; word <= to; word++) {
		for (uint64_t i = hd_map_get(&p->member_of, word); i; i = p->members[i].next) {
			const struct membership *m = &p->members[i];

			if (m->var == done || !m->len || !overlap(m->addr, m->len, t->addr, t->len))
				continue;
			done = m->var;
			v->var = m->var;
			v->begins = true;
			v->addr = t->addr;
			v->len = t->len;
			visit(p, v);
		}
	}
}

static void access_event(struct hd_patterns *p, const struct hd_event *ev, const struct touch *t,
			 uint64_t index)
{
	struct hd_standing *standing = hd_standing(&p->locks, ev->thread);
	struct visit v = { .w = standing ? walker_of(p, standing) : NULL };

	if (!v.w) {
		p->failed = true;
		return;
	}
	if (!hd_walk_mark(&v.w->walk, &p->locks, &p->store, ev, index, &v.mark)) {
		p->failed = true;
		return;
	}
	v.mark.site = site_of(p, ev);
	v.mark.block = v.w->block;
	v.mark.write = t->write;
	visit_words(p, &v, t);
	if (p->nmembers > 1)
		visit_groups(p, &v, t);
}

static void retire(struct hd_patterns *p, uint32_t var)
{
	struct hd_variable *v = &p->vars[var];

	hd_store_retire(&p->store, &p->locks, v);
	for (uint32_t i = v->owners, next; i; i = next) {
		struct owner *o = owner_at(p, i);
		struct walker *w = p->walkers[o->thread];

		next = o->next;
		pool_drop_list(&p->recents, &o->recents);
		pool_drop_list(&p->firsts, &o->firsts);
		if (w->cache[var % CACHE_SIZE].var == var)
			w->cache[var % CACHE_SIZE].var = 0;
		pool_drop(&p->owners, i);
	}
	v->owners = 0;
}

static void retire_word(struct hd_patterns *p, uint64_t word)
{
	uint64_t var = hd_map_get(&p->var_of, word), i = hd_map_get(&p->member_of, word);

	if (var)
		retire(p, (uint32_t)var);
	/* What is freed leaves its groups; their other members start anew. */
	for (; i; i = p->members[i].next) {
		if (p->members[i].len)
			retire(p, p->members[i].var);
		p->members[i].len = 0;
	}
}

/* Memory that is given away or handed out: what comes there next is another variable. */
static void retire_range(struct hd_patterns *p, uint64_t addr, uint64_t len)
{
	uint64_t from = addr >> WORD_SHIFT, n;

	if (!len || len > UINT64_MAX - addr)
		return;
	n = ((addr + len - 1) >> WORD_SHIFT) - from + 1;
	if (n <= p->nvars + p->nmembers) {
		for (uint64_t i = 0; i < n; i++)
			retire_word(p, from + i);
		return;
	}
	for (size_t i = 1; i < p->nvars; i++) {
		if (p->vars[i].group < 0 && p->vars[i].key - from < n)
			retire(p, (uint32_t)i);
	}
	for (size_t i = 1; i < p->nmembers; i++) {
		struct membership *m = &p->members[i];

		if (m->len && overlap(m->addr, m->len, addr, len)) {
			retire(p, m->var);
			m->len = 0;
		}
	}
}

static void block_event(struct hd_patterns *p, const struct hd_event *ev)
{
	struct hd_standing *t = hd_standing(&p->locks, ev->thread);
	struct walker *w = t ? walker_of(p, t) : NULL;

	if (!w) {
		p->failed = true;
	} else if (ev->op == HD_OP_BEGIN) {
		if (!w->depth++)
			w->block = ++p->nblocks;
	} else if (w->depth && !--w->depth) {
		w->block = 0;
	}
}

static void other_event(struct hd_patterns *p, const struct hd_event *ev, uint64_t index)
{
	struct hd_standing *whose;
	unsigned change;

	switch (ev->op) {
	case HD_OP_BEGIN:
	case HD_OP_END:
		block_event(p, ev);
		return;
	case HD_OP_GROUP: {
		struct hd_group_range range = { ev->addr, ev->value, (uint32_t)ev->value2 };

		p->failed |= hd_patterns_add_group(p, &range) != HD_OK;
		return;
	}
	case HD_OP_ALLOC:
	case HD_OP_FREE:
		retire_range(p, ev->addr, ev->value);
		break;
	default:
		break;
	}
	change = hd_lock_state_event(&p->locks, ev, index, &whose);
	if (change & HD_CHANGE_FAILED)
		p->failed = true;
	else if (change)
		change_segment(p, whose, change);
}

enum hd_err hd_patterns_feed(struct hd_patterns *p, const struct hd_event *events, size_t n,
			     uint64_t first)
{
	for (size_t i = 0; i < n && !p->failed; i++) {
		struct touch t;

		if (touches(p, &events[i], &t))
			access_event(p, &events[i], &t, first + i);
		else
			other_event(p, &events[i], first + i);
	}
	if (p->failed || p->store.failed || hd_lock_state_failed(&p->locks))
		return HD_ERR_NOMEM;
	return HD_OK;
}

enum hd_err hd_patterns_finish(struct hd_patterns *p)
{
	bool declared = p->options.blocks == HD_BLOCKS_DECLARED ||
			(p->options.blocks == HD_BLOCKS_AUTO && p->nblocks);

	if (p->failed)
		return HD_ERR_NOMEM;
	for (size_t i = 1; i < p->nvars; i++)
		retire(p, (uint32_t)i);
	if (hd_lock_state_failed(&p->locks))
		return HD_ERR_NOMEM;
	return hd_store_tell(&p->store, declared, p->options.several, p->fn, p->arg);
}
