/*
 * Equal stretches of bytes get equal numbers, from 1. Entries stay, and never move.
 */
#ifndef HD_ANALYSIS_INTERN_H
#define HD_ANALYSIS_INTERN_H

#include <stddef.h>
#include <stdint.h>

struct hd_intern_entry {
	void *data;
	uint32_t len;
	uint32_t hash;
};

/* Zero-initialise; free with hd_intern_free. */
struct hd_intern {
	struct hd_intern_entry *entries; /* [0] is unused */
	uint32_t count, room;
	uint32_t *slots; /* 0: free */
	uint32_t nslots; /* 0 or a power of two */
};

/* The number of @data; 0: out of memory. Structs must have no padding, or a cleared one. */
uint32_t hd_intern_put(struct hd_intern *t, const void *data, size_t len);
const void *hd_intern_get(const struct hd_intern *t, uint32_t number, size_t *len);
void hd_intern_free(struct hd_intern *t);

/* A hash of bytes, for tables of one's own. */
uint32_t hd_hash_bytes(const void *data, size_t len);

#endif
