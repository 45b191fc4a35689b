#include "arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#include "runtime/compiler.h"
#include "runtime/real.h"
#include "runtime/spin_lock.h"
#include "runtime/sys.h"

/*
 * Far from where the kernel puts programs, libraries, heaps and stacks. If
 * somebody is there already, the kernel's choice is taken: only the promise of
 * equal addresses is weaker then.
 */
#define ARENA_BASE 0x113c00000000ull /* a number that nobody else thinks of */
#define CHUNK	   (1u << 20)
#define CLASSES	   24 /* powers of two from 16 bytes */

static uintptr_t next_map = ARENA_BASE;
static char *bump, *bump_end;
static void *free_lists[CLASSES];
static size_t mapped;

size_t hd_rt_arena_size(void)
{
	return mapped;
}

/* Other mappings of the runtime, at places of their own. */
#define CLAIMS 8
static struct hd_arena_map claimed[CLAIMS];

void hd_rt_claim(const void *p, size_t size)
{
	for (unsigned i = 0; i < CLAIMS; i++) {
		if (!claimed[i].size) {
			claimed[i] = (struct hd_arena_map){ (uintptr_t)p, size };
			return;
		}
	}
}

static bool overlaps(uintptr_t a, size_t len, uintptr_t b, size_t size)
{
	return a < b + size && b < a + len;
}

bool hd_rt_is_claimed(const void *p, size_t len)
{
	uintptr_t at = (uintptr_t)p;

	if (at + len < at)
		return false; /* the kernel refuses that */
	if (overlaps(at, len, ARENA_BASE, next_map - ARENA_BASE) ||
	    overlaps(at, len, (uintptr_t)__ehdr_start, (size_t)(_end - __ehdr_start)))
		return true;
	for (unsigned i = 0; i < CLAIMS; i++) {
		if (overlaps(at, len, claimed[i].at, claimed[i].size))
			return true;
	}
	return false;
}

/* Where threads run at the same time (HD_ARENA_SHARED) they come one by one. */
#ifdef HD_ARENA_SHARED
static int lock;
#define enter() hd_spin_lock(&lock)
#define leave() hd_spin_unlock(&lock)
#else
#define enter() ((void)0)
#define leave() ((void)0)
#endif

static struct hd_arena_kept *kept; /* NULL: nothing is */

void hd_arena_keep(struct hd_arena_kept *k)
{
	kept = k;
}

static bool is_kept(uintptr_t at, size_t size)
{
	for (uint32_t i = 0; kept && i < kept->n; i++) {
		if (kept->each[i].at == at && kept->each[i].size == size)
			return true;
	}
	return false;
}

/* An earlier execution mapped something else there. */
static void drop_kept(uintptr_t at, size_t size)
{
	for (uint32_t i = 0; kept && i < kept->n;) {
		struct hd_arena_map *m = &kept->each[i];

		if (m->at < at + size && at < m->at + m->size) {
			hd_sys(SYS_munmap, m->at, m->size);
			*m = kept->each[--kept->n];
		} else {
			i++;
		}
	}
}

static void note(uintptr_t at, size_t size)
{
	if (kept && kept->n < sizeof(kept->each) / sizeof(*kept->each))
		kept->each[kept->n++] = (struct hd_arena_map){ at, size };
}

