#include "task_hits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

void hd_task_hits_free(struct hd_task_hits *h)
{
	hd_intern_free(&h->sites);
	hd_intern_free(&h->seen);
	free(h->hits);
	*h = (struct hd_task_hits){ 0 };
}

uint32_t hd_task_hits_site(struct hd_task_hits *h, const struct hd_did_site *site)
{
	uint32_t number = hd_intern_put(&h->sites, site, sizeof(*site));

	if (!number)
		h->failed = true;
	return number;
}

const struct hd_did_site *hd_task_hits_at(const struct hd_task_hits *h, uint32_t site)
{
	static const struct hd_did_site none;
	size_t len;

	return site ? hd_intern_get(&h->sites, site, &len) : &none;
}

/* The same sites in the same roles are one finding, if locks mean the same there. */
struct combination {
	uint64_t pc[4], addr;
	uint32_t race, group;
	uint8_t op[4];
	uint32_t excluded; /* locks keep the access in between from one that it tears apart */
};

static bool exclude(const struct hd_task_hits *h, uint32_t a, uint32_t b)
{
	size_t na, nb;
	const struct hd_found_lock *x =
		hd_task_locks_told(h->locks, hd_task_hits_at(h, a)->held, &na);
	const struct hd_found_lock *y =
		hd_task_locks_told(h->locks, hd_task_hits_at(h, b)->held, &nb);

	for (size_t i = 0; i < na; i++) {
		for (size_t k = 0; k < nb; k++) {
			if (x[i].addr == y[k].addr && !(x[i].mode & y[k].mode & HD_LOCK_SHARED))
				return true;
		}
	}
	return false;
}

/* Such a one is no part of a race that the same places may have under other locks. */
static bool is_excluded(const struct hd_task_hits *h, const struct hd_task_hit *hit)
{
	return hit->naccesses == 3 && (exclude(h, hit->at[0].site, hit->at[1].site) ||
				       exclude(h, hit->at[1].site, hit->at[2].site));
}

static bool before(const struct hd_task_hits *h, const struct hd_task_hit *hit, int a, int b)
{
	return hd_values_before(h->values, h->steps, hit->steps[a], hit->at[a].moment,
				hit->steps[b], hit->at[b].moment);
}

/* Did values order the accesses in another way in this run? */
static bool is_doubtful(const struct hd_task_hits *h, const struct hd_task_hit *hit)
{
	if (!h->values || !h->values->learnt || hit->naccesses > 3)
		return false;
	if (hit->race)
		return before(h, hit, 0, 1) || before(h, hit, 1, 0);
	return before(h, hit, 1, 0) || before(h, hit, 2, 1);
}

void hd_task_hits_add(struct hd_task_hits *h, const struct hd_task_hit *hit, bool locations)
{
	struct combination c;
	struct hd_task_hit *old;
	uint32_t number;

	memset(&c, 0, sizeof(c));
	for (int i = 0; i < hit->naccesses; i++) {
		const struct hd_did_site *s = hd_task_hits_at(h, hit->at[i].site);

		c.pc[i] = s->pc;
		c.op[i] = s->op;
	}
	c.race = hit->race;
	c.addr = locations ? hit->addr : 0;
	c.group = (uint32_t)(hit->group + 1);
	c.excluded = is_excluded(h, hit);
	if (hit->race && (c.pc[1] < c.pc[0] || (c.pc[1] == c.pc[0] && c.op[1] < c.op[0]))) {
		uint64_t pc = c.pc[0];
		uint8_t op = c.op[0];

		c.pc[0] = c.pc[1];
		c.pc[1] = pc;
		c.op[0] = c.op[1];
		c.op[1] = op;
	}
	number = hd_intern_put(&h->seen, &c, sizeof(c));
	if (!number || (number > h->nhits && !HD_ROOM(h->hits, h->room, h->nhits + 1))) {
		h->failed = true;
		return;
	}
	if (number > h->nhits) {
		h->hits[h->nhits] = *hit;
		h->hits[h->nhits++].doubtful = is_doubtful(h, hit);
		return;
	}
	old = &h->hits[number - 1];
	old->merged++;
	if (hit->weight > old->weight || old->doubtful) {
		bool doubtful = is_doubtful(h, hit);
		uint64_t merged = old->merged;

		if (doubtful > old->doubtful ||
		    (doubtful == old->doubtful && hit->weight <= old->weight))
			return;
		*old = *hit;
		old->doubtful = doubtful;
		old->merged = merged;
	}
}

