/* Tables that grow, and how accesses were made: interned, so that a cell needs only a number. */
#include "race_impl.h"

#include <stdlib.h>
#include <string.h>

/* Room for one more record of @size bytes in *@table; false: out of memory. */
bool hd_race_make_room(struct hd_race *r, void *table, uint32_t n, uint32_t *cap, size_t size)
{
	void **t = table;
	uint32_t bigger = *cap ? 2 * *cap : 64;
	void *p;

	if (n < *cap)
		return true;
	p = realloc(*t, bigger * size);
	if (!p) {
		r->failed = true;
		return false;
	}
	memset((char *)p + *cap * size, 0, (bigger - *cap) * size);
	*t = p;
	*cap = bigger;
	return true;
}

struct hd_race_thread *hd_race_thread_at(struct hd_race *r, uint32_t number)
{
	while (number >= r->nthreads) {
		uint32_t cap = r->nthreads;

		if (!hd_race_make_room(r, &r->threads, r->nthreads, &cap, sizeof(*r->threads)))
			return NULL;
		r->nthreads = cap;
	}
	return &r->threads[number];
}

static uint64_t site_hash(const struct hd_event *ev, hd_lockset locks)
{
	uint64_t h = ev->pc * 0x9e3779b97f4a7c15ull;

	h ^= ((uint64_t)ev->ctx << 32 | locks) * 0xc2b2ae3d27d4eb4full;
	h ^= (uint64_t)ev->op << 8 ^ ev->size;
	return h ^ h >> 29;
}

static bool rehash(struct hd_race *r)
{
	uint32_t n = r->nchains ? 2 * r->nchains : 1024;
	uint32_t *chains = calloc(n, sizeof(*chains));

	if (!chains) {
		r->failed = true;
		return false;
	}
	for (uint32_t i = 1; i < r->nsites; i++) {
		struct hd_race_site *s = &r->sites[i];
		struct hd_event ev = {.pc = s->pc, .ctx = s->ctx, .op = s->op, .size = s->size};
		uint32_t *chain = &chains[site_hash(&ev, s->locks) & (n - 1)];

		s->next = *chain;
		*chain = i;
	}
	free(r->chains);
	r->chains = chains;
	r->nchains = n;
	return true;
}

uint32_t hd_race_find_site(struct hd_race *r, struct hd_race_access *a, uint32_t *cached)
{
	const struct hd_event *ev = a->ev;
	uint8_t size = ev->size > 255 ? 0 : (uint8_t)ev->size;
	struct hd_event key = {.pc = ev->pc, .ctx = ev->ctx, .op = ev->op, .size = size};
	uint32_t i, *chain;

	if (r->nsites >= r->nchains && !rehash(r))
		return 0;
	chain = &r->chains[site_hash(&key, a->who.locks) & (r->nchains - 1)];
	for (i = *chain; i; i = r->sites[i].next) {
		if (hd_race_site_is(&r->sites[i], ev, a->who.locks, size))
			return a->site = *cached = i;
	}
	if (!hd_race_make_room(r, &r->sites, r->nsites, &r->sites_cap, sizeof(*r->sites)))
		return 0;
	i = r->nsites++;
	r->sites[i] = (struct hd_race_site){.pc = ev->pc,
					    .ctx = ev->ctx,
					    .locks = a->who.locks,
					    .arg = ev->arg,
					    .op = ev->op,
					    .size = size,
					    .next = *chain};
	*chain = i;
	return a->site = *cached = i;
}
