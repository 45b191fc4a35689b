/*
 * Locations that a test for races is enough for, so far: a front of the analysis of tasks that
 * several threads may use at once.
 *
 * Where all accesses are plain and made without locks, a torn step needs two accesses that race: if
 * there is no race at a location, no step is torn there. As long as that holds a location is
 * *thin*: a few steps that accessed it, each with the number of all that it did there (struct
 * hd_thin_did: equal doings have equal numbers, and there are few of them). When it turns out
 * to be more (a race, a lock, an atomic operation, other bytes of the same word) all of this goes
 * into the sets of the analysis, and the location is *fat* from then on: the analysis, under its
 * lock, takes all further accesses.
 *
 * Steps that still run are all kept, as what they do next depends on what they did. Of
 * others those that the rule of task_cells.h keeps, for each kind of doing, when there is no
 * room. Where room lacks even so the location becomes fat.
 *
 * Threads: each cell has a lock of its own; a step is changed by the thread that runs it only.
 * The tree is only read (hd_dpst_reserve()); each thread has its own memory of answers, a
 * struct hd_thin_lane.
 */
#ifndef HD_ANALYSIS_TASK_THIN_H
#define HD_ANALYSIS_TASK_THIN_H

#include "analysis/intern.h"
#include "dpst.h"

/* What a step can have done to a location. */
enum {
	HD_THIN_READ = 1,
	HD_THIN_WROTE = 2,
	HD_THIN_PAIR = 4,    /* two accesses */
	HD_THIN_STALE = 8,   /* a read, then a write */
	HD_THIN_WRITES = 16, /* two writes */
	HD_THIN_KINDS = 31,
	HD_THIN_LAST_READ = 32, /* its last access was a read */
};

/* The same with the sites of the accesses. */
struct hd_thin_did {
	uint32_t flags;
	uint32_t read, wrote, last; /* first read, last write, last access */
	uint32_t pair[2], stale[2], writes[2];
};

/*
 * An entry: a step (28 bits) and what it did: 1 bit each if another read and another write change
 * nothing any more, its HD_THIN_KINDS, its number. The upper half alone is a *doing*; 0: none.
 */
#define HD_THIN_STEP	   0x0fffffffull
#define HD_THIN_DONE_READ  2u /* of a doing */
#define HD_THIN_DONE_WRITE 4u
#define HD_THIN_KIND_AT	   3
#define HD_THIN_DID_AT	   8
#define HD_THIN_DIDS	   (1ul << 24)

/*
 * For four bytes; or for eight, in the first of two. The first entry also has the shape of the cell
 * and its lock; the last one may stand for more entries elsewhere.
 */
#define HD_THIN_INLINE 4
struct hd_thin_cell {
	uint64_t entries[HD_THIN_INLINE];
};

/* With those of the cell itself they have a bit each in a word. Beyond, a location is fat. */
#define HD_THIN_MORE 28
struct hd_thin_more {
	uint64_t entries[HD_THIN_MORE];
};

/* Of a word whose bytes were accessed in different ways; a byte's cell has shape 1 or, if it never was, 0. */
struct hd_thin_bytes {
	struct hd_thin_cell cells[4];
};

/* Shapes: 0: never accessed; which bytes of the four: 1 .. 4 one, 5 and 6 two, or all; ... */
#define HD_THIN_WORD  7u
#define HD_THIN_LONG  8u /* the cell of eight bytes, and the one after it */
#define HD_THIN_TAIL  9u
#define HD_THIN_FAT   10u
#define HD_THIN_APART 11u /* of a line: each of its cells has a history of its own */
#define HD_THIN_BYTES                                                                              \
	12u /* its bytes have cells of their own (hd_thin_bytes): the second entry is their number */

#define HD_THIN_LEAF  20 /* log of the bytes under one leaf */
#define HD_THIN_CELLS (1u << (HD_THIN_LEAF - 2))

/* A line whose words (or pairs of them) have one history is one cell, until somebody comes to a part of it. */
#define HD_THIN_LINE_LOG 6
#define HD_THIN_LINE	 (1u << HD_THIN_LINE_LOG)
#define HD_THIN_LINES	 (1u << (HD_THIN_LEAF - HD_THIN_LINE_LOG))

#define HD_THIN_PAGE 12 /* log of the bytes of a page */
#define HD_THIN_PART 9	/* of the part of one that a bit stands for */

