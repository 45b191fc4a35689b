/*
 * What has to be put back is found out as follows. Pages that were there at the place are saved
 * there. After an execution, those are copied back that belong to this process alone (a copy shares
 * them with its parent until it writes), and pages that have come since are cleared. They stay where they
 * are, so that the next execution finds them without a page fault: if there was none, the list is
 * complete, and putting back is copying. If there was one, the kernel is asked again.
 *
 * In the middle it is the same, but for what is copied: there, all that is to be put back later is saved anew.
 *
 * All of this happens on a stack and in memory of its own, which is not put back.
 */
#include "repeat.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "explore_memory.h"
#include "runtime/fiber/fiber.h"
#include "runtime/fiber/stack_switch.h"
#include "runtime/memory/arena.h"
#include "runtime/memory/maps.h"
#include "runtime/sys.h"

#define KEEP_AT	   0x0ba000000000ul
#define PAGE	   4096ul
#define PAGES	   8192u /* saved at most; more take longer than a copy */
#define AREAS	   1024u
#define RUNS	   512u
#define OWN_STACK  65536u
#define FIRST_FD   230 /* out of the way of the program's own */
#define NAME_BYTES 16u

/* Where a middle is: deeper if it was used often, and less deep if seldom. One that is used twice is worth it. */
#define SHARES	   16u
#define SHARE_NEAR 8u
#define OFTEN	   32u
#define SELDOM	   4u
#define LEAST	   4u /* decisions before it */
#define REFUSED	   8u /* times in a row that it could not be kept, after which nobody tries */

/* As in <linux/fs.h> of Linux 6.7; older headers do not have it. */
#define SCAN_PRESENT 8u
#define SCAN_PFNZERO 32u
struct scan {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
	uint64_t inverted, mask, anyof, wanted;
};
struct run {
	uint64_t start, end, categories;
};
#define SCAN _IOWR('f', 16, struct scan)

/* In an entry of /proc/self/pagemap. */
#define ALONE (1ull << 56) /* mapped by nobody else */

/* A mapping whose pages are put back. */
struct area {
	uintptr_t start, end;
	bool file;
};

struct page {
	uintptr_t at;
	char *saved;  /* NULL: it was not there, so it was empty */
	char *middle; /* as it was in the middle, if that is kept and the page is hot */
	bool hot;     /* to be put back */
};

/* What the kernel keeps for the process, and executions seldom change. */
struct kernel_state {
	uint64_t mask;
	long free_fd, umask;
	char folder[256];
};

/* Another place to come back to, behind the first. */
struct middle {
	bool kept;
	bool wanted, again; /* to be kept now; executions have come back to it */
	void *sp;
	uintptr_t fs;
	char name[NAME_BYTES];
	uint32_t begin, at; /* decisions before the first place; and before the next middle */
	uint32_t share;	    /* how far between the two ends that is, of SHARES */
	uint32_t uses, refused;
};

static struct keeper {
	void *own_sp, *place_sp;
	uintptr_t fs;
	struct middle middle;
	bool (*next)(void);
	int pagemap, statm;
	uint64_t faults; /* when memory was last put back */
	uint64_t mapped; /* pages of address space */
	uintptr_t brk;
	struct kernel_state kernel;
	char name[NAME_BYTES];
	uint32_t nareas, npages, nsaved;
	struct hd_arena_kept kept;
	uint32_t nfirst;
	struct area areas[AREAS], first[AREAS]; /* now, and at the place */
	struct page pages[PAGES];		/* by address */
	struct run runs[RUNS];
	uint64_t entries[PAGES];
	char stack[OWN_STACK] __attribute__((aligned(16)));
	char saved[PAGES][PAGE] __attribute__((aligned(4096)));
	char middles[PAGES][PAGE];
} * keep; /* NULL: this process executes once */

static bool cannot;

/* ---- what the kernel says ---------------------------------------------------- */

static uint64_t count_faults(void)
{
	struct rusage use;

	hd_sys(SYS_getrusage, RUSAGE_SELF, &use);
	return (uint64_t)(use.ru_minflt + use.ru_majflt);
}

/* Pages of address space, the first number in /proc/self/statm; 0: it cannot be read. */
static uint64_t count_mapped(void)
{
	char text[32];
	long n = hd_sys(SYS_pread64, keep->statm, text, sizeof(text), 0);
	uint64_t v = 0;

	for (long i = 0; i < n && text[i] >= '0' && text[i] <= '9'; i++)
		v = 10 * v + (uint64_t)(text[i] - '0');
	return v;
}

