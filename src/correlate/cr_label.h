/*
 * Labels: from which reads of memory a value comes, by data and by control.
 *
 * A source is a read of a word of memory at which a computational unit begins: a word that
 * threads share, or one whose value comes from nothing that is known. A label is a set of
 * sources. A unit is what the sources of one label and the writes that carry it have in
 * common; units that meet in a value merge by the union of their labels. Unlike a
 * union-find over units, sets keep the direction: a value is not said to depend on what
 * was made of its own sources afterwards.
 *
 * Labels are interned. They are collected between time slices, never while translated
 * code has some in its registers.
 */
#ifndef CR_LABEL_H
#define CR_LABEL_H

#include "cr_segment.h"

#define CR_SOURCES 8u /* of one label; what comes from more keeps these */

enum cr_source_flag {
	CR_SRC_CONSUMED = 1, /* the thread wrote the word in the same critical section */
	CR_SRC_SHARED = 2,   /* other threads had accessed it */
	CR_SRC_MARK = 4,
	CR_SRC_OWN = 8,	  /* the thread's own data, or constant */
	CR_SRC_WIDE = 32, /* stands for words next to it as well */
	CR_SRC_ADDS = 16, /* what was written from it first adds to what was there */
	CR_SRC_GREW = 64, /* CONSUMED, and what was written is made of it */
};

struct cr_source {
	Addr word;    /* the program's, four-byte aligned; 0: free */
	ULong epoch;  /* of the reader */
	ULong since;  /* cr_held_oldest() then */
	ULong at;     /* where it was read */
	UInt segment; /* thread, clock and locks of the reader */
	UInt ctx;
	UChar flags;
	UChar decided;	  /* words that the critical section had decided by before (cr_update.h) */
	UShort handed_by; /* slot of the thread of ... */
	cr_label
		origin; /* of the value, if nobody else has been there: it may be the thread's own */
	ULong handed; /* ... the write by others, under a common lock, that it read: its epoch; 0 */
	Addr hub;     /* the first shared word that was written from it; 0: none */
	Addr link;    /* the first word that was written from it under a lock; 0: none */
	ULong link_at; /* where */
	UInt link_segment, link_ctx;
	Addr decides_at; /* the first branch that it alone decided, 0: none so far; and the way that this went */
	UInt way;
	UInt value;   /* that was read, under a lock: its first four bytes */
	UInt section; /* where the first lock was taken that was held then: a context */
};

/*
 * In a label, beside CR_TAG and the number of its set: what its best source is worth (of how much
 * use it is to detection: 0 to 3), and, if it has CR_SOURCES, one more than what its worst is
 * worth. A full label is not changed by what is worth no more than its worst.
 */
#define CR_NUMBER     0x03ffffffu
#define CR_BEST_SHIFT 26u
#define CR_FULL_SHIFT 28u

static inline UInt cr_label_number(cr_label l)
{
	return l & CR_NUMBER;
}

/* Detection has no use for any of its sources: no locks, not shared. */
static inline Bool cr_label_idle(cr_label l)
{
	return !(l >> CR_BEST_SHIFT & 3);
}

/* Two of them, in a word: which bits tell that one is of use? */
#define CR_USED_LABELS (3ull << CR_BEST_SHIFT | 3ull << (CR_BEST_SHIFT + 32))

static inline Bool cr_label_swallows(cr_label full, cr_label l)
{
	return (full >> CR_FULL_SHIFT & 7) > (l >> CR_BEST_SHIFT & 3);
}

/* The union of two that are not 0, the lower one first. */
cr_label cr_label_unite(cr_label low, cr_label high);

static inline cr_label cr_label_union(cr_label a, cr_label b)
{
	cr_label low = a < b ? a : b, high = a < b ? b : a;

	if (!low || a == b)
		return high;
	if (cr_label_swallows(low, high))
		return low;
	if (cr_label_swallows(high, low))
		return high;
	return cr_label_unite(low, high);
}

/* The same, but if that is too many then all of @first stay. */
cr_label cr_label_prefer(cr_label first, cr_label rest);

/* A new source, as a label of its own. */
cr_label cr_label_source(Addr word, ULong at, UInt flags, ULong handed, UInt handed_by);

/* @l again, if it is a source in the 64 bytes at @line that others there may share; otherwise 0. */
cr_label cr_label_widen(cr_label l, Addr line);

struct cr_label_set {
	UInt at;      /* in the pool of ids; of a set of one its id; of a free one the next */
	UShort n;     /* 0: free */
	UShort again; /* enum cr_again */
};

/* Has a set one word more than once, read at different times? It is found out when it is asked for. */
enum cr_again { CR_AGAIN_UNKNOWN, CR_AGAIN_NO, CR_AGAIN_YES };

#define CR_SOURCE_BLOCK 4096u
extern struct cr_source **cr_source_blocks; /* of so many, which stay where they are */
extern struct cr_label_set *cr_label_sets;  /* by number */
extern UInt *cr_label_pool;

static inline struct cr_source *cr_source(UInt id)
{
	return &cr_source_blocks[id / CR_SOURCE_BLOCK][id % CR_SOURCE_BLOCK];
}

static inline const UInt *cr_label_ids(const struct cr_label_set *s)
{
	return s->n == 1 ? &s->at : &cr_label_pool[s->at];
}

static inline UInt cr_label_count(cr_label l)
{
	return l ? cr_label_sets[cr_label_number(l)].n : 0;
}

static inline struct cr_source *cr_label_get(cr_label l, UInt i)
{
	return cr_source(cr_label_ids(&cr_label_sets[cr_label_number(l)])[i]);
}

Bool cr_label_find_again(cr_label l);

static inline Bool cr_label_again(cr_label l)
{
	const struct cr_label_set *s = &cr_label_sets[cr_label_number(l)];

	return s->again == CR_AGAIN_UNKNOWN ? cr_label_find_again(l) : s->again == CR_AGAIN_YES;
}

/* Is it of what is the thread's own, or of no use? */
Bool cr_label_own(cr_label l);
Bool cr_label_has(cr_label l, const struct cr_source *s);
Bool cr_label_common(cr_label a, cr_label b);

/* Forget what no value carries any more, if that is worth the time. */
void cr_label_collect(void);

/* For it: @l is carried by something. */
extern UChar *cr_label_marks;

static inline void cr_label_mark(cr_label l)
{
	if (l)
		cr_label_marks[cr_label_number(l)] = 1;
}

/* Segments that sources refer to. */
void cr_label_segments(void (*mark)(UInt segment));

struct cr_label_stats {
	ULong sources, unions, collections;
	UInt live, most;
};

extern struct cr_label_stats cr_label_stats;

#endif
