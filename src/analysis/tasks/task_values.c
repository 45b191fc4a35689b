#include "task_values.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/event_meaning.h"

/*
 * Points of a set, and changes that are remembered of one task. Beyond these more counts as ordered
 * than is: a pair is doubtful that is not.
 */
#define POINTS	64
#define CHANGES 16384
#define WORDS	64 /* of one access that are looked at */
#define CARRIED 16 /* tasks that added to a value one after the other, and are remembered */

/* Until @moment of @step, what the task (or iteration) at node @at did is over. */
struct hd_values_point {
	hd_dpst_id at; /* 0: all steps with smaller numbers are */
	hd_dpst_id step;
	uint32_t moment;
};

struct change {
	uint32_t moment, known;
};

struct hd_values_log {
	struct change *changes;
	size_t n, room;
};

/*
 * Who adds to a counter, and looks at it no more, learns nothing; but who looks at it later learns of
 * all who did.
 */
struct carried {
	struct hd_values_point points[CARRIED];
	uint32_t n, known;
};

struct written {
	struct hd_values_point point;
	uint32_t known;
	uint32_t locks[2];
	struct carried *carried; /* what is in the value besides; NULL: nothing */
};

static void drop_written(void *record)
{
	free(((struct written *)record)->carried);
}

struct handed {
	hd_dpst_id taken; /* in this step */
	uint32_t holder;  /* number of the task; 0: nobody */
	uint32_t taker;
	struct hd_values_point given;
	uint32_t giver, known;
};

void hd_values_init(struct hd_values *v)
{
	*v = (struct hd_values){ .written = { .record_size = sizeof(struct written) },
				 .handed = { .record_size = sizeof(struct handed) },
				 .passed = { .record_size = sizeof(uint32_t) } };
}

void hd_values_free(struct hd_values *v)
{
	for (size_t i = 0; i < v->nlogs; i++)
		free(v->logs[i].changes);
	free(v->logs);
	free(v->scratch);
	hd_map_free(&v->log_of);
	hd_intern_free(&v->sets);
	hd_addr_map_free(&v->written, drop_written);
	hd_addr_map_free(&v->handed, NULL);
	hd_addr_map_free(&v->passed, NULL);
}

/* --- sets of points --- */

static const struct hd_values_point *points(const struct hd_values *v, uint32_t set, size_t *n)
{
	const struct hd_values_point *p = set ? hd_intern_get(&v->sets, set, n) : NULL;

	*n = set ? *n / sizeof(*p) : 0;
	return p;
}

static bool later(const struct hd_values_point *p, const struct hd_values_point *q)
{
	return p->step != q->step ? p->step > q->step : p->moment > q->moment;
}

/* Both lists are in rising order of nodes. */
static uint32_t merge(struct hd_values *v, const struct hd_values_point *p, size_t np,
		      const struct hd_values_point *q, size_t nq, hd_dpst_id next)
{
	size_t n = 0;
	uint32_t set;

	if (!HD_ROOM(v->scratch, v->scratch_room, np + nq + 1)) {
		v->failed = true;
		return 0;
	}
	for (size_t i = 0, j = 0; i < np || j < nq; n++) {
		if (j == nq || (i < np && p[i].at < q[j].at)) {
			v->scratch[n] = p[i++];
		} else if (i == np || q[j].at < p[i].at) {
			v->scratch[n] = q[j++];
		} else {
			v->scratch[n] = later(&p[i], &q[j]) ? p[i] : q[j];
			i++;
			j++;
		}
	}
	if (n > POINTS || (n > 1 && !v->scratch[0].at)) {
		v->scratch[0] = (struct hd_values_point){ .step = next };
		n = 1;
	}
	set = n ? hd_intern_put(&v->sets, v->scratch, n * sizeof(*v->scratch)) : 0;
	v->failed |= n && !set;
	return set;
}

static uint32_t join(struct hd_values *v, uint32_t a, uint32_t b, hd_dpst_id next)
{
	const struct hd_values_point *p, *q;
	size_t np, nq;

	if (a == b || !a || !b)
		return a ? a : b;
	p = points(v, a, &np);
	q = points(v, b, &nq);
	return merge(v, p, np, q, nq, next);
}

static uint32_t with(struct hd_values *v, uint32_t a, const struct hd_values_point *one,
		     hd_dpst_id next)
{
	size_t np;
	const struct hd_values_point *p = points(v, a, &np);

	return merge(v, p, np, one, 1, next);
}

