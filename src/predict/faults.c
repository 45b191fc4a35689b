#include "common/array.h"
#include "common/hash.h"
#include "refining.h"

#include <stdlib.h>
#include <string.h>

/* Kinds of clauses, as the third number of what they are found by. */
#define LOCK_PAIR UINT32_MAX
#define PERMIT	  (UINT32_MAX - 1)

/* --- clauses --- */

void hd_clause_literal(struct hd_refining *r, uint32_t lit)
{
	if (!HD_ROOM(r->literals, r->literals_room, r->nliterals + 1)) {
		r->no_memory = true;
		return;
	}
	r->literals[r->nliterals++] = lit;
}

static uint32_t add_clause(struct hd_refining *r, const uint32_t *literals, size_t n)
{
	size_t level = r->os.nlevels, trail = r->os.ntrail;
	uint32_t c = hd_os_clause(&r->os, literals, (uint32_t)n);

	if (r->os.nlevels != level || r->os.nconflict || r->os.contradiction)
		r->stop = true;
	if (r->stop || r->os.ntrail != trail)
		r->again = true;
	return c;
}

/* The clause of the literals so far. */
uint32_t hd_clause_make(struct hd_refining *r)
{
	uint32_t c = add_clause(r, r->literals, r->nliterals);

	r->nliterals = 0;
	return c;
}

/*
 * The tie "@from comes before @to", with @needs also "and is executed". UINT32_MAX: that
 * cannot be. Steps of one thread are in order anyway, so nobody asks for that of them.
 */
static uint32_t tie(struct hd_refining *r, uint32_t from, uint32_t to, bool needs)
{
	uint32_t v = hd_triples_get(&r->ties, from, to, needs);

	if (v)
		return v;
	if (r->s->thread[from] == r->s->thread[to] && from >= to)
		return UINT32_MAX;
	v = hd_os_tie(&r->os, from, to);
	if (v == UINT32_MAX || !hd_triples_set(&r->ties, from, to, needs, v))
		r->no_memory = true;
	else if (needs)
		add_clause(r, (uint32_t[]){ HD_NOT(v), HD_YES(from) }, 2);
	return v;
}

static void literal_tie(struct hd_refining *r, uint32_t from, uint32_t to, bool needs)
{
	uint32_t v = tie(r, from, to, needs);

	if (v != UINT32_MAX)
		hd_clause_literal(r, HD_YES(v));
}

static void fault(struct hd_refining *r, uint32_t c)
{
	if (c && r->nfaults < HD_FAULTS)
		r->faults[r->nfaults++] = c;
}

bool hd_clause_holds(const struct hd_refining *r, uint32_t c)
{
	for (uint32_t i = 0; i < r->os.clauses[c]; i++)
		if (hd_os_value(&r->os, r->os.clauses[c + 1 + i]) > 0)
			return true;
	return false;
}

/* --- reads --- */

struct making {
	struct hd_refining *r;
	uint32_t read;
};

static bool keep_source(struct hd_refining *r, struct hd_source source)
{
	if (!HD_ROOM(r->sources, r->sources_room, r->nsources + 1)) {
		r->no_memory = true;
		return false;
	}
	r->sources[r->nsources++] = source;
	return !r->no_memory && !r->os.no_memory;
}

static bool add_source(void *arg, struct hd_source source)
{
	struct making *m = arg;
	struct hd_refining *r = m->r;

	if (source.kind == HD_SOURCE_WRITE || source.kind == HD_SOURCE_BEHIND)
		source.tie = tie(r, source.node, m->read, true);
	else
		source.tie = hd_os_tie(&r->os, HD_NO_NODE,
				       source.kind == HD_SOURCE_START ? m->read : HD_NO_NODE);
	return keep_source(r, source);
}

/* A read that is executed (or passed by, if it may see anything) has a source. */
static struct hd_choice *choice_of(struct hd_refining *r, uint32_t read)
{
	struct hd_choice *c = &r->choices[read];
	struct making m = { r, read };
	uint32_t t = r->s->thread[read], guard = read;

