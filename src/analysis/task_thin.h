/*
 * Locations that a test for races is enough for, so far: a front of the analysis of tasks that
 * several threads may use at once.
 *
 * Where all accesses are plain and made without locks, a torn step needs two accesses that race: if
 * there is no race at a location, no step is torn there. So as long as that holds a location is
 * *thin*: the last step that wrote (those before it came before it, or there would have been a
 * race), two that read, and for the day on which it turns out to be more, two that accessed
 * it twice and the last ones that wrote what they had read, or wrote twice. The rule for sets of
 * two is that of task_cells.h. On that day (a race, a lock, an atomic operation, other bytes of
 * the same word) all of this goes into the sets of the analysis, and the location is *fat* from
 * then on: the analysis, under its lock, takes all further accesses.
 *
 * Also fat become locations of which more than two steps that still run must be known.
 *
 * Threads: each cell has a lock of its own. The tree is only read (hd_dpst_reserve()); each
 * thread has its own memory of answers, a struct hd_thin_lane.
 */
#ifndef HD_ANALYSIS_TASK_THIN_H
#define HD_ANALYSIS_TASK_THIN_H

#include "dpst.h"

enum {
	HD_THIN_READ = 1,
	HD_THIN_WROTE = 2,
	HD_THIN_PAIR = 4,	/* two accesses */
	HD_THIN_STALE = 8,	/* a read, then a write */
	HD_THIN_WRITES = 16,	/* two writes */
	HD_THIN_LAST_READ = 32, /* its last access was a read */
};

struct hd_thin_one {
	hd_dpst_id step;
	uint32_t site;
};

struct hd_thin_two {
	hd_dpst_id step;
	uint32_t first, second;
};

/* For four bytes; or for eight, in the first of two. */
struct hd_thin_cell {
	hd_dpst_id doer; /* the step of the last access ... */
	uint8_t flags;	 /* ... and what it did here */
	uint8_t shape;	 /* 0: never accessed */
	uint8_t busy;
	uint8_t has_more;
	struct hd_thin_one wrote, read[2];
	struct hd_thin_two pair[2];
	uint32_t last; /* site of the last access */
	uint32_t more; /* its number */
};

struct hd_thin_more {
	struct hd_thin_two stale, writes;
};

/* Which bytes of the four: offset * 8 + length; the cell of eight bytes, and the one after it. */
#define HD_THIN_WORD  4u
#define HD_THIN_LONG  64u
#define HD_THIN_TAIL  65u
#define HD_THIN_FAT   66u

#define HD_THIN_LEAF  20 /* log of the bytes under one leaf */
#define HD_THIN_CELLS (1u << (HD_THIN_LEAF - 2))

struct hd_thin_leaf {
	struct hd_thin_cell cells[HD_THIN_CELLS];
	struct hd_thin_leaf *next;
};

struct hd_thin {
	struct hd_thin_cell **leaves; /* by address >> HD_THIN_LEAF */
	struct hd_thin_more *mores;   /* reserved; number 0 is unused */
	uint32_t nmores;
	uint8_t *over; /* by step: it has ended */
	const struct hd_dpst *tree;
	struct hd_thin_leaf *made; /* all leaves */
};

#define HD_THIN_ANSWERS 1024u

/* Of one thread. */
struct hd_thin_lane {
	struct hd_dpst_answer answers[HD_THIN_ANSWERS];
	uint64_t locations, queries, walks;
};

bool hd_thin_init(struct hd_thin *t, const struct hd_dpst *tree); /* false: no address space */
void hd_thin_free(struct hd_thin *t);

/* The cell of an address that programs may have; NULL: none yet. */
static inline struct hd_thin_cell *hd_thin_find(const struct hd_thin *t, uint64_t addr)
{
	struct hd_thin_cell *leaf = __atomic_load_n(&t->leaves[addr >> HD_THIN_LEAF & 0x7ffffff],
						    __ATOMIC_ACQUIRE);

	return leaf ? leaf + (addr >> 2 & (HD_THIN_CELLS - 1)) : NULL;
}

/* Has @step done so much to these bytes that another access changes nothing? */
static inline bool hd_thin_seen(const struct hd_thin *t, hd_dpst_id step, uint64_t addr,
				unsigned size, bool write)
{
	const struct hd_thin_cell *c = hd_thin_find(t, addr);
	unsigned shape = size == 8 ? HD_THIN_LONG : (unsigned)(addr & 3) * 8 + size;
	uint64_t word;

	if (!c)
		return false;
	word = __atomic_load_n((const uint64_t *)c, __ATOMIC_RELAXED);
	if ((uint32_t)word != step || (word >> 40 & 0xff) != shape)
		return false;
	word >>= 32;
	if (write)
		return (word & (HD_THIN_WROTE | HD_THIN_PAIR | HD_THIN_WRITES)) ==
			       (HD_THIN_WROTE | HD_THIN_PAIR | HD_THIN_WRITES) &&
		       (word & (HD_THIN_LAST_READ | HD_THIN_STALE)) != HD_THIN_LAST_READ;
	return (word & (HD_THIN_READ | HD_THIN_PAIR)) == (HD_THIN_READ | HD_THIN_PAIR) &&
	       (word & (HD_THIN_LAST_READ | HD_THIN_STALE));
}

/*
 * A plain access without locks, of 1, 2, 4 or 8 bytes that lie in as many aligned ones. False: its
 * location is not thin, or must not be any more: hd_thin_take() the cells, then tell the
 * analysis.
 */
bool hd_thin_access(struct hd_thin *t, struct hd_thin_lane *l, hd_dpst_id step, uint64_t addr,
		    unsigned size, bool write, uint32_t site);

/*
 * @fn for what is known of each thin location in these bytes; all of them are fat afterwards. The
 * caller keeps others from the analysis meanwhile.
 */
typedef void hd_thin_fn(void *arg, uint64_t addr, unsigned size, const struct hd_thin_cell *cell,
			const struct hd_thin_more *more);
bool hd_thin_take(struct hd_thin *t, uint64_t addr, uint64_t len, hd_thin_fn *fn, void *arg);

/* The memory was given out or back. */
void hd_thin_forget(struct hd_thin *t, uint64_t addr, uint64_t len);

#endif