static bool covers(struct hd_steps *s, const struct hd_values_point *p, hd_dpst_id step,
		   uint32_t moment)
{
	if (!p->at)
		return step < p->step;
	if (step == p->step)
		return moment <= p->moment;
	return step < p->step && (hd_dpst_before(&s->tree, step, p->step) ||
				  hd_steps_ordered_beside(s, step, p->step));
}

/* --- what each task knows --- */

static struct hd_values_log *log_of(struct hd_values *v, uint32_t task, bool make)
{
	uint64_t place = hd_map_get(&v->log_of, task);

	if (place || !make)
		return place ? &v->logs[place - 1] : NULL;
	if (!HD_ROOM(v->logs, v->logs_room, v->nlogs + 1) ||
	    !hd_map_set(&v->log_of, task, v->nlogs + 1)) {
		v->failed = true;
		return NULL;
	}
	v->logs[v->nlogs] = (struct hd_values_log){ 0 };
	return &v->logs[v->nlogs++];
}

/* From now on @task knows @known. */
static void set_known(struct hd_values *v, uint32_t task, struct hd_values_now *now, uint32_t known)
{
	struct hd_values_log *log;

	if (known == now->known)
		return;
	now->known = known;
	now->moment++;
	log = log_of(v, task, true);
	if (!log)
		return;
	if (log->n == CHANGES) {
		log->changes[log->n - 1].known = known;
		return;
	}
	if (!HD_ROOM(log->changes, log->room, log->n + 1)) {
		v->failed = true;
		return;
	}
	log->changes[log->n++] = (struct change){ now->moment, known };
}

static uint32_t known_at(const struct hd_values_log *log, uint32_t moment)
{
	size_t low = 0, high = log->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (log->changes[middle].moment <= moment)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? log->changes[low - 1].known : 0;
}

static void learn(struct hd_values *v, struct hd_steps *s, struct hd_task *t,
		  struct hd_values_now *now, const struct hd_values_point *point, uint32_t known)
{
	hd_dpst_id next = s->tree.count;

	v->learnt++;
	known = with(v, join(v, now->known, known, next), point, next);
	set_known(v, t->number, now, known);
}

bool hd_values_before(struct hd_values *v, struct hd_steps *s, hd_dpst_id a, uint32_t am,
		      hd_dpst_id b, uint32_t bm)
{
	uint32_t task = v->learnt ? hd_steps_task_of(s, b) : 0;
	const struct hd_values_log *log = task ? log_of(v, task, false) : NULL;
	const struct hd_values_point *p;
	size_t n;

	if (!log)
		return false;
	p = points(v, known_at(log, bm), &n);
	for (size_t i = 0; i < n; i++) {
		if (covers(s, &p[i], a, am))
			return true;
	}
	return false;
}

/* --- accesses --- */

static struct hd_values_point here(struct hd_steps *s, struct hd_task *t,
				   const struct hd_values_now *now)
{
	return (struct hd_values_point){ t->at, hd_steps_now(s, t), now->moment };
}

static bool in_common(const struct written *w, const struct hd_lock_log *log)
{
	for (size_t i = 0; i < log->nheld; i++) {
		if (log->held[i].lock == w->locks[0] || log->held[i].lock == w->locks[1])
			return true;
	}
	return false;
}

static void add_carried(struct carried *c, const struct hd_values_point *p, hd_dpst_id next)
{
	uint32_t i = 0;

	while (i < c->n && c->points[i].at != p->at)
		i++;
	if (i == CARRIED) {
		c->points[0] = (struct hd_values_point){ .step = next };
		c->n = 1;
	} else if (i == c->n || later(p, &c->points[i])) {
		c->points[i] = *p;
		c->n += i == c->n;
	}
}

/* @t adds to the value: what others put into it stays in it. */
static void carry(struct hd_values *v, struct hd_steps *s, struct hd_task *t, struct written *w)
{
	struct carried *c = w->carried;
	uint32_t kept = 0;

	for (uint32_t i = 0; c && i < c->n; i++) {
		if (!c->points[i].at || hd_steps_parallel(s, c->points[i].step, t->step))
			c->points[kept++] = c->points[i];
	}
	if (c)
		c->n = kept;
	if (!w->point.step || w->point.step == t->step ||
	    !hd_steps_parallel(s, w->point.step, t->step))
		return;
	if (!c)
		c = w->carried = calloc(1, sizeof(*c));
	if (!c) {
		v->failed = true;
		return;
	}
	add_carried(c, &w->point, s->tree.count);
	c->known = join(v, c->known, w->known, s->tree.count);
}