static void ask_kernel(struct kernel_state *k)
{
	hd_rt_fill(k, 0, sizeof(*k));
	hd_sys(SYS_rt_sigprocmask, 0, NULL, &k->mask, 8);
	k->free_fd = hd_sys(SYS_fcntl, 0, F_DUPFD, 0);
	hd_sys(SYS_close, k->free_fd);
	k->umask = hd_sys(SYS_umask, 022);
	hd_sys(SYS_umask, k->umask);
	hd_sys(SYS_getcwd, k->folder, sizeof(k->folder));
}

static bool is_same(const void *a, const void *b, size_t n)
{
	const char *p = a, *q = b;

	while (n && *p == *q) {
		p++;
		q++;
		n--;
	}
	return n == 0;
}

static bool kernel_is_as_before(void)
{
	struct kernel_state now;

	ask_kernel(&now);
	return now.free_fd >= 0 && is_same(&now, &keep->kernel, sizeof(now));
}

/* Tell @fn of the pages of @area that are there, run by run; false: it or the kernel did not want to. */
static bool each_run(const struct area *area, bool (*fn)(const struct area *, const struct run *))
{
	struct scan scan = { .size = sizeof(scan),
			     .start = area->start,
			     .end = area->end,
			     .vec = (uintptr_t)keep->runs,
			     .vec_len = RUNS,
			     .inverted = SCAN_PFNZERO,
			     .mask = SCAN_PRESENT | SCAN_PFNZERO,
			     .wanted = SCAN_PRESENT };

	while (scan.start < area->end) {
		long n = hd_sys(SYS_ioctl, keep->pagemap, SCAN, &scan);

		if (n < 0)
			return false;
		for (long i = 0; i < n; i++) {
			if (!fn(area, &keep->runs[i]))
				return false;
		}
		scan.start = scan.walk_end;
	}
	return true;
}

/* ---- mappings ---------------------------------------------------------------- */

/* Pages that the runtime has mapped for itself in executions, and finds there in the next one. */
static uint64_t count_kept(void)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < keep->kept.n; i++)
		n += (keep->kept.each[i].size + PAGE - 1) / PAGE;
	return n;
}

/* Advice about a part of a mapping makes two of it. */
static bool is_kept(const struct area *a)
{
	for (uint32_t i = 0; i < keep->kept.n; i++) {
		if (a->start >= keep->kept.each[i].at &&
		    a->start < keep->kept.each[i].at + keep->kept.each[i].size)
			return true;
	}
	return false;
}

static bool list_area(const struct hd_mapping *m, void *too_many)
{
	if (!m->writable || m->shared || m->start == KEEP_AT)
		return true;
	if (keep->nareas == AREAS) {
		*(bool *)too_many = true;
		return false;
	}
	keep->areas[keep->nareas++] = (struct area){ m->start, m->end, m->file };
	return true;
}

/* All mappings that are written to by this process alone, into keep->areas. */
static bool list_areas(void)
{
	bool too_many = false;

	keep->nareas = 0;
	return hd_rt_each_mapping(list_area, &too_many) && !too_many;
}

/* ---- saving ------------------------------------------------------------------ */

static bool save_run(const struct area *area, const struct run *run)
{
	for (uintptr_t at = run->start; at < run->end; at += PAGE) {
		if (keep->npages == PAGES)
			return false;
		keep->pages[keep->npages++] =
			(struct page){ .at = at, .saved = keep->saved[keep->nsaved] };
		hd_rt_copy(keep->saved[keep->nsaved++], (void *)at, PAGE);
	}
	return true;
}

static int open_high(const char *path)
{
	long low = hd_sys(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0), high;

	if (low < 0)
		return -1;
	high = hd_sys(SYS_fcntl, low, F_DUPFD_CLOEXEC, FIRST_FD);
	hd_sys(SYS_close, low);
	return (int)high;
}

static bool save(void)
{
	keep->pagemap = open_high("/proc/self/pagemap");
	keep->statm = open_high("/proc/self/statm");
	if (keep->pagemap < 0 || keep->statm < 0)
		return false;
	hd_arena_keep(&keep->kept);
	keep->fs = hd_rt.cur->fs;
	keep->brk = (uintptr_t)hd_sys(SYS_brk, 0);
	hd_sys(SYS_prctl, PR_GET_NAME, keep->name);
	ask_kernel(&keep->kernel);
	if (!list_areas())
		return false;
	for (uint32_t i = 0; i < keep->nareas; i++) {
		if (!is_kept(&keep->areas[i]))
			keep->first[keep->nfirst++] = keep->areas[i];
		if (!each_run(&keep->areas[i], save_run))
			return false;
	}
	keep->mapped = count_mapped() - count_kept();
	return keep->mapped != 0;
}

/* ---- putting back ------------------------------------------------------------- */

