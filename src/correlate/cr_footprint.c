#include "cr_footprint.h"

#include "cr_call.h"
#include "cr_place.h"
#include "cr_shadow.h"
#include "cr_update.h"

#define KEPT 1024u

static struct kept {
	ULong key; /* 0: none */
	UInt life[CR_STEPS];
	struct cr_footprint print;
} kept[KEPT];

void cr_footprint_enter(void)
{
	cr_me->footprint.n = 0;
}

/* The steps by which the running thread has decided something. */
static UInt decided_by(const struct cr_footprint *f)
{
	UInt steps = 0;

	for (UInt i = 0; i < f->n; i++) {
		if (cr_update_has_decided(f->step[i].granule) ||
		    cr_update_has_decided(f->step[i].granule + 4))
			steps |= 1u << i;
	}
	return steps;
}

void cr_footprint_access(Addr granule, UChar mask, UInt kind, ULong at)
{
	struct cr_footprint *f = &cr_me->footprint;

	for (UInt i = 0; i < f->n; i++) {
		struct cr_record *r = &f->step[i].access;

		if (f->step[i].granule == granule && r->kind == kind &&
		    (r->at == at || !(mask & ~r->mask))) {
			r->mask |= mask;
			return;
		}
	}
	if (f->n == CR_STEPS || cr_is_stack(granule))
		return;
	f->step[f->n].granule = granule;
	f->step[f->n].after = decided_by(f);
	f->step[f->n].value[0] = kind & CR_WRITE ? 0 : cr_value_at(granule);
	f->step[f->n].value[1] = kind & CR_WRITE ? 0 : cr_value_at(granule + 4);
	f->step[f->n++].access = (struct cr_record){ .segment = cr_segment_now(),
						     .ctx = cr_call_ctx(),
						     .mask = mask,
						     .kind = (UChar)kind,
						     .at = at,
						     .epoch = cr_me->epoch };
}

Bool cr_footprint_reads(Addr word)
{
	const struct cr_footprint *f = &cr_me->footprint;

	for (UInt i = 0; i < f->n; i++) {
		const struct cr_step *s = &f->step[i];

		if (s->granule >> 3 == word >> 3 && !(s->access.kind & CR_WRITE) &&
		    s->access.mask >> (word & 4) & 0xf)
			return True;
	}
	return f->n == CR_STEPS;
}

static ULong key_of(const struct cr_footprint *f)
{
	ULong h = cr_me->number;

	for (UInt i = 0; i < f->n; i++) {
		const struct cr_record *r = &f->step[i].access;

		h = (h ^ f->step[i].granule ^ (ULong)r->kind << 48 ^ (ULong)r->mask << 56) *
			    0x9e3779b97f4a7c15ull +
		    (h >> 29);
	}
	return h | 1;
}

void cr_footprint_leave(void)
{
	const struct cr_footprint *f = &cr_me->footprint;
	struct kept *k;
	ULong key;

	if (!f->n)
		return;
	key = key_of(f);
	k = &kept[(key >> 32) % KEPT];
	k->key = key;
	k->print.n = f->n;
	for (UInt i = 0; i < f->n; i++) {
		Addr g = f->step[i].granule;

		k->print.step[i] = f->step[i];
		k->life[i] = cr_life(g);
		cr_chunk_of(g)->flags[cr_granule(g)] |= CR_HAS_PAIR;
	}
}

/* From step @from on. */
static const struct cr_record *step_at(const struct kept *k, Addr word, UInt *from)
{
	for (; *from < k->print.n; ++*from) {
		const struct cr_step *s = &k->print.step[*from];

		if (s->granule >> 3 == word >> 3 && s->access.mask >> (word & 4) & 0xf &&
		    k->life[*from] == cr_life(word))
			return &s->access;
	}
	return NULL;
}

static Bool each_pair(const struct kept *k, Addr a, Addr b,
		      Bool (*take)(void *, const struct cr_record *, const struct cr_record *),
		      void *arg)
{
	const struct cr_record *x, *y;

	for (UInt i = 0; (x = step_at(k, a, &i)); i++) {
		for (UInt n = 0; (y = step_at(k, b, &n)); n++) {
			if (take(arg, x, y))
				return True;
		}
	}
	return False;
}

void cr_footprint_find(Addr a, Addr b,
		       Bool (*take)(void *arg, const struct cr_record *a,
				    const struct cr_record *b),
		       void *arg)
{
	for (UInt i = 0; i < KEPT; i++) {
		const struct kept *k = &kept[i];

		if (k->key &&
		    cr_segment(k->print.step[0].access.segment)->number != cr_me->number &&
		    each_pair(k, a, b, take, arg))
			return;
	}
}

/* ... of @f, a step at @word. */
static const struct cr_step *step_of(const struct cr_footprint *f, Addr word, UInt *from)
{
	for (; *from < f->n; ++*from) {
		const struct cr_step *s = &f->step[*from];

		if (s->granule >> 3 == word >> 3 && s->access.mask >> (word & 4) & 0xf)
			return s;
	}
	return NULL;
}

static Bool each_guarded(const struct cr_footprint *f, const struct cr_guard *guard, Addr word,
			 Bool (*take)(void *, const struct cr_record *, const struct cr_record *),
			 void *arg)
{
	const struct cr_step *x, *y;

	for (UInt i = 0; (x = step_of(f, guard->word, &i)); i++) {
		if (x->access.kind & CR_WRITE || x->value[guard->word >> 2 & 1] != guard->value)
			continue;
		for (UInt n = i + 1; (y = step_of(f, word, &n)); n++) {
			if (y->after >> i & 1 && take(arg, &x->access, &y->access))
				return True;
		}
	}
	return False;
}

static Bool is_alive(const struct kept *k)
{
	for (UInt i = 0; i < k->print.n; i++) {
		if (k->life[i] != cr_life(k->print.step[i].granule))
			return False;
	}
	return True;
}

void cr_footprint_guarded(const struct cr_guard *guard, Addr word, Bool now,
			  Bool (*take)(void *arg, const struct cr_record *a,
				       const struct cr_record *b),
			  void *arg)
{
	if (now) {
		each_guarded(&cr_me->footprint, guard, word, take, arg);
		return;
	}
	for (UInt i = 0; i < KEPT; i++) {
		const struct kept *k = &kept[i];

		if (k->key && is_alive(k) &&
		    cr_segment(k->print.step[0].access.segment)->number != cr_me->number &&
		    each_guarded(&k->print, guard, word, take, arg))
			return;
	}
}

static void mark_steps(const struct cr_footprint *f, void (*mark)(UInt segment))
{
	for (UInt i = 0; i < f->n; i++)
		mark(f->step[i].access.segment);
}

void cr_footprint_segments(void (*mark)(UInt segment))
{
	UInt cursor = 0;
	const struct cr_thread *t;

	while ((t = cr_thread_next(&cursor)))
		mark_steps(&t->footprint, mark);
	for (UInt i = 0; i < KEPT; i++)
		mark_steps(&kept[i].print, mark);
}
