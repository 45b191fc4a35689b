#include "task_check_impl.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "task_paper.h"
#include "task_velodrome.h"
#include "trace/event_meaning.h"

struct hd_task_check *hd_task_check_new(const struct hd_task_options *options)
{
	struct hd_task_check *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	if (options)
		c->opt = *options;
	c->repeats = calloc(HD_REPEATS, sizeof(*c->repeats));
	hd_task_locks_init(&c->locks);
	hd_values_init(&c->values);
	c->hits.locks = &c->locks;
	c->hits.values = &c->values;
	c->hits.steps = &c->steps;
	if (!c->repeats || !hd_steps_init(&c->steps) || !hd_task_cells_init(&c->cells, &c->steps) ||
	    !hd_task_groups_init(&c->groups) ||
	    (c->opt.algorithm == HD_TASKS_VELODROME && !(c->velodrome = hd_task_velodrome_new()))) {
		hd_task_check_free(c);
		return NULL;
	}
	c->cells.keep_all = c->opt.other_order;
	return c;
}

static void drop_side(struct hd_task_check *c, uint32_t number)
{
	struct hd_task_side *side = number < c->nsides ? c->sides[number] : NULL;

	if (!side)
		return;
	hd_lock_log_free(&side->log);
	free(side->pending);
	free(side->telling.told);
	free(side);
	c->sides[number] = NULL;
}

void hd_task_check_free(struct hd_task_check *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->nsides; i++)
		drop_side(c, (uint32_t)i);
	free(c->sides);
	free(c->repeats);
	free(c->waiting);
	hd_task_velodrome_free(c->velodrome);
	hd_task_cells_free(&c->cells);
	hd_task_groups_free(&c->groups);
	hd_task_hits_free(&c->hits);
	hd_task_locks_free(&c->locks);
	hd_values_free(&c->values);
	hd_steps_free(&c->steps);
	free(c);
}

enum hd_err hd_task_check_add_group(struct hd_task_check *c, uint64_t addr, uint64_t len,
				    uint32_t group)
{
	hd_task_groups_add(&c->groups, addr, len, group);
	c->epoch++;
	return c->groups.failed ? HD_ERR_NOMEM : HD_OK;
}

bool hd_task_check_has_tasks(const struct hd_task_check *c)
{
	return c->steps.saw_tasks;
}

static struct hd_task_side *side_of(struct hd_task_check *c, const struct hd_task *t)
{
	while (c->nsides <= t->number) {
		if (!HD_ROOM(c->sides, c->sides_room, c->nsides + 1))
			return NULL;
		c->sides[c->nsides++] = NULL;
	}
	if (!c->sides[t->number])
		c->sides[t->number] = calloc(1, sizeof(**c->sides));
	return c->sides[t->number];
}

struct hd_did_raw hd_task_raw(struct hd_task_access *a, uint64_t granule)
{
	int64_t offset = (int64_t)(a->ev->addr - (granule << 3));
	struct hd_did_raw raw = {
		.site = { .pc = a->ev->pc,
			  .ctx = a->ev->ctx,
			  .size = a->ev->size,
			  .op = a->ev->op,
			  .held = hd_lock_log_note(&a->c->locks, &a->side->log) },
		.index = a->index,
		.moment = a->side->values.moment,
	};

	if (offset > -8 && offset < 8 && a->ev->size)
		raw.site.offset = (int16_t)offset;
	else
		raw.site.size = 8; /* a part of a range */
	return raw;
}

struct hd_did_at hd_task_raw_at(struct hd_task_check *c, const struct hd_did_raw *raw)
{
	return (struct hd_did_at){ hd_task_hits_site(&c->hits, &raw->site), raw->index,
				   raw->moment };
}

/* --- what was found --- */

static uint64_t cell_addr(uint64_t granule, const struct hd_task_cell *cell)
{
	return granule << 3 | (unsigned)__builtin_ctz(cell->mask);
}

