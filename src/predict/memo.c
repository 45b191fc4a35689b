#include "memo.h"

#include <stdlib.h>
#include <string.h>

#define KEY_NUMBER 10 /* bytes of a number of 64 bits, seven to a byte */

enum hd_err hd_memo_init(struct hd_memo *m, const struct hd_prepared *p, size_t max_bytes)
{
	*m = (struct hd_memo){ .p = p, .max_bytes = max_bytes };
	m->live = malloc(((size_t)p->in->nlocations + 1) * sizeof(*m->live));
	if (!m->live)
		return HD_ERR_NOMEM;
	/* Where one thread writes, its position says what it has written last. */
	for (uint32_t x = 0; x < p->in->nlocations; x++)
		if (p->writers[x] > 1)
			m->live[m->nlive++] = x;
	m->key_room = (p->nthreads + m->nlive + 1) * KEY_NUMBER + p->nthreads;
	m->key = malloc(m->key_room);
	if (m->key)
		return HD_OK;
	hd_memo_free(m);
	return HD_ERR_NOMEM;
}

void hd_memo_free(struct hd_memo *m)
{
	free(m->live);
	free(m->key);
	free(m->keys);
	free(m->slots);
	free(m->hashes);
	*m = (struct hd_memo){ 0 };
}

static unsigned char *put_number(unsigned char *out, uint64_t n)
{
	while (n >= 128) {
		*out++ = (unsigned char)(n | 128);
		n >>= 7;
	}
	*out++ = (unsigned char)n;
	return out;
}

/* Does anyone still read @x? Its value is no part of the state if not. */
static bool is_read(const struct hd_progress *s, uint32_t x)
{
	const struct hd_lanes *l = &s->p->reads;

	for (uint32_t k = l->lane_of[x]; k < l->lane_of[x + 1]; k++) {
		uint32_t t = l->lanes[k].thread;
		uint32_t i = hd_lane_from(l, &l->lanes[k], s->at[t]);

		if (i < l->lanes[k].end && l->at[i] < s->aim->bound[t] && !s->stopped[t])
			return true;
	}
	return false;
}

/*
 * Lock owners and how much of the goal is reached follow from the positions. Which values
 * are left out does too, so that equal bytes are equal states.
 */
static size_t make_key(struct hd_memo *m, const struct hd_progress *s)
{
	unsigned char *out = m->key;

	for (uint32_t t = 0; t < m->p->nthreads; t++)
		out = put_number(out, 2 * (uint64_t)s->at[t] + s->stopped[t]);
	for (size_t i = 0; i < m->nlive; i++)
		if (is_read(s, m->live[i]))
			out = put_number(out, s->value[m->live[i]]);
	return (size_t)(out - m->key);
}

static uint64_t hash_of(const unsigned char *key, size_t len)
{
	uint64_t h = 0x9e3779b97f4a7c15ull ^ len;

	for (size_t i = 0; i < len; i++) {
		h = (h ^ key[i]) * 0xff51afd7ed558ccdull;
		h ^= h >> 29;
	}
	return h;
}

static bool grow_table(struct hd_memo *m)
{
	size_t n = m->nslots ? 2 * m->nslots : 1024;
	uint64_t *slots, *hashes;

	if (n * 2 * sizeof(*slots) + m->nbytes > m->max_bytes)
		return false;
	slots = calloc(n, sizeof(*slots));
	hashes = malloc(n * sizeof(*hashes));
	if (!slots || !hashes) {
		free(slots);
		free(hashes);
		return false;
	}
	for (size_t i = 0; i < m->nslots; i++) {
		size_t j = m->hashes[i] & (n - 1);

		if (!m->slots[i])
			continue;
		while (slots[j])
			j = (j + 1) & (n - 1);
		slots[j] = m->slots[i];
		hashes[j] = m->hashes[i];
	}
	free(m->slots);
	free(m->hashes);
	m->slots = slots;
	m->hashes = hashes;
	m->nslots = n;
	return true;
}

static bool keep(struct hd_memo *m, size_t len)
{
	uint32_t n = (uint32_t)len;

	if (m->room - m->nbytes < sizeof(n) + len) {
		size_t room = 2 * (m->room + sizeof(n) + len + 2048);
		unsigned char *more;

		if (room + m->nslots * 2 * sizeof(*m->slots) > m->max_bytes)
			return false;
		more = realloc(m->keys, room);
		if (!more)
			return false;
		m->keys = more;
		m->room = room;
	}
	memcpy(m->keys + m->nbytes, &n, sizeof(n));
	memcpy(m->keys + m->nbytes + sizeof(n), m->key, len);
	m->nbytes += sizeof(n) + len;
	return true;
}

static bool same(const struct hd_memo *m, uint64_t slot, size_t len)
{
	uint32_t n;

	memcpy(&n, m->keys + (slot - 1), sizeof(n));
	return n == len && !memcmp(m->keys + (slot - 1) + sizeof(n), m->key, len);
}

enum hd_memo_answer hd_memo_add(struct hd_memo *m, const struct hd_progress *s)
{
	size_t len = make_key(m, s), i;
	uint64_t h = hash_of(m->key, len), slot = m->nbytes + 1;

	if (2 * m->count >= m->nslots && !grow_table(m))
		return HD_MEMO_FULL;
	for (i = h & (m->nslots - 1); m->slots[i]; i = (i + 1) & (m->nslots - 1))
		if (m->hashes[i] == h && same(m, m->slots[i], len))
			return HD_MEMO_KNOWN;
	if (!keep(m, len))
		return HD_MEMO_FULL;
	m->slots[i] = slot;
	m->hashes[i] = h;
	m->count++;
	return HD_MEMO_NEW;
}
