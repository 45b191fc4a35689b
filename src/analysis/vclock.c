#include "vclock.h"

#include <stdlib.h>
#include <string.h>

/* Clocks are short: a call to copy one takes longer than that. */
#define NO_CALL() __asm__ volatile("" : : : "memory")

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

bool hd_vc_set(struct hd_vclock *v, uint32_t thread, uint32_t time)
{
	if (!reserve(v, thread + 1))
		return false;
	v->at[thread] = time;
	return true;
}

bool hd_vc_join(struct hd_vclock *into, const struct hd_vclock *from)
{
	if (!reserve(into, from->len))
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
	return true;
}

void hd_vc_clear(struct hd_vclock *v)
{
	v->len = 0;
}

void hd_vc_free(struct hd_vclock *v)
{
	free(v->at);
	*v = (struct hd_vclock){ 0 };
}