/* --- telling --- */

static unsigned thread_of(const struct hd_steps *steps, hd_dpst_id step)
{
	uint32_t number = hd_steps_task_of(steps, step);

	return number ? hd_task_record(&steps->tasks, number)->thread : 0;
}

/* The way from @child of the common ancestor down to @leaf, in one or two words each. */
static size_t put_path(const struct hd_steps *s, hd_dpst_id leaf, hd_dpst_id child, char *out,
		       size_t room)
{
	size_t len = 0, hidden = 0;
	hd_dpst_id n = leaf;

	while (len < room) {
		const char *between = n == leaf ? "" : " < ";

		if (hd_dpst_kind(&s->tree, n) == HD_DPST_STEP)
			len += (size_t)snprintf(out + len, room - len, "%sstep %u", between, n);
		else if (n != child &&
			 hd_dpst_depth(&s->tree, leaf) > hd_dpst_depth(&s->tree, child) + 4)
			hidden++;
		else if (hd_dpst_kind(&s->tree, n) == HD_DPST_UNIT)
			len += (size_t)snprintf(out + len, room - len, "%siteration", between);
		else if (hd_dpst_kind(&s->tree, n) == HD_DPST_ASYNC)
			len += (size_t)snprintf(out + len, room - len, "%s%stask T%u", between,
						hidden ? "... < " : "", thread_of(s, n));
		else
			len += (size_t)snprintf(out + len, room - len, "%s%sfinish %u", between,
						hidden ? "... < " : "", n);
		if (n == child)
			break;
		n = s->tree.nodes[n].parent;
	}
	return len < room ? len : room - 1;
}

/* In OpenMP's words, which knows no steps and finishes. The accesses say in which constructs they are. */
static void put_why_openmp(bool whoever, unsigned left, unsigned right, char *out, size_t room)
{
	if (whoever)
		snprintf(out, room,
			 "these can run at the same time, whichever threads get them: nothing is "
			 "between them that one has to wait at");
	else
		snprintf(out, room,
			 "T%u and T%u can run at the same time: nothing is between them that one "
			 "has to wait at",
			 left, right);
}

/* Parts of work that could have been other threads'. */
static bool are_units(const struct hd_steps *s, hd_dpst_id a, hd_dpst_id b)
{
	return !(hd_dpst_find_out(&s->tree, a, b) & HD_DPST_AS_TASKS);
}

static void put_why(const struct hd_steps *s, hd_dpst_id a, hd_dpst_id b, char *out, size_t room)
{
	struct hd_dpst_meeting m = hd_dpst_meet(&s->tree, a, b);
	bool a_left = m.towards_a < m.towards_b;
	hd_dpst_id left = a_left ? a : b, right = a_left ? b : a;
	size_t len;

	if (hd_steps_within(s, a).kind || hd_steps_within(s, b).kind) {
		put_why_openmp(are_units(s, a, b), thread_of(s, left), thread_of(s, right), out,
			       room);
		return;
	}
	len = (size_t)snprintf(out, room, "T%u and T%u can run in parallel: ", thread_of(s, left),
			       thread_of(s, right));
	len += put_path(s, left, a_left ? m.towards_a : m.towards_b, out + len, room - len);
	len += (size_t)snprintf(out + len, room - len, " | ");
	len += put_path(s, right, a_left ? m.towards_b : m.towards_a, out + len, room - len);
	snprintf(out + len, room - len, " in %s %u",
		 m.lca == HD_DPST_ROOT				  ? "the program,"
		 : hd_dpst_kind(&s->tree, m.lca) == HD_DPST_ASYNC ? "task"
								  : "finish",
		 hd_dpst_kind(&s->tree, m.lca) == HD_DPST_ASYNC ? thread_of(s, m.lca) : m.lca);
}

