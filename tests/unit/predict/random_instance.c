#include "random_instance.h"

#include <stdlib.h>

#define MAX_LOCKS 64

struct maker {
	struct hd_rng *rng;
	const struct random_shape *shape;
	struct hd_instance *in;
	uint64_t *memory;
	uint32_t owner[MAX_LOCKS]; /* thread + 1 */
	uint32_t readers[MAX_LOCKS];
	uint8_t *mine; /* [thread * MAX_LOCKS + lock]: 1 exclusive, 2 shared */
	bool *alive, *joined;
	uint32_t permits[MAX_LOCKS];
};

static uint32_t below(struct maker *m, uint32_t n)
{
	return (uint32_t)hd_rng_below(m->rng, n);
}

static void emit(struct maker *m, uint32_t thread, uint8_t kind, uint32_t object, uint64_t value,
		 bool shared)
{
	struct hd_instance *in = m->in;

	in->steps[in->nsteps] = (struct hd_step){ .kind = kind,
						  .shared = shared,
						  .thread = thread,
						  .object = object,
						  .value = value,
						  .index = in->nsteps };
	in->nsteps++;
}

static void access(struct maker *m, uint32_t t)
{
	uint32_t x = below(m, m->shape->locations);

	if (below(m, 2)) {
		m->memory[x] = below(m, m->shape->values);
		emit(m, t, HD_STEP_WRITE, x, m->memory[x], false);
	} else {
		emit(m, t, HD_STEP_READ, x, m->memory[x], false);
		m->in->steps[m->in->nsteps - 1].firm = below(m, 8) == 0;
		m->in->steps[m->in->nsteps - 1].assumed = below(m, 8) == 0;
	}
}

static void use_lock(struct maker *m, uint32_t t)
{
	uint32_t l = below(m, m->shape->locks);
	uint8_t *mine = &m->mine[t * MAX_LOCKS + l];
	bool shared = below(m, 4) == 0;

	if (*mine) {
		emit(m, t, HD_STEP_RELEASE, l, 0, *mine == 2);
		if (*mine == 2)
			m->readers[l]--;
		else
			m->owner[l] = 0;
		*mine = 0;
	} else if (m->owner[l] || (!shared && m->readers[l])) {
		if (m->shape->tries)
			emit(m, t, HD_STEP_FAIL, l, 0, shared);
	} else {
		emit(m, t, HD_STEP_ACQUIRE, l, 0, shared);
		*mine = shared ? 2 : 1;
		if (shared)
			m->readers[l]++;
		else
			m->owner[l] = t + 1;
	}
}

static void use_semaphore(struct maker *m, uint32_t t)
{
	uint32_t x = below(m, m->shape->semaphores);

	if (m->permits[x] && below(m, 2)) {
		m->permits[x]--;
		emit(m, t, HD_STEP_DOWN, x, 0, false);
	} else {
		m->permits[x]++;
		emit(m, t, HD_STEP_POST, x, 0, false);
	}
}

/* Start a thread, or wait for one, which makes no step after that. */
static void use_thread(struct maker *m, uint32_t t)
{
	uint32_t u = below(m, m->shape->threads);

	if (!m->alive[u]) {
		m->alive[u] = true;
		emit(m, t, HD_STEP_FORK, u, 0, false);
	} else if (u > t && !m->joined[u] && below(m, 3) == 0) {
		m->joined[u] = true;
		emit(m, t, HD_STEP_JOIN, u, 0, false);
	}
}

static bool holds_any(const struct maker *m, uint32_t t)
{
	for (uint32_t l = 0; l < m->shape->locks; l++)
		if (m->mine[t * MAX_LOCKS + l])
			return true;
	return false;
}

static void step(struct maker *m, uint32_t t)
{
	uint32_t what = below(m, 10);

	if (m->shape->locked_blocks && m->shape->locks && what < 8)
		what = holds_any(m, t) && below(m, 5) ? 9 : 0;
	if (m->shape->forks && below(m, 6) == 0)
		use_thread(m, t);
	else if (m->shape->semaphores && below(m, 3) == 0)
		use_semaphore(m, t);
	else if (m->shape->locks && what < 4)
		use_lock(m, t);
	else if (what == 4)
		emit(m, t, below(m, 2) ? HD_STEP_BEGIN : HD_STEP_END, 0, 0, false);
	else
		access(m, t);
}

static void run(struct maker *m)
{
	while (m->in->nsteps < m->shape->steps) {
		uint32_t t = below(m, m->shape->threads);
		uint32_t n = 1 + below(m, m->shape->slice ? m->shape->slice : 1);

		for (; n && m->in->nsteps < m->shape->steps; n--) {
			if (m->joined[t] || !m->alive[t])
				break;
			step(m, t);
		}
	}
}

