/*
 * A small, fast, seedable generator (xoshiro256**, seeded by splitmix64).
 * Every random decision of heddle comes from one of these, so that a seed
 * printed is a run repeated.
 */
#ifndef HD_COMMON_RNG_H
#define HD_COMMON_RNG_H

#include <stdint.h>

struct hd_rng {
	uint64_t s[4];
};

static inline uint64_t hd_splitmix64(uint64_t *x)
{
	uint64_t z = (*x += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static inline void hd_rng_seed(struct hd_rng *r, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		r->s[i] = hd_splitmix64(&seed);
}

static inline uint64_t hd_rng_next(struct hd_rng *r)
{
	uint64_t *s = r->s, x = s[1] * 5, t = s[1] << 17, out = ((x << 7) | (x >> 57)) * 9;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = (s[3] << 45) | (s[3] >> 19);
	return out;
}

/* Uniform in 0 .. n-1 for n >= 1 (multiply-shift; the bias is below n / 2^64). */
static inline uint64_t hd_rng_below(struct hd_rng *r, uint64_t n)
{
	return (uint64_t)(((unsigned __int128)hd_rng_next(r) * n) >> 64);
}

#endif
