#include "heap_check.h"

#include <errno.h>
#include <malloc.h>

#include "arena.h"
#include "runtime/abi/inline_check.h"
#include "runtime/real.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t align, size_t size);
void __libc_free(void *p);

int8_t *hd_rt_heap_shadow;
bool hd_rt_heap_on;

#define CELL 16u

/*
 * A block's own bytes: left red zone (CELL, or the alignment), block, rest of its last cell, RIGHT.
 * The eight bytes after these are libc's: they complete the red zone. The left one of the next block
 * follows. Where half of the last cell is the block's at most, the other half is red zone enough, and
 * libc's eight bytes are in it: what is small and often allocated has 24 bytes or 40.
 */
#define RIGHT 8u

/* Alignments above have no red zones: the left one would be as large. */
#define MAX_ALIGN (UINT64_C(1) << 16)
#define MAX_SIZE  (UINT64_C(1) << 46)

/*
 * Blocks of at least so many bytes are resized by libc, which moves pages and not bytes. Where they
 * were is then not kept: libc unmaps it.
 */
#define LARGE (UINT64_C(128) << 10)

/* 2^26 blocks that live or are kept; those beyond are plain. */
#define MAX_RECORDS (1u << 26)
#define KEPT_BLOCKS (1u << 16)

static struct hd_block *records; /* [0] is not used */
static uint32_t nrecords = 1;
static uint32_t unused; /* a list of records, by @kept */

/* The quarantine: a ring. */
static struct {
	struct hd_block_end end;
	uint32_t record;
} * kept;
static uint64_t first_kept, next_kept; /* never wrap */
static uint64_t kept_bytes;

/* ---- the shadow ------------------------------------------------------------ */

static inline int8_t *cell_of(uintptr_t a)
{
	return &hd_rt_heap_shadow[(a & (HD_HEAP_SPAN - 1)) / CELL];
}

static void mark(uintptr_t from, uintptr_t to, int value)
{
	hd_rt_fill(cell_of(from), value, (to - from) / CELL);
}

static uintptr_t round_up(uintptr_t n)
{
	return (n + CELL - 1) & ~(uintptr_t)(CELL - 1);
}

static uintptr_t zone_begin(const struct hd_block *b)
{
	return b->addr - b->left;
}

/* Is the red zone after a block of @size the rest of its last cell? */
static bool ends_early(size_t size)
{
	return size % CELL && size % CELL <= CELL / 2;
}

static uintptr_t zone_end(const struct hd_block *b)
{
	return round_up(b->addr + b->size) + (ends_early(b->size) ? 0 : CELL);
}

/* The bytes that libc is asked for. */
static size_t own_bytes(size_t left, size_t size)
{
	return ends_early(size) ? left + round_up(size) - CELL / 2 : left + round_up(size) + RIGHT;
}

/* Around a block; all of it may be touched. */
static void mark_zones(const struct hd_block *b)
{
	uintptr_t end = b->addr + b->size;

	mark(zone_begin(b), b->addr, HD_CELL_LEFT);
	if (end % CELL)
		*cell_of(end) = (int8_t)(end % CELL);
	mark(round_up(end), zone_end(b), HD_CELL_RIGHT);
}

uintptr_t hd_rt_heap_bad_in(uintptr_t a, size_t len)
{
	uintptr_t end = a + len;

	while (a < end) {
		uintptr_t begin = a & ~(uintptr_t)(CELL - 1), next = begin + CELL;
		uintptr_t last = next < end ? next : end;
		const int8_t *cell = cell_of(a);

		if (*cell && (int)(last - begin) > *cell)
			return *cell > (int)(a - begin) ? begin + (uintptr_t)*cell : a;
		a = last;
		/* Eight cells at once. */
		while (end - a >= 8 * CELL && a < end && !((uintptr_t)(cell + 1) & 7) &&
		       !*(const uint64_t *)(cell + 1)) {
			a += 8 * CELL;
			cell += 8;
		}
	}
	return 0;
}

/* ---- records --------------------------------------------------------------- */

static struct hd_block *new_record(uint32_t *number)
{
	if (unused) {
		*number = unused;
		unused = records[unused].kept;
	} else if (nrecords < MAX_RECORDS) {
		*number = nrecords++;
	} else {
		return NULL;
	}
	return &records[*number];
}

static void drop_record(struct hd_block *b)
{
	*b = (struct hd_block){ .kept = unused };
	unused = (uint32_t)(b - records);
}

/* The number is before the block. */
static uint32_t *number_at(uintptr_t addr)
{
	return (uint32_t *)(addr - CELL);
}

/* The record of the block that begins at @addr. */
static struct hd_block *record_at(uintptr_t addr)
{
	uint32_t n;

	if (addr % CELL || addr < CELL || *cell_of(addr - CELL) != HD_CELL_LEFT)
		return NULL;
	n = *number_at(addr);
	if (n && n < nrecords && records[n].addr == addr)
		return &records[n];
	/* The program has written over it. */
	for (n = 1; n < nrecords; n++) {
		if (records[n].addr == addr)
			return &records[n];
	}
	return NULL;
}

