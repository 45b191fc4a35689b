/*
 * What is remembered about the last accesses to every eight or four bytes of memory.
 *
 * A *tag* is an access in 64 bits:
 *
 *   bits 32-63 the time of its thread      } the epoch
 *   bits 12-31 the thread's slot (see hb.h) }
 *   bits 6-7   HD_TAG_PART: of which half of eight bytes, or 0, of both; only on pages that are not divided
 *   bit  5     HD_TAG_FREED: it gave the memory back, so that no later access has been seen before
 *   bit  4     HD_TAG_WIDE: of an aligned access of eight bytes, whose other half is the odd cell;
 *              only on pages that are divided
 *   bits 0-3   which of the four bytes
 *
 * 2^32 times: a thread that synchronises every 100 ns reaches it after seven minutes of nothing
 * else; the detector then stops, with a reason. 2^20 slots: threads alive at once.
 *
 * Memory comes in pages of 4 KiB. A page on which a single access left its mark everywhere
 * (memset, memcpy) is kept as one cell until somebody looks at a part of it, so a long range
 * costs nothing per byte, nor does it need the page's cells. A cell is of eight bytes, which have the same history, or of one half of them
 * while nobody touches the other. Where somebody does, or accesses less than four bytes, the page is
 * *divided*, into cells of four.
 *
 * Most memory is touched by one thread or two, each at one of its times. A page like that is *narrow*: its
 * cells are of eight bytes instead of 32, with the sites alone, and the page has the few times and locks that
 * they are of. It can be divided, too, but for accesses of less than four bytes. Nothing is lost, and where a narrow
 * cell cannot say what happened, the page gets full ones.
 */
#ifndef HD_ANALYSIS_RACE_SHADOW_H
#define HD_ANALYSIS_RACE_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HD_TAG_BYTES 0xfull
#define HD_TAG_WIDE  0x10ull
#define HD_TAG_FREED 0x20ull
#define HD_TAG_HALF  0x40ull
#define HD_TAG_UPPER 0x80ull /* with HD_TAG_HALF: the last four, not the first */
#define HD_TAG_PART  (HD_TAG_HALF | HD_TAG_UPPER)
#define HD_TAG_EPOCH (~0xfffull)

static inline uint32_t hd_race_slot(uint64_t tag)
{
	return (uint32_t)(tag >> 12 & 0xfffff);
}

#define HD_PAGE_LOG   12u
#define HD_PAGE_CELLS 512u /* of eight bytes */

/* The tags, which the fast path looks at. 0: no access. */
struct hd_cell {
	uint64_t write, read;
};

/* The rest, which only the slow path touches. */
struct hd_cell_more {
	uint32_t write_site, read_site; /* numbers of sites; see race_impl.h */
	uint32_t lockset;		/* state (3 bits) and candidate locks */
	uint32_t extra;			/* more readers, bytes apart, atomics: see race_impl.h */
};

struct hd_shadow_cell { /* together, so that one look at memory brings both */
	struct hd_cell tags;
	struct hd_cell_more more;
};

/*
 * An access in 32 bits; 0: none. It was ordered after those before it, by more than locks. Or there are two reads,
 * by different threads under the same locks, which nothing orders; then all threads know what was written before.
 *
 *   bits 5-31  number of its site
 *   bit  4     of a write: as HD_TAG_FREED; of a read: there are two, and the earlier one is where a write would be
 *   bits 2-3   as HD_TAG_PART; if the page is divided, bit 2 is as HD_TAG_WIDE
 *   bits 0-1   which of the page's times
 */
struct hd_narrow_cell {
	uint32_t write, read; /* a write leaves no read */
};

#define HD_NARROW_OWNER	     3u
#define HD_NARROW_HALF	     4u
#define HD_NARROW_UPPER	     8u
#define HD_NARROW_PART	     (HD_NARROW_HALF | HD_NARROW_UPPER)
#define HD_NARROW_WIDE	     4u
#define HD_NARROW_BOTH	     16u
#define HD_NARROW_SITE_SHIFT 5u
#define HD_NARROW_SITES	     (1u << (32 - HD_NARROW_SITE_SHIFT))

