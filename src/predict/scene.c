#include "scene.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

/* Numbers of objects of the run to numbers of the scene. */
struct names {
	uint32_t *key, *number; /* key: object + 1 */
	uint32_t mask, n;
};

static bool names_init(struct names *m, uint32_t max)
{
	uint32_t room = 16;

	while (room < 2 * (uint64_t)max)
		room *= 2;
	m->mask = room - 1;
	m->n = 0;
	m->key = calloc(room, sizeof(*m->key));
	m->number = malloc(room * sizeof(*m->number));
	return m->key && m->number;
}

static void names_free(struct names *m)
{
	free(m->key);
	free(m->number);
}

static uint32_t name_of(struct names *m, uint32_t object, uint32_t *objects)
{
	uint32_t i = hd_hash_place(object + 1ull, m->mask);

	while (m->key[i] && m->key[i] != object + 1)
		i = (i + 1) & m->mask;
	if (!m->key[i]) {
		m->key[i] = object + 1;
		objects[m->n] = object;
		m->number[i] = m->n++;
	}
	return m->number[i];
}

uint32_t hd_position_at(const struct hd_prepared *p, uint32_t t, size_t step)
{
	uint32_t low = 0, high = hd_length(p, t);

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (hd_operation(p, t, mid)->step < step)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* --- the goal --- */

struct target {
	uint32_t thread, at; /* of the run */
};

struct aim {
	struct target order[HD_STEP_GOAL_MAX], next[HD_STEP_GOAL_MAX];
	size_t norder, nnext, must; /* must: how many of order have to happen */
};

static struct target target_of(const struct hd_prepared *p, uint32_t step)
{
	return (struct target){ p->in->steps[step].thread, p->at[step] };
}

static enum hd_err take_aim(struct aim *a, const struct hd_prepared *p,
			    const struct hd_step_goal *goal, struct hd_errbuf *eb)
{
	if (goal->norder > HD_STEP_GOAL_MAX || goal->nnext > HD_STEP_GOAL_MAX)
		return hd_fail(eb, HD_ERR_INVALID, "a goal has at most %d steps", HD_STEP_GOAL_MAX);
	for (size_t i = 0; i < goal->norder + goal->nnext; i++) {
		uint32_t step = i < goal->norder ? goal->order[i] : goal->next[i - goal->norder];

		if (step >= p->in->nsteps)
			return hd_fail(eb, HD_ERR_INVALID, "the goal names step %u of %zu", step,
				       p->in->nsteps);
		if (i < goal->norder)
			a->order[i] = target_of(p, step);
		else
			a->next[i - goal->norder] = target_of(p, step);
	}
	a->norder = goal->norder;
	a->nnext = goal->nnext;
	a->must = goal->norder - (goal->open_end && goal->norder);
	return HD_OK;
}

/* Where the goal forbids @t to go; HD_NOWHERE: nowhere. */
static uint32_t forbidden(const struct aim *a, uint32_t t)
{
	uint32_t at = HD_NOWHERE;

	for (size_t i = 0; i < a->nnext; i++)
		if (a->next[i].thread == t && a->next[i].at < at)
			at = a->next[i].at;
	if (a->must < a->norder && a->order[a->must].thread == t && a->order[a->must].at < at)
		at = a->order[a->must].at;
	return at;
}

/*
 * What is before the window has happened as observed: that may be the beginning of the order,
 * but nothing that is to be next, or left open.
 */
static bool came_too_early(const struct hd_step_goal *goal, size_t first)
{
	size_t must = goal->norder - (goal->open_end && goal->norder);

	for (size_t i = 0; i < goal->nnext; i++)
		if (goal->next[i] < first)
			return true;
	for (size_t i = 0; i < goal->norder; i++)
		if (goal->order[i] < first &&
		    (i >= must || (i && goal->order[i - 1] >= goal->order[i])))
			return true;
	return false;
}

static bool contradicts_itself(const struct aim *a)
{
	for (size_t i = 0; i < a->must; i++)
		if (a->order[i].at >= forbidden(a, a->order[i].thread))
			return true;
	for (size_t i = 0; i < a->must; i++)
		for (size_t j = i + 1; j < a->must; j++)
			if (a->order[i].thread == a->order[j].thread &&
			    a->order[i].at >= a->order[j].at)
				return true;
	for (size_t i = 0; i < a->nnext; i++)
		if (a->next[i].at > forbidden(a, a->next[i].thread))
			return true;
	return false;
}

/* --- nodes --- */

static bool allocate_threads(struct hd_scene *s)
{
	size_t n = (size_t)s->p->nthreads + 1;

	s->thread_of = malloc(n * sizeof(*s->thread_of));
	s->from = malloc((n + 1) * sizeof(*s->from));
	s->base = malloc(n * sizeof(*s->base));
	s->global = malloc(n * sizeof(*s->global));
	s->goes_on = calloc(n, sizeof(*s->goes_on));
	s->loose = malloc(n * sizeof(*s->loose));
	s->passed = malloc(n * sizeof(*s->passed));
	return s->thread_of && s->from && s->base && s->global && s->goes_on && s->loose &&
	       s->passed;
}

/* Thread by thread, what of it is in the window and may happen. */
static void find_threads(struct hd_scene *s, const struct aim *a)
{
	const struct hd_prepared *p = s->p;

	s->from[0] = 0;
	for (uint32_t t = 0; t < p->nthreads; t++) {
		uint32_t base = s->first ? hd_position_at(p, t, s->first) : 0;
		uint32_t end =
			s->end < p->in->nsteps ? hd_position_at(p, t, s->end) : hd_length(p, t);
		uint32_t stop = forbidden(a, t), l = s->nthreads;

		s->thread_of[t] = HD_NOWHERE;
		if (base >= (stop < end ? stop : end))
			continue;
		s->thread_of[t] = l;
		s->global[l] = t;
		s->base[l] = base;
		s->goes_on[l] = end < hd_length(p, t) && end < stop;
		s->from[l + 1] = s->from[l] + (stop < end ? stop : end) - base;
		s->loose[l] = s->passed[l] = HD_NO_NODE;
		s->nthreads++;
	}
	s->n = s->from[s->nthreads];
}

uint32_t hd_scene_node(const struct hd_scene *s, uint32_t t, uint32_t position)
{
	uint32_t l = s->thread_of[t];

	if (l == HD_NOWHERE || position < s->base[l] ||
	    position - s->base[l] >= s->from[l + 1] - s->from[l])
		return HD_NO_NODE;
	return s->from[l] + position - s->base[l];
}

static bool allocate_nodes(struct hd_scene *s)
{
	size_t n = (size_t)s->n + 1;

	s->thread = malloc(n * sizeof(*s->thread));
	s->object = malloc(n * sizeof(*s->object));
	s->op = malloc(n * sizeof(*s->op));
	s->node_at = malloc(n * sizeof(*s->node_at));
	s->location = malloc(n * sizeof(*s->location));
	s->lock = malloc(n * sizeof(*s->lock));
	s->writes = malloc(n * sizeof(*s->writes));
	s->section_of = malloc(n * sizeof(*s->section_of));
	s->semaphore = malloc(n * sizeof(*s->semaphore));
	s->permits = malloc(n * sizeof(*s->permits));
	s->must = malloc((2 * HD_STEP_GOAL_MAX + 1) * sizeof(*s->must));
	return s->thread && s->object && s->op && s->node_at && s->location && s->lock &&
	       s->writes && s->section_of && s->semaphore && s->permits && s->must;
}

static bool is_access(const struct hd_operation *op)
{
	return op->kind == HD_STEP_READ || op->kind == HD_STEP_WRITE;
}

static bool is_lock(const struct hd_operation *op)
{
	return op->kind == HD_STEP_ACQUIRE || op->kind == HD_STEP_RELEASE ||
	       op->kind == HD_STEP_FAIL;
}

static bool is_semaphore(const struct hd_operation *op)
{
	return op->kind == HD_STEP_POST || op->kind == HD_STEP_DOWN;
}

static bool fill_nodes(struct hd_scene *s)
{
	struct names locations = { 0 }, locks = { 0 }, semaphores = { 0 };
	bool ok = names_init(&locations, s->n) && names_init(&locks, s->n) &&
		  names_init(&semaphores, s->n);
	uint32_t k = 0;

	for (uint32_t l = 0; ok && l < s->nthreads; l++)
		for (uint32_t i = s->from[l]; i < s->from[l + 1]; i++) {
			const struct hd_operation *op =
				hd_operation(s->p, s->global[l], s->base[l] + i - s->from[l]);

			s->thread[i] = l;
			s->op[i] = op;
			s->object[i] = HD_NOWHERE;
			if (is_access(op))
				s->object[i] = name_of(&locations, op->object, s->location);
			else if (is_lock(op))
				s->object[i] = name_of(&locks, op->object, s->lock);
			else if (is_semaphore(op))
				s->object[i] = name_of(&semaphores, op->object, s->semaphore);
		}
	s->nlocations = locations.n;
	s->nlocks = locks.n;
	s->nsemaphores = semaphores.n;
	names_free(&locations);
	names_free(&locks);
	names_free(&semaphores);
	for (size_t i = s->first; ok && i < s->end; i++) {
		uint32_t node = hd_scene_node(s, s->p->in->steps[i].thread, s->p->at[i]);

		if (node != HD_NO_NODE)
			s->node_at[k++] = node;
	}
	return ok;
}

/* --- memory --- */

static bool list_writes(struct hd_scene *s)
{
	uint32_t *from = calloc((size_t)s->nlocations + 2, sizeof(*from));

	s->writes_from = from;
	s->value = malloc(((size_t)s->nlocations + 1) * sizeof(*s->value));
	if (!from || !s->value)
		return false;
	/* from[x + 2] counts; then from[x + 1] is where the next one of x goes: its end at last. */
	for (uint32_t i = 0; i < s->n; i++)
		if (s->op[i]->kind == HD_STEP_WRITE)
			from[s->object[i] + 2]++;
	for (uint32_t x = 0; x < s->nlocations; x++)
		from[x + 2] += from[x + 1];
	for (uint32_t k = 0; k < s->n; k++) {
		uint32_t i = s->node_at[k];

		if (s->op[i]->kind == HD_STEP_WRITE)
			s->writes[from[s->object[i] + 1]++] = i;
	}
	return true;
}

/* The value of location @x of the run when the window begins. */
static uint64_t value_at_start(const struct hd_scene *s, uint32_t x)
{
	const struct hd_lanes *l = &s->p->writes;
	const struct hd_instance *in = s->p->in;
	uint64_t value = in->init ? in->init[x] : 0;
	uint32_t latest = 0;

	for (uint32_t k = l->lane_of[x]; s->first && k < l->lane_of[x + 1]; k++) {
		uint32_t t = l->lanes[k].thread;
		uint32_t i = hd_lane_from(l, &l->lanes[k], hd_position_at(s->p, t, s->first));
		const struct hd_operation *op;

		if (i == l->lanes[k].first)
			continue;
		op = hd_operation(s->p, t, l->at[i - 1]);
		if (op->step + 1 > latest) {
			latest = op->step + 1;
			value = op->value;
		}
	}
	return value;
}

/* Permits of semaphore @x of the run when the window begins. */
static uint32_t permits_at_start(const struct hd_scene *s, uint32_t x)
{
	const struct hd_prepared *p = s->p;
	uint32_t low = p->sem_from[x], high = p->sem_from[x + 1];

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (p->sem_step[mid] < s->first)
			low = mid + 1;
		else
			high = mid;
	}
	if (low > p->sem_from[x])
		return p->sem_permits[low - 1];
	return p->in->permits ? p->in->permits[x] : 0;
}

