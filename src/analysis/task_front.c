#include "task_front.h"

#include "task_check_impl.h"

bool hd_task_front_init(struct hd_task_front *f, struct hd_task_check *check,
			const struct hd_task_options *options)
{
	*f = (struct hd_task_front){ .check = check };
	if (options->algorithm != HD_TASKS_COMPLETE)
		return false;
	return hd_dpst_reserve(&check->steps.tree) && hd_thin_init(&f->thin, &check->steps.tree);
}

void hd_task_front_free(struct hd_task_front *f)
{
	hd_thin_free(&f->thin);
}

hd_dpst_id hd_task_front_step(struct hd_task_front *f, uint32_t thread)
{
	struct hd_task_check *c = f->check;
	struct hd_task *t = hd_steps_task(&c->steps, thread);
	const struct hd_task_side *side = t && t->number < c->nsides ? c->sides[t->number] : NULL;

	if (!t || c->err || c->cells.keep_all || hd_task_groups_any(&c->groups) ||
	    (side && (side->log.nheld || side->block)))
		return 0;
	return hd_steps_now(&c->steps, t);
}

uint32_t hd_task_front_site(struct hd_task_front *f, uint64_t pc, uint32_t ctx, unsigned size,
			    unsigned offset, bool write)
{
	const struct hd_did_site site = {
		.pc = pc, .ctx = ctx, .size = size, .offset = (int16_t)offset,
		.op = write ? HD_OP_WRITE : HD_OP_READ,
	};

	return hd_task_hits_site(&f->check->hits, &site);
}

/* --- from thin to fat --- */

struct thicken {
	struct hd_task_check *c;
	const struct hd_thin_cell *thin;
	const struct hd_thin_more *more;
};

static void add(struct hd_task_check *c, struct hd_task_cell *cell, enum hd_did kind,
		hd_dpst_id step, uint32_t first, uint32_t second)
{
	const struct hd_did_step who = { .step = step, .first = { first, 0 },
					 .second = { second, 0 } };

	if (step)
		hd_task_cells_add(&c->cells, cell, kind, 0, &who);
}

static struct hd_did_raw raw_of(const struct hd_task_check *c, uint32_t site)
{
	return (struct hd_did_raw){ .site = *hd_task_hits_at(&c->hits, site) };
}

/* What @step, should it still run, did so far. */
static void resume(const struct thicken *k, struct hd_task_cell *cell, hd_dpst_id step)
{
	const struct hd_task *t = step ? hd_steps_task_of(&k->c->steps, step) : NULL;
	const struct hd_thin_cell *thin = k->thin;
	struct hd_doing *d;
	uint32_t read = 0;

	if (!t || t->step != step)
		return;
	for (int i = 0; i < 2; i++)
		read = thin->read[i].step == step ? thin->read[i].site : read;
	d = hd_task_doing(&k->c->cells, cell, t);
	if (d->accessed)
		return;
	d->accessed = true;
	d->wrote = thin->wrote.step == step;
	d->last_writes = d->wrote && !(thin->doer == step && (thin->flags & HD_THIN_LAST_READ));
	if (d->wrote)
		d->last_write = raw_of(k->c, thin->wrote.site);
	d->last = raw_of(k->c, thin->doer == step ? thin->last :
			       d->wrote ? thin->wrote.site : read);
}

static void thicken_cell(void *arg, uint64_t granule, struct hd_task_cell *cell)
{
	const struct thicken *k = arg;
	const struct hd_thin_cell *t = k->thin;

	(void)granule;
	add(k->c, cell, HD_DID_WRITE, t->wrote.step, t->wrote.site, 0);
	for (int i = 0; i < 2; i++) {
		add(k->c, cell, HD_DID_READ, t->read[i].step, t->read[i].site, 0);
		add(k->c, cell, HD_DID_PAIR, t->pair[i].step, t->pair[i].first, t->pair[i].second);
	}
	if (k->more) {
		const struct hd_thin_two *s = &k->more->stale, *w = &k->more->writes;

		add(k->c, cell, HD_DID_STALE, s->step, s->first, s->second);
		add(k->c, cell, HD_DID_WRITES, w->step, w->first, w->second);
	}
	if (t->flags & (HD_THIN_READ | HD_THIN_WROTE))
		resume(k, cell, t->doer);
	resume(k, cell, t->wrote.step);
	resume(k, cell, t->read[0].step);
	resume(k, cell, t->read[1].step);
}

static void thicken(void *arg, uint64_t addr, unsigned size, const struct hd_thin_cell *cell,
		    const struct hd_thin_more *more)
{
	struct thicken k = { .c = arg, .thin = cell, .more = more };
	uint8_t mask = (uint8_t)(((1u << size) - 1) << (addr & 7));

	hd_task_cells_each(&k.c->cells, addr >> 3, mask, thicken_cell, &k);
}

/* --- events --- */

static uint64_t bytes_of(const struct hd_event *ev)
{
	switch (ev->op) {
	case HD_OP_READ:
	case HD_OP_WRITE:
	case HD_OP_ATOMIC_LOAD:
	case HD_OP_ATOMIC_STORE:
	case HD_OP_ATOMIC_RMW:
	case HD_OP_ATOMIC_CAS_FAIL:
		return ev->size;
	case HD_OP_READ_RANGE:
	case HD_OP_WRITE_RANGE:
		return ev->value;
	default:
		return 0;
	}
}

enum hd_err hd_task_front_event(struct hd_task_front *f, const struct hd_event *ev,
				uint64_t index)
{
	uint64_t len = bytes_of(ev);
	const struct hd_task *t = hd_steps_task(&f->check->steps, ev->thread);
	hd_dpst_id step = t ? t->step : 0;
	enum hd_err err;

	if (len && !hd_thin_take(&f->thin, ev->addr, len, thicken, f->check))
		return HD_ERR_NOMEM;
	if (ev->op == HD_OP_ALLOC || ev->op == HD_OP_FREE)
		hd_thin_forget(&f->thin, ev->addr, ev->value);
	err = hd_task_check_event(f->check, ev, index);
	if (step && t->step != step)
		f->thin.over[step] = true;
	return err;
}
