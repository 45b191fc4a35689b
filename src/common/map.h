/*
 * Two small hash maps: numbers to numbers, texts to numbers. Texts stay.
 */
#ifndef HD_COMMON_MAP_H
#define HD_COMMON_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_map_entry {
	uint64_t key, value;
};

/* Zero-initialise; free with hd_map_free. */
struct hd_map {
	struct hd_map_entry *entries; /* value 0: free slot */
	size_t count, slots;	      /* slots: 0 or a power of two */
};

/* The value of @key; 0: it has none. */
uint64_t hd_map_get(const struct hd_map *m, uint64_t key);
/* Set it; 0 takes it out, which always works. False: out of memory. */
bool hd_map_set(struct hd_map *m, uint64_t key, uint64_t value);
void hd_map_free(struct hd_map *m);

/* Texts, numbered from 1 in the order they came; each kept once. */
struct hd_texts {
	char **texts;
	size_t count, room;
	uint32_t *slots;
	size_t nslots;
};

/* The number of the text; 0: not there. */
uint32_t hd_texts_find(const struct hd_texts *t, const char *s, size_t len);
/* The same, after adding it where needed; 0: out of memory. */
uint32_t hd_texts_add(struct hd_texts *t, const char *s, size_t len);
const char *hd_texts_get(const struct hd_texts *t, uint32_t number);
void hd_texts_free(struct hd_texts *t);

#endif