/* --- locks --- */

static uint32_t count_sections(const struct hd_scene *s)
{
	const struct hd_lanes *l = &s->p->sections;
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++)
		n += s->op[i]->kind == HD_STEP_ACQUIRE;
	for (uint32_t o = 0; o < s->nlocks; o++)
		n += l->lane_of[s->lock[o] + 1] - l->lane_of[s->lock[o]];
	return n + s->n; /* and what a run that begins inside sections gives back */
}

/* Where a section that ends at @position of thread @l of the scene ends for the scene. */
static uint32_t release_node(const struct hd_scene *s, uint32_t l, uint32_t position)
{
	uint32_t node;

	if (position == HD_NOWHERE)
		return HD_NO_NODE;
	node = hd_scene_node(s, s->global[l], position);
	if (node == HD_NO_NODE && s->open && s->goes_on[l])
		node = s->from[l + 1] - 1; /* not before that */
	return node;
}

static void add_section(struct hd_scene *s, struct hd_section section)
{
	if (section.acquire != HD_NO_NODE && !section.from_start)
		s->section_of[section.acquire] = s->nsections;
	s->sections[s->nsections++] = section;
}

/* Sections of @lane that are open when the window begins, or begin in it. */
static void take_lane(struct hd_scene *s, uint32_t o, const struct hd_lane *lane)
{
	const struct hd_lanes *l = &s->p->sections;
	uint32_t t = s->thread_of[lane->thread], base, i;

	base = t != HD_NOWHERE ? s->base[t] : hd_position_at(s->p, lane->thread, s->first);
	i = hd_lane_from(l, lane, base);
	if (i > lane->first && l->other[i - 1] >= base) {
		uint32_t at = l->at[i - 1];
		struct hd_section section = { .lock = o,
					      .thread = t,
					      .acquire = HD_NO_NODE,
					      .release = HD_NO_NODE,
					      .shared =
						      hd_operation(s->p, lane->thread, at)->shared,
					      .from_start = true };

		if (t != HD_NOWHERE) {
			section.release = release_node(s, t, l->other[i - 1]);
			section.acquire = s->open ? s->from[t] : HD_NO_NODE;
		}
		/* A thread that does nothing in an open scene may be before the section as well. */
		if (t != HD_NOWHERE || !s->open)
			add_section(s, section);
	}
	for (; t != HD_NOWHERE && i < lane->end; i++) {
		uint32_t node = hd_scene_node(s, lane->thread, l->at[i]);

		if (node == HD_NO_NODE)
			break;
		add_section(s, (struct hd_section){ .lock = o,
						    .thread = t,
						    .acquire = node,
						    .release = release_node(s, t, l->other[i]),
						    .shared = s->op[node]->shared });
	}
}

