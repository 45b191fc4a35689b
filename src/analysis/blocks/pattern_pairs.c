/*
 * An access to a variable: the pairs that it makes with the thread's accesses before.
 */
#include "pattern_impl.h"

#include <stdlib.h>
#include <string.h>

/* Members of a group that a thread touched last, and sites of one block, that are paired. */
#define RECENT_MAX	 40
#define GROUP_RECENT_MAX 16
#define FIRSTS_MAX	 64

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

bool hd_pattern_pairs_init(struct hd_patterns *p)
{
	return hd_slab_init(&p->owners, sizeof(struct owner)) &&
	       hd_slab_init(&p->recents, sizeof(struct recent)) &&
	       hd_slab_init(&p->firsts, sizeof(struct first));
}

void hd_pattern_pairs_free(struct hd_patterns *p)
{
	hd_slab_free(&p->owners);
	hd_slab_free(&p->recents);
	hd_slab_free(&p->firsts);
}

/* A new item, all zero; 0: out of memory. */
static uint32_t new_item(struct hd_patterns *p, struct hd_slab *s)
{
	uint32_t i = hd_slab_new(s);

	if (i)
		memset(hd_slab_at(s, i), 0, s->item_size);
	else
		p->failed = true;
	return i;
}

static void drop_list(struct hd_slab *s, uint32_t *head)
{
	for (uint32_t i = *head, next; i; i = next) {
		memcpy(&next, hd_slab_at(s, i), sizeof(next)); /* next is the first member */
		hd_slab_drop(s, i);
	}
	*head = 0;
}

static struct owner *owner_at(const struct hd_patterns *p, uint32_t i)
{
	return hd_slab_at(&p->owners, i);
}

static struct recent *recent_at(const struct hd_patterns *p, uint32_t i)
{
	return hd_slab_at(&p->recents, i);
}

static struct first *first_at(const struct hd_patterns *p, uint32_t i)
{
	return hd_slab_at(&p->firsts, i);
}

static uint32_t gap_since(struct hd_patterns *p, const struct hd_pattern_visit *v,
			  const struct hd_mark *since)
{
	uint32_t gap = hd_walk_gap(&v->w->walk, &p->locks, &p->store, since);

	p->failed |= !gap;
	return gap;
}

static uint32_t add_pair(struct hd_patterns *p, const struct hd_pattern_visit *v,
			 const struct hd_mark *e1, uint64_t addr1, uint64_t len1, uint32_t begins1,
			 uint32_t gap, bool declared)
{
	struct hd_pair_key key = {
		.site1 = e1->site,
		.site2 = v->mark.site,
		.addr1 = addr1,
		.len1 = len1,
		.addr2 = v->addr,
		.len2 = v->len,
		.var = v->var,
		.thread = v->w->walk.thread->at,
		.gap = gap,
		.write1 = e1->write,
		.write2 = v->mark.write,
		.begins = begins1 || v->begins,
		.declared = declared,
	};

	if (p->failed)
		return 0;
	return hd_store_pair(&p->store, &p->vars[v->var], &key, &e1->spot, &v->mark.spot);
}

/* The pair of an access that @r remembers with this one. */
static void add_recent_pair(struct hd_patterns *p, const struct hd_pattern_visit *v,
			    const struct recent *r, const struct hd_mark *e1,
			    struct pair_memo *memo)
{
	uint32_t gap = gap_since(p, v, e1);

	if (memo->entry && memo->gap == gap && memo->site1 == e1->site &&
	    memo->site2 == v->mark.site && memo->addr2 == v->addr && memo->len2 == v->len &&
	    memo->write1 == e1->write) {
		hd_store_pair_again(&p->store, memo->entry, &e1->spot, &v->mark.spot);
		return;
	}
	*memo = (struct pair_memo){
		.site1 = e1->site,
		.site2 = v->mark.site,
		.addr2 = v->addr,
		.len2 = v->len,
		.gap = gap,
		.write1 = e1->write,
		.entry = add_pair(p, v, e1, r->addr, r->len, r->begins, gap, false),
	};
}