static void note_write(struct hd_values *v, struct hd_steps *s, struct hd_task *t,
		       const struct hd_values_now *now, const struct hd_lock_log *log,
		       uint64_t word)
{
	struct written *w = hd_addr_map_get(&v->written, word + 1);

	if (!w) {
		v->failed = true;
		return;
	}
	if (now->added_to == word + 1) {
		hd_steps_now(s, t);
		carry(v, s, t, w);
	} else if (w->carried &&
		   (w->point.step != hd_steps_now(s, t) || w->point.moment != now->moment)) {
		w->carried->n = w->carried->known = 0;
	}
	w->point = here(s, t, now);
	w->known = now->known;
	w->locks[0] = log->held[log->nheld - 1].lock;
	w->locks[1] = log->held[0].lock;
}

static void note_read(struct hd_values *v, struct hd_steps *s, struct hd_task *t,
		      struct hd_values_now *now, const struct hd_lock_log *log, uint64_t word)
{
	const struct written *w = hd_addr_map_find(&v->written, word + 1);
	const struct carried *c = w ? w->carried : NULL;

	if (!w || !in_common(w, log))
		return;
	if (w->point.step != hd_steps_now(s, t) && hd_steps_parallel(s, w->point.step, t->step))
		learn(v, s, t, now, &w->point, w->known);
	for (uint32_t i = 0; c && i < c->n; i++)
		learn(v, s, t, now, &c->points[i], c->known);
}

/* A plain read whose value is only added to. */
static bool is_idle(const struct hd_event *ev)
{
	return hd_op_about(ev->op) != HD_ABOUT_ATOMIC && (ev->arg & HD_ACCESS_IDLE);
}

void hd_values_access(struct hd_values *v, struct hd_steps *s, struct hd_task *t,
		      struct hd_values_now *now, const struct hd_lock_log *log,
		      const struct hd_event *ev, uint64_t len, bool write)
{
	uint64_t first = ev->addr >> 2, end = (ev->addr + len + 3) >> 2;

	if (!write && (is_idle(ev) || !v->written.used)) {
		now->added_to = first + 1;
		return;
	}
	end = end - first > WORDS ? first + WORDS : end;
	for (uint64_t word = first; word < end; word++) {
		if (!write || ev->op == HD_OP_ATOMIC_RMW)
			note_read(v, s, t, now, log, word);
		if (write)
			note_write(v, s, t, now, log, word);
	}
	now->wrote |= write;
	if (write && now->added_to == first + 1)
		now->added_to = 0;
}

void hd_values_forget(struct hd_values *v, uint64_t addr, uint64_t len)
{
	hd_addr_map_forget(&v->written, (addr >> 2) + 1, (len + 3) >> 2, drop_written);
	hd_addr_map_forget(&v->handed, addr, len, NULL);
	hd_addr_map_forget(&v->passed, addr, len, NULL);
}

/* --- locks --- */

/* Kept across a construct, or given back by another: who takes it now had to wait for that. */
static bool is_handed_over(struct hd_steps *s, const struct handed *h, hd_dpst_id now)
{
	return h->taken && h->given.step && h->taken != now &&
	       (h->taken != h->given.step || h->taker != h->giver) &&
	       !hd_steps_parallel(s, h->taken, now);
}

void hd_values_lock(struct hd_values *v, struct hd_steps *s, struct hd_task *t,
		    struct hd_values_now *now, const struct hd_event *ev)
{
	struct handed *h;

	if (ev->arg & (HD_LOCK_SHARED | HD_LOCK_AGAIN))
		return;
	h = hd_addr_map_get(&v->handed, ev->addr ? ev->addr : 1);
	if (!h) {
		v->failed = true;
		return;
	}
	if (hd_op_way(ev->op) == HD_WAY_TAKES) {
		if (is_handed_over(s, h, hd_steps_now(s, t)))
			learn(v, s, t, now, &h->given, h->known);
		*h = (struct handed){ .taken = t->step, .holder = t->number, .taker = t->number };
	} else if (hd_op_way(ev->op) == HD_WAY_GIVES) {
		h->holder = 0;
		h->given = here(s, t, now);
		h->giver = t->number;
		h->known = now->known;
		now->moment += now->wrote || h->taken != h->given.step || h->taker != h->giver;
		now->wrote = false;
		now->added_to = 0;
	}
}

