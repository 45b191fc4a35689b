#include "prepare.h"

#include <stdlib.h>
#include <string.h>

static bool in_range(const struct hd_instance *in, const struct hd_step *s)
{
	if (s->thread >= in->nthreads)
		return false;
	switch (s->kind) {
	case HD_STEP_READ:
	case HD_STEP_WRITE:
		return s->object < in->nlocations;
	case HD_STEP_ACQUIRE:
	case HD_STEP_RELEASE:
	case HD_STEP_FAIL:
		return s->object < in->nlocks;
	case HD_STEP_POST:
	case HD_STEP_DOWN:
		return s->object < in->nsemaphores;
	case HD_STEP_FORK:
	case HD_STEP_JOIN:
		return s->object < in->nthreads && s->object != s->thread;
	case HD_STEP_BEGIN:
	case HD_STEP_END:
	case HD_STEP_OTHER:
		return true;
	default:
		return false;
	}
}

static enum hd_err lay_out_threads(struct hd_prepared *p, struct hd_errbuf *eb)
{
	const struct hd_instance *in = p->in;
	uint32_t *next = calloc((size_t)p->nthreads + 1, sizeof(*next));

	if (!next)
		return HD_ERR_NOMEM;
	for (size_t i = 0; i < in->nsteps; i++) {
		if (!in_range(in, &in->steps[i])) {
			free(next);
			return hd_fail(eb, HD_ERR_INVALID, "step %zu names what is not there", i);
		}
		p->at[i] = next[in->steps[i].thread]++;
	}
	for (uint32_t t = 0; t < p->nthreads; t++) {
		p->first[t + 1] = p->first[t] + next[t];
		p->fork_thread[t] = p->fork_at[t] = HD_NOWHERE;
	}
	free(next);
	for (size_t i = 0; i < in->nsteps; i++) {
		const struct hd_step *s = &in->steps[i];

		p->ops[p->first[s->thread] + p->at[i]] =
			(struct hd_operation){ s->value,  s->object, (uint32_t)i, s->kind,
					       s->shared, s->firm,   s->assumed };
		p->assumes |= s->kind == HD_STEP_READ && s->assumed;
		if (s->kind != HD_STEP_FORK)
			continue;
		if (p->fork_thread[s->object] != HD_NOWHERE)
			return hd_fail(eb, HD_ERR_INVALID, "step %zu forks a thread again", i);
		p->fork_thread[s->object] = s->thread;
		p->fork_at[s->object] = p->at[i];
	}
	return HD_OK;
}

/*
 * Sort all operations of @kind by object, then thread, then position: they come by thread
 * and position, and are dealt out to their objects in that order.
 */
static bool make_lanes(const struct hd_prepared *p, struct hd_lanes *l, uint8_t kind, uint32_t n)
{
	uint32_t *end = calloc((size_t)n + 2, sizeof(*end)), total = 0, nlanes = 0;
	uint32_t *owner = malloc((p->in->nsteps + 1) * sizeof(*owner));

	l->at = malloc((p->in->nsteps + 1) * sizeof(*l->at));
	l->lane_of = calloc((size_t)n + 1, sizeof(*l->lane_of));
	if (!end || !owner || !l->at || !l->lane_of)
		goto fail;
	for (size_t i = 0; i < p->in->nsteps; i++)
		if (p->ops[i].kind == kind)
			end[p->ops[i].object + 2]++;
	for (uint32_t o = 0; o < n; o++)
		end[o + 2] += end[o + 1];
	/* From here on end[o + 1] is where the next entry of o goes: its end, at last. */
	for (uint32_t t = 0; t < p->nthreads; t++)
		for (uint32_t i = 0; i < hd_length(p, t); i++) {
			const struct hd_operation *op = hd_operation(p, t, i);

			if (op->kind != kind)
				continue;
			owner[end[op->object + 1]] = t;
			l->at[end[op->object + 1]++] = i;
			total++;
		}
	l->lanes = malloc(((size_t)total + 1) * sizeof(*l->lanes));
	if (!l->lanes)
		goto fail;
	for (uint32_t o = 0; o < n; o++) {
		l->lane_of[o] = nlanes;
		for (uint32_t i = end[o]; i < end[o + 1]; i++) {
			if (i == end[o] || owner[i] != owner[i - 1])
				l->lanes[nlanes++] = (struct hd_lane){ owner[i], i, i };
			l->lanes[nlanes - 1].end = i + 1;
		}
	}
	l->lane_of[n] = nlanes;
	free(end);
	free(owner);
	return true;
fail:
	free(end);
	free(owner);
	return false;
}