static uint64_t address_of(uint64_t location, int16_t offset)
{
	return offset == HD_DID_ANYWHERE ? location
					 : (location & ~7ull) + (uint64_t)(int64_t)offset;
}

static struct hd_found_access access_of(const struct hd_task_hits *h, const struct hd_steps *steps,
					const struct hd_task_hit *hit, int i, const char *role)
{
	const struct hd_did_site *site = hd_task_hits_at(h, hit->at[i].site);
	struct hd_found_access a = {
		.role = role,
		.tears = role[0] == 'f' && !hit->race,
		.index = hit->at[i].index ? hit->at[i].index - 1 : HD_NO_INDEX,
		.event = { .addr = address_of(hit->addrs[i], site->offset),
			   .size = site->size,
			   .pc = site->pc,
			   .ctx = site->ctx,
			   .op = site->op,
			   .thread = thread_of(steps, hit->steps[i]) },
	};

	a.within = hd_steps_within(steps, hit->steps[i]);
	a.locks = hd_task_locks_told(h->locks, site->held, &a.nlocks);
	return a;
}

/* "e1" and "e2" are of the torn step, "f" or "f1" and "f2" of the other. */
static const char *role_of(const struct hd_task_hit *hit, int i)
{
	static const char *const simple[2][3] = { { "e1", "f", "e2" }, { "first", "second" } };
	static const char *const of_group[2][2] = { { "e1", "e2" }, { "f1", "f2" } };
	int before = 0;

	if (hit->naccesses < 4)
		return simple[hit->race][i];
	for (int k = 0; k < i; k++)
		before += hit->of_other[k] == hit->of_other[i];
	return of_group[hit->of_other[i]][before & 1];
}

/* A text that stays: who is told may keep it. */
static const char *pattern_of(const struct hd_task_hit *hit)
{
	static const char three[8][4] = { "RRR", "RRW", "RWR", "RWW", "WRR", "WRW", "WWR", "WWW" };
	static const char four[16][5] = { "RRRR", "RRRW", "RRWR", "RRWW", "RWRR", "RWRW",
					  "RWWR", "RWWW", "WRRR", "WRRW", "WRWR", "WRWW",
					  "WWRR", "WWRW", "WWWR", "WWWW" };
	unsigned bits = 0;

	if (hit->race)
		return NULL;
	for (int i = 0; i < hit->naccesses; i++)
		bits = bits << 1 | (hit->pattern[i] == 'W');
	return hit->naccesses == 4 ? four[bits & 15] : three[bits & 7];
}

static void tell(const struct hd_task_hits *h, struct hd_steps *steps,
		 const struct hd_task_hit *hit, hd_found_fn *fn, void *arg)
{
	struct hd_found_access accesses[4];
	int n = hit->naccesses, other = 0;
	char why[400];
	struct hd_found found = {
		.kind = hit->race		       ? HD_KIND_TASK_RACE
			: hit->weight > HD_HIT_PATTERN ? HD_KIND_TASK_ATOMICITY
						       : HD_KIND_PATTERN,
		.pattern = pattern_of(hit),
		.addr = hit->addr,
		.size = hit->size,
		.group = hit->group,
		.merged = hit->merged,
		.doubtful = hit->doubtful,
		.parallel = why,
		.accesses = accesses,
		.naccesses = (size_t)n,
	};

	for (int i = 0; i < n; i++)
		accesses[i] = access_of(h, steps, hit, i, role_of(hit, i));
	while (other < n - 1 && hit->steps[other] == hit->steps[0])
		other++;
	found.units = are_units(steps, hit->steps[0], hit->steps[other]);
	put_why(steps, hit->steps[0], hit->steps[other], why, sizeof(why));
	fn(arg, &found);
}

void hd_task_hits_tell(struct hd_task_hits *h, struct hd_steps *steps, hd_found_fn *fn, void *arg)
{
	for (; h->told < h->nhits; h->told++) {
		h->doubtful += h->hits[h->told].doubtful;
		tell(h, steps, &h->hits[h->told], fn, arg);
	}
}
