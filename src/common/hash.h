/*
 * Hash functions, one for each use. Some of their values are on disk, in the names of findings and
 * in what executions of different processes are compared by: the functions stay as they are.
 */
#ifndef HD_COMMON_HASH_H
#define HD_COMMON_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Multipliers: 2^64 over the golden ratio, two of MurmurHash3, of degski's and of Evensen's mixers. */
#define HD_HASH_GOLDEN	 0x9e3779b97f4a7c15ull
#define HD_HASH_MURMUR_A 0xff51afd7ed558ccdull
#define HD_HASH_MURMUR_B 0xc4ceb9fe1a85ec53ull
#define HD_HASH_DEGSKI	 0xd6e8feb86659fd93ull
#define HD_HASH_EVENSEN	 0x9fb21c651e98df25ull

/* ---- numbers ---------------------------------------------------------------------- */

/* Fibonacci hashing. The upper bits depend on all of @key, the lowest on its lowest only. */
static inline uint64_t hd_hash_number(uint64_t key)
{
	return key * HD_HASH_GOLDEN;
}

/* A number below 2^@bits, of 1 to 64 bits. */
static inline uint64_t hd_hash_bits(uint64_t key, unsigned bits)
{
	return hd_hash_number(key) >> (64 - bits);
}

/* A place in a table whose size is @mask + 1, a power of two of at most 2^32. */
static inline uint32_t hd_hash_place(uint64_t key, uint64_t mask)
{
	return (uint32_t)(hd_hash_number(key) >> 32 & mask);
}

/* All bits depend on all of @key: for those who take the lowest. */
static inline uint64_t hd_hash_all(uint64_t key)
{
	key = hd_hash_number(key ^ key >> 31);
	return key ^ key >> 32;
}

/* One number of two; @b is small, or its upper bits say little. */
static inline uint64_t hd_hash_pair(uint64_t a, uint64_t b)
{
	return hd_hash_number(a) ^ b;
}

static inline uint64_t hd_hash_triple(uint64_t a, uint64_t b, uint64_t c)
{
	return hd_hash_number(a) ^ b * HD_HASH_MURMUR_A ^ c * HD_HASH_MURMUR_B;
}

/* @hash goes on with @value: the order matters. */
static inline uint64_t hd_hash_next(uint64_t hash, uint64_t value)
{
	return hd_hash_number(hash ^ value);
}

/* A call at @pc within context @parent. */
static inline uint64_t hd_hash_call(uint32_t parent, uint64_t pc)
{
	return hd_hash_number(pc ^ (uint64_t)parent << 40 ^ (uint64_t)parent << 7);
}

/* ---- bytes: FNV-1a ---------------------------------------------------------------- */

#define HD_FNV_START 0xcbf29ce484222325ull

/* A byte, or a number in its place. */
static inline uint64_t hd_fnv(uint64_t hash, uint64_t byte)
{
	return (hash ^ byte) * 0x100000001b3ull;
}

static inline uint64_t hd_fnv_bytes(uint64_t hash, const void *p, size_t n)
{
	const unsigned char *bytes = p;

	for (size_t i = 0; i < n; i++)
		hash = hd_fnv(hash, bytes[i]);
	return hash;
}

/* Without the byte that ends it. */
static inline uint64_t hd_fnv_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = hd_fnv(hash, (unsigned char)*text);
	return hash;
}

#endif
