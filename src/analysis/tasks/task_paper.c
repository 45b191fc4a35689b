#include "task_paper.h"

/* The entries, in the sets of task_cells.h: two steps each, or a pair in the first place. */
enum {
	SINGLE_READ = HD_DID_READ,
	SINGLE_WRITE = HD_DID_WRITE,
	READ_READ = HD_DID_PAIR,
	READ_WRITE = HD_DID_STALE,
	WRITE_READ = HD_DID_PAIR_DECLARED,
	WRITE_WRITE = HD_DID_WRITES,
};

struct paper {
	struct hd_task_access *a;
	uint64_t granule;
	struct hd_task_cell *cell;
	struct hd_did_step now; /* the access at hand, as a single one */
};

static struct hd_did_step *entry(struct paper *p, uint32_t kind)
{
	struct hd_did_set *set = hd_task_cells_set(&p->a->c->cells, p->cell, (enum hd_did)kind, 0);
	static struct hd_did_step nowhere[2];

	return set ? set->steps : nowhere;
}

static bool par(struct paper *p, const struct hd_did_step *e)
{
	return e->step && hd_steps_parallel(&p->a->c->steps, e->step, p->now.step);
}

static bool serializable(bool w1, bool w2, bool w3)
{
	return !w2 && !(w1 && w3);
}

/* A pair and a single access, of which one may be of the step at hand. */
static void check(struct paper *p, uint32_t kind, const struct hd_did_step *single, bool write)
{
	const struct hd_did_step *pair = entry(p, kind);
	bool w1 = kind == WRITE_READ || kind == WRITE_WRITE;
	bool w3 = kind == READ_WRITE || kind == WRITE_WRITE;

	if (pair->step && single->step && !serializable(w1, write, w3) &&
	    hd_steps_parallel(&p->a->c->steps, pair->step, single->step))
		hd_task_torn(p->a->c, p->granule, p->cell,
			     kind == READ_WRITE ? HD_DID_STALE : HD_DID_PAIR, pair, single);
}

static void keep_single(struct paper *p)
{
	struct hd_did_step *e = entry(p, p->a->write ? SINGLE_WRITE : SINGLE_READ);

	if (!par(p, &e[0]))
		e[0] = p->now;
	else if (!par(p, &e[1]))
		e[1] = p->now;
}

/* Is some lock held now that was held at position @at and has not been given back since? */
static bool same_section(const struct hd_lock_log *log, uint64_t at)
{
	for (size_t i = 0; i < log->nheld; i++) {
		if (log->held[i].taken < at)
			return true;
	}
	return false;
}

/* The step's first read or write and this access make a pair. */
static void form_pair(struct paper *p, uint32_t kind, const struct hd_did_raw *first, uint64_t at)
{
	struct hd_did_step *e = entry(p, kind), *w = entry(p, SINGLE_WRITE);
	const struct hd_did_step *r = entry(p, SINGLE_READ);

	if (same_section(&p->a->side->log, at))
		return;
	if (!par(p, e)) {
		*e = p->now;
		e->second = p->now.first;
		e->first = hd_task_raw_at(p->a->c, first);
	}
	check(p, kind, &w[0], true);
	check(p, kind, &w[1], true);
	if (kind == WRITE_WRITE) {
		check(p, kind, &r[0], false);
		check(p, kind, &r[1], false);
	}
}

static void first_access(struct paper *p)
{
	check(p, WRITE_WRITE, &p->now, p->a->write);
	if (p->a->write) {
		check(p, READ_WRITE, &p->now, true);
		check(p, READ_READ, &p->now, true);
		check(p, WRITE_READ, &p->now, true);
	}
}

void hd_paper_access(void *arg, uint64_t granule, struct hd_task_cell *cell)
{
	struct hd_task_access *a = arg;
	struct hd_doing *d = hd_task_doing(&a->c->cells, cell, a->task);
	struct hd_did_raw raw = hd_task_raw(a, granule);
	struct paper p = { .a = a,
			   .granule = granule,
			   .cell = cell,
			   .now = { .step = a->task->step, .first = hd_task_raw_at(a->c, &raw) } };

	if (!d->accessed && !d->wrote) {
		first_access(&p);
	} else if (!a->write) {
		if (d->accessed)
			form_pair(&p, READ_READ, &d->last, d->at);
		if (d->wrote)
			form_pair(&p, WRITE_READ, &d->last_write, d->write_at);
	} else {
		if (d->accessed)
			form_pair(&p, READ_WRITE, &d->last, d->at);
		if (d->wrote)
			form_pair(&p, WRITE_WRITE, &d->last_write, d->write_at);
	}
	keep_single(&p);
	if (!a->write && !d->accessed) {
		d->accessed = true; /* `last` is the first read here */
		d->last = raw;
		d->at = hd_lock_log_at(&a->side->log);
	} else if (a->write && !d->wrote) {
		d->wrote = true;
		d->last_write = raw;
		d->write_at = hd_lock_log_at(&a->side->log);
	}
}
