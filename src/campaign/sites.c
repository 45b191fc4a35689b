#include "sites.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/map.h"

struct held {
	uint32_t thread;
	struct hd_found_lock lock;
};

/* How far the accesses have come with one thread in the role of the first one's. */
struct chain {
	uint32_t thread;
	size_t at;
	struct hd_found_access now[HD_SITES_MAX];
};

struct search {
	const struct hd_found *wanted;
	size_t n; /* accesses that are looked for */
	struct held *held;
	size_t nheld, room;
	struct chain *chains;
	size_t nchains, chains_room;
	struct hd_sites *best;
};

static void clear(struct hd_found_access *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free((void *)list[i].locks);
	memset(list, 0, n * sizeof(*list));
}

static uint64_t length_of(const struct hd_event *ev)
{
	bool range = ev->op == HD_OP_READ_RANGE || ev->op == HD_OP_WRITE_RANGE;

	return range ? ev->value : ev->size ? ev->size : 1;
}

static bool overlap(const struct hd_event *a, const struct hd_event *b)
{
	return a->addr < b->addr + length_of(b) && b->addr < a->addr + length_of(a);
}

static bool is_cas(unsigned op)
{
	return op == HD_OP_ATOMIC_RMW || op == HD_OP_ATOMIC_CAS_FAIL;
}

static bool is_at(const struct search *s, size_t k, const struct hd_event *ev)
{
	const struct hd_event *was = &s->wanted->accesses[k].event;

	return ev->pc == was->pc && (ev->op == was->op || (is_cas(ev->op) && is_cas(was->op)));
}

/* Is @ev what access @k of the wanted ones would be here? */
static bool matches(const struct search *s, const struct chain *c, size_t k,
		    const struct hd_event *ev)
{
	const struct hd_found_access *all = s->wanted->accesses;

	if (!is_at(s, k, ev))
		return false;
	for (size_t i = 0; i < k; i++) {
		bool same = all[i].event.thread == all[k].event.thread;

		if (same != (c->now[i].event.thread == ev->thread))
			return false;
		if (overlap(&all[i].event, &all[k].event) && !overlap(&c->now[i].event, ev))
			return false;
	}
	return true;
}

static bool note_lock(struct search *s, const struct hd_event *ev)
{
	if (ev->arg & HD_LOCK_AGAIN)
		return true;
	if (ev->op == HD_OP_ACQUIRE) {
		if (!HD_ROOM(s->held, s->room, s->nheld + 1))
			return false;
		s->held[s->nheld++] = (struct held){
			ev->thread,
			{ .addr = ev->addr, .pc = ev->pc, .ctx = ev->ctx, .mode = ev->arg }
		};
		return true;
	}
	for (size_t i = s->nheld; i-- > 0;) {
		if (s->held[i].thread != ev->thread || s->held[i].lock.addr != ev->addr)
			continue;
		memmove(&s->held[i], &s->held[i + 1], (--s->nheld - i) * sizeof(*s->held));
		break;
	}
	return true;
}

static bool keep(struct search *s, struct chain *c, const struct hd_event *ev, uint64_t index)
{
	struct hd_found_access *a = &c->now[c->at];
	struct hd_found_lock *locks = malloc((s->nheld + 1) * sizeof(*locks));

	if (!locks)
		return false;
	*a = (struct hd_found_access){ .role = s->wanted->accesses[c->at].role,
				       .index = index,
				       .event = *ev,
				       .locks = locks };
	for (size_t i = 0; i < s->nheld; i++) {
		if (s->held[i].thread == ev->thread)
			locks[a->nlocks++] = s->held[i].lock;
	}
	c->at++;
	return true;
}

/* What is there now becomes the result. */
static void settle(struct search *s, struct chain *c)
{
	struct hd_sites *b = s->best;

	clear(b->accesses, b->found.naccesses);
	b->found = *s->wanted;
	b->found.naccesses = c->at;
	b->complete = c->at == s->n;
	memcpy(b->accesses, c->now, sizeof(c->now));
	b->found.accesses = b->accesses;
	b->found.addr = c->now[c->at - 1].event.addr;
	memset(c->now, 0, sizeof(c->now));
	c->at = 0;
}