void hd_task_torn(struct hd_task_check *c, uint64_t granule, const struct hd_task_cell *cell,
		  enum hd_did kind, const struct hd_did_step *pair, const struct hd_did_step *other)
{
	const struct hd_did_site *f = hd_task_hits_at(&c->hits, other->first.site);
	bool declared = kind == HD_DID_PAIR_DECLARED || kind == HD_DID_WRITES_DECLARED ||
			c->opt.steps_atomic;
	uint64_t addr = cell_addr(granule, cell);
	struct hd_task_hit hit = {
		.weight = declared		 ? HD_HIT_DECLARED
			  : kind == HD_DID_STALE ? HD_HIT_STALE
						 : HD_HIT_PATTERN,
		.addr = addr,
		.size = (uint32_t)__builtin_popcount(cell->mask),
		.group = -1,
		.naccesses = 3,
		.steps = { pair->step, other->step, pair->step },
		.at = { pair->first, other->first, pair->second },
		.addrs = { addr, addr, addr },
	};

	hit.pattern[0] = hd_did_writes(hd_task_hits_at(&c->hits, pair->first.site)->op) ? 'W' : 'R';
	hit.pattern[1] = hd_did_writes(f->op) ? 'W' : 'R';
	hit.pattern[2] =
		hd_did_writes(hd_task_hits_at(&c->hits, pair->second.site)->op) ? 'W' : 'R';
	hd_task_hits_add(&c->hits, &hit, c->opt.locations);
}

static void raced(struct hd_task_check *c, uint64_t granule, const struct hd_task_cell *cell,
		  const struct hd_did_step *first, const struct hd_did_step *second)
{
	uint64_t addr = cell_addr(granule, cell);
	struct hd_task_hit hit = {
		.race = true,
		.group = -1,
		.addr = addr,
		.size = (uint32_t)__builtin_popcount(cell->mask),
		.naccesses = 2,
		.steps = { first->step, second->step },
		.at = { first->first, second->first },
		.addrs = { addr, addr },
	};

	hd_task_hits_add(&c->hits, &hit, c->opt.locations);
}

/*
 * The next of @set from its place *@k on that can run beside @step; NULL: none. One stands for all,
 * unless values make order: then the first may be doubtful and the second not.
 */
static const struct hd_did_step *beside(struct hd_task_check *c, const struct hd_did_set *set,
					hd_dpst_id step, int *k)
{
	while (*k < 2) {
		const struct hd_did_step *s = &set->steps[(*k)++];

		if (s->step && hd_steps_parallel(&c->steps, s->step, step)) {
			*k = c->values.learnt ? *k : 2;
			return s;
		}
	}
	return NULL;
}

static bool is_write(enum hd_did kind)
{
	return kind == HD_DID_WRITE || kind == HD_DID_ATOMIC_WRITE;
}

static bool is_atomic(enum hd_did kind)
{
	return kind == HD_DID_ATOMIC_READ || kind == HD_DID_ATOMIC_WRITE;
}

static bool is_single(enum hd_did kind)
{
	return kind <= HD_DID_ATOMIC_WRITE;
}

/* Does an access of kind @f tear apart a pair of kind @pair? */
static bool tears(enum hd_did pair, enum hd_did f)
{
	return is_single(f) && (HD_DID(pair) & (is_write(f) ? HD_DID_PAIRS : HD_DID_WW));
}

/* --- the algorithm --- */

/* An access of @who under @word: against all that is known, then into its set. */
static void put_single(struct hd_task_check *c, uint64_t granule, struct hd_task_cell *cell,
		       enum hd_did kind, hd_word word, const struct hd_did_step *who)
{
	for (uint32_t i = cell->sets; i;) {
		const struct hd_did_set *set = hd_slab_at(&c->cells.sets, i);
		enum hd_did other = set->kind;
		const struct hd_did_step *with;
		int k = 0;

		i = set->next;
		if (tears(other, kind)) {
			while ((with = beside(c, set, who->step, &k)) &&
			       hd_word_fits(&c->locks.words, set->word, word))
				hd_task_torn(c, granule, cell, other, with, who);
		} else if (!c->opt.no_races && is_single(other) &&
			   (is_write(kind) || is_write(other)) &&
			   !(is_atomic(kind) && is_atomic(other))) {
			while ((with = beside(c, set, who->step, &k)) &&
			       hd_word_meet(&c->locks.words, set->word, word))
				raced(c, granule, cell, with, who);
		}
	}
	hd_task_cells_add(&c->cells, cell, kind, word, who);
}