static uint32_t find(uintptr_t at)
{
	uint32_t low = 0, high = keep->npages;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (keep->pages[mid].at < at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool add_page(const struct area *area, uint32_t i, uintptr_t at)
{
	if (keep->npages == PAGES || keep->nsaved == PAGES)
		return false;
	for (uint32_t j = keep->npages++; j > i; j--)
		keep->pages[j] = keep->pages[j - 1];
	keep->pages[i] = (struct page){ .at = at, .hot = true };
	if (area->file) { /* what is in the file was to be read */
		hd_sys(SYS_madvise, at, PAGE, MADV_DONTNEED);
		keep->pages[i].saved = keep->saved[keep->nsaved++];
		hd_rt_copy(keep->pages[i].saved, (void *)at, PAGE);
	}
	return true;
}

/* Which pages of @run does this process have for itself? */
static bool note_run(const struct area *area, const struct run *run)
{
	size_t n = (run->end - run->start) / PAGE, size = n * sizeof(*keep->entries);

	if (n > PAGES || hd_sys(SYS_pread64, keep->pagemap, keep->entries, size,
				run->start / PAGE * sizeof(*keep->entries)) != (long)size)
		return false;
	for (size_t k = 0; k < n; k++) {
		uintptr_t at = run->start + k * PAGE;
		uint32_t i;

		if (!(keep->entries[k] & ALONE))
			continue;
		i = find(at);
		if (i < keep->npages && keep->pages[i].at == at)
			keep->pages[i].hot = true;
		else if (!add_page(area, i, at))
			return false;
	}
	return true;
}

/* Is what was mapped at the place still mapped, and nothing else but what the runtime keeps? */
static bool mappings_are_as_before(void)
{
	uint32_t n = 0;

	if ((uintptr_t)hd_sys(SYS_brk, 0) != keep->brk)
		hd_sys(SYS_brk, keep->brk);
	if (count_mapped() != keep->mapped + count_kept() || !list_areas())
		return false;
	for (uint32_t i = 0; i < keep->nareas; i++) {
		if (is_kept(&keep->areas[i]))
			continue;
		if (n == keep->nfirst || keep->areas[i].start != keep->first[n].start ||
		    keep->areas[i].end != keep->first[n].end)
			return false;
		n++;
	}
	return n == keep->nfirst;
}

/* Without a page fault nobody has got a page that is not known. */
static bool is_hot_known(void)
{
	return count_faults() == keep->faults && count_mapped() == keep->mapped + count_kept();
}

static bool find_hot(void)
{
	if (!mappings_are_as_before())
		return false;
	for (uint32_t i = 0; i < keep->npages; i++)
		keep->pages[i].hot &= keep->pages[i].saved != NULL; /* others may be gone */
	for (uint32_t i = 0; i < keep->nareas; i++) {
		if (!each_run(&keep->areas[i], note_run))
			return false;
	}
	return true;
}

static const char *content(const struct page *p)
{
	return keep->middle.kept ? p->middle : p->saved;
}

/* --snapshots all, for tests: has nothing been overlooked? */
static bool is_all_back(void)
{
	for (uint32_t i = 0; i < keep->npages; i++) {
		const struct page *p = &keep->pages[i];

		/* The kernel writes into the first thread's control block (rseq). */
		if (p->at + PAGE > hd_rt_main_fiber.fs && p->at < hd_rt_main_fiber.fs + PAGE)
			continue;
		if (p->hot && content(p) && !is_same((void *)p->at, content(p), PAGE))
			return false;
		if (!p->hot && p->saved && !is_same((void *)p->at, p->saved, PAGE))
			return false;
	}
	return true;
}

/* To the middle, if that is kept, else to the first place. All pages that were written to are known. */
static void put_pages_back(void)
{
	const struct middle *m = &keep->middle;

	for (uint32_t i = 0; i < keep->npages; i++) {
		const struct page *p = &keep->pages[i];

		if (!p->hot)
			continue;
		if (content(p))
			hd_rt_copy((void *)p->at, content(p), PAGE);
		else
			hd_rt_fill((void *)p->at, 0, PAGE);
	}
	if (hd_rt.opt.snapshots == HD_SNAP_ALL && !is_all_back())
		hd_rt_xsh->overlooked = 1;
	hd_sys(SYS_prctl, PR_SET_NAME, m->kept ? m->name : keep->name);
	hd_rt_set_thread_pointer(m->kept ? m->fs : keep->fs);
	keep->faults = count_faults();
}

static bool put_back(void)
{
	if (!is_hot_known() && !find_hot())
		return false;
	put_pages_back();
	return true;
}

/* ---- in the middle --------------------------------------------------------------- */

/* Nothing but memory must have changed since the first place. */
static bool save_middle(void)
{
	uint32_t n = 0;

	if (cannot || !is_hot_known() || (uintptr_t)hd_sys(SYS_brk, 0) != keep->brk ||
	    !kernel_is_as_before())
		return false;
	for (uint32_t i = 0; i < keep->npages; i++) {
		struct page *p = &keep->pages[i];

		p->middle = p->hot ? keep->middles[n++] : NULL;
		if (p->hot)
			hd_rt_copy(p->middle, (void *)p->at, PAGE);
	}
	keep->middle.fs = hd_rt.cur->fs;
	hd_sys(SYS_prctl, PR_GET_NAME, keep->middle.name);
	keep->faults = count_faults(); /* there may have been some for the copies */
	return true;
}

/* No request leads there any more. The next one is where it would have been used more often, or saves more. */
static void leave_middle(void)
{
	struct middle *m = &keep->middle;

	if (m->kept && m->uses < SELDOM && m->share > 1)
		m->share--;
	if (m->kept && m->uses > OFTEN && m->share < SHARES - 1)
		m->share++;
	m->kept = false;
}

/* An execution with so many decisions is over: where would the middle of the next one be? */
static void place_middle(uint32_t length)
{
	struct middle *m = &keep->middle;

	m->at = UINT32_MAX;
	if (m->refused < REFUSED && length > m->begin + LEAST)
		m->at = m->begin + (length - m->begin) * m->share / SHARES;
	if (m->at < m->begin + LEAST)
		m->at = UINT32_MAX;
}

bool hd_rt_repeat_is_middle(uint32_t decisions)
{
	return keep && keep->next && decisions == keep->middle.at && !keep->middle.kept;
}

enum hd_repeat_middle hd_rt_repeat_keep_middle(void)
{
	keep->middle.wanted = true;
	hd_rt_switch_stack(&keep->middle.sp, keep->own_sp);
	return keep->middle.again  ? HD_MIDDLE_AGAIN
	       : keep->middle.kept ? HD_MIDDLE_KEPT
				   : HD_MIDDLE_REFUSED;
}

/* ---- again and again ------------------------------------------------------------ */

static void __attribute__((noreturn)) end(void)
{
	hd_sys(SYS_exit_group, 0);
	__builtin_unreachable();
}

/* An execution is over, and answered. Memory for the next one is put back before that is asked for. */
static void *go_back(void)
{
	struct middle *m = &keep->middle;

	place_middle(hd_rt_xsh->nnodes);
	if (m->kept && is_hot_known()) {
		put_pages_back();
		if (keep->next()) {
			m->uses++;
			m->again = true;
			return m->sp;
		}
	}
	leave_middle();
	if (!put_back()) {
		hd_rt_xsh->once = 1;
		end();
	}
	if (!keep->next())
		end();
	m->begin = hd_rt_xsh->nnodes;
	return keep->place_sp;
}

/* The execution goes on where it is, which is kept if it can be. */
static void *stay(void)
{
	struct middle *m = &keep->middle;

	m->wanted = m->again = false;
	m->uses = 0;
	m->kept = save_middle();
	m->refused = m->kept ? 0 : m->refused + 1;
	return m->sp;
}

/* On the stack that is not put back. */
static void keeper_main(void)
{
	void *to = keep->place_sp;

	if (!save()) {
		hd_rt_xsh->once = 1;
		keep->next = NULL;
	}
	for (;;) {
		hd_rt_switch_stack(&keep->own_sp, to);
		to = keep->middle.wanted ? stay() : go_back();
	}
}

void hd_rt_repeat_from_here(bool (*next)(void))
{
	long p;

	if (hd_rt_xsh->once || hd_rt.opt.carriers == HD_CARRIERS_THREADS)
		return;
	p = hd_sys(SYS_mmap, KEEP_AT, sizeof(*keep), PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if ((uintptr_t)p != KEEP_AT && !keep)
		return;
	keep = (struct keeper *)
		KEEP_AT; /* a copy may have that of the original, with the mappings it kept */
	keep->nareas = keep->nfirst = keep->npages = keep->nsaved = 0;
	keep->middle = (struct middle){ .begin = hd_rt_xsh->nnodes,
					.at = UINT32_MAX,
					.share = SHARE_NEAR };
	keep->faults = UINT64_MAX; /* nothing is known yet */
	keep->next = next;
	cannot = false;
	hd_rt_switch_stack(&keep->place_sp,
			   hd_rt_stack_prepare((uintptr_t)keep->stack + OWN_STACK, keeper_main));
}

void hd_rt_repeat_cannot(void)
{
	cannot = true;
}

void hd_rt_repeat(int32_t status)
{
	void *nowhere;

	if (!keep || !keep->next)
		return;
	if (cannot || !kernel_is_as_before()) {
		hd_rt_xsh->once = 1;
		return;
	}
	hd_rt_explore_answer(status);
	hd_rt_switch_stack(&nowhere, keep->own_sp);
}

void hd_rt_repeat_forget(void)
{
	if (!keep)
		return;
	hd_sys(SYS_close, keep->pagemap);
	hd_sys(SYS_close, keep->statm);
	keep->next = NULL;
}
