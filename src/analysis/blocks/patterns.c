#include "pattern_impl.h"

#include <stdlib.h>

#include "common/array.h"
#include "trace/event_meaning.h"

/* Without sites every access is its own, up to here; then the thread and address stand for it. */
#define UNSITED_MAX 256

struct hd_patterns *hd_patterns_new(const struct hd_patterns_options *options, hd_found_fn *fn,
				    void *arg)
{
	struct hd_patterns *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->fn = fn;
	p->arg = arg;
	p->nvars = p->nmembers = 1;
	hd_pattern_store_init(&p->store);
	if (!hd_lock_state_init(&p->locks)) {
		free(p);
		return NULL;
	}
	if (!hd_pattern_pairs_init(p)) {
		hd_patterns_free(p);
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
	hd_sharing_free(p->learning);
	hd_map_free(&p->shared);
	hd_call_sites_free(&p->sites);
	free(p->vars);
	free(p->members);
	hd_pattern_pairs_free(p);
	free(p);
}

/* --- what an event does to memory --- */

bool hd_pattern_touches(const struct hd_patterns *p, const struct hd_event *ev,
			struct hd_pattern_touch *t)
{
	bool atomic = hd_op_about(ev->op) == HD_ABOUT_ATOMIC;

	if (!hd_op_is_access(ev->op))
		return false;
	*t = (struct hd_pattern_touch){ .addr = ev->addr,
					.len = hd_access_length(ev),
					.write = hd_op_is_write(ev->op) };
	if (t->len > UINT64_MAX - t->addr)
		t->len = UINT64_MAX - t->addr;
	return t->len && !(atomic && p->options.leave_out_atomics);
}

/* --- where threads are --- */

static struct hd_pattern_walker *hd_pattern_walker_of(struct hd_patterns *p,
						      struct hd_thread_locks *t)
{
	while (p->nwalkers <= t->at) {
		struct hd_pattern_walker *w;

		if (!HD_ROOM(p->walkers, p->walkers_room, p->nwalkers + 1))
			return NULL;
		w = calloc(1, sizeof(*w));
		if (!w)
			return NULL;
		w->walk.segment = w->walk.last_free = 1;
		p->walkers[p->nwalkers++] = w;
	}
	p->walkers[t->at]->walk.thread = t;
	return p->walkers[t->at];
}

static void change_segment(struct hd_patterns *p, struct hd_thread_locks *t, unsigned change)
{
	struct hd_pattern_walker *w = hd_pattern_walker_of(p, t);

	if (!w || !hd_walk_change(&w->walk, &p->locks, change))
		p->failed = true;
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

static void visit_words(struct hd_patterns *p, struct hd_pattern_visit *v,
			const struct hd_pattern_touch *t)
{
	uint64_t from = t->addr >> HD_PATTERN_WORD_SHIFT,
		 to = (t->addr + t->len - 1) >> HD_PATTERN_WORD_SHIFT;

	for (uint64_t word = from; word <= to; word++) {
		uint64_t begin = word << HD_PATTERN_WORD_SHIFT,
			 end = begin + (1u << HD_PATTERN_WORD_SHIFT);

		if (!hd_pattern_matters(p, word))
			continue;
		v->var = hd_pattern_variable(p, &p->var_of, word, -1);
		v->begins = word == from;
		v->addr = begin > t->addr ? begin : t->addr;
		v->len = (end < t->addr + t->len ? end : t->addr + t->len) - v->addr;
		if (!v->var)
			return;
		hd_pattern_visit_variable(p, v);
	}
}

static void visit_groups(struct hd_patterns *p, struct hd_pattern_visit *v,
			 const struct hd_pattern_touch *t)
{
	uint64_t from = t->addr >> HD_PATTERN_WORD_SHIFT,
		 to = (t->addr + t->len - 1) >> HD_PATTERN_WORD_SHIFT;
	uint32_t done = 0; /* of an access to several members of a group, one visit */

	for (uint64_t word = from; word <= to; word++) {
		for (uint64_t i = hd_map_get(&p->member_of, word); i; i = p->members[i].next) {
			const struct hd_pattern_member *m = &p->members[i];

			if (m->var == done || !m->len ||
			    !hd_pattern_overlap(m->addr, m->len, t->addr, t->len))
				continue;
			done = m->var;
			v->var = m->var;
			v->begins = true;
			v->addr = t->addr;
			v->len = t->len;
			hd_pattern_visit_variable(p, v);
		}
	}
}

static void access_event(struct hd_patterns *p, const struct hd_event *ev,
			 const struct hd_pattern_touch *t, uint64_t index)
{
	struct hd_thread_locks *locks = hd_thread_locks(&p->locks, ev->thread);
	struct hd_pattern_visit v = { .w = locks ? hd_pattern_walker_of(p, locks) : NULL };

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

static void block_event(struct hd_patterns *p, const struct hd_event *ev)
{
	struct hd_thread_locks *t = hd_thread_locks(&p->locks, ev->thread);
	struct hd_pattern_walker *w = t ? hd_pattern_walker_of(p, t) : NULL;

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
	struct hd_thread_locks *whose;
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
		hd_pattern_retire_range(p, ev->addr, ev->value);
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
	if (p->learning && !hd_patterns_use_learnt(p))
		p->failed = true;
	for (size_t i = 0; i < n && !p->failed; i++) {
		struct hd_pattern_touch t;

		if (hd_pattern_touches(p, &events[i], &t))
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
		hd_pattern_retire(p, (uint32_t)i);
	if (hd_lock_state_failed(&p->locks))
		return HD_ERR_NOMEM;
	return hd_store_tell(&p->store, declared, p->options.several, p->fn, p->arg);
}
