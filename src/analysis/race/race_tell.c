/* A finding, once for each two places. */
#include "race_impl.h"

#include <stdlib.h>

#include "common/hash.h"

/* Has this pair of places been told of? If not, it has now. */
static bool told_before(struct hd_race *r, enum hd_kind kind, uint64_t a, uint64_t b)
{
	uint64_t low = a < b ? a : b, high = a < b ? b : a;
	uint32_t i;

	if (r->ntold * 2 >= r->told_cap) {
		struct hd_race_told *old = r->told;
		uint32_t n = r->told_cap;

		r->told_cap = n ? 2 * n : 256;
		r->told = calloc(r->told_cap, sizeof(*r->told));
		r->ntold = 0;
		if (!r->told) {
			r->told = old;
			r->told_cap = n;
			r->failed = true;
			return true;
		}
		for (uint32_t j = 0; j < n; j++) {
			if (old[j].kind)
				told_before(r, old[j].kind, old[j].a, old[j].b);
		}
		free(old);
	}
	i = hd_hash_place(low * 31 + high * 17 + kind, r->told_cap - 1);
	for (; r->told[i].kind; i = (i + 1) & (r->told_cap - 1)) {
		if (r->told[i].a == low && r->told[i].b == high && r->told[i].kind == kind)
			return true;
	}
	r->told[i] = (struct hd_race_told){ .a = low, .b = high, .kind = kind };
	r->ntold++;
	return false;
}

static size_t locks_of(const struct hd_race *r, hd_lockset set, struct hd_found_lock *out,
		       size_t max)
{
	const bool *exclusive;
	size_t n;
	const uint64_t *members = hd_lockset_members(r->sets, set, &n, &exclusive);

	if (n > max)
		n = max;
	for (size_t i = 0; i < n; i++)
		out[i] = (struct hd_found_lock){ .addr = members[i],
						 .mode = exclusive[i] ? 0 : HD_LOCK_SHARED };
	return n;
}

static struct hd_within within_at(const struct hd_race *r, uint32_t thread, uint64_t tag)
{
	if (thread >= r->nthreads)
		return (struct hd_within){ 0 };
	return hd_within_at(&r->threads[thread].within, &r->constructs, (uint32_t)(tag >> 32));
}

#define MAX_LOCKS 32
#define NULL_PAGE 4096

void hd_race_tell(struct hd_race *r, enum hd_kind kind, const struct hd_race_access *a,
		  uint64_t addr, uint64_t tag, uint32_t site)
{
	const struct hd_race_site *s = &r->sites[site];
	struct hd_found_lock first_locks[MAX_LOCKS], second_locks[MAX_LOCKS];
	struct hd_found_access both[2] = {
		{ .role = "first", .index = HD_NO_INDEX, .locks = first_locks },
		{ .role = "second", .index = a->index, .event = *a->ev, .locks = second_locks },
	};
	struct hd_found f = {
		.kind = kind, .addr = addr, .group = -1, .accesses = both, .naccesses = 2
	};
	uint64_t first_addr = addr;

	/* Nobody has accessed the page of null pointers: that failed, and was handled. */
	if (addr < NULL_PAGE)
		return;
	/* Places without a pc (an imported trace may have none) are told apart by address. */
	if (told_before(r, kind, s->pc ? s->pc : ~addr, a->ev->pc ? a->ev->pc : ~addr)) {
		r->merged++;
		return;
	}
	/* A cell does not say where in it the access began: a whole one, at its own multiple. */
	if (s->size && !(s->size & (s->size - 1)))
		first_addr = addr & ~(uint64_t)(s->size - 1);
	if (a->ev->size)
		f.addr = a->ev->addr;
	both[0].event = (struct hd_event){ .addr = first_addr,
					   .pc = s->pc,
					   .ctx = s->ctx,
					   .op = s->op,
					   .size = s->size,
					   .arg = s->arg };
	both[0].event.thread =
		hd_hb_thread(r->hb, (uint32_t)(tag >> 12 & 0xfffff), (uint32_t)(tag >> 32));
	both[0].within = within_at(r, both[0].event.thread, tag);
	both[1].within = within_at(r, a->ev->thread, a->who.epoch);
	both[0].nlocks = locks_of(r, s->locks, first_locks, MAX_LOCKS);
	both[1].nlocks = locks_of(r, a->who.locks, second_locks, MAX_LOCKS);
	f.size = a->ev->size ? a->ev->size : s->size;
	r->found(r->arg, &f);
}
