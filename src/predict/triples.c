#include "triples.h"

#include <stdlib.h>

#include "common/hash.h"

static size_t slot_of(const struct hd_triples *m, uint32_t a, uint32_t b, uint32_t c)
{
	uint64_t h = hd_hash_triple(a + 1ull, b + 1ull, c + 1ull);
	size_t i = (h ^ h >> 29) & (m->room - 1);

	while (m->entries[i].number &&
	       (m->entries[i].a != a || m->entries[i].b != b || m->entries[i].c != c))
		i = (i + 1) & (m->room - 1);
	return i;
}

uint32_t hd_triples_get(const struct hd_triples *m, uint32_t a, uint32_t b, uint32_t c)
{
	return m->room ? m->entries[slot_of(m, a, b, c)].number : 0;
}

bool hd_triples_set(struct hd_triples *m, uint32_t a, uint32_t b, uint32_t c, uint32_t number)
{
	if (2 * m->n >= m->room) {
		struct hd_triples more = { .room = m->room ? 2 * m->room : 256, .n = m->n };

		more.entries = calloc(more.room, sizeof(*more.entries));
		if (!more.entries)
			return false;
		for (size_t i = 0; i < m->room; i++) {
			const struct hd_triple *e = &m->entries[i];

			if (e->number)
				more.entries[slot_of(&more, e->a, e->b, e->c)] = *e;
		}
		free(m->entries);
		*m = more;
	}
	m->entries[slot_of(m, a, b, c)] = (struct hd_triple){ a, b, c, number };
	m->n++;
	return true;
}

void hd_triples_free(struct hd_triples *m)
{
	free(m->entries);
	*m = (struct hd_triples){ 0 };
}
