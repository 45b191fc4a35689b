/*
 * What instrumented code and the runtime agree on: the words of the inline shadow.
 *
 * Every four bytes of the program have a word of four bytes. It says what the thread that touched
 * them last has done there, at a time of its own: since it last gave others something to go by.
 *
 *   bits 0-3   bytes that it has read or written
 *   bit  4     0, so that a short access across the end of the four bytes never matches
 *   bits 5-8   bytes that it has written
 *   bits 9-31  the thread and its time, by a number that is given anew for each (HD_INLINE_TIME)
 *
 * The word of an address is at base + (address & window). An access of four or eight bytes that should be
 * aligned and is not looks at parts of words; numbers are chosen so that these never match.
 *
 * Read by the compiler plugin, too: no more than numbers, and names with their version.
 */
#ifndef HD_RUNTIME_INLINE_LAYOUT_H
#define HD_RUNTIME_INLINE_LAYOUT_H

#define HD_INLINE_TOUCHED	0x0000000fu
#define HD_INLINE_WRITTEN_SHIFT 5
#define HD_INLINE_WRITTEN	(HD_INLINE_TOUCHED << HD_INLINE_WRITTEN_SHIFT)
#define HD_INLINE_TIME_SHIFT	9
#define HD_INLINE_TIME		0xfffffe00u

/*
 * What may be at an odd address has some bytes of its first word and of its last one. A table says which of
 * their bits matter, those of the last word in the upper half: in four rows, of two bytes or of a multiple of four,
 * read or written, by the two lowest bits of the address. With none of its bytes, a word does not matter.
 */
#define HD_INLINE_CARE_ROW(short_one, write) ((short_one)*8u + (write)*4u)
#define HD_INLINE_CARES			     16u

/*
 * A call on the shadow call stack, which grows downwards (struct hd_call): the stack pointer in the
 * function, where it returns to, its frame pointer or 0, and a word that is 0.
 */
#define HD_INLINE_CALL_SIZE 32
#define HD_INLINE_CALL_SP   0
#define HD_INLINE_CALL_PC   8
#define HD_INLINE_CALL_FP   16
#define HD_INLINE_CALL_REST 24

#define HD_INLINE_NAME(what) "heddle_inline1_" what

#endif