/* The run itself may begin inside sections: then a thread gives back what it never took. */
static void take_held(struct hd_scene *s, uint32_t i)
{
	const struct hd_lanes *l = &s->p->sections;
	uint32_t o = s->op[i]->object, t = s->global[s->thread[i]];
	uint32_t at = s->base[s->thread[i]] + i - s->from[s->thread[i]];
	bool shared = s->op[i]->shared;

	if (!s->p->held[o] && !s->p->sharing[o])
		return;
	for (uint32_t k = l->lane_of[o]; k < l->lane_of[o + 1]; k++)
		if (l->lanes[k].thread == t && l->at[l->lanes[k].first] < at)
			return;
	for (uint32_t k = 0; k < s->nsections; k++)
		if (s->sections[k].from_start && s->sections[k].lock == s->object[i] &&
		    s->sections[k].thread == s->thread[i])
			return;
	add_section(s, (struct hd_section){ .lock = s->object[i],
					    .thread = s->thread[i],
					    .acquire = s->open && s->first ? s->from[s->thread[i]]
									   : HD_NO_NODE,
					    .release = i,
					    .shared = shared,
					    .from_start = true });
}

static bool find_sections(struct hd_scene *s)
{
	const struct hd_lanes *l = &s->p->sections;

	s->sections = malloc((count_sections(s) + 1ul) * sizeof(*s->sections));
	if (!s->sections)
		return false;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->op[i]->kind == HD_STEP_RELEASE)
			take_held(s, i);
	for (uint32_t o = 0; o < s->nlocks; o++)
		for (uint32_t k = l->lane_of[s->lock[o]]; k < l->lane_of[s->lock[o] + 1]; k++)
			take_lane(s, o, &l->lanes[k]);
	return true;
}

