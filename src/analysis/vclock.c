#include "vclock.h"

#include <stdlib.h>
#include <string.h>

/* Clocks are short: a call to copy one takes longer than that. */
#define NO_CALL() __asm__ volatile("" : : : "memory")

/* HD_VC_PIECE entries, which several clocks may have: it changes only if there is one. */
struct hd_vc_piece {
	uint32_t clocks;
	uint32_t at[HD_VC_PIECE];
};

static bool grow(struct hd_vclock *v, uint32_t len)
{
	uint32_t cap = v->cap ? v->cap : 4;
	uint32_t *at;

	while (cap < len)
		cap *= 2;
	at = realloc(v->at, cap * sizeof(*at));
	if (!at)
		return false;
	v->at = at;
	v->cap = cap;
	return true;
}

static bool reserve(struct hd_vclock *v, uint32_t len)
{
	if (len <= v->len)
		return true;
	if (len > v->cap && !grow(v, len))
		return false;
	memset(v->at + v->len, 0, (len - v->len) * sizeof(*v->at));
	v->len = len;
	return true;
}

/* ---- pieces --------------------------------------------------------------- */

static struct hd_vc_piece *share(struct hd_vc_piece *p)
{
	if (p)
		p->clocks++;
	return p;
}

static void drop(struct hd_vc_piece *p)
{
	if (p && !--p->clocks)
		free(p);
}

static bool reserve_pieces(struct hd_vclock *v, uint32_t n)
{
	uint32_t want = v->npieces ? v->npieces : 4;
	struct hd_vc_piece **more;

	if (n <= v->npieces)
		return true;
	while (want < n)
		want *= 2;
	more = realloc(v->pieces, want * sizeof(struct hd_vc_piece *));
	if (!more)
		return false;
	memset(more + v->npieces, 0, (want - v->npieces) * sizeof(struct hd_vc_piece *));
	v->pieces = more;
	v->npieces = want;
	return true;
}

/* @p as one that belongs to this clock alone; NULL: out of memory, and all is as it was. */
static struct hd_vc_piece *make_own(struct hd_vc_piece *p)
{
	struct hd_vc_piece *own;

	if (p && p->clocks == 1)
		return p;
	own = calloc(1, sizeof(*own));
	if (!own)
		return NULL;
	if (p)
		memcpy(own->at, p->at, sizeof(own->at));
	own->clocks = 1;
	drop(p);
	return own;
}

static bool piece_leq(const struct hd_vc_piece *a, const struct hd_vc_piece *b)
{
	bool leq = true;

	if (a == b || !a)
		return true;
	for (uint32_t i = 0; i < HD_VC_PIECE; i++)
		leq &= a->at[i] <= (b ? b->at[i] : 0);
	return leq;
}

static bool piece_join(struct hd_vc_piece **into, struct hd_vc_piece *from)
{
	struct hd_vc_piece *own;

	if (piece_leq(from, *into))
		return true;
	if (piece_leq(*into, from)) {
		share(from);
		drop(*into);
		*into = from;
		return true;
	}
	own = make_own(*into);
	if (!own)
		return false;
	for (uint32_t i = 0; i < HD_VC_PIECE; i++)
		own->at[i] = from->at[i] > own->at[i] ? from->at[i] : own->at[i];
	*into = own;
	return true;
}

static bool join_pieces(struct hd_vclock *into, const struct hd_vclock *from)
{
	if (!reserve_pieces(into, from->npieces))
		return false;
	for (uint32_t i = 0; i < from->npieces; i++) {
		if (!piece_join(&into->pieces[i], from->pieces[i]))
			return false;
	}
	return true;
}

static bool copy_pieces(struct hd_vclock *into, const struct hd_vclock *from)
{
	if (!reserve_pieces(into, from->npieces))
		return false;
	for (uint32_t i = 0; i < into->npieces; i++) {
		struct hd_vc_piece *p = i < from->npieces ? from->pieces[i] : NULL;

		if (p == into->pieces[i])
			continue;
		drop(into->pieces[i]);
		into->pieces[i] = share(p);
	}
	return true;
}

static void free_pieces(struct hd_vclock *v)
{
	for (uint32_t i = 0; i < v->npieces; i++)
		drop(v->pieces[i]);
	free(v->pieces);
	v->pieces = NULL;
	v->npieces = 0;
}

uint32_t hd_vc_far(const struct hd_vclock *v, uint32_t thread)
{
	uint32_t i = (thread - HD_VC_DENSE) / HD_VC_PIECE;

	/* An entry below the dense ones' end that the clock does not have wraps around. */
	return i < v->npieces && v->pieces[i] ? v->pieces[i]->at[thread % HD_VC_PIECE] : 0;
}

static bool set_far(struct hd_vclock *v, uint32_t thread, uint32_t time)
{
	uint32_t i = (thread - HD_VC_DENSE) / HD_VC_PIECE;
	struct hd_vc_piece *own;

	if (!reserve_pieces(v, i + 1))
		return false;
	own = make_own(v->pieces[i]);
	if (!own)
		return false;
	v->pieces[i] = own;
	own->at[thread % HD_VC_PIECE] = time;
	return true;
}

/* ---- clocks --------------------------------------------------------------- */

bool hd_vc_set(struct hd_vclock *v, uint32_t thread, uint32_t time)
{
	if (thread >= HD_VC_DENSE)
		return set_far(v, thread, time);
	if (!reserve(v, thread + 1))
		return false;
	v->at[thread] = time;
	return true;
}

bool hd_vc_join(struct hd_vclock *into, const struct hd_vclock *from)
{
	if (!reserve(into, from->len) || (from->npieces && !join_pieces(into, from)))
		return false;
	for (uint32_t i = 0; i < from->len; i++) {
		if (from->at[i] > into->at[i])
			into->at[i] = from->at[i];
	}
	return true;
}

bool hd_vc_copy(struct hd_vclock *into, const struct hd_vclock *from)
{
	uint32_t len = from->len, *to;

	into->len = 0;
	if ((from->npieces || into->npieces) && !copy_pieces(into, from))
		return false;
	if (len > into->cap && !grow(into, len))
		return false;
	to = into->at;
	for (const uint32_t *at = from->at, *end = at + len; at < end;) {
		*to++ = *at++;
		NO_CALL();
	}
	into->len = len;
	return true;
}

bool hd_vc_leq(const struct hd_vclock *a, const struct hd_vclock *b)
{
	for (uint32_t i = 0; i < a->len; i++) {
		if (a->at[i] > hd_vc_get(b, i))
			return false;
	}
	for (uint32_t i = 0; i < a->npieces; i++) {
		if (!piece_leq(a->pieces[i], i < b->npieces ? b->pieces[i] : NULL))
			return false;
	}
	return true;
}

void hd_vc_clear(struct hd_vclock *v)
{
	v->len = 0;
	if (v->npieces)
		free_pieces(v);
}

void hd_vc_free(struct hd_vclock *v)
{
	free(v->at);
	free_pieces(v);
	*v = (struct hd_vclock){ 0 };
}
