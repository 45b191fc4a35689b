#include "must_order.h"

#include <stdlib.h>

#include "common/array.h"

/* A look-up goes through so many parents at most; deeper threads have news of their own. */
#define DEPTH_MAX 32

static struct hd_must_thread *thread_at(struct hd_must *m, uint32_t thread)
{
	while (m->nthreads <= thread) {
		if (!HD_ROOM(m->threads, m->threads_room, m->nthreads + 1))
			return NULL;
		m->threads[m->nthreads++] = (struct hd_must_thread){ .time = 1 };
	}
	return &m->threads[thread];
}

void hd_must_free(struct hd_must *m)
{
	free(m->threads);
	free(m->moments);
	free(m->news);
	hd_map_free(&m->latest);
	*m = (struct hd_must){ 0 };
}

/* --- what is known --- */

static uint64_t pair_of(uint32_t thread, uint32_t other)
{
	return ((uint64_t)thread << 32 | other) + 1;
}

/* The last time of @other that is over for @thread after its first @nnews news; 0: none. */
static uint32_t known(const struct hd_must *m, uint32_t thread, uint32_t nnews, uint32_t other)
{
	for (;;) {
		const struct hd_must_thread *t = &m->threads[thread];
		uint32_t i = (uint32_t)hd_map_get(&m->latest, pair_of(thread, other));

		while (i && m->news[i].number > nnews)
			i = m->news[i].before;
		if (i || !t->parent)
			return i ? m->news[i].time : 0;
		thread = t->parent - 1;
		nnews = t->inherited;
	}
}

/* @thread learns that @other has come to @time and that that is over. */
static bool tell(struct hd_must *m, uint32_t thread, uint32_t other, uint32_t time)
{
	struct hd_must_thread *t = &m->threads[thread];
	uint64_t pair = pair_of(thread, other);
	uint32_t i;

	if (other == thread || known(m, thread, t->nnews, other) >= time)
		return true;
	if (!m->nnews)
		m->nnews = 1;
	if (m->nnews >= UINT32_MAX || !HD_ROOM(m->news, m->news_room, m->nnews + 1))
		return false;
	i = (uint32_t)m->nnews;
	m->news[i] = (struct hd_must_news){ .thread = other,
					    .time = time,
					    .number = ++t->nnews,
					    .before = (uint32_t)hd_map_get(&m->latest, pair) };
	if (!hd_map_set(&m->latest, pair, i))
		return false;
	m->nnews++;
	if (t->last)
		m->news[t->last].next = i;
	else
		t->first = i;
	t->last = i;
	return true;
}

/* @thread learns all that @from knew after its first @nnews news. */
static bool learn_all(struct hd_must *m, uint32_t thread, uint32_t from, uint32_t nnews)
{
	while (from != thread) { /* what it knew itself once it still knows */
		const struct hd_must_thread *f = &m->threads[from];
		uint32_t parent = f->parent, inherited = f->inherited;

		for (uint32_t i = f->first; i && m->news[i].number <= nnews; i = m->news[i].next) {
			if (!tell(m, thread, m->news[i].thread, m->news[i].time))
				return false;
		}
		if (!parent)
			break;
		from = parent - 1;
		nnews = inherited;
	}
	return true;
}

/* --- forks and joins --- */

static void next_moment(struct hd_must *m, uint32_t thread)
{
	m->threads[thread].time++;
	m->threads[thread].now = 0;
}

static bool is_new(const struct hd_must_thread *t)
{
	return !t->asked && !t->parent && !t->nnews;
}

bool hd_must_fork(struct hd_must *m, uint32_t parent, uint32_t child)
{
	struct hd_must_thread *c, *p;

	if (!thread_at(m, parent > child ? parent : child))
		return false;
	c = &m->threads[child];
	p = &m->threads[parent];
	if (is_new(c) && p->depth < DEPTH_MAX) {
		c->parent = parent + 1;
		c->inherited = p->nnews;
		c->depth = p->depth + 1;
	} else if (!learn_all(m, child, parent, p->nnews)) {
		return false;
	}
	if (!tell(m, child, parent, m->threads[parent].time))
		return false;
	m->threads[child].now = 0;
	next_moment(m, parent);
	return true;
}

bool hd_must_join(struct hd_must *m, uint32_t thread, uint32_t joined)
{
	if (!thread_at(m, thread > joined ? thread : joined) ||
	    !learn_all(m, thread, joined, m->threads[joined].nnews) ||
	    !tell(m, thread, joined, m->threads[joined].time))
		return false;
	next_moment(m, thread);
	return true;
}

/* --- moments --- */

hd_moment hd_must_now(struct hd_must *m, uint32_t thread)
{
	struct hd_must_thread *t = thread_at(m, thread);

	if (!t || t->now)
		return t ? t->now : 0;
	if (!m->nmoments)
		m->nmoments = 1;
	if (m->nmoments >= UINT32_MAX || !HD_ROOM(m->moments, m->moments_room, m->nmoments + 1))
		return 0;
	m->moments[m->nmoments] =
		(struct hd_must_moment){ .thread = thread, .time = t->time, .nnews = t->nnews };
	t->asked = true;
	t->now = (hd_moment)m->nmoments++;
	return t->now;
}

bool hd_must_before(const struct hd_must *m, hd_moment a, hd_moment b)
{
	const struct hd_must_moment *p = &m->moments[a], *q = &m->moments[b];

	if (p->thread == q->thread)
		return p->time < q->time;
	return known(m, q->thread, q->nnews, p->thread) >= p->time;
}