struct sorting {
	const struct hd_prepared *p;
	uint32_t thread;
};

static uint64_t value_of(const struct hd_prepared *p, uint32_t thread, uint32_t entry)
{
	return hd_operation(p, thread, p->writes.at[entry])->value;
}

/* Entries of a lane come by position, so their numbers tell which is earlier. */
static int by_value(const void *a, const void *b, void *arg)
{
	const struct sorting *s = arg;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	uint64_t x = value_of(s->p, s->thread, i), y = value_of(s->p, s->thread, j);

	if (x != y)
		return x < y ? -1 : 1;
	return i < j ? -1 : i > j;
}

static bool sort_writes(struct hd_prepared *p)
{
	struct hd_lanes *l = &p->writes;

	l->by_value = malloc((p->in->nsteps + 1) * sizeof(*l->by_value));
	for (uint32_t k = 0; l->by_value && k < l->lane_of[p->in->nlocations]; k++) {
		const struct hd_lane *lane = &l->lanes[k];
		struct sorting s = { p, lane->thread };
		bool sorted = true;

		for (uint32_t i = lane->first; i < lane->end; i++) {
			l->by_value[i] = i;
			sorted = sorted && (i == lane->first || value_of(p, s.thread, i - 1) <=
									value_of(p, s.thread, i));
		}
		if (!sorted)
			qsort_r(l->by_value + lane->first, lane->end - lane->first,
				sizeof(*l->by_value), by_value, &s);
	}
	return l->by_value;
}

bool hd_lane_writes(const struct hd_prepared *p, const struct hd_lane *lane, uint64_t value,
		    uint32_t from, uint32_t to)
{
	const struct hd_lanes *l = &p->writes;
	uint32_t low = lane->first, high = lane->end;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2, entry = l->by_value[mid];
		uint64_t v = value_of(p, lane->thread, entry);

		if (v < value || (v == value && l->at[entry] < from))
			low = mid + 1;
		else
			high = mid;
	}
	return low < lane->end && value_of(p, lane->thread, l->by_value[low]) == value &&
	       l->at[l->by_value[low]] < to;
}

/* A run may begin inside critical sections: then a thread releases what it never took. */
static void find_held(struct hd_prepared *p, const struct hd_lanes *releases)
{
	const struct hd_lanes *l = &p->sections;

	for (uint32_t o = 0; o < p->in->nlocks; o++)
		for (uint32_t r = releases->lane_of[o]; r < releases->lane_of[o + 1]; r++) {
			uint32_t t = releases->lanes[r].thread;
			uint32_t at = releases->at[releases->lanes[r].first];
			uint32_t k = l->lane_of[o];

			while (k < l->lane_of[o + 1] && l->lanes[k].thread != t)
				k++;
			if (k < l->lane_of[o + 1] && l->at[l->lanes[k].first] < at)
				continue;
			if (hd_operation(p, t, at)->shared)
				p->sharing[o]++;
			else
				p->held[o] = t + 1;
		}
}

/* Where each section ends: the first release after its acquire and before the next one. */
static bool match_releases(struct hd_prepared *p)
{
	struct hd_lanes *l = &p->sections, releases = { 0 };
	uint32_t n = p->in->nlocks, from = 0;
	bool ok = make_lanes(p, &releases, HD_STEP_RELEASE, n);

	l->other = malloc((p->in->nsteps + 1) * sizeof(*l->other));
	ok = ok && l->other;
	for (uint32_t o = 0; ok && o < n; o++)
		for (uint32_t k = l->lane_of[o]; k < l->lane_of[o + 1]; k++) {
			const struct hd_lane *lane = &l->lanes[k], *r;

			/* Both lists are sorted by thread. */
			for (from = releases.lane_of[o]; from < releases.lane_of[o + 1]; from++)
				if (releases.lanes[from].thread == lane->thread)
					break;
			r = from < releases.lane_of[o + 1] ? &releases.lanes[from] : NULL;
			for (uint32_t i = lane->first; i < lane->end; i++) {
				uint32_t j = r ? hd_lane_from(&releases, r, l->at[i]) : 0;

				l->other[i] = r && j < r->end ? releases.at[j] : HD_NOWHERE;
			}
		}
	if (ok)
		find_held(p, &releases);
	free(releases.at);
	free(releases.lanes);
	free(releases.lane_of);
	return ok;
}

