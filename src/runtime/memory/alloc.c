/*
 * The allocators: the program's blocks come and go in the trace. No scheduling points.
 */
#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include "alloc.h"
#include "limits.h"
#include "arena.h"
#include "heap_check.h"
#include "mapped_twice.h"
#include "runtime/explore/explore.h"
#include "runtime/explore/explore_sites.h"
#include "runtime/explore/repeat.h"
#include "runtime/libc/libc_calls.h"
#include "runtime/real.h"
#include "runtime/rt.h"

/*
 * Who serves the program's blocks: glibc, under names that nobody interposes, or an allocator that
 * the program is linked with (jemalloc, tcmalloc, ...), whose functions take the place of glibc's.
 */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t align, size_t size);
void *__libc_valloc(size_t size);
void *__libc_pvalloc(size_t size);
void __libc_free(void *p);

static struct {
	__typeof__(&malloc) malloc;
	__typeof__(&calloc) calloc;
	__typeof__(&realloc) realloc;
	__typeof__(&memalign) memalign;
	__typeof__(&valloc) valloc;
	__typeof__(&pvalloc) pvalloc;
	__typeof__(&free) free;
} server = { __libc_malloc, __libc_calloc,  __libc_realloc, __libc_memalign,
	     __libc_valloc, __libc_pvalloc, __libc_free };
static bool looked_for_server;

/* Called by the first to allocate, long before our constructor. Nothing here allocates. */
static __attribute__((noinline)) void look_for_server(void)
{
	__typeof__(&malloc) next;

	looked_for_server = true;
	next = (__typeof__(&malloc))hd_rt_next("malloc");
	if (!next || next == __libc_malloc) {
		hd_rt_heap_prepare(true);
		return;
	}
	hd_rt_heap_prepare(false);
	server.malloc = next;
	server.calloc = (__typeof__(&calloc))hd_rt_next("calloc");
	server.realloc = (__typeof__(&realloc))hd_rt_next("realloc");
	server.memalign = (__typeof__(&memalign))hd_rt_next("memalign");
	server.valloc = (__typeof__(&valloc))hd_rt_next("valloc");
	server.pvalloc = (__typeof__(&pvalloc))hd_rt_next("pvalloc");
	server.free = (__typeof__(&free))hd_rt_next("free");
}

#define SERVER(fn)                                                                                 \
	({                                                                                         \
		if (unlikely(!looked_for_server))                                                  \
			look_for_server();                                                         \
		server.fn;                                                                         \
	})

/*
 * What an allocator does inside is not the program's, and nobody may run in the middle of it: libc,
 * too, allocates with locks held that nobody else could wait for. libc's own never calls us.
 */
static inline bool leave(uintptr_t caller)
{
	bool left = unlikely(hd_rt.allocator_size) && hd_rt_enter(caller);

	hd_rt.busy += left;
	return left;
}

#define SERVE(fn, ...) SERVE_TO(HD_CALLER, fn, __VA_ARGS__)
#define SERVE_TO(caller, fn, ...)                                                                  \
	({                                                                                         \
		bool left_ = leave(caller);                                                        \
		void *block_ = SERVER(fn)(__VA_ARGS__);                                            \
                                                                                                   \
		hd_rt.busy -= left_;                                                               \
		block_;                                                                            \
	})

static int note_allocator(struct dl_phdr_info *info, size_t size, void *arg)
{
	uintptr_t low = UINTPTR_MAX, high = 0;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t from = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type != PT_LOAD)
			continue;
		low = from < low ? from : low;
		high = from + ph->p_memsz > high ? from + ph->p_memsz : high;
	}
	if ((uintptr_t)server.malloc - low >= high - low)
		return 0;
	hd_rt.allocator = low;
	hd_rt.allocator_size = high - low;
	return 1;
}

static void find_allocator(void)
{
	if (SERVER(malloc) != __libc_malloc && !hd_rt.allocator_size)
		dl_iterate_phdr(note_allocator, NULL);
}