/* The first half of a left red zone that follows another block, or its right one, is past that other. */
static bool is_past_another(uintptr_t a)
{
	int before = *cell_of(a - CELL);

	return a % CELL < CELL / 2 && before && before != HD_CELL_LEFT && before != HD_CELL_PLAIN;
}

const struct hd_block *hd_rt_block_near(uintptr_t a)
{
	bool past = *cell_of(a) == HD_CELL_LEFT && is_past_another(a);

	a &= ~(uintptr_t)(CELL - 1);
	if (past)
		a -= CELL;
	if (*cell_of(a) == HD_CELL_LEFT) {
		while (*cell_of(a) == HD_CELL_LEFT)
			a += CELL;
		return record_at(a);
	}
	while (a >= CELL && *cell_of(a - CELL) != HD_CELL_LEFT)
		a -= CELL;
	return record_at(a);
}

const struct hd_block *hd_rt_block_around(uintptr_t a)
{
	for (uint32_t n = 1; n < nrecords; n++) {
		if (records[n].addr &&
		    a - zone_begin(&records[n]) < zone_end(&records[n]) - zone_begin(&records[n]))
			return &records[n];
	}
	return NULL;
}

const struct hd_block_end *hd_rt_block_end(const struct hd_block *b)
{
	return b->kept ? &kept[b->kept - 1].end : NULL;
}

enum hd_block_kind hd_rt_block_kind(uintptr_t a)
{
	const struct hd_block *b;

	if (a % CELL)
		return HD_BLOCK_NONE;
	if (*cell_of(a) == HD_CELL_PLAIN)
		return HD_BLOCK_PLAIN;
	b = record_at(a);
	return !b ? HD_BLOCK_NONE : b->kept ? HD_BLOCK_FREED : HD_BLOCK_LIVE;
}

/* ---- giving out ------------------------------------------------------------- */

static void *take_plain(size_t size, size_t align, bool zeroed)
{
	void *p = align > CELL ? __libc_memalign(align, size)
		  : zeroed     ? __libc_calloc(1, size)
			       : __libc_malloc(size);

	if (p && hd_rt_heap_shadow)
		*cell_of((uintptr_t)p) = HD_CELL_PLAIN;
	return p;
}

/* By the current fiber. */
static void note_birth(struct hd_block *b, uintptr_t raw, size_t left, size_t size, uint32_t number)
{
	*b = (struct hd_block){ .addr = raw + left,
				.size = size,
				.pc = hd_rt.cur->pc,
				.ctx = hd_rt_context(),
				.thread = hd_rt.cur->id,
				.left = (uint32_t)left };
	*number_at(b->addr) = number;
	mark_zones(b);
}

void *hd_rt_block_take(size_t size, size_t align, bool zeroed, bool plain)
{
	size_t left = align > CELL ? align : CELL;
	struct hd_block *b = NULL;
	uint32_t number;
	char *raw;

	if (!plain && hd_rt_heap_on && size < MAX_SIZE && left <= MAX_ALIGN && !(left & (left - 1)))
		b = new_record(&number);
	if (!b)
		return take_plain(size, align, zeroed);
	raw = take_plain(own_bytes(left, size), align, zeroed);
	if (!raw) {
		drop_record(b);
		return NULL;
	}
	note_birth(b, (uintptr_t)raw, left, size, number);
	return (void *)b->addr;
}

/*
 * Whatever is given back is forgotten by tests in line, so that nothing is known of what will be given
 * out, nor of its red zones. A plain block may have been the program's.
 */
static void forget_plain(void *p)
{
	if (hd_rt_heap_on)
		hd_rt_inline_forget((uintptr_t)p, HD_REAL(malloc_usable_size)(p));
}

/* ---- giving back ------------------------------------------------------------ */

static void let_go(struct hd_block *b)
{
	uintptr_t raw = zone_begin(b);

	mark(raw, zone_end(b), 0);
	drop_record(b);
	__libc_free((void *)raw);
}

/*
 * The same by whoever frees, perhaps a thread of libc's: the record is lost, and the list of those
 * not touched.
 */
static void let_go_aside(struct hd_block *b)
{
	uintptr_t raw = zone_begin(b);

	hd_rt_inline_forget(b->addr, b->size);
	mark(raw, zone_end(b), 0);
	b->addr = 0;
	__libc_free((void *)raw);
}

/*
 * What leaves the quarantine was touched long ago, and is soon given out again: all that is known of it is
 * fetched into the cache while those before it go. Only hints; nothing depends on them.
 */
#define AHEAD 8u

static void fetch_shadows(uintptr_t addr)
{
	struct hd_shadow_page *p;

	__builtin_prefetch((const void *)(addr - CELL), 1);
	__builtin_prefetch(cell_of(addr), 1);
	if (!hd_rt_racing() || addr >> HD_PAGE_LOG >= HD_DIRECT_PAGES)
		return;
	if (hd_rt_inline_words)
		__builtin_prefetch(hd_rt_inline_word(addr), 1);
	p = hd_rt_race_view.pages[addr >> HD_PAGE_LOG];
	if (p && p->narrow) {
		__builtin_prefetch(hd_shadow_narrow_at(p, addr), 1);
	} else if (p && !p->uniform) {
		__builtin_prefetch(hd_shadow_cell_at(p, addr), 1);
		__builtin_prefetch(hd_shadow_cell_at(p, addr + CELL), 1);
	}
}