static void put_pair(struct hd_task_check *c, uint64_t granule, struct hd_task_cell *cell,
		     enum hd_did kind, hd_word word, const struct hd_did_step *who)
{
	for (uint32_t i = cell->sets; i;) {
		const struct hd_did_set *set = hd_slab_at(&c->cells.sets, i);
		const struct hd_did_step *with;
		int k = 0;

		i = set->next;
		if (!tears(kind, set->kind))
			continue;
		while ((with = beside(c, set, who->step, &k)) &&
		       hd_word_fits(&c->locks.words, word, set->word))
			hd_task_torn(c, granule, cell, kind, who, with);
	}
	hd_task_cells_add(&c->cells, cell, kind, word, who);
}

static void put_pairs(struct hd_task_access *a, uint64_t granule, struct hd_task_cell *cell,
		      uint32_t kinds, hd_word word, const struct hd_did_raw *first)
{
	const struct hd_did_raw second = hd_task_raw(a, granule);
	struct hd_did_step who = { .step = a->task->step, .first = hd_task_raw_at(a->c, first) };

	who.second = hd_task_raw_at(a->c, &second);
	/* Declared ones first: they are what is told. */
	for (int k = HD_DID_COUNT - 1; k >= 0; k--) {
		if (kinds & HD_DID(k))
			put_pair(a->c, granule, cell, (enum hd_did)k, word, &who);
	}
}

/* All gaps from position @from, where @first was, to now. */
static void pair_up(struct hd_task_access *a, uint64_t granule, struct hd_task_cell *cell,
		    struct hd_doing *d, uint32_t kinds, uint64_t from,
		    const struct hd_did_raw *first)
{
	const struct hd_lock_log *log = &a->side->log;
	uint64_t now = hd_lock_log_at(log), gap = 0;

	kinds &= ~d->free;
	if (!kinds)
		return;
	if (log->free_at >= from) {
		d->free |= kinds;
		put_pairs(a, granule, cell, kinds, 0, first);
		return;
	}
	if (!hd_lock_log_knows(log, from) || !hd_lock_log_knows(log, now))
		return; /* too many operations under one lock: not decided, not told */
	if (from == now) {
		if (d->paired_at != now + 1)
			d->paired = 0;
		d->paired_at = now + 1;
		kinds &= ~d->paired;
		d->paired |= kinds;
		if (!kinds)
			return;
	}
	for (bool more = hd_lock_log_gap(log, from, &gap, true); more;
	     more = hd_lock_log_gap(log, from, &gap, false))
		put_pairs(a, granule, cell, kinds,
			  hd_lock_log_word(&a->c->locks, log, gap, now, false), first);
}

static void remember_pending(struct hd_task_access *a, uint64_t granule, uint8_t mask,
			     enum hd_did kind)
{
	const struct hd_did_raw raw = hd_task_raw(a, granule);
	struct hd_task_check *c = a->c;
	struct hd_task_side *side = a->side;

	if (!HD_ROOM(side->pending, side->pending_room, side->npending + 1) ||
	    (!side->npending && !HD_ROOM(c->waiting, c->waiting_room, c->nwaiting + 1))) {
		c->err = HD_ERR_NOMEM;
		return;
	}
	if (!side->npending) {
		c->waiting[c->nwaiting++] = a->task->number;
		side->waiting = (uint32_t)c->nwaiting;
	}
	side->pending[side->npending++] = (struct hd_pending){
		.granule = granule,
		.mask = mask,
		.kind = (uint8_t)kind,
		.at = hd_lock_log_at(&side->log),
		.where = hd_task_raw_at(c, &raw),
	};
}

static void access_single(struct hd_task_access *a, uint64_t granule, struct hd_task_cell *cell,
			  struct hd_doing *d, enum hd_did kind)
{
	const struct hd_lock_log *log = &a->side->log;
	struct hd_did_step who = { .step = a->task->step };
	struct hd_did_raw raw;