uint32_t hd_values_holder(const struct hd_values *v, uint64_t lock)
{
	const struct handed *h = hd_addr_map_find(&v->handed, lock ? lock : 1);

	return h ? h->holder : 0;
}

/* --- tasks and units --- */

static void begin_task(struct hd_values *v, struct hd_steps *s, uint32_t thread, uint32_t known)
{
	uint32_t child = hd_steps_number(s, thread);
	struct hd_values_log *log = child ? log_of(v, (uint32_t)child, true) : NULL;

	if (!log || log->n || !HD_ROOM(log->changes, log->room, 1))
		return;
	log->changes[log->n++] = (struct change){ 0, known };
}

static void joined(struct hd_values *v, struct hd_steps *s, struct hd_task *t,
		   struct hd_values_now *now, uint32_t thread)
{
	uint32_t child = hd_steps_number(s, thread);
	const struct hd_values_log *log = child ? log_of(v, (uint32_t)child, false) : NULL;

	if (log && log->n)
		set_known(v, t->number, now,
			  join(v, now->known, log->changes[log->n - 1].known, s->tree.count));
}

/* What @t knows is known to whoever gets the future, or waits for the phaser, from now on. */
static void pass_on(struct hd_values *v, struct hd_steps *s, const struct hd_values_now *now,
		    const struct hd_event *ev)
{
	uint32_t *passed = hd_addr_map_find(&v->passed, ev->addr);

	if (!passed && now->known) {
		passed = hd_addr_map_get(&v->passed, ev->addr);
		v->failed |= !passed;
	}
	if (!passed)
		return;
	/* An earlier one was of another future here. */
	*passed = ev->op == HD_OP_FUTURE_PUT ? now->known
					     : join(v, *passed, now->known, s->tree.count);
}

static void get_passed(struct hd_values *v, struct hd_steps *s, struct hd_task *t,
		       struct hd_values_now *now, uint64_t addr)
{
	const uint32_t *passed = hd_addr_map_find(&v->passed, addr);

	if (passed && *passed)
		set_known(v, t->number, now, join(v, now->known, *passed, s->tree.count));
}

/* What one unit has learnt is not for the next, which another thread might run. */
static void next_unit(struct hd_values *v, struct hd_steps *s, struct hd_task *t,
		      struct hd_values_now *now, bool over)
{
	if (over ? t->units : t->units != 1)
		return; /* units of units */
	if (over) {
		set_known(v, t->number, now, join(v, now->known, now->behind, s->tree.count));
		now->in_units = false;
	} else if (!now->in_units) {
		now->in_units = true;
		now->before = now->behind = now->known;
	} else {
		now->behind = join(v, now->behind, now->known, s->tree.count);
		set_known(v, t->number, now, now->before);
	}
}

void hd_values_event(struct hd_values *v, struct hd_steps *s, struct hd_task *t,
		     struct hd_values_now *now, const struct hd_event *ev)
{
	/* A task begins with what its maker knew. */
	if (v->learnt && !now->moment && !now->known) {
		const struct hd_values_log *log = log_of(v, t->number, false);

		now->known = log && log->n ? log->changes[0].known : 0;
	}
	switch (ev->op) {
	case HD_OP_FORK:
	case HD_OP_TASK_SPAWN:
		if (now->known)
			begin_task(v, s, (uint32_t)ev->value, now->known);
		break;
	case HD_OP_JOIN:
		joined(v, s, t, now, (uint32_t)ev->value);
		break;
	case HD_OP_FUTURE_PUT:
	case HD_OP_PHASER_SIGNAL:
		pass_on(v, s, now, ev);
		break;
	case HD_OP_FUTURE_GET:
	case HD_OP_PHASER_WAIT:
		get_passed(v, s, t, now, ev->addr);
		break;
	case HD_OP_UNIT:
	case HD_OP_ITERATION:
		next_unit(v, s, t, now, hd_unit_is_over(ev->arg));
		break;
	default:
		break;
	}
}
