#include "cr_claim.h"

#include <pub_tool_aspacemgr.h>
#include <pub_tool_vki.h>

#include "cr_place.h"
#include "cr_thread.h"

void cr_claim_write(Addr word, Bool claims)
{
	struct cr_claim *c = cr_me->claims, *end = c + CR_CLAIMS;

	while (c < end && c->word != word)
		c++;
	if (c < end)
		c->word = 0;
	if (claims && !cr_is_stack(word))
		cr_me->claims[cr_me->nclaims++ % CR_CLAIMS] =
			(struct cr_claim){ .word = word, .since = cr_held_oldest() };
}

void cr_claim_leave(void)
{
	ULong now = cr_held_oldest();

	for (UInt i = 0; i < CR_CLAIMS; i++) {
		struct cr_claim *c = &cr_me->claims[i];

		if (c->word && c->since == now)
			c->value = cr_value_at(c->word);
	}
}

/* A pointer to a block is where something is, not a flag. */
Bool cr_is_flag(Addr word)
{
	return word && (word & 7 || !VG_(am_is_valid_for_client)(word, 8, VKI_PROT_READ) ||
			!cr_heap_near(*(const Addr *)word) || !cr_heap_block(*(const Addr *)word));
}

void cr_claims_now(struct cr_claims *out)
{
	ULong now = cr_held_oldest();

	out->n = 0;
	for (UInt i = 0; i < CR_CLAIMS; i++) {
		const struct cr_claim *c = &cr_me->claims[i];

		if (c->word && c->since != now)
			out->of[out->n++] = *c;
	}
}

struct cr_claims cr_claims_among(const struct cr_claims *all, Addr but)
{
	struct cr_claims some = { 0 };

	for (UInt i = 0; i < all->n; i++) {
		if (all->of[i].word != but && cr_is_flag(all->of[i].word))
			some.of[some.n++] = all->of[i];
	}
	return some;
}

/* What it was the last time that the running thread has decided by it; NULL: it has not, of late. */
static struct cr_decision *decision_of(Addr word)
{
	for (UInt i = 0; i < CR_DECISIONS; i++) {
		if (cr_me->decisions[i].word == word)
			return &cr_me->decisions[i];
	}
	return NULL;
}

void cr_claim_decided(cr_label label)
{
	for (UInt i = 0; i < cr_label_count(label); i++) {
		const struct cr_source *s = cr_label_get(label, i);
		struct cr_decision *d;

		if (s->flags & CR_SRC_OWN || !cr_segment(s->segment)->lockset)
			continue;
		d = decision_of(s->word);
		if (!d)
			d = &cr_me->decisions[cr_me->ndecisions++ % CR_DECISIONS];
		if (d->word != s->word || d->epoch <= s->epoch)
			*d = (struct cr_decision){ s->word, s->epoch, s->value };
	}
}

Bool cr_claim_over(const struct cr_claims *c)
{
	for (UInt i = 0; i < c->n; i++) {
		const struct cr_decision *d = decision_of(c->of[i].word);

		if (d && d->value != c->of[i].value)
			return True;
	}
	return False;
}