	if (d->free & HD_DID(kind))
		return;
	if (log->nheld) {
		uint64_t now = hd_lock_log_at(log);

		if (d->told_at[a->write] != now + 1 && hd_lock_log_knows(log, now))
			remember_pending(a, granule, cell->mask, kind);
		d->told_at[a->write] = a->atomic ? 0 : now + 1;
		return;
	}
	d->free |= HD_DID(kind);
	raw = hd_task_raw(a, granule);
	who.first = hd_task_raw_at(a->c, &raw);
	put_single(a->c, granule, cell, kind, 0, &who);
}

static void access_cell(void *arg, uint64_t granule, struct hd_task_cell *cell)
{
	struct hd_task_access *a = arg;
	struct hd_doing *d = hd_task_doing(&a->c->cells, cell, a->task);
	uint32_t block = a->side->block, stale, declared;
	const uint32_t undeclared =
		HD_DID(HD_DID_PAIR) | HD_DID(HD_DID_STALE) | HD_DID(HD_DID_WRITES);
	const uint32_t singles = HD_DID(HD_DID_READ) | HD_DID(HD_DID_WRITE);
	bool repeat;
	uint64_t now = hd_lock_log_at(&a->side->log);

	if (d->moment != a->side->values.moment) {
		d->moment = a->side->values.moment;
		d->free = d->paired = 0;
		d->told_at[0] = d->told_at[1] = 0;
	}
	access_single(a, granule, cell, d,
		      a->atomic ? (a->write ? HD_DID_ATOMIC_WRITE : HD_DID_ATOMIC_READ)
				: (a->write ? HD_DID_WRITE : HD_DID_READ));
	if (a->c->opt.no_atomicity || (!block && (d->free & undeclared) == undeclared)) {
		bool both = (d->free & singles) == singles;

		a->repeats &= both ? 3 : d->free & HD_DID(a->write) ? 1 << a->write : 0;
		return;
	}
	/* The same again at the same place: its pair was told of by the last one, or is now. */
	repeat = d->accessed && d->last_writes == a->write && d->at == now && d->block == block &&
		 !a->atomic;
	if (d->accessed) {
		/* An atomic update reads what it writes over: no other update gets lost. */
		stale = a->write && !d->last_writes && a->ev->op != HD_OP_ATOMIC_RMW
				? HD_DID(HD_DID_STALE)
				: 0;
		declared = block && block == d->block ? HD_DID(HD_DID_PAIR_DECLARED) : 0;
		pair_up(a, granule, cell, d, HD_DID(HD_DID_PAIR) | stale | declared, d->at,
			&d->last);
	}
	if (a->write && d->wrote) {
		declared = block && block == d->write_block ? HD_DID(HD_DID_WRITES_DECLARED) : 0;
		pair_up(a, granule, cell, d, HD_DID(HD_DID_WRITES) | declared, d->write_at,
			&d->last_write);
	}
	a->repeats &= repeat ? 1 << a->write : 0;
	d->accessed = true;
	d->last_writes = a->write;
	d->block = block;
	d->at = now;
	d->last = hd_task_raw(a, granule);
	if (a->write) {
		d->wrote = true;
		d->write_block = block;
		d->write_at = now;
		d->last_write = d->last;
	}
}

/* What @task did under the locks that it has given back, or (@open) that outlive its step. */
struct flush {
	struct hd_task_check *c;
	const struct hd_pending *p;
	hd_word word;
	hd_dpst_id step;
};

static void flush_cell(void *arg, uint64_t granule, struct hd_task_cell *cell)
{
	const struct flush *f = arg;
	const struct hd_did_step who = { .step = f->step, .first = f->p->where };

	put_single(f->c, granule, cell, (enum hd_did)f->p->kind, f->word, &who);
}

