#include "task_front.h"

#include "task_check_impl.h"
#include "trace/event_meaning.h"

bool hd_task_front_init(struct hd_task_front *f, struct hd_task_check *check,
			const struct hd_task_options *options)
{
	*f = (struct hd_task_front){ .check = check };
	if (options->algorithm != HD_TASKS_COMPLETE)
		return false;
	if (!hd_dpst_reserve(&check->steps.tree) || !hd_thin_init(&f->thin, &check->steps.tree))
		return false;
	f->thin.learn = hd_task_front_learn;
	f->thin.arg = f;
	return true;
}

static bool beside(void *front, hd_dpst_id a, hd_dpst_id b)
{
	return hd_steps_ordered_beside(&((struct hd_task_front *)front)->check->steps, a, b);
}

void hd_task_front_one_lane(struct hd_task_front *f, struct hd_thin_lane *lane)
{
	f->lane = lane;
	f->thin.beside = beside;
}

void hd_task_front_free(struct hd_task_front *f)
{
	hd_thin_free(&f->thin);
	hd_map_free(&f->moments);
}

/* All that a step does to thin locations is of one moment. False: @step is in another by now. */
static bool is_moment(struct hd_task_front *f, struct hd_task_side *side, hd_dpst_id step)
{
	uint32_t now = side->values.moment;

	if (side->front_step == step)
		return side->front_moment == now;
	side->front_step = step;
	side->front_moment = now;
	return !now || hd_map_set(&f->moments, step, now);
}

hd_dpst_id hd_task_front_step(struct hd_task_front *f, uint32_t thread)
{
	struct hd_task_check *c = f->check;
	struct hd_task *t = hd_steps_task(&c->steps, thread);
	struct hd_task_side *side = t && t->number < c->nsides ? c->sides[t->number] : NULL;
	hd_dpst_id step;

	if (!t || c->err || hd_task_groups_any(&c->groups) ||
	    (side && (side->log.nheld || side->block)))
		return 0;
	if (!f->lane && (c->opt.other_order || c->steps.ordered || c->steps.borrowed))
		return 0;
	step = hd_steps_now(&c->steps, t);
	if (f->lane && side && !is_moment(f, side, step))
		return 0;
	return step;
}

void hd_task_front_at(struct hd_task_front *f, uint64_t addr)
{
	f->lane->own = hd_owned_has(&f->check->steps.owned, addr);
	f->lane->keep = f->check->cells.keep_all;
}

bool hd_task_front_at_line(struct hd_task_front *f, uint64_t line)
{
	const struct hd_owned *o = &f->check->steps.owned;

	hd_task_front_at(f, line);
	/* What is a task's own begins and ends at multiples of 16 bytes. */
	for (unsigned at = 16; o->wanted && at < HD_THIN_LINE; at += 16) {
		if (hd_owned_find(o, line + at) != f->lane->own)
			return false;
	}
	return true;
}

uint32_t hd_task_front_learn(void *front, uint32_t doing, const struct hd_thin_place *place)
{
	struct hd_task_front *f = front;
	unsigned size = hd_thin_size(place);
	bool anywhere = size == HD_THIN_ELEMENT4;
	const struct hd_did_site site = {
		.pc = place->pc_shape << 8 >> 8,
		.ctx = place->ctx,
		.size = anywhere		   ? 4
			: size == HD_THIN_ELEMENT8 ? 8
						   : size,
		.offset = anywhere ? HD_DID_ANYWHERE : (int16_t)(place->pc_shape >> 57 & 7),
		.op = hd_thin_writes(place) ? HD_OP_WRITE : HD_OP_READ,
	};

	return hd_thin_after(&f->thin, doing, hd_task_hits_site(&f->check->hits, &site),
			     hd_thin_writes(place));
}

/* --- from thin to fat --- */

struct thicken {
	struct hd_task_front *f;
	const uint64_t *entries;
	size_t n;
};

static struct hd_did_raw raw_of(const struct hd_task_check *c, uint32_t site, uint32_t moment)
{
	return (struct hd_did_raw){ .site = *hd_task_hits_at(&c->hits, site), .moment = moment };
}