struct hd_thin_leaf {
	struct hd_thin_cell cells[HD_THIN_CELLS];
	struct hd_thin_cell lines[HD_THIN_LINES];
	struct hd_thin_leaf *next;
	uint8_t used[1u << (HD_THIN_LEAF -
			    HD_THIN_PAGE)]; /* by page: its parts with locations, as bits */
};

/* An access by its place in the code: where, how many bytes, how far from a multiple of eight. */
struct hd_thin_place {
	uint64_t pc_shape; /* pc; << 56: size (or HD_THIN_ELEMENT4, 8) * 16 + offset * 2 + write */
	uint32_t ctx;
};

static inline struct hd_thin_place hd_thin_place(uint64_t pc, uint32_t ctx, uint64_t addr,
						 unsigned size, bool write)
{
	return (struct hd_thin_place){ pc | (size << 4 | (addr & 7) << 1 | write) << 56, ctx };
}

/*
 * In the place of a size, for accesses to whole lines: four bytes, wherever the location is; or eight.
 * They are places of their own: a line goes from one state to the next as a cell of eight bytes does not.
 */
#define HD_THIN_ELEMENT4 9u
#define HD_THIN_ELEMENT8 10u

static inline unsigned hd_thin_size(const struct hd_thin_place *p)
{
	return (unsigned)(p->pc_shape >> 60);
}

static inline bool hd_thin_writes(const struct hd_thin_place *p)
{
	return p->pc_shape >> 56 & 1;
}

/* What has been done after a @doing and an access; 0: out of memory. Asked for once by each lane. */
typedef uint32_t hd_thin_learn_fn(void *arg, uint32_t doing, const struct hd_thin_place *place);

/* Must @a be over before @b, by what the tree does not say? */
typedef bool hd_thin_beside_fn(void *arg, hd_dpst_id a, hd_dpst_id b);

struct hd_thin {
	struct hd_thin_cell **leaves; /* by address >> HD_THIN_LEAF */
	struct hd_thin_more *mores;   /* reserved; number 0 is unused */
	uint32_t nmores, spare;	      /* spare: the first that is not used any more; 0: none */
	struct hd_thin_bytes
		*bytes; /* the same; the first of those that are not used any more in spare_bytes */
	uint32_t nbytes, spare_bytes;
	uint32_t mores_lock;	  /* of both */
	struct hd_thin_did *dids; /* reserved, by number */
	struct hd_intern known;	  /* their numbers */
	uint8_t *over;		  /* by step: it has ended */
	const struct hd_dpst *tree;
	hd_thin_learn_fn *learn;
	hd_thin_beside_fn *beside; /* NULL: all is in the tree */
	void *arg;		   /* of both */
	struct hd_thin_leaf *made; /* all leaves */
};

#define HD_THIN_ANSWERS	   1024u
#define HD_THIN_LEARNT_LOG 12
#define HD_THIN_MOVES_LOG  9

struct hd_thin_learnt {
	struct hd_thin_place place;
	uint32_t before, after;
};

/* What an access by @step made of a cell: the same once more if that is as it was. */
struct hd_thin_move {
	struct hd_thin_place place;
	hd_dpst_id step;
	bool front;   /* of the first entry only, which is the step's */
	uint8_t made; /* new locations */
	bool own;
	uint32_t era;  /* of the lane */
	uint32_t done; /* after it: HD_THIN_DONE_* */
	struct hd_thin_cell from, to;
};

/* Of one thread. */
struct hd_thin_lane {
	struct hd_dpst_answer answers[HD_THIN_ANSWERS];
	struct hd_thin_learnt learnt[1 << HD_THIN_LEARNT_LOG];
	struct hd_thin_move moves[1 << HD_THIN_MOVES_LOG];
	uint64_t locations, cells, queries, walks;
	bool own; /* what is accessed now is a task's own: dpst.h */
	bool keep; /* there is order beside the tree: nobody stands for others that are parallel to it */
	uint32_t era;  /* how often it was told to forget */
	uint32_t done; /* after the last access: HD_THIN_DONE_*, of all its bytes */
};

/* A finish has become a scope: what was known of the tree is void. */
void hd_thin_lane_forget(struct hd_thin_lane *l);

bool hd_thin_init(struct hd_thin *t, const struct hd_dpst *tree); /* false: no address space */
void hd_thin_free(struct hd_thin *t);