void hd_rt_alloc_start(void)
{
	uintptr_t first = (uintptr_t)dlsym(RTLD_DEFAULT, "malloc");

	find_allocator();
	/* The program has one of its own: nobody calls ours, but what we allocate is freed by that. */
	if (!hd_rt_is_ours(first)) {
		server.malloc = (__typeof__(&malloc))first;
		server.realloc = (__typeof__(&realloc))dlsym(RTLD_DEFAULT, "realloc");
		hd_rt_heap_shadow = NULL;
	}
	hd_rt_heap_start();
}

/*
 * Before fork an allocator takes its locks, and gives them back after it, in handlers that libc
 * calls among those of the program: ours stand in for them.
 */
#define FORK_HANDLERS 4

enum { PREPARE, PARENT, CHILD };
static void (*fork_handlers[FORK_HANDLERS][3])(void);
static unsigned nfork_handlers;

static void run_fork_handler(unsigned i, unsigned when)
{
	bool left = leave(hd_rt.active ? hd_rt.cur->pc : 0);

	if (fork_handlers[i][when])
		fork_handlers[i][when]();
	hd_rt.busy -= left;
}

#define STAND_IN(i)                                                                                \
	static void prepare_##i(void)                                                              \
	{                                                                                          \
		run_fork_handler(i, PREPARE);                                                      \
	}                                                                                          \
	static void parent_##i(void)                                                               \
	{                                                                                          \
		run_fork_handler(i, PARENT);                                                       \
	}                                                                                          \
	static void child_##i(void)                                                                \
	{                                                                                          \
		run_fork_handler(i, CHILD);                                                        \
	}
STAND_IN(0)
STAND_IN(1)
STAND_IN(2)
STAND_IN(3)

static void (*const stand_ins[FORK_HANDLERS][3])(void) = { { prepare_0, parent_0, child_0 },
							   { prepare_1, parent_1, child_1 },
							   { prepare_2, parent_2, child_2 },
							   { prepare_3, parent_3, child_3 } };

/* What pthread_atfork, a part of every module, calls. */
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso);

HD_EXPORT int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
				void *dso)
{
	uintptr_t one = (uintptr_t)(prepare ? prepare : parent ? parent : child);
	unsigned i = nfork_handlers;

	find_allocator();
	if (one - hd_rt.allocator >= hd_rt.allocator_size || i == FORK_HANDLERS)
		return HD_REAL(__register_atfork)(prepare, parent, child, dso);
	nfork_handlers++;
	fork_handlers[i][PREPARE] = prepare;
	fork_handlers[i][PARENT] = parent;
	fork_handlers[i][CHILD] = child;
	return HD_REAL(__register_atfork)(stand_ins[i][PREPARE], stand_ins[i][PARENT],
					  stand_ins[i][CHILD], dso);
}

/* Are blocks recorded, and does the caller count? */
static inline bool watched(uintptr_t caller)
{
	return hd_rt_watches_memory() && hd_rt_enter(caller);
}

static void *born(void *p, size_t size)
{
	int saved = errno;

	if (p)
		hd_rt_event(HD_OP_ALLOC, (uintptr_t)p, size, 0);
	errno = saved;
	return p;
}

/* Are the program's blocks known by their shadow? */
static inline bool shadowed(void)
{
	if (unlikely(!looked_for_server))
		look_for_server();
	return hd_rt_heap_shadow != NULL;
}

/* Who asked for a block: see cxx_new.c. */
static inline uintptr_t asker(uintptr_t caller)
{
	return unlikely(hd_rt_new_caller != 0) ? hd_rt_new_caller : caller;
}

static void *take(size_t size, size_t align, bool zeroed, uintptr_t caller)
{
	bool plain = !hd_rt_heap_on || !hd_rt_enter(caller);

	return hd_rt_block_take(size, align, zeroed, plain);
}

static size_t size_of(void *p)
{
	return hd_rt_heap_shadow ? hd_rt_block_size(p) : HD_REAL(malloc_usable_size)(p);
}

/* May @p be freed? */
static bool is_block(void *p)
{
	enum hd_block_kind kind;

	if (!hd_rt_heap_shadow)
		return true;
	kind = hd_rt_block_kind((uintptr_t)p);
	return kind == HD_BLOCK_PLAIN || kind == HD_BLOCK_LIVE;
}