static void flush(struct hd_task_check *c, struct hd_task_side *side, hd_dpst_id step, bool open)
{
	uint64_t now = hd_lock_log_at(&side->log);

	for (size_t i = 0; i < side->npending; i++) {
		struct flush f = { .c = c, .p = &side->pending[i], .step = step };

		f.word = hd_lock_log_word(&c->locks, &side->log, f.p->at, now, open);
		c->steps.tree.own = hd_owned_has(&c->steps.owned, f.p->granule << 3);
		hd_task_cells_each(&c->cells, f.p->granule, f.p->mask, flush_cell, &f);
	}
	if (side->npending) {
		uint32_t last = c->waiting[--c->nwaiting];

		c->waiting[side->waiting - 1] = last;
		c->sides[last]->waiting = side->waiting;
	}
	side->npending = 0;
}

/* --- events --- */

/* Locks that are held when a story begins were taken before it. */
static void begin_story(struct hd_task_side *side)
{
	for (size_t i = 0, n = side->telling.n; !n && i < side->log.nheld; i++) {
		const struct hd_task_held *h = &side->log.held[i];
		bool shared = h->told.mode & HD_LOCK_SHARED;

		hd_task_groups_lock(&side->telling,
				    h->lock << 2 | (shared ? HD_LOCK_OP_SHARED : 0));
	}
}

static void access_group(struct hd_task_access *a, uint64_t granule, uint8_t mask)
{
	const struct hd_did_raw raw = hd_task_raw(a, granule);

	begin_story(a->side);
	hd_task_groups_access(&a->c->groups, &a->side->telling, granule, mask, a->write,
			      hd_task_raw_at(a->c, &raw));
}

static void access_range(struct hd_task_access *a, uint64_t addr, uint64_t len)
{
	while (len) {
		unsigned low = addr & 7, n = len < 8 - low ? (unsigned)len : 8 - low;
		uint8_t mask = (uint8_t)(((1u << n) - 1) << low);

		a->repeats = 3;
		a->c->steps.tree.own = hd_owned_has(&a->c->steps.owned, addr);
		a->c->repeats[addr >> 3 & (HD_REPEATS - 1)].kinds = 0;
		hd_task_cells_each(
			&a->c->cells, addr >> 3, mask,
			a->c->opt.algorithm == HD_TASKS_PAPER ? hd_paper_access : access_cell, a);
		if (hd_task_groups_any(&a->c->groups) && a->c->opt.algorithm == HD_TASKS_COMPLETE)
			access_group(a, addr >> 3, mask);
		addr += n;
		len -= n;
	}
}

static bool is_repeat(const struct hd_task_access *a)
{
	const struct hd_repeat *r = &a->c->repeats[a->ev->addr >> 3 & (HD_REPEATS - 1)];

	return r->addr == a->ev->addr && r->step == a->task->step && r->size == a->ev->size &&
	       (r->kinds & 1 << a->write) && r->at == hd_lock_log_at(&a->side->log) &&
	       r->block == a->side->block && r->epoch == a->c->epoch && !a->atomic;
}

static void note_repeat(const struct hd_task_access *a)
{
	struct hd_repeat *r = &a->c->repeats[a->ev->addr >> 3 & (HD_REPEATS - 1)];
	bool whole = a->ev->size <= 8 - (a->ev->addr & 7) && !a->atomic &&
		     a->c->opt.algorithm == HD_TASKS_COMPLETE && !hd_task_groups_any(&a->c->groups);

	*r = (struct hd_repeat){ .addr = a->ev->addr,
				 .at = hd_lock_log_at(&a->side->log),
				 .step = a->task->step,
				 .block = a->side->block,
				 .epoch = a->c->epoch,
				 .size = (uint8_t)a->ev->size,
				 .kinds = whole ? a->repeats : 0 };
}