/* What @step, should it still run, did so far. */
static void resume(struct hd_task_check *c, struct hd_task_cell *cell, hd_dpst_id step,
		   uint32_t moment, const struct hd_thin_did *did)
{
	uint32_t number = hd_steps_task_of(&c->steps, step);
	const struct hd_task *t = number ? hd_task_record(&c->steps.tasks, number)->live : NULL;
	struct hd_doing *d;

	if (!t || t->step != step)
		return;
	d = hd_task_doing(&c->cells, cell, t);
	d->accessed = true;
	d->moment = moment;
	d->wrote = did->flags & HD_THIN_WROTE;
	d->last_writes = !(did->flags & HD_THIN_LAST_READ);
	if (d->wrote)
		d->last_write = raw_of(c, did->wrote, moment);
	d->last = raw_of(c, did->last, moment);
}

static void thicken_cell(void *arg, uint64_t granule, struct hd_task_cell *cell)
{
	const struct thicken *k = arg;
	struct hd_task_check *c = k->f->check;

	(void)granule;
	for (size_t i = 0; i < k->n; i++) {
		const struct hd_thin_did *d = hd_thin_did(&k->f->thin, k->entries[i]);
		const struct {
			uint32_t flag;
			enum hd_did kind;
			uint32_t first, second;
		} did[] = {
			{ HD_THIN_READ, HD_DID_READ, d->read, 0 },
			{ HD_THIN_WROTE, HD_DID_WRITE, d->wrote, 0 },
			{ HD_THIN_PAIR, HD_DID_PAIR, d->pair[0], d->pair[1] },
			{ HD_THIN_STALE, HD_DID_STALE, d->stale[0], d->stale[1] },
			{ HD_THIN_WRITES, HD_DID_WRITES, d->writes[0], d->writes[1] },
		};
		struct hd_did_step who = { .step = k->entries[i] & HD_THIN_STEP };
		uint32_t moment = (uint32_t)hd_map_get(&k->f->moments, who.step);

		for (size_t j = 0; j < sizeof(did) / sizeof(did[0]); j++) {
			if (!(d->flags & did[j].flag))
				continue;
			who.first = (struct hd_did_at){ .site = did[j].first, .moment = moment };
			who.second = (struct hd_did_at){ .site = did[j].second, .moment = moment };
			hd_task_cells_add(&c->cells, cell, did[j].kind, 0, &who);
		}
		resume(c, cell, who.step, moment, d);
	}
}

static void thicken(void *arg, uint64_t addr, unsigned size, const uint64_t *entries, size_t n)
{
	struct thicken k = { .f = arg, .entries = entries, .n = n };
	uint8_t mask = (uint8_t)(((1u << size) - 1) << (addr & 7));
	struct hd_steps *s = &k.f->check->steps;

	s->tree.own = k.f->lane && hd_owned_has(&s->owned, addr);
	hd_task_cells_each(&k.f->check->cells, addr >> 3, mask, thicken_cell, &k);
}

/* --- events --- */

enum hd_err hd_task_front_event(struct hd_task_front *f, const struct hd_event *ev, uint64_t index)
{
	uint64_t len = hd_op_is_access(ev->op) ? hd_access_length(ev) : 0;
	const struct hd_task *t = hd_steps_task(&f->check->steps, ev->thread);
	hd_dpst_id step = t ? t->step : 0;
	enum hd_err err;

	if (len && !hd_thin_take(&f->thin, ev->addr, len, thicken, f))
		return HD_ERR_NOMEM;
	if (ev->op == HD_OP_ALLOC || ev->op == HD_OP_FREE)
		hd_thin_forget(&f->thin, ev->addr, ev->value);
	err = hd_task_check_event(f->check, ev, index);
	if (step && t->step != step)
		f->thin.over[step] = true;
	/* More order than there was changes nothing: what did not race then does not now. */
	if (f->lane && f->scopes != f->check->steps.tree.scopes) {
		f->scopes = f->check->steps.tree.scopes;
		hd_thin_lane_forget(f->lane);
	}
	return err;
}
