#include "sym_pool.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

/* The first chunk is small, each other twice the one before, up to: */
#define CHUNK_FIRST 2048
#define CHUNK_BYTES 65536

struct hd_sym_chunk {
	struct hd_sym_chunk *next;
	size_t used, size;
	_Alignas(16) char bytes[];
};

static void *take(struct hd_sym_pool *p, size_t size, size_t align)
{
	struct hd_sym_chunk *c = p->chunks;
	size_t at = c ? (c->used + align - 1) & ~(align - 1) : 0;

	if (!c || at > c->size || c->size - at < size) {
		size_t bytes = !c ? CHUNK_FIRST : c->size < CHUNK_BYTES ? c->size * 2 : CHUNK_BYTES;

		bytes = size > bytes ? size : bytes;
		c = calloc(1, sizeof(*c) + bytes);
		if (!c)
			return NULL;
		c->size = bytes;
		c->next = p->chunks;
		p->chunks = c;
		at = 0;
	}
	c->used = at + size;
	return c->bytes + at;
}

void *hd_sym_alloc(struct hd_sym_pool *p, size_t size)
{
	return take(p, size, 16);
}

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x = hd_hash_number(x);
	return x ^ (x >> 29);
}

static uint64_t hash_bytes(const char *s, size_t len)
{
	return mix(hd_fnv_bytes(len, s, len));
}

static size_t string_slot(const char **slots, size_t cap, const char *s, size_t len)
{
	size_t i = hash_bytes(s, len) & (cap - 1);

	while (slots[i] && (strncmp(slots[i], s, len) || slots[i][len]))
		i = (i + 1) & (cap - 1);
	return i;
}

static bool grow_strings(struct hd_sym_pool *p)
{
	size_t cap = p->cap_strings ? p->cap_strings * 2 : 256;
	const char **slots = calloc(cap, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < p->cap_strings; i++) {
		const char *s = p->strings[i];

		if (s)
			slots[string_slot(slots, cap, s, strlen(s))] = s;
	}
	free(p->strings);
	p->strings = slots;
	p->cap_strings = cap;
	return true;
}

const char *hd_sym_string_n(struct hd_sym_pool *p, const char *s, size_t len)
{
	size_t i;
	char *copy;

	if (p->n_strings * 2 >= p->cap_strings && !grow_strings(p))
		return NULL;
	i = string_slot(p->strings, p->cap_strings, s, len);
	if (p->strings[i])
		return p->strings[i];
	copy = take(p, len + 1, 1);
	if (!copy)
		return NULL;
	memcpy(copy, s, len);
	copy[len] = '\0';
	p->strings[i] = copy;
	p->n_strings++;
	return copy;
}

const char *hd_sym_string(struct hd_sym_pool *p, const char *s)
{
	return s ? hd_sym_string_n(p, s, strlen(s)) : NULL;
}

const char *hd_sym_join(struct hd_sym_pool *p, const char *a, const char *b)
{
	size_t la, lb;
	char *tmp;
	const char *out;

	if (!a || !*a || !b)
		return hd_sym_string(p, b);
	la = strlen(a);
	lb = strlen(b);
	tmp = malloc(la + lb + 2);
	if (!tmp)
		return NULL;
	memcpy(tmp, a, la);
	memcpy(tmp + la, "::", 2);
	memcpy(tmp + la + 2, b, lb);
	out = hd_sym_string_n(p, tmp, la + lb + 2);
	free(tmp);
	return out;
}

void hd_sym_pool_free(struct hd_sym_pool *p)
{
	struct hd_sym_chunk *next;

	for (struct hd_sym_chunk *c = p->chunks; c; c = next) {
		next = c->next;
		free(c);
	}
	free(p->strings);
	memset(p, 0, sizeof(*p));
}

static size_t answer_slot(const struct hd_sym_answer *slots, size_t cap, uint64_t a, uint64_t b)
{
	size_t i = mix(a ^ mix(b)) & (cap - 1);

	while (slots[i].value && (slots[i].a != a || slots[i].b != b))
		i = (i + 1) & (cap - 1);
	return i;
}

const void *hd_sym_cache_get(const struct hd_sym_cache *c, uint64_t a, uint64_t b)
{
	return c->cap ? c->slots[answer_slot(c->slots, c->cap, a, b)].value : NULL;
}

static bool grow_cache(struct hd_sym_cache *c)
{
	size_t cap = c->cap ? c->cap * 2 : 64;
	struct hd_sym_answer *slots = calloc(cap, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < c->cap; i++) {
		struct hd_sym_answer *old = &c->slots[i];

		if (old->value)
			slots[answer_slot(slots, cap, old->a, old->b)] = *old;
	}
	free(c->slots);
	c->slots = slots;
	c->cap = cap;
	return true;
}

void hd_sym_cache_put(struct hd_sym_cache *c, uint64_t a, uint64_t b, const void *value)
{
	size_t i;

	if (!value || (c->n * 2 >= c->cap && !grow_cache(c)))
		return;
	i = answer_slot(c->slots, c->cap, a, b);
	if (!c->slots[i].value)
		c->n++;
	c->slots[i] = (struct hd_sym_answer){ a, b, value };
}

void hd_sym_cache_clear(struct hd_sym_cache *c)
{
	free(c->slots);
	memset(c, 0, sizeof(*c));
}