static void *map(size_t size, int prot, int flags)
{
	long p;

	size = (size + 4095) & ~(size_t)4095;
	if (is_kept(next_map, size)) {
		p = (long)next_map;
		next_map += size + 4096;
		return (void *)p;
	}
	drop_kept(next_map, size + 4096);
	p = hd_sys(SYS_mmap, next_map, size, prot,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | flags, -1, 0);
	if (p < 0 || (uintptr_t)p != next_map)
		p = hd_sys(SYS_mmap, 0, size, prot, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
	if (p < 0 && p > -4096)
		return NULL;
	mapped += size;
	if ((uintptr_t)p == next_map) {
		note(next_map, size);
		next_map += size + 4096; /* a gap, so that an overrun is noticed */
	} else {
		hd_rt_claim((void *)p, size);
	}
	return (void *)p;
}

static void die_of_hunger(void)
{
	static const char msg[] = "heddle: the runtime is out of memory\n";

	hd_sys(SYS_write, 2, msg, sizeof(msg) - 1);
	hd_sys(SYS_exit_group, 3);
	__builtin_unreachable();
}

static unsigned class_of(size_t size)
{
	unsigned c = 0;

	while (((size_t)16 << c) < size)
		c++;
	return c;
}

static void *get(size_t size, bool clear)
{
	unsigned c = class_of(size);
	size_t rounded = (size_t)16 << c;

	if (c >= CLASSES || rounded > CHUNK / 4) {
		void *p = map(size, PROT_READ | PROT_WRITE, MAP_NORESERVE);

		if (!p)
			die_of_hunger();
		return p;
	}
	if (free_lists[c]) {
		void *p = free_lists[c];

		free_lists[c] = *(void **)p;
		if (clear)
			hd_rt_fill(p, 0, rounded);
		return p;
	}
	if ((size_t)(bump_end - bump) < rounded) {
		bump = map(CHUNK, PROT_READ | PROT_WRITE, 0);
		if (!bump)
			die_of_hunger();
		bump_end = bump + CHUNK;
	}
	bump += rounded;
	return bump - rounded;
}

static void put(void *p, size_t size)
{
	unsigned c = class_of(size);

	if (c >= CLASSES || ((size_t)16 << c) > CHUNK / 4) {
		size = (size + 4095) & ~(size_t)4095;
		if (!is_kept((uintptr_t)p, size)) {
			hd_sys(SYS_munmap, p, size);
			mapped -= size;
		}
		return;
	}
	*(void **)p = free_lists[c];
	free_lists[c] = p;
}

void *hd_rt_alloc(size_t size)
{
	void *p;

	enter();
	p = get(size, true);
	leave();
	return p;
}

void *hd_rt_alloc_used(size_t size)
{
	void *p;

	enter();
	p = get(size, false);
	leave();
	return p;
}

void hd_rt_free(void *p, size_t size)
{
	if (!p)
		return;
	enter();
	put(p, size);
	leave();
}

void *hd_rt_grow(void *p, size_t old_size, size_t new_size)
{
	void *q = hd_rt_alloc(new_size);

	hd_rt_copy(q, p, old_size);
	hd_rt_free(p, old_size);
	return q;
}

void *hd_rt_double(void *items, size_t size, uint32_t *cap, uint32_t first)
{
	uint32_t now = *cap ? 2 * *cap : first;
	void *p = hd_rt_grow(items, *cap * size, now * size);

	*cap = now;
	return p;
}

void *hd_rt_reserve(size_t size)
{
	void *p;

	enter();
	p = map(size, PROT_READ | PROT_WRITE, MAP_NORESERVE);
	leave();
	return p;
}

/* String instructions take longer to begin than so few bytes take word by word. */
#define FEW_BYTES 64

/* Keeps the compiler from making a loop into a call of memcpy() or memset(), which are ours. */
#define NO_CALL() __asm__ volatile("" : : : "memory")

void hd_rt_copy(void *to, const void *from, size_t n)
{
	char *out = to;
	const char *in = from;

	if (n > FEW_BYTES) {
		__asm__ volatile("rep movsb" : "+D"(out), "+S"(in), "+c"(n) : : "memory");
		return;
	}
	for (; n >= sizeof(uint64_t); n -= sizeof(uint64_t)) {
		__builtin_memcpy(out, in, sizeof(uint64_t));
		out += sizeof(uint64_t);
		in += sizeof(uint64_t);
		NO_CALL();
	}
	while (n--) {
		*out++ = *in++;
		NO_CALL();
	}
}

void hd_rt_fill(void *p, int byte, size_t n)
{
	uint64_t word = 0x0101010101010101u * (unsigned char)byte;
	char *out = p;

	if (n > FEW_BYTES) {
		__asm__ volatile("rep stosb" : "+D"(out), "+c"(n) : "a"(byte) : "memory");
		return;
	}
	for (; n >= sizeof(word); n -= sizeof(word)) {
		__builtin_memcpy(out, &word, sizeof(word));
		out += sizeof(word);
		NO_CALL();
	}
	while (n--) {
		*out++ = (char)byte;
		NO_CALL();
	}
}

size_t hd_rt_strlen(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

int hd_rt_strcmp(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return (unsigned char)*a - (unsigned char)*b;
}

int hd_rt_print(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = HD_REAL(vsnprintf)(buf, size, fmt, ap);
	va_end(ap);
	return n;
}
