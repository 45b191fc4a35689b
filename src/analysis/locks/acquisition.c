#include "acquisition.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/map.h"
#include "analysis/intern.h"

/* A held lock. No padding: it is compared as bytes. */
struct held {
	uint64_t lock;
	hd_lockset since; /* taken after it */
	uint32_t exclusive;
};

struct hd_acquisitions {
	struct hd_locksets *sets;
	struct hd_intern histories; /* arrays of struct held in rising order of lock */
	hd_lockset *set_of;	    /* parallel to histories */
	size_t set_of_room;
	struct hd_map compatible; /* pair of histories -> 1 + answer */
	struct held *scratch;
	size_t scratch_room;
	bool failed;
};

struct hd_acquisitions *hd_acquisitions_new(struct hd_locksets *sets)
{
	struct hd_acquisitions *a = calloc(1, sizeof(*a));

	if (a)
		a->sets = sets;
	return a;
}

void hd_acquisitions_free(struct hd_acquisitions *a)
{
	if (!a)
		return;
	hd_intern_free(&a->histories);
	hd_map_free(&a->compatible);
	free(a->set_of);
	free(a->scratch);
	free(a);
}

bool hd_acquisitions_failed(const struct hd_acquisitions *a)
{
	return a->failed || hd_locksets_failed(a->sets);
}

static hd_acq fail(struct hd_acquisitions *a)
{
	a->failed = true;
	return HD_ACQ_NONE;
}

static const struct held *history(const struct hd_acquisitions *a, hd_acq at, size_t *n)
{
	const struct held *h;
	size_t len;

	*n = 0;
	if (at == HD_ACQ_NONE)
		return NULL;
	h = hd_intern_get(&a->histories, at, &len);
	*n = len / sizeof(*h);
	return h;
}

static bool reserve(struct hd_acquisitions *a, size_t n)
{
	return HD_ROOM(a->scratch, a->scratch_room, n);
}

/* The number of what is in scratch. */
static hd_acq intern(struct hd_acquisitions *a, size_t n)
{
	uint32_t before = a->histories.count;
	hd_lockset set = HD_LOCKSET_EMPTY;
	hd_acq at;

	if (!n)
		return HD_ACQ_NONE;
	at = hd_intern_put(&a->histories, a->scratch, n * sizeof(*a->scratch));
	if (!at)
		return fail(a);
	if (a->histories.count == before)
		return at;
	for (size_t i = 0; i < n; i++)
		set = hd_lockset_with(a->sets, set, a->scratch[i].lock, a->scratch[i].exclusive);
	if (!HD_ROOM(a->set_of, a->set_of_room, at + 1))
		return fail(a);
	a->set_of[at] = set;
	return at;
}

/* @since with @lock, if there is room for it. */
static hd_lockset used(struct hd_acquisitions *a, hd_lockset since, uint64_t lock, bool exclusive)
{
	size_t n;

	hd_lockset_members(a->sets, since, &n, NULL);
	return n < HD_ACQ_SINCE ? hd_lockset_with(a->sets, since, lock, exclusive) : since;
}

hd_acq hd_acq_take(struct hd_acquisitions *a, hd_acq at, uint64_t lock, bool exclusive)
{
	struct held taken = { .lock = lock, .since = HD_LOCKSET_EMPTY, .exclusive = exclusive };
	size_t n, out = 0, i = 0;
	bool room;
	const struct held *h = history(a, at, &n);

	if (!reserve(a, n + 1))
		return fail(a);
	room = n < HD_ACQ_HELD;
	for (; i < n && h[i].lock < lock; i++)
		a->scratch[out++] = h[i];
	if (i < n && h[i].lock == lock) {
		taken = h[i++];
		taken.exclusive |= exclusive;
		room = true;
	}
	if (room)
		a->scratch[out++] = taken;
	for (; i < n; i++)
		a->scratch[out++] = h[i];
	for (i = 0; i < out; i++) {
		struct held *p = &a->scratch[i];

		if (p->lock != lock)
			p->since = used(a, p->since, lock, exclusive);
	}
	return intern(a, out);
}

hd_acq hd_acq_give(struct hd_acquisitions *a, hd_acq at, uint64_t lock)
{
	size_t n, out = 0;
	const struct held *h = history(a, at, &n);

	if (!reserve(a, n))
		return fail(a);
	for (size_t i = 0; i < n; i++) {
		if (h[i].lock != lock)
			a->scratch[out++] = h[i];
	}
	return intern(a, out);
}

hd_acq hd_acq_of_set(struct hd_acquisitions *a, hd_lockset set)
{
	const bool *exclusive;
	const uint64_t *locks;
	size_t n;

	locks = hd_lockset_members(a->sets, set, &n, &exclusive);
	if (!reserve(a, n))
		return fail(a);
	for (size_t i = 0; i < n; i++)
		a->scratch[i] = (struct held){ .lock = locks[i], .exclusive = exclusive[i] };
	return intern(a, n);
}

hd_lockset hd_acq_set(const struct hd_acquisitions *a, hd_acq at)
{
	return at == HD_ACQ_NONE ? HD_LOCKSET_EMPTY : a->set_of[at];
}

/* Is @h's lock among @used, in a way that cannot overlap with holding it? */
static bool used_against(const struct hd_acquisitions *a, hd_lockset used, const struct held *h)
{
	const bool *exclusive;
	const uint64_t *locks;
	size_t n;

	locks = hd_lockset_members(a->sets, used, &n, &exclusive);
	for (size_t i = 0; i < n; i++) {
		if (locks[i] == h->lock)
			return exclusive[i] || h->exclusive;
	}
	return false;
}

static bool crosses(const struct hd_acquisitions *a, hd_acq x, hd_acq y)
{
	const struct held *hx, *hy;
	size_t nx, ny;

	hx = history(a, x, &nx);
	hy = history(a, y, &ny);
	for (size_t i = 0; i < nx; i++) {
		for (size_t j = 0; j < ny; j++) {
			if (used_against(a, hx[i].since, &hy[j]) &&
			    used_against(a, hy[j].since, &hx[i]))
				return true;
		}
	}
	return false;
}

bool hd_acq_compatible(struct hd_acquisitions *a, hd_acq x, hd_acq y)
{
	uint64_t key, known;
	bool answer;

	if (x == HD_ACQ_NONE || y == HD_ACQ_NONE)
		return true;
	key = x < y ? (uint64_t)x << 32 | y : (uint64_t)y << 32 | x;
	known = hd_map_get(&a->compatible, key);
	if (known)
		return known - 1;
	answer = !hd_lockset_excludes(a->sets, a->set_of[x], a->set_of[y]) && !crosses(a, x, y);
	if (!hd_map_set(&a->compatible, key, 1 + (uint64_t)answer))
		a->failed = true;
	return answer;
}
