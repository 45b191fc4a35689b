/*
 * The words of tests in line (inline_layout.h): where they are, what they look like, how they are set.
 */
#ifndef HD_RUNTIME_INLINE_WORDS_H
#define HD_RUNTIME_INLINE_WORDS_H

#include <stdbool.h>

#include "inline_vars.h"

#define HD_INLINE_NUMBERS (UINT32_C(1) << (32 - HD_INLINE_TIME_SHIFT))

/*
 * Can a part of a word with this number be taken for a word, by an access at an odd address? Then
 * its lowest byte has the bits of a whole access.
 */
static inline bool hd_inline_misleads(uint32_t n)
{
	const uint32_t mask = 0x1f, whole = HD_INLINE_TOUCHED;

	n <<= HD_INLINE_TIME_SHIFT;
	return (n >> 8 & mask) == whole || ((n >> 8 | 1) & mask) == whole ||
	       (n >> 16 & mask) == whole || (n >> 24 & mask) == whole;
}

/* What the words of a time with this number look like, twice. */
static inline uint64_t hd_inline_tags(uint32_t number)
{
	uint64_t tag =
		(uint64_t)number << HD_INLINE_TIME_SHIFT | HD_INLINE_TOUCHED | HD_INLINE_WRITTEN;

	return tag << 32 | tag;
}

/* As in abi_access.c: Linux does not give a program two places with these bits equal. */
#define HD_INLINE_WINDOW ((UINT64_C(1) << 44) - 1)

extern unsigned char *hd_rt_inline_words __attribute__((visibility("hidden"))); /* NULL: none */

static inline uint32_t *hd_inline_word_of(unsigned char *words, uintptr_t a)
{
	return (uint32_t *)(words + (a & HD_INLINE_WINDOW & ~UINT64_C(3)));
}

static inline uint32_t *hd_rt_inline_word(uintptr_t a)
{
	return hd_inline_word_of(hd_rt_inline_words, a);
}

/* Whoever runs, and whose words are @words, has made this access, which is aligned. */
static inline __attribute__((always_inline)) void
hd_inline_put(unsigned char *words, uintptr_t addr, unsigned size, bool write)
{
	uint32_t tag = (uint32_t)heddle_inline1_tags, *w = hd_inline_word_of(words, addr), bits;

	bits = (size < 4 ? (1u << size) - 1 : HD_INLINE_TOUCHED) << (addr & 3);
	bits |= write ? bits << HD_INLINE_WRITTEN_SHIFT : 0;
	w[0] = ((w[0] ^ tag) & HD_INLINE_TIME ? tag & HD_INLINE_TIME : w[0]) | bits;
	if (size == 8)
		w[1] = ((w[1] ^ tag) & HD_INLINE_TIME ? tag & HD_INLINE_TIME : w[1]) | bits;
}

static inline __attribute__((always_inline)) void hd_rt_inline_put(uintptr_t addr, unsigned size,
								   bool write)
{
	hd_inline_put(hd_rt_inline_words, addr, size, write);
}

/* The same of any bytes. */
static inline void hd_rt_inline_put_bytes(uintptr_t addr, unsigned len, bool write)
{
	uint32_t time = (uint32_t)heddle_inline1_tags & HD_INLINE_TIME;
	uintptr_t end = addr + len;

	for (uintptr_t at = addr & ~(uintptr_t)3; at < end; at += 4) {
		uint32_t *w = hd_rt_inline_word(at), bits = HD_INLINE_TOUCHED;

		bits &= at < addr ? HD_INLINE_TOUCHED << (addr - at) : bits;
		bits &= end - at < 4 ? HD_INLINE_TOUCHED >> (4 - (end - at)) : bits;
		bits |= write ? bits << HD_INLINE_WRITTEN_SHIFT : 0;
		*w = ((*w ^ time) & HD_INLINE_TIME ? time : *w) | bits;
	}
}

#endif
