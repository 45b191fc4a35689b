#include "sharing.h"

#include <stdlib.h>

#include "analysis/addr_map.h"
#include "analysis/hb.h"
#include "trace/event_meaning.h"

#define GRANULE_LOG 3
#define READERS	    2

/* An access as (time, slot) of hb.h; 0: none. */
typedef uint64_t epoch;

struct place {
	epoch write;
	epoch reads[READERS]; /* reads that no other read is known to come after */
	bool many_reads;      /* more than fit */
	bool shared;
	/* HD_SHARING_TORN: threads + 1; MANY: it was not only one. */
	uint32_t user, writer;
};

#define MANY UINT32_MAX

struct hd_sharing {
	enum hd_sharing_by by;
	struct hd_hb *hb;	   /* fed with forks and joins only */
	struct hd_addr_map places; /* by granule + 1 */
};

struct hd_sharing *hd_sharing_new(enum hd_sharing_by by)
{
	struct hd_sharing *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->by = by;
	s->places.record_size = sizeof(struct place);
	s->hb = hd_hb_new();
	if (s->hb)
		return s;
	free(s);
	return NULL;
}

void hd_sharing_free(struct hd_sharing *s)
{
	if (!s)
		return;
	hd_hb_free(s->hb);
	hd_addr_map_free(&s->places, NULL);
	free(s);
}

static bool before(const struct hd_hb_now *now, epoch e)
{
	return (uint32_t)(e >> 32) <= hd_vc_get(now->weak, (uint32_t)e);
}

static void note_write(struct place *p, const struct hd_hb_now *now, epoch me)
{
	p->shared |= p->many_reads || !before(now, p->write);
	for (int i = 0; i < READERS; i++)
		p->shared |= !before(now, p->reads[i]);
	*p = (struct place){ .write = me, .shared = p->shared };
}

static void note_read(struct place *p, const struct hd_hb_now *now, epoch me)
{
	p->shared |= !before(now, p->write);
	for (int i = 0; i < READERS; i++) {
		if (before(now, p->reads[i])) { /* also if there is none */
			p->reads[i] = me;
			return;
		}
	}
	p->many_reads = true;
}

/* Who writes alone, and that before anybody else comes, is never between two accesses of others, nor they between its writes. */
static void note_torn(struct place *p, const struct hd_hb_now *now, epoch me, uint32_t thread,
		      bool write)
{
	p->user = !p->user || p->user == thread + 1 ? thread + 1 : MANY;
	if (write) {
		p->shared |= p->user == MANY;
		p->writer = thread + 1;
		p->write = me;
	} else if (p->writer && p->writer != thread + 1) {
		p->shared |= !before(now, p->write);
	}
}

/* The bytes of a plain or atomic access; false: it is none. */
static bool bytes_of(const struct hd_event *ev, bool *write, uint64_t *first, uint64_t *last)
{
	uint64_t len = hd_access_length(ev);

	if (!hd_op_is_access(ev->op))
		return false;
	*write = hd_op_is_write(ev->op);
	*first = ev->addr >> GRANULE_LOG;
	*last = (ev->addr + len - 1) >> GRANULE_LOG;
	return len != 0;
}

bool hd_sharing_learn(struct hd_sharing *s, const struct hd_event *ev)
{
	uint64_t first, last;
	struct hd_hb_now now;
	bool write;
	epoch me;

	if (ev->op == HD_OP_FORK || ev->op == HD_OP_JOIN)
		return hd_hb_event(s->hb, ev);
	if (!bytes_of(ev, &write, &first, &last))
		return true;
	now = hd_hb_now(s->hb, ev->thread);
	if (!now.slot)
		return false;
	me = (uint64_t)hd_vc_get(now.weak, now.slot) << 32 | now.slot;
	for (uint64_t g = first; g <= last; g++) {
		struct place *p = hd_addr_map_get(&s->places, g + 1);

		if (!p)
			return false;
		if (p->shared)
			continue;
		if (s->by == HD_SHARING_TORN)
			note_torn(p, &now, me, ev->thread, write);
		else if (write)
			note_write(p, &now, me);
		else
			note_read(p, &now, me);
	}
	return true;
}

bool hd_sharing_matters(const struct hd_sharing *s, const struct hd_event *ev)
{
	uint64_t first, last;
	bool write;

	if ((ev->op != HD_OP_READ && ev->op != HD_OP_WRITE && ev->op != HD_OP_READ_RANGE &&
	     ev->op != HD_OP_WRITE_RANGE) ||
	    !bytes_of(ev, &write, &first, &last))
		return true;
	for (uint64_t g = first; g <= last; g++) {
		const struct place *p = hd_addr_map_find(&s->places, g + 1);

		if (p && p->shared)
			return true;
	}
	return false;
}

bool hd_sharing_each(const struct hd_sharing *s, hd_shared_word_fn *fn, void *arg)
{
	const struct hd_addr_map *m = &s->places;

	for (uint32_t i = 0; i < m->cap; i++) {
		const struct place *p = m->entries[i].key ? m->entries[i].record : NULL;

		if (p && p->shared && !fn(arg, m->entries[i].key - 1))
			return false;
	}
	return true;
}