/* Before the memory goes: a write's value can be read for the last time. */
static void dies(void *p)
{
	size_t size = size_of(p);

	hd_rt_settle();
	hd_rt_event(HD_OP_FREE, (uintptr_t)p, size, 0);
	hd_rt_access_forget((uintptr_t)p, size);
}

void *hd_rt_program_malloc(size_t size)
{
	void *p = shadowed() ? hd_rt_block_take(size, 0, false, false) : SERVE(malloc, size);

	return hd_rt_watches_memory() ? born(p, size) : p;
}

/* @p is a plain or living block. */
static void *resize(void *p, size_t size, bool keep)
{
	if (size)
		return hd_rt_block_resize(p, size, keep);
	hd_rt_block_give(p, keep);
	return NULL;
}

/* What is no block cannot be copied: as good as new. */
static void *resize_wrong(uintptr_t a, size_t size)
{
	bool freed = hd_rt_block_kind(a) == HD_BLOCK_FREED;
	const struct hd_block *b = freed ? hd_rt_block_near(a) : NULL;
	char *p;

	hd_rt_heap_tell_free(a, true);
	p = hd_rt_block_take(size, 0, false, false);
	for (size_t i = 0; p && b && i < size && i < b->size; i++)
		p[i] = ((const char *)a)[i];
	return p;
}

static void *serve_realloc(void *old, size_t size, uintptr_t caller)
{
	bool mine;

	if (!shadowed())
		return SERVE_TO(caller, realloc, old, size);
	mine = hd_rt_heap_on && hd_rt_enter(caller);
	if (!old)
		return hd_rt_block_take(size, 0, false, !mine);
	if (is_block(old))
		return resize(old, size, mine);
	if (mine && (hd_rt.mode & HD_M_HEAP))
		return resize_wrong((uintptr_t)old, size);
	return __libc_realloc(old, size);
}

static void *watched_realloc(void *old, size_t size, uintptr_t caller)
{
	bool had = old && is_block(old);
	size_t old_size = had ? size_of(old) : 0;
	void *p;

	hd_rt_settle();
	p = serve_realloc(old, size, caller);
	/* One that stays where it is ends the old block, too: who uses that meanwhile has lost it. */
	if (had && (p || !size)) {
		hd_rt_event(HD_OP_FREE, (uintptr_t)old, old_size, 0);
		hd_rt_access_forget((uintptr_t)old, old_size);
	}
	return born(p, size);
}

void *hd_rt_program_realloc(void *old, size_t size)
{
	return hd_rt_watches_memory() ? watched_realloc(old, size, hd_rt.cur->pc)
				      : serve_realloc(old, size, hd_rt.cur->pc);
}

HD_EXPORT void *malloc(size_t size)
{
	void *p = shadowed() ? take(size, 0, false, asker(HD_CALLER)) : SERVE(malloc, size);

	return watched(asker(HD_CALLER)) ? born(p, size) : p;
}

HD_EXPORT void *calloc(size_t n, size_t size)
{
	size_t total;
	void *p;

	if (__builtin_mul_overflow(n, size, &total)) {
		errno = ENOMEM;
		return NULL;
	}
	p = shadowed() ? take(total, 0, true, HD_CALLER) : SERVE(calloc, n, size);
	return watched(HD_CALLER) ? born(p, total) : p;
}

HD_EXPORT void *realloc(void *old, size_t size)
{
	return watched(HD_CALLER) ? watched_realloc(old, size, HD_CALLER)
				  : serve_realloc(old, size, HD_CALLER);
}

HD_EXPORT void *reallocarray(void *old, size_t n, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(n, size, &total)) {
		errno = ENOMEM;
		return NULL;
	}
	return watched(HD_CALLER) ? watched_realloc(old, total, HD_CALLER)
				  : serve_realloc(old, total, HD_CALLER);
}

/* A program that asks for it may use all of it: there is no more than it asked for at first. */
HD_EXPORT size_t malloc_usable_size(void *p)
{
	if (!p || !shadowed())
		return HD_REAL(malloc_usable_size)(p);
	return hd_rt_block_size(p);
}

/*
 * libc and the loader free what is theirs at moments when nobody else may run. (For all others a
 * plan may ask that something else comes before what they free is gone.)
 */
