/*
 * A part of a check (--part): what can be tried is the same in all parts, and is dealt out one by one, so that each
 * has its share of what is likely to fail. Nobody needs to know of the others.
 */
#include "steps.h"

#include "common/hash.h"

bool hd_check_is_ours(const struct hd_campaign *c, size_t i)
{
	const struct hd_campaign_config *o = c->config;

	return o->parts < 2 || i % o->parts == o->part - 1;
}

static uint64_t hash_candidate(uint64_t h, const struct hd_candidate *candidate)
{
	const struct hd_found *f = &candidate->found;

	h = hd_hash_pair(h, (uint64_t)f->kind);
	for (size_t i = 0; i < f->naccesses; i++) {
		const struct hd_found_access *a = &f->accesses[i];

		h = hd_hash_triple(h, a->index, hd_hash_pair(a->event.pc, a->event.op));
	}
	return h;
}

void hd_check_begin_part(struct hd_campaign *c)
{
	const struct hd_campaign_config *o = c->config;

	if (o->parts)
		c->part = (struct hd_report_part){ .number = o->part,
						   .of = o->parts,
						   .program = hd_campaign_program(c),
						   .options = o->options };
}

void hd_check_deal_out(struct hd_campaign *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nattempts; i++) {
		c->part.split = hash_candidate(c->part.split, c->attempts[i].candidate);
		if (hd_check_is_ours(c, i))
			c->attempts[n++] = c->attempts[i];
	}
	c->nattempts = n;
}
