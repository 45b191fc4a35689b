#include "call_sites.h"

#include "common/hash.h"

#define NUMBER_SHIFT 48 /* addresses of code are below */

void hd_call_sites_free(struct hd_call_sites *s)
{
	hd_map_free(&s->number);
	hd_map_free(&s->count);
}

/* Two contexts of one place have different keys; where places collide, contexts are merged. */
static uint64_t key_of(uint64_t pc, uint32_t ctx)
{
	return hd_hash_pair(pc, ctx);
}

uint64_t hd_call_site(struct hd_call_sites *s, uint64_t pc, uint32_t ctx)
{
	uint64_t n = hd_map_get(&s->number, key_of(pc, ctx));

	if (!n) {
		n = hd_map_get(&s->count, pc) + 1;
		if (n > HD_CALL_SITES_MAX)
			n = HD_CALL_SITES_MAX;
		else if (!hd_map_set(&s->count, pc, n) ||
			 !hd_map_set(&s->number, key_of(pc, ctx), n))
			return 0;
	}
	return pc | n << NUMBER_SHIFT;
}