static void fetch_next_kept(void)
{
	const struct hd_block *later =
		&records[kept[(first_kept + 2 * AHEAD) % KEPT_BLOCKS].record];
	const struct hd_block *soon = &records[kept[(first_kept + AHEAD) % KEPT_BLOCKS].record];

	__builtin_prefetch(later);
	if (soon->addr)
		fetch_shadows(soon->addr);
}

static void let_oldest_go(void)
{
	struct hd_block *b = &records[kept[first_kept++ % KEPT_BLOCKS].record];

	fetch_next_kept();
	kept_bytes -= own_bytes(b->left, b->size);
	let_go(b);
}

static void keep_block(struct hd_block *b)
{
	size_t bytes = own_bytes(b->left, b->size);
	uint32_t at;

	if (!hd_rt_watches_memory()) /* else that has been said */
		hd_rt_inline_forget(b->addr, b->size);
	if (bytes > hd_rt.opt.quarantine) {
		let_go(b);
		return;
	}
	while (next_kept - first_kept == KEPT_BLOCKS || kept_bytes + bytes > hd_rt.opt.quarantine)
		let_oldest_go();
	at = next_kept++ % KEPT_BLOCKS;
	kept[at].record = (uint32_t)(b - records);
	kept[at].end = (struct hd_block_end){ .pc = hd_rt.cur->pc,
					      .ctx = hd_rt_context(),
					      .thread = hd_rt.cur->id };
	b->kept = at + 1;
	kept_bytes += bytes;
	mark(b->addr, round_up(b->addr + b->size), HD_CELL_FREED);
}

void hd_rt_block_give(void *p, bool keep)
{
	struct hd_block *b;

	if (*cell_of((uintptr_t)p) == HD_CELL_PLAIN) {
		forget_plain(p);
		*cell_of((uintptr_t)p) = 0;
		__libc_free(p);
		return;
	}
	b = record_at((uintptr_t)p);
	if (keep)
		keep_block(b);
	else
		let_go_aside(b);
}

size_t hd_rt_block_size(void *p)
{
	const struct hd_block *b;

	if (*cell_of((uintptr_t)p) == HD_CELL_PLAIN)
		return HD_REAL(malloc_usable_size)(p);
	b = record_at((uintptr_t)p);
	return b ? b->size : 0;
}

/* ---- resizing --------------------------------------------------------------- */

static void *resize_plain(void *p, size_t size)
{
	void *q;

	forget_plain(p);
	*cell_of((uintptr_t)p) = 0;
	q = __libc_realloc(p, size);
	*cell_of((uintptr_t)(q ? q : p)) = HD_CELL_PLAIN;
	return q;
}

static void *resize_large(struct hd_block *b, size_t size)
{
	uint32_t number = (uint32_t)(b - records), left = b->left;
	char *raw;

	hd_rt_inline_forget(b->addr, b->size);
	mark(zone_begin(b), zone_end(b), 0);
	raw = __libc_realloc((void *)zone_begin(b), own_bytes(left, size));
	if (raw)
		note_birth(b, (uintptr_t)raw, left, size, number);
	else
		mark_zones(b);
	return raw ? raw + left : NULL;
}

void *hd_rt_block_resize(void *p, size_t size, bool keep)
{
	struct hd_block *b;
	size_t had;
	void *q;

	if (*cell_of((uintptr_t)p) == HD_CELL_PLAIN)
		return resize_plain(p, size);
	b = record_at((uintptr_t)p);
	if (keep && b->size >= LARGE && size >= LARGE && size < MAX_SIZE && b->left == CELL)
		return resize_large(b, size);
	had = b->size;
	q = hd_rt_block_take(size, 0, false, !keep);
	if (!q)
		return NULL;
	hd_rt_copy(q, p, had < size ? had : size);
	hd_rt_block_give(p, keep);
	return q;
}

/* ---- beginning --------------------------------------------------------------- */

void hd_rt_heap_prepare(bool libc_serves)
{
	static bool prepared;

	if (!prepared && libc_serves)
		hd_rt_heap_shadow = hd_rt_reserve(HD_HEAP_SPAN / CELL);
	prepared = true;
}

void hd_rt_heap_start(void)
{
	if (!hd_rt_heap_shadow || !hd_rt.opt.heap) {
		hd_rt_heap_shadow = NULL;
		return;
	}
	records = hd_rt_reserve((size_t)MAX_RECORDS * sizeof(*records));
	kept = hd_rt_reserve(KEPT_BLOCKS * sizeof(*kept));
	hd_rt_heap_on = records && kept;
	if (hd_rt_heap_on)
		hd_rt.mode |= HD_M_HEAP;
}
