#include "seen_states.h"

#include <stdlib.h>

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

void hd_seen_states_free(struct hd_seen_states *s)
{
	free(s->slots);
	*s = (struct hd_seen_states){ 0 };
}
