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
#include <unistd.h>

#include "libc_calls.h"
#include "real.h"
#include "rt.h"

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
} server = {__libc_malloc, __libc_calloc, __libc_realloc, __libc_memalign,
	    __libc_valloc, __libc_pvalloc, __libc_free};
static bool looked_for_server;

/* Called by the first to allocate, long before our constructor. Nothing here allocates. */
static __attribute__((noinline)) void look_for_server(void)
{
	__typeof__(&malloc) next;

	looked_for_server = true;
	next = (__typeof__(&malloc))hd_rt_next("malloc");
	if (!next || next == __libc_malloc)
		return;
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

#define SERVE(fn, ...)                                                                             \
	({                                                                                         \
		bool left_ = leave(HD_CALLER);                                                     \
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
	if (first - (uintptr_t)__ehdr_start >= (uintptr_t)(_end - __ehdr_start)) {
		server.malloc = (__typeof__(&malloc))first;
		server.realloc = (__typeof__(&realloc))dlsym(RTLD_DEFAULT, "realloc");
	}
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
	static void prepare_##i(void) { run_fork_handler(i, PREPARE); }                            \
	static void parent_##i(void) { run_fork_handler(i, PARENT); }                              \
	static void child_##i(void) { run_fork_handler(i, CHILD); }
STAND_IN(0)
STAND_IN(1)
STAND_IN(2)
STAND_IN(3)

static void (*const stand_ins[FORK_HANDLERS][3])(void) = {{prepare_0, parent_0, child_0},
							   {prepare_1, parent_1, child_1},
							   {prepare_2, parent_2, child_2},
							   {prepare_3, parent_3, child_3}};

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

/* Before the memory goes: a write's value can be read for the last time. */
static void dies(void *p)
{
	hd_rt_settle();
	hd_rt_event(HD_OP_FREE, (uintptr_t)p, HD_REAL(malloc_usable_size)(p), 0);
}

void *hd_rt_program_malloc(size_t size)
{
	void *p = SERVE(malloc, size);

	return hd_rt_watches_memory() ? born(p, size) : p;
}

static void *watched_realloc(void *old, size_t size)
{
	size_t old_size = old ? HD_REAL(malloc_usable_size)(old) : 0;
	void *p;

	hd_rt_settle();
	p = SERVE(realloc, old, size);
	if (old && p != old && (p || !size))
		hd_rt_event(HD_OP_FREE, (uintptr_t)old, old_size, 0);
	return born(p, size);
}

void *hd_rt_program_realloc(void *old, size_t size)
{
	return hd_rt_watches_memory() ? watched_realloc(old, size) : SERVE(realloc, old, size);
}

HD_EXPORT void *malloc(size_t size)
{
	void *p = SERVE(malloc, size);

	return watched(HD_CALLER) ? born(p, size) : p;
}

HD_EXPORT void *calloc(size_t n, size_t size)
{
	void *p = SERVE(calloc, n, size);

	return watched(HD_CALLER) ? born(p, n * size) : p;
}

HD_EXPORT void *realloc(void *old, size_t size)
{
	return watched(HD_CALLER) ? watched_realloc(old, size) : SERVE(realloc, old, size);
}

HD_EXPORT void *reallocarray(void *old, size_t n, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(n, size, &total)) {
		errno = ENOMEM;
		return NULL;
	}
	return watched(HD_CALLER) ? watched_realloc(old, total) : SERVE(realloc, old, total);
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

static bool inside_libc(uintptr_t pc)
{
	static uintptr_t range[4]; /* of libc's code and of the loader's */

	if (!range[1]) {
		hd_rt.busy++;
		dl_iterate_phdr(note_libc, range);
		hd_rt.busy--;
	}
	return (pc >= range[0] && pc < range[1]) || (pc >= range[2] && pc < range[3]);
}

HD_EXPORT void free(void *p)
{
	uintptr_t caller = HD_CALLER;
	bool left;

	if (p && watched(caller)) {
		if (hd_rt.opt.wide && !inside_libc(caller))
			hd_rt_point();
		dies(p);
	}
	left = leave(caller);
	SERVER(free)(p);
	hd_rt.busy -= left;
}

HD_EXPORT void *memalign(size_t align, size_t size)
{
	void *p = SERVE(memalign, align, size);

	return watched(HD_CALLER) ? born(p, size) : p;
}

HD_EXPORT void *aligned_alloc(size_t align, size_t size)
{
	void *p = SERVE(memalign, align, size);

	return watched(HD_CALLER) ? born(p, size) : p;
}

HD_EXPORT int posix_memalign(void **out, size_t align, size_t size)
{
	int saved = errno;
	void *p;

	if (align % sizeof(void *) || !align || (align & (align - 1)))
		return EINVAL;
	p = SERVE(memalign, align, size);
	errno = saved;
	if (!p)
		return ENOMEM;
	*out = watched(HD_CALLER) ? born(p, size) : p;
	return 0;
}

HD_EXPORT void *valloc(size_t size)
{
	void *p = SERVE(valloc, size);

	return watched(HD_CALLER) ? born(p, size) : p;
}

HD_EXPORT void *pvalloc(size_t size)
{
	void *p = SERVE(pvalloc, size);

	return watched(HD_CALLER) ? born(p, size) : p;
}

/* ---- mappings ----------------------------------------------------------- */

#define MMAP(name, offset_t)                                                                       \
	HD_EXPORT void *name(void *at, size_t len, int prot, int flags, int fd, offset_t offset)   \
	{                                                                                          \
		bool seen = watched(HD_CALLER);                                                    \
		void *p;                                                                           \
                                                                                                   \
		if (seen)                                                                          \
			hd_rt_settle();                                                            \
		p = HD_REAL(name)(at, len, prot, flags, fd, offset);                               \
		return seen && p != MAP_FAILED ? born(p, len) : p;                                 \
	}
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

HD_EXPORT int munmap(void *p, size_t len)
{
	if (watched(HD_CALLER)) {
		hd_rt_settle();
		hd_rt_event(HD_OP_FREE, (uintptr_t)p, len, HD_FREE_PAGES);
	}
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
	if (seen)
		hd_rt_settle();
	p = HD_REAL(mremap)(old, old_len, len, flags, at);
	if (!seen || p == MAP_FAILED)
		return p;
	hd_rt_event(HD_OP_FREE, (uintptr_t)old, old_len, HD_FREE_PAGES);
	return born(p, len);
}

HD_EXPORT int mprotect(void *p, size_t len, int prot)
{
	/* The last write may be to a page that can soon not be read. */
	if (hd_rt_enter(HD_CALLER))
		hd_rt_settle();
	return HD_REAL(mprotect)(p, len, prot);
}