static bool count_permits(struct hd_prepared *p)
{
	const struct hd_instance *in = p->in;
	uint32_t *from = calloc(in->nsemaphores + 2ul, sizeof(*from)), n = 0;

	p->sem_from = from;
	for (size_t i = 0; i < in->nsteps; i++)
		n += in->steps[i].kind == HD_STEP_POST || in->steps[i].kind == HD_STEP_DOWN;
	p->sem_step = malloc((n + 1ul) * sizeof(*p->sem_step));
	p->sem_permits = malloc((n + 1ul) * sizeof(*p->sem_permits));
	if (!from || !p->sem_step || !p->sem_permits)
		return false;
	/* from[x + 2] counts; then from[x + 1] is where the next one of x goes: its end at last. */
	for (size_t i = 0; n && i < in->nsteps; i++)
		if (in->steps[i].kind == HD_STEP_POST || in->steps[i].kind == HD_STEP_DOWN)
			from[in->steps[i].object + 2]++;
	for (uint32_t x = 0; x < in->nsemaphores; x++)
		from[x + 2] += from[x + 1];
	for (size_t i = 0; n && i < in->nsteps; i++) {
		const struct hd_step *s = &in->steps[i];

		if (s->kind == HD_STEP_POST || s->kind == HD_STEP_DOWN)
			p->sem_step[from[s->object + 1]++] = (uint32_t)i;
	}
	for (uint32_t x = 0; x < in->nsemaphores; x++) {
		uint32_t permits = in->permits ? in->permits[x] : 0;

		for (uint32_t k = from[x]; k < from[x + 1]; k++) {
			permits += in->steps[p->sem_step[k]].kind == HD_STEP_POST ? 1u : -1u;
			p->sem_permits[k] = permits;
		}
	}
	return true;
}

enum hd_err hd_prepare(struct hd_prepared *p, const struct hd_instance *in, struct hd_errbuf *eb)
{
	enum hd_err err = HD_ERR_NOMEM;

	*p = (struct hd_prepared){ .in = in, .nthreads = in->nthreads };
	if (in->nsteps >= HD_NOWHERE)
		return hd_fail(eb, HD_ERR_LIMIT, "a run of %zu steps is too long", in->nsteps);
	p->ops = malloc((in->nsteps + 1) * sizeof(*p->ops));
	p->at = malloc((in->nsteps + 1) * sizeof(*p->at));
	p->first = calloc((size_t)in->nthreads + 1, sizeof(*p->first));
	p->fork_thread = malloc(((size_t)in->nthreads + 1) * sizeof(*p->fork_thread));
	p->fork_at = malloc(((size_t)in->nthreads + 1) * sizeof(*p->fork_at));
	p->held = calloc((size_t)in->nlocks + 1, sizeof(*p->held));
	p->sharing = calloc((size_t)in->nlocks + 1, sizeof(*p->sharing));
	if (p->ops && p->at && p->first && p->fork_thread && p->fork_at && p->held && p->sharing)
		err = lay_out_threads(p, eb);
	if (!err && !(make_lanes(p, &p->writes, HD_STEP_WRITE, in->nlocations) &&
		      make_lanes(p, &p->reads, HD_STEP_READ, in->nlocations) &&
		      make_lanes(p, &p->sections, HD_STEP_ACQUIRE, in->nlocks) && sort_writes(p) &&
		      match_releases(p) && count_permits(p)))
		err = HD_ERR_NOMEM;
	if (!err)
		err = hd_validator_new(&p->validator, in);
	if (err == HD_ERR_NOMEM)
		hd_fail(eb, err, "out of memory for a run of %zu steps", in->nsteps);
	if (err)
		hd_prepared_free(p);
	return err;
}

static void free_lanes(struct hd_lanes *l)
{
	free(l->lane_of);
	free(l->lanes);
	free(l->at);
	free(l->other);
	free(l->by_value);
}

void hd_prepared_free(struct hd_prepared *p)
{
	free(p->ops);
	free(p->at);
	free(p->first);
	free(p->fork_thread);
	free(p->fork_at);
	free(p->held);
	free(p->sharing);
	free(p->sem_from);
	free(p->sem_step);
	free(p->sem_permits);
	hd_validator_free(p->validator);
	free_lanes(&p->writes);
	free_lanes(&p->reads);
	free_lanes(&p->sections);
	*p = (struct hd_prepared){ 0 };
}
