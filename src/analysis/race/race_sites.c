/* Tables that grow, and how accesses were made: interned, so that a cell needs only a number. */
#include "race_impl.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

struct hd_race_thread *hd_race_new_thread(struct hd_race *r, uint32_t number)
{
	if (!HD_RACE_ROOM(r, r->threads, r->nthreads, (size_t)number + 1))
		return NULL;
	return &r->threads[number];
}

static uint64_t site_hash(const struct hd_event *ev, hd_lockset locks)
{
	uint64_t h = hd_hash_triple(ev->pc, (uint64_t)ev->ctx << 32 | locks, 0);

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
		struct hd_event ev = { .pc = s->pc, .ctx = s->ctx, .op = s->op, .size = s->size };
		uint32_t *chain = &chains[site_hash(&ev, s->locks) & (n - 1)];

		s->next = *chain;
		*chain = i;
	}
	free(r->chains);
	r->chains = chains;
	r->nchains = n;
	return true;
}

/* The place of the cache has this one from now on. */
static uint32_t found(struct hd_race_access *a, uint8_t size, uint32_t site,
		      struct hd_race_place *at)
{
	*at = (struct hd_race_place){ .pc = a->ev->pc,
				      .ctx = a->ev->ctx,
				      .locks = a->who.locks,
				      .how = hd_race_how(a->ev->op, size, a->ev->arg),
				      .site = site };
	return a->site = site;
}

static bool is_site(const struct hd_race_site *s, const struct hd_event *ev, hd_lockset locks,
		    uint8_t size)
{
	return s->pc == ev->pc && s->ctx == ev->ctx && s->locks == locks && s->op == ev->op &&
	       s->size == size && s->arg == ev->arg;
}

uint32_t hd_race_find_site(struct hd_race *r, struct hd_race_access *a, struct hd_race_place *at)
{
	const struct hd_event *ev = a->ev;
	uint8_t size = ev->size > 255 ? 0 : (uint8_t)ev->size;
	struct hd_event key = { .pc = ev->pc, .ctx = ev->ctx, .op = ev->op, .size = size };
	uint32_t i, *chain;

	if (r->nsites >= r->nchains && !rehash(r))
		return 0;
	chain = &r->chains[site_hash(&key, a->who.locks) & (r->nchains - 1)];
	for (i = *chain; i; i = r->sites[i].next) {
		if (is_site(&r->sites[i], ev, a->who.locks, size))
			return found(a, size, i, at);
	}
	if (!HD_RACE_ROOM(r, r->sites, r->sites_cap, r->nsites + 1))
		return 0;
	i = r->nsites++;
	r->sites[i] = (struct hd_race_site){ .pc = ev->pc,
					     .ctx = ev->ctx,
					     .locks = a->who.locks,
					     .arg = ev->arg,
					     .op = ev->op,
					     .size = size,
					     .next = *chain };
	*chain = i;
	return found(a, size, i, at);
}