	if (c->made)
		return c;
	if (r->s->loose[t] == read)
		guard = r->s->passed[t];
	c->made = true;
	c->first = (uint32_t)r->nsources;
	hd_sources_each(r->s, read, add_source, &m);
	c->n = (uint32_t)r->nsources - c->first;
	hd_clause_literal(r, HD_NOT(guard));
	for (uint32_t i = 0; i < c->n; i++)
		hd_clause_literal(r, HD_YES(r->sources[c->first + i].tie));
	c->clause = hd_clause_make(r);
	return c;
}

static const struct hd_source *chosen(const struct hd_refining *r, const struct hd_choice *c)
{
	for (uint32_t i = c->first; i < c->first + c->n; i++)
		if (r->os.value[r->sources[i].tie] > 0)
			return &r->sources[i];
	return NULL;
}

/* @other must not come between the source and the read. */
static void keep_out(struct hd_refining *r, const struct hd_source *source, uint32_t read,
		     uint32_t other)
{
	uint32_t tie_var = source->tie, c = hd_triples_get(&r->clauses, tie_var, other, read);

	if (!c) {
		hd_clause_literal(r, HD_NOT(tie_var));
		hd_clause_literal(r, HD_NOT(other));
		if (source->kind == HD_SOURCE_WRITE)
			literal_tie(r, other, source->node, false);
		literal_tie(r, read, other, false);
		c = hd_clause_make(r);
		if (c && !hd_triples_set(&r->clauses, tie_var, other, read, c))
			r->no_memory = true;
	}
	fault(r, c);
}

/* Threads that wrote before the window: all that they do in it comes after the read. */
static void keep_out_threads(struct hd_refining *r, const struct hd_source *source, uint32_t read)
{
	const struct hd_scene *s = r->s;
	const struct hd_lanes *l = &s->p->writes;
	uint32_t x = s->location[s->object[read]];

	for (uint32_t k = l->lane_of[x]; k < l->lane_of[x + 1]; k++) {
		uint32_t t = s->thread_of[l->lanes[k].thread];

		if (t == HD_NOWHERE || t == s->thread[read] ||
		    l->at[l->lanes[k].first] >= s->base[t] ||
		    (source->kind == HD_SOURCE_OLDER && source->thread != t))
			continue;
		if (hd_is_executed(r, s->from[t]) && hd_is_before(r, s->from[t], read))
			keep_out(r, source, read, s->from[t]);
	}
}

static void keep_out_writes(struct hd_refining *r, const struct hd_source *source, uint32_t read)
{
	const struct hd_scene *s = r->s;
	uint32_t x = s->object[read];

	for (uint32_t k = s->writes_from[x]; k < s->writes_from[x + 1]; k++) {
		uint32_t w = s->writes[k];

		if (s->op[w]->value == s->op[read]->value || !hd_is_executed(r, w) ||
		    !hd_is_before(r, w, read))
			continue;
		if (source->kind == HD_SOURCE_START || s->thread[w] == source->thread)
			keep_out(r, source, read, w);
	}
}

/* The read sees @write (HD_NO_NODE: what was there), and that is wrong. */
static void wrong_value(struct hd_refining *r, uint32_t read, uint32_t write)
{
	const struct hd_choice *c = choice_of(r, read);
	const struct hd_source *source = chosen(r, c);

	if (r->stop)
		return;
	if (source && source->kind == HD_SOURCE_WRITE &&
	    !(hd_is_executed(r, source->node) && hd_is_before(r, source->node, read)))
		return; /* what was chosen is not in the order yet */
	if (!source) {
		fault(r, c->clause);
		return;
	}
	switch (source->kind) {
	case HD_SOURCE_WRITE:
		keep_out(r, source, read, write);
		break;
	case HD_SOURCE_START:
		if (r->s->open && r->s->first)
			keep_out_threads(r, source, read);
		keep_out_writes(r, source, read);
		break;
	case HD_SOURCE_LAST:
		keep_out_writes(r, source, read);
		break;
	case HD_SOURCE_OLDER:
		keep_out_threads(r, source, read);
		break;
	default:
		break;
	}
}

/* Open scenes: nothing of the window was written before; may something outside be it? */
static bool seen_outside(struct hd_refining *r, uint32_t read)
{
	const struct hd_choice *c = choice_of(r, read);

	for (uint32_t i = c->first; i < c->first + c->n; i++)
		if (r->sources[i].kind != HD_SOURCE_WRITE && r->os.value[r->sources[i].tie] > 0)
			return false; /* to be looked at by its own rules */
	for (uint32_t i = c->first; i < c->first + c->n; i++)
		if (r->sources[i].kind == HD_SOURCE_LAST || r->sources[i].kind == HD_SOURCE_BESIDE)
			if (r->os.value[r->sources[i].tie] >= 0)
				return true;
	return false;
}

