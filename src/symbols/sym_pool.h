/*
 * What lives as long as a struct hd_symbols: strings (each kept once), small
 * records, and the table that remembers answers.
 */
#ifndef HD_SYM_POOL_H
#define HD_SYM_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_sym_chunk;

struct hd_sym_pool {
	struct hd_sym_chunk *chunks;
	const char **strings; /* open addressing, a power of two */
	size_t n_strings, cap_strings;
};

/* Zeroed memory, aligned for any pointer or integer; NULL: out of memory. */
void *hd_sym_alloc(struct hd_sym_pool *p, size_t size);

/* The pool's one copy of @s; NULL: out of memory, or @s was NULL. */
const char *hd_sym_string(struct hd_sym_pool *p, const char *s);
const char *hd_sym_string_n(struct hd_sym_pool *p, const char *s, size_t len);

/* "@a::@b", or @b alone when @a is NULL or empty. */
const char *hd_sym_join(struct hd_sym_pool *p, const char *a, const char *b);

void hd_sym_pool_free(struct hd_sym_pool *p);

/* Remembered answers: a pair of numbers to a pointer that is never NULL. */
struct hd_sym_cache {
	struct hd_sym_answer {
		uint64_t a, b;
		const void *value;
	} * slots;
	size_t n, cap;
};

const void *hd_sym_cache_get(const struct hd_sym_cache *c, uint64_t a, uint64_t b);
/* Forgets silently when out of memory: the answer is then worked out again. */
void hd_sym_cache_put(struct hd_sym_cache *c, uint64_t a, uint64_t b, const void *value);
void hd_sym_cache_clear(struct hd_sym_cache *c);

#endif