struct hd_shadow_narrow {
	struct hd_narrow_owner {
		uint64_t epoch; /* 0: not used yet */
		uint32_t locks, exclusive;
	} owners[HD_NARROW_OWNER + 1];
	struct hd_narrow_cell cells[HD_PAGE_CELLS];
};

struct hd_shadow_page {
	struct hd_shadow_cell
		*cells; /* HD_PAGE_CELLS; if divided: of the first four of eight bytes */
	union {		/* if divided, else NULL: of the last four of them */
		struct hd_shadow_cell *odd;
		struct hd_shadow_narrow *narrow_odd; /* if @narrow; its owners are that one's */
	};
	struct hd_shadow_cell all;	 /* while @uniform: stands for every cell */
	struct hd_shadow_narrow *narrow; /* then it counts as uniform, but @all says nothing */
	bool uniform;			 /* then @cells are blank, not to be written to */
	uint16_t
		swept; /* if @narrow: cells that loops went over since its times were last looked through */
} __attribute__((aligned(64)));

/* Where things of one size come from. */
struct hd_shadow_pool {
	char *room; /* address space for them; NULL: they come in slabs */
	char *next;
	uint64_t left; /* bytes in @room */
	struct hd_shadow_slab *slabs;
};

struct hd_shadow {
	struct hd_shadow_page **direct; /* by page number; NULL: not to be had */
	struct hd_shadow_page **hashed; /* open addressing */
	uint64_t *hashed_keys;
	uint32_t cap, used; /* used: pages there are */
	struct hd_shadow_pool pages, cells, narrow;
	struct hd_shadow_cell *unused; /* cells that are blank but for where the next ones are */
	struct hd_shadow_narrow *unused_narrow; /* likewise */
	uint64_t last_number;
	struct hd_shadow_page *last;
};

#define HD_DIRECT_PAGES (UINT64_C(1) << (47 - HD_PAGE_LOG))

/* @direct: reserve address space for a table of all pages, which makes looking up one load. */
bool hd_shadow_init(struct hd_shadow *s, bool direct);
void hd_shadow_free(struct hd_shadow *s);

/* The page of @addr; NULL: nothing is known of it. _get makes one; NULL: out of memory. */
struct hd_shadow_page *hd_shadow_find(struct hd_shadow *s, uint64_t addr);
struct hd_shadow_page *hd_shadow_get(struct hd_shadow *s, uint64_t addr);

static inline bool hd_shadow_is_blank(const struct hd_shadow_cell *c)
{
	return !(c->tags.write | c->tags.read | c->more.lockset | c->more.extra);
}

/* A page of which nothing is known becomes a narrow one. False: out of memory. */
bool hd_shadow_make_narrow(struct hd_shadow *s, struct hd_shadow_page *p);

/* A narrow page has cells of four bytes from now on. False: out of memory. */
bool hd_shadow_divide_narrow(struct hd_shadow *s, struct hd_shadow_page *p);

/* Give every cell of a uniform or narrow page its own copy. False: out of memory. */
bool hd_shadow_spread(struct hd_shadow *s, struct hd_shadow_page *p);

/* All cells of a page are blank: it is as good as new. */
void hd_shadow_renew(struct hd_shadow *s, struct hd_shadow_page *p);

/*
 * The cell of @addr, on a page that is not uniform. If the page is not divided it stands for all
 * eight bytes.
 */
static inline struct hd_shadow_cell *hd_shadow_cell_at(struct hd_shadow_page *p, uint64_t addr)
{
	struct hd_shadow_cell *cells = (addr & 4) && p->odd ? p->odd : p->cells;

	return &cells[addr >> 3 & (HD_PAGE_CELLS - 1)];
}

static inline struct hd_narrow_cell *hd_shadow_narrow_at(const struct hd_shadow_page *p,
							 uint64_t addr)
{
	struct hd_shadow_narrow *n = (addr & 4) && p->narrow_odd ? p->narrow_odd : p->narrow;

	return &n->cells[addr >> 3 & (HD_PAGE_CELLS - 1)];
}

/* Blank cells for a page; NULL: out of memory. */
struct hd_shadow_cell *hd_shadow_new_cells(struct hd_shadow *s);

#endif