static void play_read(struct hd_refining *r, uint32_t read)
{
	const struct hd_scene *s = r->s;
	uint32_t t = s->thread[read], write = r->last[s->object[read]];

	if (!hd_read_counts(s->goal, s->op[read]->firm, s->op[read]->assumed))
		return;
	if (s->loose[t] == read && (s->passed[t] == HD_NO_NODE || !hd_is_executed(r, s->passed[t])))
		return;
	if (write != HD_NO_NODE) {
		if (s->op[write]->value == s->op[read]->value)
			return;
	} else if (s->open && s->first) {
		if (seen_outside(r, read))
			return;
	} else if (s->value[s->object[read]] == s->op[read]->value) {
		return;
	}
	wrong_value(r, read, write);
}

/* --- locks --- */

/* Two sections that must not overlap do. */
static void overlap(struct hd_refining *r, uint32_t a, uint32_t b)
{
	const struct hd_section *x = &r->s->sections[a < b ? a : b];
	const struct hd_section *y = &r->s->sections[a < b ? b : a];
	uint32_t c = hd_triples_get(&r->clauses, (uint32_t)(x - r->s->sections),
				    (uint32_t)(y - r->s->sections), LOCK_PAIR);

	if (!c) {
		if (x->acquire != HD_NO_NODE)
			hd_clause_literal(r, HD_NOT(x->acquire));
		if (y->acquire != HD_NO_NODE)
			hd_clause_literal(r, HD_NOT(y->acquire));
		if (x->release != HD_NO_NODE && y->acquire != HD_NO_NODE)
			literal_tie(r, x->release, y->acquire, true);
		if (y->release != HD_NO_NODE && x->acquire != HD_NO_NODE)
			literal_tie(r, y->release, x->acquire, true);
		c = hd_clause_make(r);
		if (c && !hd_triples_set(&r->clauses, (uint32_t)(x - r->s->sections),
					 (uint32_t)(y - r->s->sections), LOCK_PAIR, c))
			r->no_memory = true;
	}
	fault(r, c);
}

static void enter(struct hd_refining *r, uint32_t section)
{
	const struct hd_section *sections = r->s->sections, *x = &sections[section];

	for (uint32_t k = r->holder[x->lock]; k; k = r->next_holder[k - 1])
		if (sections[k - 1].thread != x->thread && !(sections[k - 1].shared && x->shared))
			overlap(r, k - 1, section);
	r->next_holder[section] = r->holder[x->lock];
	r->holder[x->lock] = section + 1;
}

static void leave(struct hd_refining *r, uint32_t node)
{
	uint32_t *at = &r->holder[r->s->object[node]];

	while (*at && r->s->sections[*at - 1].thread != r->s->thread[node])
		at = &r->next_holder[*at - 1];
	if (*at)
		*at = r->next_holder[*at - 1];
}

/* Is @section one that makes the try @node fail? */
static bool hinders(const struct hd_refining *r, uint32_t node, const struct hd_section *section)
{
	return section->lock == r->s->object[node] && !(r->s->op[node]->shared && section->shared);
}

/* A tie for "@node is inside @section", which is not of its own thread. */
static bool add_inside(struct hd_refining *r, uint32_t node, const struct hd_section *section)
{
	struct hd_source inside = { .tie = hd_os_tie(&r->os, HD_NO_NODE, HD_NO_NODE) };

	if (!keep_source(r, inside))
		return false;
	if (section->acquire != HD_NO_NODE)
		add_clause(r,
			   (uint32_t[]){ HD_NOT(inside.tie),
					 HD_YES(tie(r, section->acquire, node, true)) },
			   2);
	if (section->release != HD_NO_NODE)
		add_clause(r,
			   (uint32_t[]){ HD_NOT(inside.tie), HD_NOT(section->release),
					 HD_YES(tie(r, node, section->release, false)) },
			   3);
	hd_clause_literal(r, HD_YES(inside.tie));
	return true;
}