static int note_libc(struct dl_phdr_info *info, size_t size, void *arg)
{
	uintptr_t *range = arg, libc = (uintptr_t)__libc_free, loader = getauxval(AT_BASE);

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t low = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
			continue;
		if (libc - low < ph->p_memsz)
			range += 0;
		else if (info->dlpi_addr == loader)
			range += 2;
		else
			continue;
		range[0] = low;
		range[1] = low + ph->p_memsz;
		return 0;
	}
	return 0;
}

bool hd_rt_inside_libc(uintptr_t pc)
{
	static uintptr_t range[4]; /* of libc's code and of the loader's */

	if (!range[1]) {
		hd_rt.busy++;
		dl_iterate_phdr(note_libc, range);
		hd_rt.busy--;
	}
	return (pc >= range[0] && pc < range[1]) || (pc >= range[2] && pc < range[3]);
}

/*
 * Others may come before a block is gone, where they may come before accesses: to what uses it,
 * this is a write of all of it.
 */
static void before_free(void *p, uintptr_t caller)
{
	bool point = (hd_rt.mode & HD_M_ACCESS_POINTS) || hd_rt_is_site(caller);

	if (hd_rt_inside_libc(caller))
		return;
	if (hd_rt.opt.wide || point)
		hd_rt_point();
	if (hd_rt.exploring && point && is_block(p))
		hd_rt_explore_event(HD_OP_WRITE_RANGE, (uintptr_t)p, size_of(p), 0, 0);
}

/* What libc would end the program for, and perhaps not notice. */
static void free_wrong(void *p, bool mine)
{
	if (mine && (hd_rt.mode & HD_M_HEAP))
		hd_rt_heap_tell_free((uintptr_t)p, false);
	else
		__libc_free(p);
}

HD_EXPORT void free(void *p)
{
	uintptr_t caller = HD_CALLER;
	bool left, mine;

	if (!p)
		return;
	mine = (hd_rt_heap_on || hd_rt_watches_memory()) && hd_rt_enter(caller);
	if (mine && ((hd_rt.mode & (HD_M_ACCESS_POINTS | HD_M_SITES)) || hd_rt.opt.wide))
		before_free(p, caller);
	if (!is_block(p)) {
		free_wrong(p, mine);
		return;
	}
	if (mine && hd_rt_watches_memory())
		dies(p);
	if (shadowed()) {
		hd_rt_block_give(p, mine);
		return;
	}
	left = leave(caller);
	SERVER(free)(p);
	hd_rt.busy -= left;
}

static void *serve_memalign(size_t align, size_t size, uintptr_t caller)
{
	return shadowed() ? take(size, align, false, caller)
			  : SERVE_TO(caller, memalign, align, size);
}

HD_EXPORT void *memalign(size_t align, size_t size)
{
	void *p = serve_memalign(align, size, HD_CALLER);

	return watched(HD_CALLER) ? born(p, size) : p;
}

HD_EXPORT void *aligned_alloc(size_t align, size_t size)
{
	void *p = serve_memalign(align, size, asker(HD_CALLER));

	return watched(asker(HD_CALLER)) ? born(p, size) : p;
}

HD_EXPORT int posix_memalign(void **out, size_t align, size_t size)
{
	int saved = errno;
	void *p;

	if (align % sizeof(void *) || !align || (align & (align - 1)))
		return EINVAL;
	p = serve_memalign(align, size, asker(HD_CALLER));
	errno = saved;
	if (!p)
		return ENOMEM;
	if (watched(asker(HD_CALLER))) {
		p = born(p, size);
		hd_rt_range_soon();
		hd_rt_settle();
		*out = p;
		hd_rt_range_done(out, sizeof(*out));
	} else {
		*out = p;
	}
	return 0;
}

#define PAGE 4096u

HD_EXPORT void *valloc(size_t size)
{
	void *p = shadowed() ? take(size, PAGE, false, HD_CALLER) : SERVE(valloc, size);

	return watched(HD_CALLER) ? born(p, size) : p;
}

HD_EXPORT void *pvalloc(size_t size)
{
	size_t whole = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
	void *p;

	p = shadowed() ? take(whole < size ? size : whole, PAGE, false, HD_CALLER)
		       : SERVE(pvalloc, size);
	return watched(HD_CALLER) ? born(p, size) : p;
}

