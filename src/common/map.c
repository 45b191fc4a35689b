#include "map.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "hash.h"

/* Where the search for @key begins. */
static size_t home_of(const struct hd_map *m, uint64_t key)
{
	return hd_hash_all(key) & (m->slots - 1);
}

static struct hd_map_entry *slot_of(const struct hd_map *m, uint64_t key)
{
	size_t i = home_of(m, key);

	while (m->entries[i].value && m->entries[i].key != key)
		i = (i + 1) & (m->slots - 1);
	return &m->entries[i];
}

uint64_t hd_map_get(const struct hd_map *m, uint64_t key)
{
	return m->slots ? slot_of(m, key)->value : 0;
}

static bool map_grow(struct hd_map *m)
{
	struct hd_map bigger = { .slots = m->slots ? m->slots * 2 : 64 };

	bigger.entries = calloc(bigger.slots, sizeof(*bigger.entries));
	if (!bigger.entries)
		return false;
	for (size_t i = 0; i < m->slots; i++) {
		if (m->entries[i].value)
			*slot_of(&bigger, m->entries[i].key) = m->entries[i];
	}
	bigger.count = m->count;
	free(m->entries);
	*m = bigger;
	return true;
}

/* A search ends at the first free slot, so entries behind that one move up where they may. */
static void take_out(struct hd_map *m, uint64_t key)
{
	size_t mask = m->slots - 1, hole = (size_t)(slot_of(m, key) - m->entries), i = hole;

	if (!m->entries[hole].value)
		return;
	while (m->entries[i = (i + 1) & mask].value) {
		size_t home = home_of(m, m->entries[i].key);

		if (((i - home) & mask) < ((i - hole) & mask))
			continue; /* its search begins behind the hole */
		m->entries[hole] = m->entries[i];
		hole = i;
	}
	m->entries[hole] = (struct hd_map_entry){ 0 };
	m->count--;
}

bool hd_map_set(struct hd_map *m, uint64_t key, uint64_t value)
{
	struct hd_map_entry *e;

	if (!value) {
		if (m->slots)
			take_out(m, key);
		return true;
	}
	if (m->count * 2 >= m->slots && !map_grow(m))
		return false;
	e = slot_of(m, key);
	if (!e->value)
		m->count++;
	*e = (struct hd_map_entry){ key, value };
	return true;
}

void hd_map_free(struct hd_map *m)
{
	free(m->entries);
	*m = (struct hd_map){ 0 };
}

static size_t text_slot(const struct hd_texts *t, const char *s, size_t len)
{
	size_t i = hd_hash_all(hd_fnv_bytes(HD_FNV_START, s, len)) & (t->nslots - 1);

	while (t->slots[i]) {
		const char *have = t->texts[t->slots[i] - 1];

		if (!strncmp(have, s, len) && !have[len])
			break;
		i = (i + 1) & (t->nslots - 1);
	}
	return i;
}

uint32_t hd_texts_find(const struct hd_texts *t, const char *s, size_t len)
{
	len = strnlen(s, len);
	return t->nslots ? t->slots[text_slot(t, s, len)] : 0;
}

static bool texts_grow(struct hd_texts *t)
{
	size_t n = t->nslots ? t->nslots * 2 : 64;
	uint32_t *slots = calloc(n, sizeof(*slots));

	if (!slots)
		return false;
	free(t->slots);
	t->slots = slots;
	t->nslots = n;
	for (size_t i = 0; i < t->count; i++)
		t->slots[text_slot(t, t->texts[i], strlen(t->texts[i]))] = (uint32_t)i + 1;
	return true;
}

uint32_t hd_texts_add(struct hd_texts *t, const char *s, size_t len)
{
	size_t slot;
	char *copy;

	len = strnlen(s, len);
	if (t->count * 2 >= t->nslots && !texts_grow(t))
		return 0;
	slot = text_slot(t, s, len);
	if (t->slots[slot])
		return t->slots[slot];
	if (t->count >= UINT32_MAX - 1 || !HD_ROOM(t->texts, t->room, t->count + 1))
		return 0;
	copy = malloc(len + 1);
	if (!copy)
		return 0;
	memcpy(copy, s, len);
	copy[len] = 0;
	t->texts[t->count++] = copy;
	t->slots[slot] = (uint32_t)t->count;
	return t->slots[slot];
}

const char *hd_texts_get(const struct hd_texts *t, uint32_t number)
{
	return number && number <= t->count ? t->texts[number - 1] : NULL;
}

void hd_texts_free(struct hd_texts *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->texts[i]);
	free(t->texts);
	free(t->slots);
	*t = (struct hd_texts){ 0 };
}
