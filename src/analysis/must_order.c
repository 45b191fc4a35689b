#include "must_order.h"

#include <stdlib.h>

#include "trace/trace_maps.h"

static struct hd_must_thread *thread_at(struct hd_must *m, uint32_t thread)
{
	while (m->nthreads <= thread) {
		if (!hd_grow((void **)&m->threads, &m->threads_room, m->nthreads,
			     sizeof(*m->threads)))
			return NULL;
		m->threads[m->nthreads++] = (struct hd_must_thread){ .time = 1 };
	}
	return &m->threads[thread];
}

void hd_must_free(struct hd_must *m)
{
	for (size_t i = 0; i < m->nthreads; i++)
		hd_vc_free(&m->threads[i].known);
	for (size_t i = 1; i < m->nmoments; i++)
		hd_vc_free(&m->moments[i].known);
	free(m->threads);
	free(m->moments);
	*m = (struct hd_must){ 0 };
}

static bool learn(struct hd_must *m, uint32_t thread, uint32_t from)
{
	struct hd_must_thread *t, *f;

	if (!thread_at(m, thread > from ? thread : from))
		return false;
	t = &m->threads[thread];
	f = &m->threads[from];
	return hd_vc_join(&t->known, &f->known) && hd_vc_set(&t->known, from, f->time);
}

static void next_moment(struct hd_must *m, uint32_t thread)
{
	m->threads[thread].time++;
	m->threads[thread].now = 0;
}

bool hd_must_fork(struct hd_must *m, uint32_t parent, uint32_t child)
{
	if (!learn(m, child, parent))
		return false;
	m->threads[child].now = 0;
	next_moment(m, parent);
	return true;
}

bool hd_must_join(struct hd_must *m, uint32_t thread, uint32_t joined)
{
	if (!learn(m, thread, joined))
		return false;
	next_moment(m, thread);
	return true;
}

hd_moment hd_must_now(struct hd_must *m, uint32_t thread)
{
	struct hd_must_thread *t = thread_at(m, thread);
	struct hd_must_moment *at;

	if (!t || t->now)
		return t ? t->now : 0;
	if (!m->nmoments)
		m->nmoments = 1;
	if (m->nmoments >= UINT32_MAX ||
	    !hd_grow((void **)&m->moments, &m->moments_room, m->nmoments, sizeof(*m->moments)))
		return 0;
	at = &m->moments[m->nmoments];
	*at = (struct hd_must_moment){ .thread = thread, .time = t->time };
	if (!hd_vc_copy(&at->known, &t->known))
		return 0;
	t->now = (hd_moment)m->nmoments++;
	return t->now;
}

bool hd_must_before(const struct hd_must *m, hd_moment a, hd_moment b)
{
	const struct hd_must_moment *p = &m->moments[a], *q = &m->moments[b];

	if (p->thread == q->thread)
		return p->time < q->time;
	return hd_vc_get(&q->known, p->thread) >= p->time;
}
