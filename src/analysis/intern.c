#include "intern.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

uint32_t hd_hash_bytes(const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t h = hd_hash_number(len), word;

	for (; len >= sizeof(word); len -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		h = (h ^ word) * HD_HASH_DEGSKI;
		h ^= h >> 32;
	}
	word = 0;
	memcpy(&word, p, len);
	h = (h ^ word) * HD_HASH_DEGSKI;
	return (uint32_t)(h ^ (h >> 32));
}

static bool slots_grow(struct hd_intern *t)
{
	uint32_t nslots = t->nslots ? t->nslots * 2 : 64;
	uint32_t *slots = calloc(nslots, sizeof(*slots));

	if (!slots)
		return false;
	for (uint32_t i = 1; i < t->count; i++) {
		uint32_t at = t->entries[i].hash & (nslots - 1);

		while (slots[at])
			at = (at + 1) & (nslots - 1);
		slots[at] = i;
	}
	free(t->slots);
	t->slots = slots;
	t->nslots = nslots;
	return true;
}

static bool entries_grow(struct hd_intern *t)
{
	uint32_t room = t->room ? t->room * 2 : 32;
	struct hd_intern_entry *entries;

	if (t->count > UINT32_MAX / 4)
		return false;
	entries = realloc(t->entries, room * sizeof(*entries));
	if (!entries)
		return false;
	t->entries = entries;
	t->room = room;
	return true;
}

uint32_t hd_intern_put(struct hd_intern *t, const void *data, size_t len)
{
	uint32_t hash = hd_hash_bytes(data, len), at;
	struct hd_intern_entry *e;

	if (!t->count)
		t->count = 1;
	if ((t->count + 1) * 2 >= t->nslots && !slots_grow(t))
		return 0;
	for (at = hash & (t->nslots - 1); t->slots[at]; at = (at + 1) & (t->nslots - 1)) {
		e = &t->entries[t->slots[at]];
		if (e->hash == hash && e->len == len && !memcmp(e->data, data, len))
			return t->slots[at];
	}
	if ((!t->entries || t->count == t->room) && !entries_grow(t))
		return 0;
	e = &t->entries[t->count];
	*e = (struct hd_intern_entry){ .data = malloc(len ? len : 1),
				       .len = (uint32_t)len,
				       .hash = hash };
	if (!e->data)
		return 0;
	memcpy(e->data, data, len);
	t->slots[at] = t->count;
	return t->count++;
}

const void *hd_intern_get(const struct hd_intern *t, uint32_t number, size_t *len)
{
	*len = t->entries[number].len;
	return t->entries[number].data;
}

void hd_intern_free(struct hd_intern *t)
{
	for (uint32_t i = 1; i < t->count; i++)
		free(t->entries[i].data);
	free(t->entries);
	free(t->slots);
	*t = (struct hd_intern){ 0 };
}
