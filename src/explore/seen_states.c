#include "seen_states.h"

#include <stdlib.h>
#include <string.h>

static struct hd_seen_state *slot(struct hd_seen_state *slots, size_t cap, uint64_t hash)
{
	size_t i = hash & (cap - 1);

	while (slots[i].hash && slots[i].hash != hash)
		i = (i + 1) & (cap - 1);
	return &slots[i];
}

static bool grow(struct hd_seen_states *s)
{
	size_t cap = s->cap ? 2 * s->cap : 1024;
	struct hd_seen_state *slots = calloc(cap, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < s->cap; i++) {
		if (s->slots[i].hash)
			*slot(slots, cap, s->slots[i].hash) = s->slots[i];
	}
	free(s->slots);
	s->slots = slots;
	s->cap = cap;
	return true;
}

bool hd_seen_states_add(struct hd_seen_states *s, uint64_t hash, uint32_t spent, bool *known)
{
	struct hd_seen_state *p;

	if (2 * s->n >= s->cap && !grow(s))
		return false;
	p = slot(s->slots, s->cap, hash);
	*known = p->hash && p->spent <= spent;
	if (!p->hash) {
		p->hash = hash;
		p->spent = spent;
		s->n++;
	} else if (spent < p->spent) {
		p->spent = spent;
	}
	return true;
}

bool hd_seen_states_compare(struct hd_seen_states *s, uint64_t hash, const uint64_t *full,
			    uint32_t n, bool *equal)
{
	struct hd_seen_state *p = slot(s->slots, s->cap, hash);

	*equal = true;
	if (!p->full) {
		p->full = malloc((n + 1) * sizeof(*full));
		p->nfull = n;
		if (p->full)
			memcpy(p->full, full, n * sizeof(*full));
		return p->full != NULL;
	}
	*equal = p->nfull == n && !memcmp(p->full, full, n * sizeof(*full));
	return true;
}

void hd_seen_states_free(struct hd_seen_states *s)
{
	for (size_t i = 0; i < s->cap; i++)
		free(s->slots[i].full);
	free(s->slots);
	*s = (struct hd_seen_states){ 0 };
}