static void access_event(struct hd_task_check *c, struct hd_task *t, struct hd_task_side *side,
			 const struct hd_event *ev, uint64_t index)
{
	bool range = ev->op == HD_OP_READ_RANGE || ev->op == HD_OP_WRITE_RANGE;
	struct hd_task_access a = {
		.c = c,
		.task = t,
		.side = side,
		.ev = ev,
		.index = index < UINT32_MAX ? (uint32_t)index + 1 : 0,
		.write = hd_did_writes(ev->op),
		.atomic = ev->op >= HD_OP_ATOMIC_LOAD && ev->op <= HD_OP_ATOMIC_CAS_FAIL,
	};

	c->accesses++;
	if (!hd_steps_now(&c->steps, t) || c->velodrome)
		return;
	if (!range && is_repeat(&a))
		return;
	access_range(&a, ev->addr, range ? ev->value : ev->size);
	if (side->log.nheld && c->opt.algorithm == HD_TASKS_COMPLETE)
		hd_values_access(&c->values, &c->steps, t, &side->values, &side->log, ev,
				 range ? ev->value : ev->size, a.write);
	if (!range)
		note_repeat(&a);
}

static void memory_gone(struct hd_task_check *c, const struct hd_event *ev)
{
	c->epoch++;
	/* What is pending there must not come back. */
	for (size_t i = 0; i < c->nwaiting; i++) {
		struct hd_task_side *side = c->sides[c->waiting[i]];

		for (size_t k = 0; k < side->npending; k++) {
			struct hd_pending *p = &side->pending[k];

			for (unsigned b = 0; b < 8; b++) {
				if ((p->granule << 3) + b - ev->addr < ev->value)
					p->mask &= (uint8_t) ~(1u << b);
			}
		}
	}
	hd_task_cells_forget(&c->cells, ev->addr, ev->value);
	hd_values_forget(&c->values, ev->addr, ev->value);
	hd_task_groups_forget(&c->groups, ev->addr, ev->value);
}

static void declare(struct hd_task_check *c, struct hd_task_side *side, bool begins)
{
	if (begins && !side->depth++)
		side->block = ++c->blocks;
	else if (!begins && side->depth && !--side->depth)
		side->block = 0;
}

/* A lock that another task took is given back: it is that one's no more. */
static void give_for_another(struct hd_task_check *c, const struct hd_task *t,
			     const struct hd_event *ev)
{
	uint32_t holder = hd_values_holder(&c->values, ev->addr);
	struct hd_task_side *other = holder < c->nsides ? c->sides[holder] : NULL;
	bool freed;

	if (!holder || holder == t->number || !other)
		return;
	if (hd_task_locks_event(&c->locks, &other->log, ev, &freed) && freed)
		flush(c, other, hd_steps_step_of(&c->steps, holder), false);
}

static void lock_event(struct hd_task_check *c, struct hd_task *t, struct hd_task_side *side,
		       const struct hd_event *ev)
{
	if (hd_op_way(ev->op) == HD_WAY_GIVES)
		give_for_another(c, t, ev);
	hd_values_lock(&c->values, &c->steps, t, &side->values, ev);
}

static void step_over(struct hd_task_check *c, struct hd_task_side *side, hd_dpst_id step)
{
	flush(c, side, step, true);
	hd_task_groups_step(&c->groups, &side->telling, step, &c->cells, &c->hits);
	/* A block that goes on beyond a step is another one there. */
	if (side->block)
		side->block = ++c->blocks;
}

static void other_event(struct hd_task_check *c, struct hd_task *t, struct hd_task_side *side,
			const struct hd_event *ev, uint64_t index)
{
	hd_dpst_id step = t->step;
	bool freed;

	if (ev->op == HD_OP_ACQUIRE) {
		hd_steps_take(&c->steps, t);
		if (step && step != t->step)
			step_over(c, side, step);
		step = t->step;
	}
	if (hd_task_groups_any(&c->groups) && (ev->op == HD_OP_ACQUIRE || ev->op == HD_OP_RELEASE))
		begin_story(side);
	if (hd_task_locks_event(&c->locks, &side->log, ev, &freed)) {
		if (freed)
			flush(c, side, step, false);
		lock_event(c, t, side, ev);
		if (hd_task_groups_any(&c->groups) && side->log.did)
			hd_task_groups_lock(&side->telling, side->log.did);
		return;
	}
	if (ev->op == HD_OP_GROUP) {
		hd_task_groups_add(&c->groups, ev->addr, ev->value, (uint32_t)ev->value2);
		c->epoch++;
		return;
	}
	if (ev->op == HD_OP_BEGIN || ev->op == HD_OP_END) {
		declare(c, side, ev->op == HD_OP_BEGIN);
		return;
	}
	if (ev->op == HD_OP_ALLOC || ev->op == HD_OP_FREE)
		memory_gone(c, ev);
	if (!hd_steps_event(&c->steps, ev))
		c->err = HD_ERR_NOMEM;
	hd_values_event(&c->values, &c->steps, t, &side->values, ev);
	c->cells.keep_all |= c->steps.ordered || c->steps.borrowed || c->values.learnt;
	if (!step && !t->step)
		side->telling.n = 0;
	if (step && !t->step)
		step_over(c, side, step);
	if (t->over && t->root != HD_DPST_ROOT && !side->npending)
		drop_side(c, t->number);
}