/* In a word the accesses of a pair overlap; in a group they are to different members. */
static bool pairs_up(const struct hd_patterns *p, const struct hd_pattern_visit *v, uint64_t addr,
		     uint64_t len)
{
	return hd_pattern_overlap(addr, len, v->addr, v->len) == (p->vars[v->var].group < 0);
}

static struct owner *owner_of(struct hd_patterns *p, struct hd_pattern_walker *w, uint32_t var)
{
	uint32_t slot = var % HD_PATTERN_CACHE, i;

	if (w->cache[slot].var == var)
		return owner_at(p, w->cache[slot].owner);
	for (i = p->vars[var].owners; i; i = owner_at(p, i)->next) {
		if (owner_at(p, i)->thread == w->walk.thread->at)
			break;
	}
	if (!i) {
		i = new_item(p, &p->owners);
		if (!i)
			return NULL;
		*owner_at(p, i) = (struct owner){ .next = p->vars[var].owners,
						  .var = var,
						  .thread = w->walk.thread->at };
		p->vars[var].owners = i;
	}
	w->cache[slot].var = var;
	w->cache[slot].owner = i;
	return owner_at(p, i);
}

/* Pairs with the neighbours before; for a write, also with the write before. */
static void pair_with_recents(struct hd_patterns *p, const struct hd_pattern_visit *v,
			      const struct owner *o)
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

static struct first *find_first(struct hd_patterns *p, const struct hd_pattern_visit *v,
				struct owner *o)
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
static void pair_with_firsts(struct hd_patterns *p, const struct hd_pattern_visit *v,
			     struct owner *o)
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

static void remember_first(struct hd_patterns *p, const struct hd_pattern_visit *v, struct owner *o)
{
	uint32_t i;

	if (o->nfirsts >= FIRSTS_MAX || find_first(p, v, o))
		return;
	i = new_item(p, &p->firsts);
	if (!i)
		return;
	*first_at(p, i) = (struct first){ .next = o->firsts,
					  .begins = v->begins,
					  .addr = v->addr,
					  .len = v->len,
					  .mark = v->mark,
					  .latest = v->mark };
	o->firsts = i;
	o->nfirsts++;
}

static struct recent *find_recent(struct hd_patterns *p, const struct hd_pattern_visit *v,
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
static struct recent *take_recent(struct hd_patterns *p, const struct hd_pattern_visit *v,
				  struct owner *o)
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
		i = new_item(p, &p->recents);
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

static void remember_access(struct hd_patterns *p, const struct hd_pattern_visit *v,
			    struct owner *o)
{
	struct hd_access_key key = {
		.site = v->mark.site,
		.addr = v->addr,
		.len = v->len,
		.var = v->var,
		.thread = v->w->walk.thread->at,
		.acq = v->mark.acq,
		.moment = v->mark.moment,
		.write = v->mark.write,
		.begins = v->begins,
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
			.site = key.site,
			.acq = key.acq,
			.moment = key.moment,
			.entry = hd_store_access(&p->store, &p->vars[v->var], &key, &v->mark.spot),
		};
	r->last = v->mark;
	if (v->mark.write)
		r->last_write = v->mark;
}

void hd_pattern_visit_variable(struct hd_patterns *p, const struct hd_pattern_visit *v)
{
	struct owner *o = owner_of(p, v->w, v->var);

	if (!o)
		return;
	if (o->block != v->mark.block) {
		drop_list(&p->firsts, &o->firsts);
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

void hd_pattern_retire(struct hd_patterns *p, uint32_t var)
{
	struct hd_variable *v = &p->vars[var];

	hd_store_retire(&p->store, &p->locks, v);
	for (uint32_t i = v->owners, next; i; i = next) {
		struct owner *o = owner_at(p, i);
		struct hd_pattern_walker *w = p->walkers[o->thread];

		next = o->next;
		drop_list(&p->recents, &o->recents);
		drop_list(&p->firsts, &o->firsts);
		if (w->cache[var % HD_PATTERN_CACHE].var == var)
			w->cache[var % HD_PATTERN_CACHE].var = 0;
		hd_slab_drop(&p->owners, i);
	}
	v->owners = 0;
}
