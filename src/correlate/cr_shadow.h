/*
 * Shadow memory: for every eight bytes (a granule) of the program's memory that was accessed,
 * who accessed it last, the labels of its two words, and the history that detection keeps.
 *
 * Two levels: a table of chunks, and chunks that are made when first needed. Where there is
 * none the table has one of zeros, so that translated code need not ask.
 */
#ifndef CR_SHADOW_H
#define CR_SHADOW_H

#include "cr.h"

#define CR_CHUNK_BITS 18u
#define CR_CHUNKS (CR_TOP >> CR_CHUNK_BITS)
#define CR_GRANULES (1u << (CR_CHUNK_BITS - 3))

/*
 * Who accessed the granule last, as a tag: number of the epoch (a stretch of a thread's run
 * between two operations that matter for detection) and the thread's slot, then bytes read
 * and bytes written in it. Translated code compares it with the running thread's own and
 * calls a helper only if this access is the epoch's first of its kind there.
 */
#define CR_TAG_SLOT_SHIFT 16u
#define CR_TAG_NUMBER_SHIFT 26u

struct cr_cell {
	ULong tag;
	cr_label label[2];
};

#define CR_BEYOND 3u /* cells past the end that stay 0: translated code looks at four at a time */

struct cr_chunk {
	struct cr_cell cell[CR_GRANULES + CR_BEYOND];
	UInt history[CR_GRANULES]; /* number of a record (cr_race.h), 0: none */
	UChar flags[CR_GRANULES];
};

/* Flags: elsewhere there is something about the granule, which ends with its life. */
enum cr_granule_flag {
	CR_HAS_SET = 1,   /* a word of it is in a correlated set */
	CR_HAS_ORDER = 2, /* an object that orders threads */
	CR_HAS_GAP = 4,   /* a unit over several critical sections uses it (cr_gap.h) */
	CR_HAS_REGION = 16, /* the paper's algorithm knows it (cr_region.h) */
	CR_HAS_PAIR = 8,  /* it was used together with another (cr_update.h) */
};

extern struct cr_chunk *cr_chunks[CR_CHUNKS];
extern struct cr_chunk cr_no_chunk;

void cr_shadow_init(void);

/* The chunk of @a, made if there is none. */
struct cr_chunk *cr_chunk_make(Addr a);

static inline UInt cr_granule(Addr a)
{
	return (UInt)(a >> 3) & (CR_GRANULES - 1);
}

static inline struct cr_chunk *cr_chunk_of(Addr a)
{
	struct cr_chunk *c = cr_chunks[a >> CR_CHUNK_BITS];

	return c != &cr_no_chunk ? c : cr_chunk_make(a);
}

/* NULL where nothing was accessed. */
static inline struct cr_chunk *cr_chunk_find(Addr a)
{
	struct cr_chunk *c = a < CR_TOP ? cr_chunks[a >> CR_CHUNK_BITS] : &cr_no_chunk;

	return c != &cr_no_chunk ? c : NULL;
}

/* The memory has a new life: forget everything about it. */
void cr_shadow_forget(Addr a, SizeT len);

/* Values there are not the program's doing any more: forget their labels. */
void cr_shadow_unlabel(Addr a, SizeT len);

#endif
