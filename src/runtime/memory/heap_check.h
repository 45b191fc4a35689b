/*
 * The program's heap blocks, watched: red zones around them, and freed ones kept for a while.
 *
 * Every sixteen bytes of the address space have a shadow byte, so that an access is checked by one
 * look. A block lies between two red zones; the sixteen bytes before it hold the number of its
 * record, which is outside of the program's memory. A freed block is kept in a quarantine, first
 * in, first out, bounded in bytes and in blocks: what a run does follows from the schedule alone.
 *
 * Blocks that were given out while the runtime was not in charge (before its constructor, inside
 * the runtime, to kernel threads of libc) are plain: their first shadow byte only says that they
 * are blocks.
 */
#ifndef HD_RUNTIME_HEAP_CHECK_H
#define HD_RUNTIME_HEAP_CHECK_H

#include "runtime/rt.h"

/* Shadow bytes: how many of the sixteen may be touched (0: all; nothing is known), or why none. */
enum {
	HD_CELL_PLAIN = 16, /* the first ones of a plain block */
	HD_CELL_LEFT = -1,  /* red zone before a block */
	HD_CELL_RIGHT = -2, /* red zone after it */
	HD_CELL_FREED = -3,
};

#define HD_HEAP_SPAN (UINT64_C(1) << 47)

extern int8_t *hd_rt_heap_shadow; /* NULL: nothing is watched */
extern bool hd_rt_heap_on;	  /* new blocks get red zones, freed ones are kept */

static inline int hd_rt_heap_cell(uintptr_t a)
{
	return hd_rt_heap_shadow[(a & (HD_HEAP_SPAN - 1)) >> 4];
}

/* Does a block with red zones begin at @a? Words of tests in line know nothing of it when it is given out. */
static inline bool hd_rt_block_is_watched(uintptr_t a)
{
	return hd_rt_heap_on && hd_rt_heap_cell(a - 16) == HD_CELL_LEFT;
}

/* Is an access wrong that lies in one sixteen-byte cell? Only with HD_M_HEAP. */
static inline __attribute__((always_inline)) bool hd_rt_heap_bad(uintptr_t a, unsigned size)
{
	int cell = hd_rt_heap_cell(a);

	return unlikely(cell != 0) && (int)((a & 15) + size) > cell;
}

/* The first wrong byte of a range, or 0. */
uintptr_t hd_rt_heap_bad_in(uintptr_t a, size_t len);

static inline bool hd_rt_heap_bad_any(uintptr_t a, size_t len)
{
	if ((a & 15) + len <= 16)
		return hd_rt_heap_bad(a, (unsigned)len);
	return hd_rt_heap_bad_in(a, len) != 0;
}

/* Before the first allocation: libc serves the program's blocks, or not. */
void hd_rt_heap_prepare(bool libc_serves);
/* When the options are known. */
void hd_rt_heap_start(void);

/* What is known about a block. */
struct hd_block {
	uintptr_t addr;
	size_t size; /* what the program asked for */
	uintptr_t pc;
	uint32_t ctx, thread;
	uint32_t left; /* bytes before it that are its own */
	uint32_t kept; /* 1 + place in the quarantine; 0: it lives */
};

/* Where a block that is in quarantine was freed. */
struct hd_block_end {
	uintptr_t pc;
	uint32_t ctx, thread;
};

/* The block that a wrong access at @a is nearest to, or NULL. */
const struct hd_block *hd_rt_block_near(uintptr_t a);
/* The block around @a, or NULL. Slow: for reports. */
const struct hd_block *hd_rt_block_around(uintptr_t a);
const struct hd_block_end *hd_rt_block_end(const struct hd_block *b);

/*
 * Giving out: by the current fiber, at its pc. @align is 0 or a power of two; @plain: no red zones.
 * NULL: no memory, errno is set.
 */
void *hd_rt_block_take(size_t size, size_t align, bool zeroed, bool plain);

enum hd_block_kind { HD_BLOCK_NONE, HD_BLOCK_PLAIN, HD_BLOCK_LIVE, HD_BLOCK_FREED };
enum hd_block_kind hd_rt_block_kind(uintptr_t a);
/* How much of a plain or living block the program may use. */
size_t hd_rt_block_size(void *p);
/* Give back a plain or living block; @keep: by way of the quarantine. */
void hd_rt_block_give(void *p, bool keep);
/* realloc of a plain or living block, to more than nothing. */
void *hd_rt_block_resize(void *p, size_t size, bool keep);

/* ---- heap_error.c ------------------------------------------------------------ */

/* The current fiber makes an access at its pc that hd_rt_heap_bad() or the like is about. */
void hd_rt_heap_tell_access(uintptr_t a, size_t len, enum hd_op op);
/* The current fiber frees or reallocates what is no living block. */
void hd_rt_heap_tell_free(uintptr_t a, bool resize);

/* A read, a write or an atomic operation, about to happen. */
static inline void hd_rt_heap_look(uintptr_t a, size_t len, enum hd_op op)
{
	if ((hd_rt.mode & HD_M_HEAP) && unlikely(hd_rt_heap_bad_any(a, len)))
		hd_rt_heap_tell_access(a, len, op);
}

/* The same of a synchronisation object that the current fiber uses; others do not count. */
static inline void hd_rt_heap_look_at_object(enum hd_op op, uintptr_t addr)
{
	if (!(hd_rt.mode & HD_M_HEAP) || addr >= HD_HEAP_SPAN || !unlikely(hd_rt_heap_bad(addr, 1)))
		return;
	switch (op) {
	case HD_OP_ACQUIRE:
	case HD_OP_ACQUIRE_FAIL:
	case HD_OP_RELEASE:
	case HD_OP_LOCK_INIT:
	case HD_OP_LOCK_DESTROY:
	case HD_OP_WAIT:
	case HD_OP_NOTIFY:
	case HD_OP_NOTIFY_ALL:
	case HD_OP_BARRIER_ENTER:
	case HD_OP_SEM_WAIT:
	case HD_OP_SEM_POST:
		hd_rt_heap_tell_access(addr, 0, op);
		break;
	default:
		break;
	}
}

#endif