/* ---- mappings ----------------------------------------------------------- */

/*
 * Does the program want the runtime's own memory? Natively that place is free, so a mapping there is
 * refused for want of memory, and the report says why; what is to be unmapped there is not the program's.
 */
static bool refused(const void *at, size_t len)
{
	if (!hd_rt_is_claimed(at, len) || !hd_rt_enter(HD_CALLER))
		return false;
	hd_rt_drop("a mapping (MAP_FIXED) at a place where heddle has its own memory: refused");
	return true;
}

/* @seen: whether accesses are looked at. Whether memory has several addresses is kept before that, too. */
static void *mapped(void *p, size_t len, bool seen, bool shared, uintptr_t caller)
{
	int saved = errno;

	hd_rt_unmapped(p, len); /* what was at its place, if anything */
	if (seen)
		born(p, len);
	if (shared && hd_rt_enter(caller))
		hd_rt_mapped_shared(p, len);
	errno = saved;
	return p;
}

#define MMAP(name, offset_t)                                                                       \
	HD_EXPORT void *name(void *at, size_t len, int prot, int flags, int fd, offset_t offset)   \
	{                                                                                          \
		bool seen = watched(HD_CALLER);                                                    \
		void *p;                                                                           \
                                                                                                   \
		if (unlikely(flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) && refused(at, len)) {     \
			errno = ENOMEM;                                                            \
			return MAP_FAILED;                                                         \
		}                                                                                  \
		if (seen)                                                                          \
			hd_rt_settle();                                                            \
		p = HD_REAL(name)(at, len, prot, flags, fd, offset);                               \
		if (p != MAP_FAILED && unlikely(!hd_rt_keep_in_memory(p, len))) {                  \
			HD_REAL(munmap)(p, len);                                                   \
			errno = EAGAIN;                                                            \
			return MAP_FAILED;                                                         \
		}                                                                                  \
		if (p == MAP_FAILED)                                                               \
			return p;                                                                  \
		return mapped(p, len, seen, flags & MAP_SHARED, HD_CALLER);                        \
	}
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

HD_EXPORT int munmap(void *p, size_t len)
{
	if (unlikely(hd_rt_is_claimed(p, len)) && hd_rt_enter(HD_CALLER))
		return 0;
	if (watched(HD_CALLER)) {
		hd_rt_settle();
		hd_rt_event(HD_OP_FREE, (uintptr_t)p, len, HD_FREE_PAGES);
		hd_rt_repeat_cannot();
	}
	hd_rt_unmapped(p, len);
	return HD_REAL(munmap)(p, len);
}

HD_EXPORT void *mremap(void *old, size_t old_len, size_t len, int flags, ...)
{
	bool seen = watched(HD_CALLER);
	va_list args;
	void *p, *at;

	va_start(args, flags);
	at = flags & MREMAP_FIXED ? va_arg(args, void *) : NULL;
	va_end(args);
	if (unlikely(flags & MREMAP_FIXED) && refused(at, len)) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	if (seen)
		hd_rt_settle();
	p = HD_REAL(mremap)(old, old_len, len, flags, at);
	if (p == MAP_FAILED)
		return p;
	if (seen) {
		hd_rt_event(HD_OP_FREE, (uintptr_t)old, old_len, HD_FREE_PAGES);
		hd_rt_repeat_cannot();
	}
	hd_rt_unmapped(old, old_len);
	return mapped(p, len, seen, true, HD_CALLER);
}

HD_EXPORT int mprotect(void *p, size_t len, int prot)
{
	/* The last write may be to a page that can soon not be read. */
	if (hd_rt_enter(HD_CALLER)) {
		hd_rt_settle();
		hd_rt_changes_unseen();
		hd_rt_repeat_cannot();
	}
	if (!(prot & PROT_READ))
		hd_rt_unmapped(p, len);
	return HD_REAL(mprotect)(p, len, prot);
}

HD_EXPORT void *shmat(int id, const void *at, int flags)
{
	void *p = HD_REAL(shmat)(id, at, flags);
	int saved = errno;

	if (p != MAP_FAILED && hd_rt_enter(HD_CALLER))
		hd_rt_attached(p);
	errno = saved;
	return p;
}