/* A try that fails finds the lock held by somebody. */
static void play_fail(struct hd_refining *r, uint32_t node)
{
	const struct hd_scene *s = r->s;
	struct hd_choice *c = &r->choices[node];

	for (uint32_t k = r->holder[s->object[node]]; k; k = r->next_holder[k - 1])
		if (hinders(r, node, &s->sections[k - 1]))
			return;
	if (!c->made) {
		c->made = true;
		hd_clause_literal(r, HD_NOT(node));
		for (uint32_t k = 0; k < s->nsections; k++)
			if (s->sections[k].thread != s->thread[node] &&
			    hinders(r, node, &s->sections[k]) &&
			    !add_inside(r, node, &s->sections[k]))
				return;
		c->clause = hd_clause_make(r);
	}
	fault(r, c->clause);
}

/* --- semaphores --- */

/*
 * @node takes a permit that is not there: one more has to be posted before it, or one of those
 * that were taken be taken later.
 */
static void no_permit(struct hd_refining *r, uint32_t node)
{
	const struct hd_scene *s = r->s;
	uint64_t hash = 0;
	uint32_t c;

	hd_clause_literal(r, HD_NOT(node));
	for (uint32_t i = 0; i < s->n; i++) {
		bool post = s->op[i]->kind == HD_STEP_POST;
		bool before = hd_is_executed(r, i) && hd_is_before(r, i, node);

		if (i == node || s->object[i] != s->object[node] || post == before ||
		    (!post && s->op[i]->kind != HD_STEP_DOWN))
			continue;
		if (post) {
			literal_tie(r, i, node, true);
		} else if (s->thread[i] != s->thread[node]) {
			hd_clause_literal(r, HD_NOT(i));
			literal_tie(r, node, i, false);
		}
		hash = hd_hash_next(hash, i);
	}
	c = hd_triples_get(&r->clauses, node, (uint32_t)(hash >> 32), PERMIT);
	if (c && !hd_clause_holds(r, c)) {
		r->nliterals = 0;
	} else {
		c = hd_clause_make(r);
		if (c && !hd_triples_set(&r->clauses, node, (uint32_t)(hash >> 32), PERMIT, c))
			r->no_memory = true;
	}
	fault(r, c);
}

static void play_down(struct hd_refining *r, uint32_t node)
{
	uint32_t *permits = &r->permits[r->s->object[node]];

	if (*permits)
		--*permits;
	else
		no_permit(r, node);
}

/* --- the play --- */

static void begin(struct hd_refining *r)
{
	memset(r->last, 0xff, (r->s->nlocations + 1ul) * sizeof(*r->last));
	memset(r->holder, 0, (r->s->nlocks + 1ul) * sizeof(*r->holder));
	memcpy(r->permits, r->s->permits, r->s->nsemaphores * sizeof(*r->permits));
	r->nfaults = 0;
	r->again = r->stop = false;
	for (uint32_t k = 0; k < r->s->nsections; k++)
		if (r->s->sections[k].acquire == HD_NO_NODE)
			enter(r, k);
}

/* Play what is executed in the order in hand, and note what goes wrong. */
void hd_faults_find(struct hd_refining *r)
{
	const struct hd_scene *s = r->s;

	begin(r);
	for (uint32_t k = 0; k < s->n && r->nfaults < HD_FAULTS && !r->stop; k++) {
		uint32_t i = r->os.graph.node[k];

		if (!hd_is_executed(r, i))
			continue;
		if (i == s->from[s->thread[i]])
			for (uint32_t h = r->held_at[s->thread[i]]; h; h = r->next_held[h - 1])
				enter(r, h - 1);
		switch (s->op[i]->kind) {
		case HD_STEP_READ:
			play_read(r, i);
			break;
		case HD_STEP_WRITE:
			r->last[s->object[i]] = i;
			break;
		case HD_STEP_ACQUIRE:
			enter(r, s->section_of[i]);
			break;
		case HD_STEP_RELEASE:
			leave(r, i);
			break;
		case HD_STEP_FAIL:
			if (hd_scene_is_closed(s))
				play_fail(r, i);
			break;
		case HD_STEP_POST:
			r->permits[s->object[i]]++;
			break;
		case HD_STEP_DOWN:
			if (hd_scene_is_closed(s))
				play_down(r, i);
			break;
		default:
			break;
		}
	}
}
