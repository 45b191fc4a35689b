#include "trace_back.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hash.h"

/* Something is to be looked at when the event of that number goes by. */
struct moment {
	uint64_t index;
	struct hd_finding *finding;
	struct hd_access *access; /* NULL: the finding itself is complete */
};

/* An access whose event is to be found. */
struct wanted {
	struct hd_finding *finding;
	struct hd_access *access;
	uint32_t next; /* in its bucket, from 1; 0: none */
	bool is_last;  /* of its finding: told by the runtime just before it happens */
	bool met;
};

/* Events between a finding and the access that it was about to report: the finding's own. */
#define SOON	64u
#define BUCKETS 4096u

struct back {
	struct hd_run *run;
	struct moment *moments; /* by index */
	size_t nmoments, moments_cap, next;
	struct wanted *wanted;
	size_t nwanted, wanted_cap;
	uint32_t bucket[BUCKETS]; /* by pc */
};

/* So many functions that have had one place on the stack are looked through for a name. */
#define TOLD_MAX 64u

static void list_locals(struct hd_place *p, const struct hd_event *ev)
{
	for (size_t i = 0; i < p->ntold; i++) {
		if (p->told[i].value2 == ev->value2 && p->told[i].addr == ev->addr)
			return;
	}
	if (p->ntold < TOLD_MAX && HD_ROOM(p->told, p->told_cap, p->ntold + 1))
		p->told[p->ntold++] = *ev;
}

/* What others share is told after whose it is. */
static void note_locals(struct hd_place *p, const struct hd_event *ev)
{
	list_locals(p, ev);
	if (ev->arg == HD_LOCALS_SHARED) {
		p->shared = *ev;
	} else {
		p->locals = *ev;
		p->shared.op = 0;
		p->moved_on |= p->settled;
	}
	if (!p->settled) {
		p->origin.locals = p->locals;
		p->origin.shared = p->shared;
	}
}

static void note_origin(struct hd_run *run, const struct hd_event *ev)
{
	for (size_t i = hd_run_first_place(run, ev->addr); i < run->nplaces; i++) {
		struct hd_place *p = &run->places[i];

		if (ev->op == HD_OP_ALLOC && p->addr - ev->addr < ev->value) {
			p->origin.alloc = *ev;
			p->origin.freed.op = 0;
		} else if (ev->op == HD_OP_FREE && p->origin.alloc.op &&
			   p->origin.alloc.addr == ev->addr) {
			p->origin.freed = *ev;
		} else if (ev->op == HD_OP_LOCK_INIT && p->addr == ev->addr) {
			p->origin.init = *ev;
		} else if (ev->op == HD_OP_LOCALS && p->addr - ev->addr < ev->value) {
			note_locals(p, ev);
		} else {
			break; /* sorted: the others are further away */
		}
	}
}

static struct hd_taker *find_taker(const struct hd_place *p, uint32_t thread)
{
	for (size_t i = 0; p && i < p->ntakers; i++) {
		if (p->takers[i].thread == thread)
			return &p->takers[i];
	}
	return NULL;
}

static bool note_taker(struct hd_run *run, const struct hd_event *ev)
{
	struct hd_place *p = (struct hd_place *)hd_run_place(run, ev->addr);
	struct hd_taker *t = find_taker(p, ev->thread);

	if (!p || (ev->arg & HD_LOCK_AGAIN)) /* a recursive lock is held since its first time */
		return true;
	if (!t) {
		if (!HD_ROOM(p->takers, p->takers_cap, p->ntakers + 1))
			return false;
		t = &p->takers[p->ntakers++];
	}
	*t = (struct hd_taker){ .thread = ev->thread, .pc = ev->pc };
	return true;
}

/* At this moment, the locks held are those taken last. */
static void place_held(const struct hd_run *run, struct hd_holding *held, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct hd_taker *t =
			find_taker(hd_run_place(run, held[i].addr), held[i].thread);

		if (t)
			held[i].pc = t->pc;
	}
}

static void take_value(struct hd_access *a, const struct hd_event *ev)
{
	const struct hd_op_info *info = &hd_op_info[ev->op];

	a->event.value = ev->value;
	a->event.value2 = ev->value2;
	a->has_value = info->value == HD_U_VAL && ev->size && ev->size <= 8;
}

static void pass_moment(struct back *b, const struct moment *m, const struct hd_event *ev)
{
	struct hd_finding *f = m->finding;
	struct hd_place *p = (struct hd_place *)hd_run_place(b->run, f->location.addr);

	if (m->access) {
		place_held(b->run, m->access->held, m->access->nheld);
		take_value(m->access, ev);
		return;
	}
	place_held(b->run, f->waiting.held, f->waiting.nheld);
	if (!p)
		return;
	p->settled = true;
	p->origin.reused |= p->moved_on;
	/* Without events, what the finding says of the block is all that is known. */
	if (!p->origin.alloc.op && !p->origin.freed.op)
		p->origin.alloc = f->location.origin.alloc;
	f->location.origin = p->origin;
	/* The same stack may have had another variable there when an earlier finding came. */
	f->location.origin.locals = p->locals;
	f->location.origin.shared = p->shared;
	f->location.origin.reused = false;
}

