#include "addr_map.h"

#include <stdbool.h>
#include <stdlib.h>

#include "common/hash.h"

static uint32_t home(const struct hd_addr_map *m, uint64_t key)
{
	return hd_hash_place(key, m->cap - 1);
}

static struct hd_addr_entry *probe(const struct hd_addr_map *m, uint64_t key)
{
	uint32_t i = home(m, key);

	while (m->entries[i].key && m->entries[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return &m->entries[i];
}

void *hd_addr_map_find(const struct hd_addr_map *m, uint64_t key)
{
	return m->cap ? probe(m, key)->record : NULL;
}

static bool grow(struct hd_addr_map *m)
{
	struct hd_addr_map bigger = *m;

	bigger.cap = m->cap ? 2 * m->cap : 64;
	bigger.entries = calloc(bigger.cap, sizeof(*bigger.entries));
	if (!bigger.entries)
		return false;
	for (uint32_t i = 0; i < m->cap; i++) {
		if (m->entries[i].key)
			*probe(&bigger, m->entries[i].key) = m->entries[i];
	}
	free(m->entries);
	*m = bigger;
	return true;
}

void *hd_addr_map_get(struct hd_addr_map *m, uint64_t key)
{
	struct hd_addr_entry *e;

	if (m->last_key == key)
		return m->last;
	if (m->used * 2 >= m->cap && !grow(m))
		return NULL;
	e = probe(m, key);
	if (!e->key) {
		e->record = calloc(1, m->record_size);
		if (!e->record)
			return NULL;
		e->key = key;
		m->low = m->used && m->low < key ? m->low : key;
		m->high = m->used && m->high > key ? m->high : key;
		m->used++;
	}
	m->last_key = key;
	m->last = e->record;
	return e->record;
}

/* Remove entry @i and close the gap that probing must not meet. */
static void remove_at(struct hd_addr_map *m, uint32_t i)
{
	uint32_t hole = i, next = i;

	m->used--;
	m->last_key = 0;
	for (;;) {
		next = (next + 1) & (m->cap - 1);
		if (!m->entries[next].key)
			break;
		/* Move it back unless its home lies cyclically in (hole, next]. */
		if (((next - home(m, m->entries[next].key)) & (m->cap - 1)) >=
		    ((next - hole) & (m->cap - 1))) {
			m->entries[hole] = m->entries[next];
			hole = next;
		}
	}
	m->entries[hole] = (struct hd_addr_entry){ 0 };
}

static void drop_entry(struct hd_addr_map *m, struct hd_addr_entry *e, void (*drop)(void *record))
{
	if (drop)
		drop(e->record);
	free(e->record);
	remove_at(m, (uint32_t)(e - m->entries));
}

void hd_addr_map_forget(struct hd_addr_map *m, uint64_t from, uint64_t len,
			void (*drop)(void *record))
{
	if (!m->used || from > m->high || from + len <= m->low)
		return;
	if (len <= m->cap) {
		for (uint64_t a = from; a < from + len; a++) {
			struct hd_addr_entry *e = probe(m, a);

			if (e->key)
				drop_entry(m, e, drop);
		}
		return;
	}
	for (uint32_t i = 0; i < m->cap;) {
		struct hd_addr_entry *e = &m->entries[i];

		if (e->key >= from && e->key - from < len)
			drop_entry(m, e, drop); /* another may have moved here */
		else
			i++;
	}
}

void hd_addr_map_free(struct hd_addr_map *m, void (*drop)(void *record))
{
	for (uint32_t i = 0; i < m->cap; i++) {
		if (!m->entries[i].key)
			continue;
		if (drop)
			drop(m->entries[i].record);
		free(m->entries[i].record);
	}
	free(m->entries);
	*m = (struct hd_addr_map){ .record_size = m->record_size };
}