static void restart(struct chain *c)
{
	clear(c->now, c->at);
	c->at = 0;
}

/* An event at one of the sites, as the chain of @c sees it; false: no memory. */
static bool advance(struct search *s, struct chain *c, const struct hd_event *ev, uint64_t index)
{
	bool taken = false;

	if (c->at && matches(s, c, c->at, ev)) {
		if (!keep(s, c, ev, index))
			return false;
		taken = true;
		if (c->at == s->n)
			settle(s, c);
	} else if (c->at && c->at < s->n - 1 && ev->thread == c->thread && is_at(s, s->n - 1, ev)) {
		restart(c); /* the last one came too early */
	}
	/* A later beginning is a better one, unless it was what came next. */
	if ((taken && c->at) || ev->thread != c->thread || !is_at(s, 0, ev))
		return true;
	restart(c);
	if (!keep(s, c, ev, index))
		return false;
	if (c->at == s->n)
		settle(s, c);
	return true;
}

static bool know_chain(struct search *s, uint32_t thread)
{
	for (size_t i = 0; i < s->nchains; i++) {
		if (s->chains[i].thread == thread)
			return true;
	}
	if (!HD_ROOM(s->chains, s->chains_room, s->nchains + 1))
		return false;
	s->chains[s->nchains++] = (struct chain){ .thread = thread };
	return true;
}

/* It has ended, and the last one never came: nothing was kept apart. */
static void note_end(struct search *s, uint32_t thread)
{
	for (size_t i = 0; i < s->nchains; i++) {
		if (s->chains[i].thread == thread)
			restart(&s->chains[i]);
	}
}

static bool look(struct search *s, const struct hd_event *ev, uint64_t index)
{
	bool site = false;

	if ((ev->op == HD_OP_ACQUIRE || ev->op == HD_OP_RELEASE) && !note_lock(s, ev))
		return false;
	if (ev->op == HD_OP_THREAD_END)
		note_end(s, ev->thread);
	for (size_t k = 0; k < s->n; k++)
		site |= is_at(s, k, ev);
	if (!site)
		return true;
	if (is_at(s, 0, ev) && !know_chain(s, ev->thread))
		return false;
	for (size_t i = 0; i < s->nchains; i++) {
		if (!advance(s, &s->chains[i], ev, index))
			return false;
	}
	return true;
}

/* The run may have failed before the last one could come. */
static void settle_for_less(struct search *s)
{
	for (size_t i = 0; i < s->nchains && !s->best->found.naccesses; i++) {
		if (s->chains[i].at >= 2 && s->chains[i].at == s->n - 1)
			settle(s, &s->chains[i]);
	}
}

enum hd_err hd_sites_find(struct hd_sites *out, struct hd_trace *t, const struct hd_found *wanted,
			  bool *found, struct hd_errbuf *eb)
{
	struct search s = { .wanted = wanted, .n = wanted->naccesses, .best = out };
	const struct hd_event *ev;
	uint64_t index = 0;
	enum hd_err err = HD_OK;
	size_t n;

	*out = (struct hd_sites){ 0 };
	*found = false;
	if (!s.n || s.n > HD_SITES_MAX)
		return HD_OK;
	hd_trace_rewind(t);
	while (hd_trace_next(t, &ev, &n, NULL) == HD_OK && n && !err) {
		for (size_t i = 0; i < n && !err; i++) {
			if (!look(&s, &ev[i], index++))
				err = hd_fail(eb, HD_ERR_NOMEM, "out of memory");
		}
	}
	hd_trace_rewind(t);
	if (!err)
		settle_for_less(&s);
	*found = !err && out->found.naccesses;
	for (size_t i = 0; i < s.nchains; i++)
		restart(&s.chains[i]);
	free(s.chains);
	free(s.held);
	return err;
}

void hd_sites_free(struct hd_sites *s)
{
	clear(s->accesses, s->found.naccesses);
	*s = (struct hd_sites){ 0 };
}