static uint64_t length_of(const struct hd_event *ev)
{
	bool range = ev->op == HD_OP_READ_RANGE || ev->op == HD_OP_WRITE_RANGE;

	return range ? ev->value : ev->size ? ev->size : 1;
}

static bool overlap(const struct hd_event *ev, uint64_t addr, uint64_t len)
{
	return ev->addr < addr + len && addr < ev->addr + length_of(ev);
}

static uint32_t bucket_of(uint64_t pc)
{
	return (uint32_t)hd_hash_bits(pc, 12) % BUCKETS;
}

/* Does the event's number fit? The last before the finding is it, or the next after it. */
static bool is_time(struct wanted *w, uint64_t index)
{
	uint64_t at = w->finding->moment.index;

	if (!w->is_last)
		return index < at;
	if (index < at || index - at > SOON || w->met)
		return false;
	w->met = true;
	return true;
}

/* Is @ev the access that somebody looks for? */
static void match(struct back *b, const struct hd_event *ev, uint64_t index)
{
	for (uint32_t i = b->bucket[bucket_of(ev->pc)]; i; i = b->wanted[i - 1].next) {
		struct hd_access *a = b->wanted[i - 1].access;
		const struct hd_finding *f = b->wanted[i - 1].finding;

		if (a->event.pc != ev->pc || a->event.thread != ev->thread ||
		    a->event.op != ev->op ||
		    !overlap(ev, f->location.addr, f->location.size ? f->location.size : 1) ||
		    !is_time(&b->wanted[i - 1], index))
			continue;
		a->index = index;
		a->event.addr = ev->addr;
		a->event.size = ev->size;
		take_value(a, ev);
		place_held(b->run, a->held, a->nheld);
	}
}

bool hd_note_places(struct hd_run *run, const struct hd_event *ev)
{
	if (ev->op == HD_OP_ACQUIRE)
		return note_taker(run, ev);
	if (ev->op == HD_OP_ALLOC || ev->op == HD_OP_FREE || ev->op == HD_OP_LOCK_INIT ||
	    ev->op == HD_OP_LOCALS)
		note_origin(run, ev);
	return true;
}

static enum hd_err look(void *arg, const struct hd_event *events, size_t n, uint64_t first)
{
	struct back *b = arg;

	for (size_t i = 0; i < n; i++) {
		const struct hd_event *ev = &events[i];

		if (!hd_note_places(b->run, ev))
			return HD_ERR_NOMEM;
		while (b->next < b->nmoments && b->moments[b->next].index == first + i)
			pass_moment(b, &b->moments[b->next++], ev);
		if (ev->pc && b->nwanted)
			match(b, ev, first + i);
	}
	return HD_OK;
}

static bool add_moment(struct back *b, struct hd_finding *f, struct hd_access *a, uint64_t index)
{
	if (!HD_ROOM(b->moments, b->moments_cap, b->nmoments + 1))
		return false;
	b->moments[b->nmoments++] = (struct moment){ index, f, a };
	return true;
}

static bool want(struct back *b, struct hd_finding *f, struct hd_access *a)
{
	uint32_t *bucket = &b->bucket[bucket_of(a->event.pc)];

	if (!HD_ROOM(b->wanted, b->wanted_cap, b->nwanted + 1))
		return false;
	b->wanted[b->nwanted++] = (struct wanted){
		.finding = f,
		.access = a,
		.next = *bucket,
		.is_last = !f->certainty.analysed && a == &f->accesses[f->naccesses - 1],
	};
	*bucket = (uint32_t)b->nwanted;
	return true;
}

/* Everything about @f that the pass has to look out for. */
static bool expect(struct back *b, struct hd_finding *f)
{
	bool ok = add_moment(b, f, NULL, f->moment.index);

	for (size_t i = 0; ok && i < f->naccesses; i++) {
		struct hd_access *a = &f->accesses[i];

		if (a->index != HD_NO_INDEX)
			ok = add_moment(b, f, a, a->index);
		else if (a->event.pc)
			ok = want(b, f, a);
	}
	return ok;
}

static int by_index(const void *left, const void *right)
{
	const struct moment *a = left, *b = right;

	return a->index < b->index ? -1 : a->index > b->index;
}

enum hd_err hd_trace_back(struct hd_run *run, struct hd_errbuf *eb)
{
	struct back *b = calloc(1, sizeof(*b));
	enum hd_err err = HD_OK;
	bool ok = b != NULL;

	for (size_t i = 0; ok && i < run->nfindings; i++) {
		b->run = run;
		ok = expect(b, &run->findings[i]);
	}
	if (!ok)
		err = hd_fail(eb, HD_ERR_NOMEM, "out of memory while reading the trace");
	if (!err && b->nmoments) {
		qsort(b->moments, b->nmoments, sizeof(*b->moments), by_index);
		err = hd_run_each(run, look, b, eb);
	}
	/* What has no number is looked at from the end of the run. */
	while (!err && b->next < b->nmoments) {
		const struct moment *m = &b->moments[b->next++];

		if (!m->access)
			pass_moment(b, m, NULL);
	}
	if (b) {
		free(b->moments);
		free(b->wanted);
	}
	free(b);
	return err;
}
