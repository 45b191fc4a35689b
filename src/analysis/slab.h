/*
 * Items of one size, numbered, which never move and are used again after they are freed.
 *
 * Item 0 is nobody's: it stands for "none", and is what a failed allocation returns, so
 * that callers may write to it and look at `failed` once, later. A freed item keeps its
 * contents but for its first four bytes: what it owns can be used again.
 */
#ifndef HD_ANALYSIS_SLAB_H
#define HD_ANALYSIS_SLAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HD_SLAB_CHUNK 512u

struct hd_slab {
	size_t item_size;
	char **chunks;
	uint32_t nchunks;
	uint32_t used; /* items ever handed out, with item 0 */
	uint32_t free; /* head of the list of freed ones */
	uint32_t live;
	bool failed;
};

static inline void *hd_slab_at(const struct hd_slab *p, uint32_t i)
{
	return p->chunks[i / HD_SLAB_CHUNK] + i % HD_SLAB_CHUNK * p->item_size;
}

static inline bool hd_slab_grow(struct hd_slab *p)
{
	char **chunks = p->chunks;

	/* The table doubles: it is full when the number of chunks is a power of two. */
	if (!(p->nchunks & (p->nchunks - 1))) {
		chunks = realloc(p->chunks, (p->nchunks ? 2 * p->nchunks : 1) * sizeof(*chunks));
		if (!chunks)
			return false;
		p->chunks = chunks;
	}
	chunks[p->nchunks] = calloc(HD_SLAB_CHUNK, p->item_size);
	if (!chunks[p->nchunks])
		return false;
	p->nchunks++;
	return true;
}

static inline bool hd_slab_init(struct hd_slab *p, size_t item_size)
{
	*p = (struct hd_slab){ .item_size = item_size, .used = 1 };
	return hd_slab_grow(p);
}

static inline uint32_t hd_slab_new(struct hd_slab *p)
{
	uint32_t i = p->free;

	if (i) {
		memcpy(&p->free, hd_slab_at(p, i), sizeof(p->free));
	} else {
		if (p->used == UINT32_MAX ||
		    (p->used / HD_SLAB_CHUNK == p->nchunks && !hd_slab_grow(p))) {
			p->failed = true;
			return 0;
		}
		i = p->used++;
	}
	p->live++;
	return i;
}

static inline void hd_slab_drop(struct hd_slab *p, uint32_t i)
{
	memcpy(hd_slab_at(p, i), &p->free, sizeof(p->free));
	p->free = i;
	p->live--;
}

static inline void hd_slab_free(struct hd_slab *p)
{
	for (uint32_t i = 0; i < p->nchunks; i++)
		free(p->chunks[i]);
	free(p->chunks);
	*p = (struct hd_slab){ 0 };
}

#endif
