/*
 * Addresses to records of a fixed size: open addressing, records never move.
 */
#ifndef HD_ANALYSIS_ADDR_MAP_H
#define HD_ANALYSIS_ADDR_MAP_H

#include <stddef.h>
#include <stdint.h>

struct hd_addr_map {
	struct hd_addr_entry {
		uint64_t key; /* 0: unused; so addresses are not 0 */
		void *record;
	} * entries;
	uint32_t cap, used;
	size_t record_size;
	uint64_t low, high; /* all keys there ever were; of no use while none is used */
	uint64_t last_key;  /* found last, and likely to be asked for again; 0: none */
	void *last;
};

/* The record of @key, or NULL. */
void *hd_addr_map_find(const struct hd_addr_map *m, uint64_t key);
/* The record of @key, made of zeros if there is none; NULL: out of memory. */
void *hd_addr_map_get(struct hd_addr_map *m, uint64_t key);
/* Drop the records of @from .. @from + len - 1; @drop is told of each first. */
void hd_addr_map_forget(struct hd_addr_map *m, uint64_t from, uint64_t len,
			void (*drop)(void *record));
void hd_addr_map_free(struct hd_addr_map *m, void (*drop)(void *record));

#endif