bool random_instance(struct hd_rng *rng, const struct random_shape *shape, struct hd_instance *in)
{
	struct maker m = { .rng = rng, .shape = shape, .in = in };
	bool ok;

	*in = (struct hd_instance){ .nthreads = shape->threads,
				    .nlocations = shape->locations,
				    .nlocks = shape->locks,
				    .nsemaphores = shape->semaphores };
	in->permits = calloc(shape->semaphores + 1ul, sizeof(*in->permits));
	in->steps = calloc(shape->steps + 1, sizeof(*in->steps));
	in->init = calloc(shape->locations, sizeof(*in->init));
	m.memory = calloc(shape->locations, sizeof(*m.memory));
	m.mine = calloc((size_t)shape->threads * MAX_LOCKS, 1);
	m.alive = calloc(shape->threads, sizeof(*m.alive));
	m.joined = calloc(shape->threads, sizeof(*m.joined));
	ok = in->steps && in->init && in->permits && shape->semaphores <= MAX_LOCKS && m.memory &&
	     m.mine && m.alive && m.joined && shape->locks <= MAX_LOCKS;
	if (ok) {
		for (uint32_t x = 0; x < shape->locations; x++)
			m.memory[x] = in->init[x] = hd_rng_below(rng, shape->values);
		for (uint32_t x = 0; x < shape->semaphores; x++)
			m.permits[x] = in->permits[x] = below(&m, 2);
		for (uint32_t t = 0; t < shape->threads; t++)
			m.alive[t] = !t || !shape->forks || below(&m, 3) == 0;
		run(&m);
	} else {
		hd_instance_free(in);
	}
	free(m.memory);
	free(m.mine);
	free(m.alive);
	free(m.joined);
	return ok;
}

struct random_shape random_small_shape(struct hd_rng *rng)
{
	return (struct random_shape){
		.threads = 2 + (uint32_t)hd_rng_below(rng, 3),
		.locations = 1 + (uint32_t)hd_rng_below(rng, 3),
		.locks = (uint32_t)hd_rng_below(rng, 3),
		.values = 2 + (uint32_t)hd_rng_below(rng, 2),
		.steps = 5 + (size_t)hd_rng_below(rng, 10),
		.forks = hd_rng_below(rng, 2),
		.slice = 1 + (uint32_t)hd_rng_below(rng, 4),
		.locked_blocks = hd_rng_below(rng, 2),
		.semaphores = hd_rng_below(rng, 3) ? 0 : 1 + (uint32_t)hd_rng_below(rng, 2),
		.tries = hd_rng_below(rng, 3) == 0,
	};
}

static bool is_access(const struct hd_step *s)
{
	return s->kind == HD_STEP_READ || s->kind == HD_STEP_WRITE;
}

/* A random step that @fits after or beside @other; UINT32_MAX: none was met. */
static uint32_t pick(struct hd_rng *rng, const struct hd_instance *in,
		     bool (*fits)(const struct hd_step *, const struct hd_step *),
		     const struct hd_step *other)
{
	for (int tries = 0; tries < 40; tries++) {
		uint32_t i = (uint32_t)hd_rng_below(rng, in->nsteps);

		if (fits(&in->steps[i], other))
			return i;
	}
	return UINT32_MAX;
}

static bool any_access(const struct hd_step *s, const struct hd_step *other)
{
	(void)other;
	return is_access(s);
}

static bool later_access(const struct hd_step *s, const struct hd_step *other)
{
	return is_access(s) && s->thread == other->thread && s->object == other->object &&
	       s->index > other->index;
}

static bool conflict(const struct hd_step *s, const struct hd_step *other)
{
	return is_access(s) && s->thread != other->thread && s->object == other->object &&
	       (s->kind == HD_STEP_WRITE || other->kind == HD_STEP_WRITE);
}

static bool other_access(const struct hd_step *s, const struct hd_step *other)
{
	return is_access(s) && s->thread != other->thread && s->object == other->object;
}

static bool any_acquire(const struct hd_step *s, const struct hd_step *other)
{
	return s->kind == HD_STEP_ACQUIRE && (!other || s->thread != other->thread);
}

static bool anything(const struct hd_step *s, const struct hd_step *other)
{
	return !other || s != other;
}

static bool pair(struct hd_rng *rng, const struct hd_instance *in, uint32_t *out,
		 bool (*one)(const struct hd_step *, const struct hd_step *),
		 bool (*two)(const struct hd_step *, const struct hd_step *))
{
	out[0] = pick(rng, in, one, NULL);
	out[1] = out[0] == UINT32_MAX ? UINT32_MAX : pick(rng, in, two, &in->steps[out[0]]);
	return out[1] != UINT32_MAX;
}

bool random_goal(struct hd_rng *rng, const struct hd_instance *in, enum goal_kind kind,
		 struct hd_step_goal *goal)
{
	*goal = (struct hd_step_goal){ .ignore_values = hd_rng_below(rng, 8) == 0,
				       .ignore_assumed = hd_rng_below(rng, 8) == 0 };
	switch (kind) {
	case GOAL_PATTERN:
	case GOAL_OPEN_PATTERN:
		goal->norder = 3;
		goal->open_end = kind == GOAL_OPEN_PATTERN;
		if (!pair(rng, in, goal->order, any_access, later_access))
			return false;
		goal->order[2] = goal->order[1];
		goal->order[1] = pick(rng, in, other_access, &in->steps[goal->order[0]]);
		return goal->order[1] != UINT32_MAX;
	case GOAL_RACE:
		goal->nnext = 2;
		return pair(rng, in, goal->next, any_access, conflict);
	case GOAL_DEADLOCK:
		goal->nnext = 2;
		return pair(rng, in, goal->next, any_acquire, any_acquire);
	case GOAL_ORDER:
		goal->norder = 2 + hd_rng_below(rng, 3);
		for (size_t i = 0; i < goal->norder; i++)
			goal->order[i] = pick(rng, in, anything, NULL);
		return true;
	default:
		goal->norder = 1 + hd_rng_below(rng, 2);
		goal->nnext = 1 + hd_rng_below(rng, 2);
		goal->open_end = hd_rng_below(rng, 4) == 0;
		for (size_t i = 0; i < goal->norder; i++)
			goal->order[i] = pick(rng, in, anything, NULL);
		for (size_t i = 0; i < goal->nnext; i++)
			goal->next[i] = pick(rng, in, anything, NULL);
		return true;
	}
}