enum hd_err hd_task_check_event(struct hd_task_check *c, const struct hd_event *ev, uint64_t index)
{
	struct hd_task *t = hd_steps_task(&c->steps, ev->thread);
	struct hd_task_side *side = t ? side_of(c, t) : NULL;
	bool access;

	if (!side)
		c->err = HD_ERR_NOMEM;
	if (c->err)
		return c->err;
	c->steps.tree.own = false;
	access = hd_op_is_access(ev->op);
	/* Atomic ones are both: they order something. */
	if (!access || hd_op_about(ev->op) == HD_ABOUT_ATOMIC)
		other_event(c, t, side, ev, index);
	if (access)
		access_event(c, t, side, ev, index);
	if (c->velodrome && !c->err)
		c->err = hd_task_velodrome_event(c->velodrome, t->step, ev, index);
	if (c->cells.failed || c->steps.failed || c->locks.failed || c->locks.words.failed ||
	    c->hits.failed || c->groups.failed || c->values.failed)
		c->err = HD_ERR_NOMEM;
	return c->err;
}

enum hd_err hd_task_check_finish(struct hd_task_check *c, hd_found_fn *fn, void *arg)
{
	while (c->nwaiting) {
		struct hd_task_side *side = c->sides[c->waiting[0]];

		flush(c, side, hd_steps_step_of(&c->steps, c->waiting[0]), true);
	}
	for (size_t i = 1; i < hd_task_table_end(&c->steps.tasks) && i < c->nsides; i++) {
		if (c->sides[i] && c->sides[i]->telling.n)
			hd_task_groups_step(&c->groups, &c->sides[i]->telling,
					    hd_steps_step_of(&c->steps, (uint32_t)i), &c->cells,
					    &c->hits);
	}
	if (c->velodrome)
		hd_task_velodrome_report(c->velodrome, fn, arg);
	hd_task_hits_tell(&c->hits, &c->steps, fn, arg);
	return c->err;
}

bool hd_task_check_origin(const struct hd_task_check *c, uint32_t thread, uint32_t *parent,
			  uint64_t *pc, uint32_t *ctx)
{
	uint32_t number = hd_steps_number(&c->steps, thread);
	const struct hd_task_record *t = number ? hd_task_record(&c->steps.tasks, number) : NULL;

	if (!t || !t->parent)
		return false;
	*parent = t->parent;
	*pc = t->pc;
	*ctx = t->ctx;
	return true;
}

void hd_task_check_stats(const struct hd_task_check *c, struct hd_task_stats *stats)
{
	*stats = (struct hd_task_stats){
		.accesses = c->accesses,
		.locations = c->cells.ncells,
		.location_bytes = hd_task_cells_bytes(&c->cells),
		.nodes = c->steps.tree.count - 1,
		.node_bytes = sizeof(struct hd_dpst_node),
		.steps = c->steps.nsteps,
		.tasks = hd_task_table_end(&c->steps.tasks) - 1,
		.queries = c->steps.tree.queries,
		.walks = c->steps.tree.walks,
		.lock_questions = c->locks.words.questions,
		.lock_grids = c->locks.words.grids,
		.ordered = c->steps.ordered,
		.borrowed = c->steps.borrowed,
		.crowded = c->cells.crowded,
		.doubtful = c->hits.doubtful,
		.bounded = c->steps.knowns.bounded,
		.groups_left_out = c->groups.left_out,
	};
}