/* The cell of an address that programs may have; NULL: none yet. */
static inline struct hd_thin_cell *hd_thin_find(const struct hd_thin *t, uint64_t addr)
{
	struct hd_thin_cell *leaf =
		__atomic_load_n(&t->leaves[addr >> HD_THIN_LEAF & 0x7ffffff], __ATOMIC_ACQUIRE);

	return leaf ? leaf + (addr >> 2 & (HD_THIN_CELLS - 1)) : NULL;
}

static inline uint32_t hd_thin_shape(uint64_t addr, unsigned size)
{
	return size == 8   ? HD_THIN_LONG
	       : size == 4 ? HD_THIN_WORD
	       : size == 2 ? 5 + (addr >> 1 & 1)
			   : 1 + (addr & 3);
}

/* Of an entry: has @step done so much that another access changes nothing? */
static inline bool hd_thin_done(uint64_t entry, hd_dpst_id step, bool write)
{
	return (entry & HD_THIN_STEP) == step &&
	       (entry >> 32 & (write ? HD_THIN_DONE_WRITE : HD_THIN_DONE_READ));
}

/* Has @step, which is where most look first, done so much that another access changes nothing? */
static inline bool hd_thin_seen(const struct hd_thin *t, hd_dpst_id step, uint64_t addr,
				unsigned size, bool write)
{
	const struct hd_thin_cell *c = hd_thin_find(t, addr);
	uint64_t entry;

	if (__builtin_expect(!c, 0))
		return false;
	entry = __atomic_load_n(&c->entries[0], __ATOMIC_RELAXED);
	return (uint32_t)entry == (step | hd_thin_shape(addr, size) << 28) &&
	       (entry >> 32 & (write ? HD_THIN_DONE_WRITE : HD_THIN_DONE_READ));
}

/* The same where other steps that run are in front. */
static inline bool hd_thin_seen_behind(const struct hd_thin *t, hd_dpst_id step, uint64_t addr,
				       unsigned size, bool write)
{
	const struct hd_thin_cell *c = hd_thin_find(t, addr);
	bool done = false;

	if (!c)
		return false;
	for (int i = 1; i < HD_THIN_INLINE - 1; i++)
		done |= hd_thin_done(__atomic_load_n(&c->entries[i], __ATOMIC_RELAXED), step,
				     write);
	return done && (uint32_t)__atomic_load_n(&c->entries[0], __ATOMIC_RELAXED) >> 28 ==
			       hd_thin_shape(addr, size);
}

/* The same of words whose bytes have cells of their own. */
bool hd_thin_seen_bytes(const struct hd_thin *t, hd_dpst_id step, uint64_t addr, unsigned size,
			bool write);

/*
 * A plain access without locks, of 1, 2, 4 or 8 bytes that lie in as many aligned ones. False: its
 * location is not thin, or must not be any more: hd_thin_take() the cells, then tell the
 * analysis.
 */
bool hd_thin_access(struct hd_thin *t, struct hd_thin_lane *l, hd_dpst_id step, uint64_t addr,
		    const struct hd_thin_place *place);

/*
 * Accesses side by side, of @size bytes each (4 or 8), to all of a line at @addr, which is a multiple of
 * HD_THIN_LINE. False: nothing was done; they are to be made one by one.
 */
bool hd_thin_access_line(struct hd_thin *t, struct hd_thin_lane *l, hd_dpst_id step, uint64_t addr,
			 unsigned size, bool write, uint64_t pc, uint32_t ctx);

/* For hd_thin_learn_fn: by one thread at a time. */
uint32_t hd_thin_after(struct hd_thin *t, uint32_t doing, uint32_t site, bool write);

/*
 * @fn for what is known of each thin location in these bytes: @n entries, those of steps that began
 * earlier first. All of them are fat afterwards. The caller keeps others from the analysis meanwhile.
 */
typedef void hd_thin_fn(void *arg, uint64_t addr, unsigned size, const uint64_t *entries, size_t n);
bool hd_thin_take(struct hd_thin *t, uint64_t addr, uint64_t len, hd_thin_fn *fn, void *arg);

static inline const struct hd_thin_did *hd_thin_did(const struct hd_thin *t, uint64_t entry)
{
	return &t->dids[entry >> (32 + HD_THIN_DID_AT)];
}

/* The memory was given out or back. */
void hd_thin_forget(struct hd_thin *t, uint64_t addr, uint64_t len);

#endif