/* --- all of it --- */

static void must_happen(struct hd_scene *s, uint32_t t, uint32_t position)
{
	uint32_t node = hd_scene_node(s, t, position);

	if (node != HD_NO_NODE)
		s->must[s->nmust++] = node;
	else if (!s->open && position >= hd_position_at(s->p, t, s->first))
		s->impossible = true; /* it is forbidden, or after the window */
}

/* What lets @t go on after its last operation: a join of it. */
static uint32_t joiner(const struct hd_scene *s, uint32_t t)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->op[i]->kind == HD_STEP_JOIN && s->op[i]->object == t)
			return i;
	return HD_NO_NODE;
}

/* A thread that has to stand before something has seen what it read. */
static bool stands_before(const struct aim *a, uint32_t t)
{
	for (size_t i = 0; i < a->nnext; i++)
		if (a->next[i].thread == t)
			return true;
	return false;
}

static void set_goal(struct hd_scene *s, const struct aim *a)
{
	const struct hd_prepared *p = s->p;

	for (size_t i = 0; i < a->must; i++) {
		uint32_t node = hd_scene_node(s, a->order[i].thread, a->order[i].at);

		must_happen(s, a->order[i].thread, a->order[i].at);
		if (node != HD_NO_NODE)
			s->order[s->norder++] = node;
	}
	for (size_t i = 0; i < a->nnext; i++) {
		struct target n = a->next[i];

		if (n.at)
			must_happen(s, n.thread, n.at - 1);
		else if (p->fork_thread[n.thread] != HD_NOWHERE)
			must_happen(s, p->fork_thread[n.thread], p->fork_at[n.thread]);
	}
	for (size_t i = 0; i < a->norder; i++) {
		uint32_t node = hd_scene_node(s, a->order[i].thread, a->order[i].at);
		uint32_t l = s->thread_of[a->order[i].thread];

		if (l == HD_NOWHERE)
			continue;
		s->loose[l] = s->passed[l] = HD_NO_NODE;
		if (node == HD_NO_NODE || s->op[node]->kind != HD_STEP_READ || s->op[node]->firm ||
		    stands_before(a, a->order[i].thread))
			continue;
		s->loose[l] = node;
		if (node + 1 < s->from[l + 1])
			s->passed[l] = node + 1;
		else if (a->order[i].at + 1 == hd_length(p, a->order[i].thread))
			s->passed[l] = joiner(s, a->order[i].thread);
	}
}

