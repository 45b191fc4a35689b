#include "race_shadow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/hash.h"

/* Address space; NULL: there is none. */
static void *reserve(size_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p; /* NULL too: refused by the arena */
}

/*
 * Pages come from one room, one after the other. Those behind the first, which most runs do not get to, are
 * of the kernel's large pages: there are fewer to fault in, and random accesses gain much by it.
 */
#define ROOM	   (UINT64_C(1) << 38)
#define LARGE_PAGE (UINT64_C(1) << 21)

static void make_room(struct hd_shadow *s)
{
	char *p = reserve(ROOM);
	uintptr_t large = ((uintptr_t)p + 2 * LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);

	if (!p)
		return;
	s->room = p;
	s->room_left = ROOM / sizeof(struct hd_shadow_page);
	s->next_page = (struct hd_shadow_page *)p;
	madvise((void *)large, ROOM - (large - (uintptr_t)p), MADV_HUGEPAGE);
}

bool hd_shadow_init(struct hd_shadow *s, bool direct)
{
	*s = (struct hd_shadow){ .last_number = UINT64_MAX };
	if (direct) {
		s->direct = reserve(HD_DIRECT_PAGES * sizeof(*s->direct));
		make_room(s);
	}
	return true;
}

static uint32_t home(const struct hd_shadow *s, uint64_t number)
{
	return hd_hash_place(number, s->cap - 1);
}

static uint32_t probe(const struct hd_shadow *s, uint64_t number)
{
	uint32_t i = home(s, number);

	while (s->hashed[i] && s->hashed_keys[i] != number)
		i = (i + 1) & (s->cap - 1);
	return i;
}

static bool grow(struct hd_shadow *s)
{
	struct hd_shadow bigger = *s;

	bigger.cap = s->cap ? 2 * s->cap : 256;
	bigger.hashed = calloc(bigger.cap, sizeof(*bigger.hashed));
	bigger.hashed_keys = calloc(bigger.cap, sizeof(*bigger.hashed_keys));
	if (!bigger.hashed || !bigger.hashed_keys) {
		free(bigger.hashed);
		free(bigger.hashed_keys);
		return false;
	}
	for (uint32_t i = 0; i < s->cap; i++) {
		uint32_t j;

		if (!s->hashed[i])
			continue;
		j = probe(&bigger, s->hashed_keys[i]);
		bigger.hashed[j] = s->hashed[i];
		bigger.hashed_keys[j] = s->hashed_keys[i];
	}
	free(s->hashed);
	free(s->hashed_keys);
	*s = bigger;
	return true;
}

struct hd_shadow_page *hd_shadow_find(struct hd_shadow *s, uint64_t addr)
{
	uint64_t number = addr >> HD_PAGE_LOG;
	struct hd_shadow_page *p;

	if (s->direct && number < HD_DIRECT_PAGES)
		return s->direct[number];
	if (s->last_number == number)
		return s->last;
	if (!s->cap)
		return NULL;
	p = s->hashed[probe(s, number)];
	if (p) {
		s->last_number = number;
		s->last = p;
	}
	return p;
}

/*
 * Where there is no room: one allocation for many pages, which are large, of an odd size, and stay. Few at
 * first, for most runs touch few.
 */
#define SLAB_FIRST 4u
#define SLAB_LAST  128u

struct hd_shadow_slab {
	struct hd_shadow_slab *next;
	uint32_t npages, used;
	struct hd_shadow_page pages[];
};

static struct hd_shadow_slab *new_slab(uint32_t npages)
{
	size_t len = sizeof(struct hd_shadow_slab) + npages * sizeof(struct hd_shadow_page);
	char *raw = calloc(1, len + 2 * 64);
	struct hd_shadow_slab *slab;

	if (!raw)
		return NULL;
	/* As aligned as its pages; where the allocation begins is kept before it. */
	slab = (struct hd_shadow_slab *)(((uintptr_t)raw + 2 * 64 - 1) & ~(uintptr_t)63);
	((char **)slab)[-1] = raw;
	slab->npages = npages;
	return slab;
}

static struct hd_shadow_page *new_page(struct hd_shadow *s)
{
	struct hd_shadow_slab *slab = s->slabs;

	if (s->room_left) {
		s->room_left--;
		return s->next_page++;
	}
	if (!slab || slab->used == slab->npages) {
		uint32_t n = !slab			? SLAB_FIRST
			     : slab->npages < SLAB_LAST ? 4 * slab->npages
							: SLAB_LAST;

		slab = new_slab(n < SLAB_LAST ? n : SLAB_LAST);
		if (!slab)
			return NULL;
		slab->next = s->slabs;
		s->slabs = slab;
	}
	return &slab->pages[slab->used++];
}

/* Of the size of a page but for its end, so it comes from where pages do. */
struct hd_shadow_cell *hd_shadow_odd(struct hd_shadow *s)
{
	struct hd_shadow_page *p = new_page(s);

	return p ? p->cells : NULL;
}

struct hd_shadow_page *hd_shadow_get(struct hd_shadow *s, uint64_t addr)
{
	struct hd_shadow_page *p = hd_shadow_find(s, addr);
	uint64_t number = addr >> HD_PAGE_LOG;
	uint32_t i;

	if (p)
		return p;
	if (s->used * 2 >= s->cap && !grow(s))
		return NULL;
	p = new_page(s);
	if (!p)
		return NULL;
	if (s->direct && number < HD_DIRECT_PAGES)
		s->direct[number] = p;
	/* In the hash in any case: the direct table is too large to walk at the end. */
	i = probe(s, number);
	s->hashed[i] = p;
	s->hashed_keys[i] = number;
	s->used++;
	return p;
}

void hd_shadow_spread(struct hd_shadow_page *p)
{
	if (!p->uniform)
		return;
	p->uniform = false;
	for (uint32_t i = 0; i < HD_PAGE_CELLS; i++)
		p->cells[i] = p->all;
}

void hd_shadow_free(struct hd_shadow *s)
{
	while (s->slabs) {
		struct hd_shadow_slab *slab = s->slabs;

		s->slabs = slab->next;
		free(((char **)slab)[-1]);
	}
	free(s->hashed);
	free(s->hashed_keys);
	if (s->direct)
		munmap(s->direct, HD_DIRECT_PAGES * sizeof(*s->direct));
	if (s->room)
		munmap(s->room, ROOM);
}