enum hd_err hd_scene_make(struct hd_scene *s, const struct hd_prepared *p,
			  const struct hd_step_goal *goal, size_t first, size_t end, bool open,
			  struct hd_errbuf *eb)
{
	struct aim aim;
	enum hd_err err;

	*s = (struct hd_scene){ .p = p, .goal = goal, .first = first, .end = end, .open = open };
	err = take_aim(&aim, p, goal, eb);
	if (err)
		return err;
	s->impossible = contradicts_itself(&aim) || (!open && came_too_early(goal, first));
	if (s->impossible)
		return HD_OK;
	if (!allocate_threads(s))
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory while predicting");
	find_threads(s, &aim);
	if (!allocate_nodes(s) || !fill_nodes(s) || !list_writes(s) || !find_sections(s))
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory while predicting");
	for (uint32_t x = 0; x < s->nlocations; x++)
		s->value[x] = value_at_start(s, s->location[x]);
	for (uint32_t x = 0; x < s->nsemaphores; x++)
		s->permits[x] = permits_at_start(s, s->semaphore[x]);
	set_goal(s, &aim);
	return HD_OK;
}

void hd_scene_free(struct hd_scene *s)
{
	free(s->thread_of);
	free(s->from);
	free(s->base);
	free(s->global);
	free(s->goes_on);
	free(s->thread);
	free(s->object);
	free(s->op);
	free(s->node_at);
	free(s->location);
	free(s->value);
	free(s->writes);
	free(s->writes_from);
	free(s->lock);
	free(s->sections);
	free(s->section_of);
	free(s->semaphore);
	free(s->permits);
	free(s->must);
	free(s->loose);
	free(s->passed);
	*s = (struct hd_scene){ 0 };
}
