/*
 * Executions on request: a process that waits makes a copy of itself for each.
 *
 * The first one waits before main. Others wait in the middle: an execution that has come far stays
 * where it is, at a decision, and a copy goes on in its place; later executions that begin
 * alike are copies of it too, and need not repeat what led there. These processes form a
 * chain, each the parent of the next, and the last one takes the requests. If it
 * stands where a request does not lead, it ends, and the turn is its parent's. That is how a
 * search in depth comes back; any other order of requests is right, too, only slower.
 *
 * A copy that has come to its end does not have to be made again, if its memory can be put back
 * (repeat.h): it takes the next requests itself, until one leads elsewhere.
 *
 * The log is in shared memory, and everybody in the chain has written the part of it up to the place where
 * it stands. Who comes later only appends.
 */
#include "explore.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "explore_memory.h"
#include "explore_pct.h"
#include "repeat.h"
#include "runtime/sched/policy.h"
#include "runtime/sys.h"

#define sh hd_rt_xsh

#define STAY_MAX    64u	     /* processes that wait in the middle */
#define STAY_MIN    1000000u /* nanoseconds of execution that are worth a copy, ... */
#define STAY_CYCLES 500000u  /* they take more of the processor's than this */
#define STAY_SHARE  16u	     /* ... and which part of what was executed so far */
#define STAY_TEST   12u	     /* --snapshots all: as many as fit, wherever they are */

/* A place that executions can start from. */
static struct place {
	bool middle;	/* else before main */
	uint32_t depth; /* decisions that were made */
	uint32_t nops, nthreads, nfaults, nchoices, nexact, uses, assumed;
	uint64_t awaited, waits; /* waits: the sum of what was known about them */
	long input;		 /* offset in standard input, which is read from its start */
	unsigned served;	 /* copies that were made here */
} place;

static unsigned nplaces;     /* so many wait before this process */
static uint64_t executed;    /* nanoseconds up to the last place */
static uint64_t clock_began; /* what the clock of this process showed when its execution began, */
static uint64_t cycle_began; /* and the processor's counter, which costs no system call */
static bool cannot_stay;     /* something of this execution is not copied with the process */
static uint32_t *tid_word;   /* where glibc keeps the number of the kernel thread */
static long free_fd;	     /* the lowest descriptor that is free before main */
static unsigned nshared;     /* mappings that copies would share, before main */

/* ---- copies ----------------------------------------------------------------- */

/*
 * glibc's fork would do more: to it, the stacks of all threads but the calling one are free
 * in the copy. Fibers stand on them.
 */
static long copy_process(void)
{
	unsigned long flags = SIGCHLD;

	if (tid_word)
		flags |= CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
	return hd_sys(SYS_clone, flags, 0, 0, tid_word, 0);
}

/* In glibc's thread control block, after what the ABI says about it. */
static void find_tid_word(void)
{
	uint32_t *p = (uint32_t *)(hd_rt_main_fiber.fs + 0x2c0), tid = (uint32_t)hd_sys(SYS_gettid);

	for (unsigned i = 0; i < 32 && !tid_word; i++) {
		if (p[i] == tid)
			tid_word = &p[i];
	}
}

static uint64_t cpu_time(void)
{
	struct timespec ts = { 0 };

	hd_sys(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec - clock_began;
}

static void begin_execution(void)
{
	sh->end = HD_X_END_LOST;		  /* until it is known better */
	if (sh->supposed.now > HD_X_SUPPOSE_SOON) /* and somebody has died of it */
		sh->supposed.now = HD_X_SUPPOSE_NO;
	hd_rt.pid = (int)hd_sys(SYS_getpid);
	sh->pulse = (struct hd_pulse){ .beats = sh->pulse.beats + 1,
				       .thread = hd_rt.cur->id,
				       .live = hd_rt.nlive };
	hd_sys(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	clock_began = 0;
	clock_began = cpu_time();
	cycle_began = __builtin_ia32_rdtsc();
	__atomic_store_n(&sh->pid, (int32_t)hd_rt.pid, __ATOMIC_RELEASE);
	if (sh->random && sh->pct_depth)
		hd_rt_explore_pct_begin(sh->pct_depth, sh->pct_length);
}

/* The log as it was here. */
static void go_back(void)
{
	sh->nnodes = place.depth;
	sh->nops = place.nops;
	sh->nthreads = place.nthreads;
	sh->nfaults = place.nfaults;
	sh->nchoices = place.nchoices;
	sh->nexact = place.nexact;
	sh->uses = place.uses;
	sh->assumed = place.assumed;
	sh->npending = 0;
	sh->awaited = place.awaited;
	hd_sys(SYS_lseek, 0, place.input,
	       SEEK_SET); /* input that can be read again is read again */
	if (sh->random)
		hd_rng_seed(&hd_rt_rng, sh->random);
}

static void answer(uint32_t asked, int32_t status)
{
	__atomic_store_n(&sh->pid, 0, __ATOMIC_RELEASE);
	sh->status = status;
	__atomic_store_n(&sh->answered, asked, __ATOMIC_RELEASE);
	hd_futex_wake(&sh->answered);
}

void hd_rt_explore_answer(int32_t status)
{
	answer(sh->asked, status);
}

static bool next_request(void);

/* The copy has to end first; what it has forked and left behind ends with it (process.c made them a group). */
static void wait_for_copy(long pid, int32_t *status)
{
	while (hd_sys(SYS_wait4, pid, status, 0, NULL) == -EINTR)
		;
	if (sh->uses & HD_X_USES_OUTSIDE)
		hd_sys(SYS_kill, -pid, SIGKILL);
}

/* Let a copy execute what was asked. True: in the copy. */
static bool execute(uint32_t asked, long pid)
{
	bool often = place.served++ || hd_rt.opt.snapshots == HD_SNAP_ALL;
	int32_t status = 0;

	if (pid == 0) {
		hd_rt_repeat_forget();
		if (often && hd_rt.opt.snapshots && !sh->probing)
			hd_rt_repeat_from_here(next_request);
		begin_execution();
		return true;
	}
	if (pid < 0) {
		sh->end = HD_X_END_LOST;
		answer(asked, 0);
		return false;
	}
	wait_for_copy(pid, &status);
	/*
	 * Has it stayed somewhere, or executed again? Then it has answered this and others, or has died of
	 * another one: that is asked for again here, unless the explorer wanted no answer.
	 */
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		asked = sh->asked;
	if ((int32_t)(__atomic_load_n(&sh->answered, __ATOMIC_ACQUIRE) - asked) < 0)
		answer(asked, status);
	return false;
}

/* Mappings that a copy would share with the original: its writes would be seen by others. */
static unsigned count_shared(void)
{
	char buf[4096];
	unsigned n = 0, column = 0, field = 0;
	long fd = hd_sys(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0), got;

	if (fd < 0)
		return UINT32_MAX;
	while ((got = hd_sys(SYS_read, fd, buf, sizeof(buf))) > 0) {
		for (long i = 0; i < got; i++) {
			if (buf[i] == '\n') {
				field = 0;
			} else if (buf[i] == ' ') {
				field++;
				column = 0;
			} else if (field == 1 && ++column == 4) {
				n += buf[i] == 's';
			}
		}
	}
	hd_sys(SYS_close, fd);
	return n;
}

/* ---- serving ---------------------------------------------------------------- */

static bool leads_here(void)
{
	if (!place.middle)
		return true;
	if (sh->nprefix <= place.depth || sh->random || sh->waits.sum != place.waits)
		return false;
	for (uint32_t i = 0; i < place.depth; i++) {
		if (sh->nodes[i].chosen != sh->prefix[i])
			return false;
	}
	return true;
}

static uint32_t wait_for_request(void)
{
	uint32_t asked;

	while ((asked = __atomic_load_n(&sh->asked, __ATOMIC_ACQUIRE)) ==
	       __atomic_load_n(&sh->answered, __ATOMIC_ACQUIRE))
		hd_futex_wait(&sh->asked, asked, NULL);
	return asked;
}

/* The next request, with everything as it was here. False: there is none that leads here. */
static bool next_request(void)
{
	if (wait_for_request() == HD_X_QUIT || !leads_here())
		return false;
	go_back();
	return true;
}

/* Returns in a copy, once for each request. */
static void serve(void)
{
	for (;;) {
		uint32_t asked;

		if (!next_request())
			hd_sys(SYS_exit_group, 0);
		asked = sh->asked; /* now: the copy may answer it before this process goes on */
		if (execute(asked, copy_process()))
			return;
	}
}

/*
 * Which donors does an execution need? True: in the copy that finds out. Else *@probed is the request
 * that it came with, which must be made again: what the copy has changed in files is then put back.
 */
static bool probe(uint32_t *probed)
{
	long pid;

	*probed = wait_for_request();
	if (*probed == HD_X_QUIT) /* it was never needed */
		hd_sys(SYS_exit_group, 0);
	sh->nprefix = sh->nwakeup = sh->nsleepers = 0;
	sh->random = 0;
	sh->ndonors = 0;
	sh->probing = 1;
	go_back();
	pid = copy_process();
	if (pid == 0) {
		begin_execution();
		return true;
	}
	__atomic_store_n(&sh->pid, (int32_t)pid, __ATOMIC_RELEASE);
	if (pid > 0)
		wait_for_copy(pid, NULL);
	sh->probing = 0;
	sh->end = HD_X_END_PROBED;
	return false;
}

void hd_rt_explore_serve(void)
{
	uint32_t probed;

	hd_sys(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	find_tid_word();
	free_fd = hd_sys(SYS_fcntl, 0, F_DUPFD, 0);
	hd_sys(SYS_close, free_fd);
	nshared = count_shared();
	place.nchoices = sh->nchoices; /* of constructors, which have come to their end */
	if (probe(&probed))
		return;
	hd_rt_spares_make();
	answer(probed, 0);
	serve();
}

/* ---- staying in the middle --------------------------------------------------- */

void hd_rt_explore_cannot_stay(void)
{
	cannot_stay = true;
	hd_rt_repeat_cannot();
}

static bool is_worthwhile(void)
{
	uint64_t here, since;

	if (hd_rt.opt.snapshots == HD_SNAP_ALL)
		return nplaces < STAY_TEST;
	if (nplaces == STAY_MAX || __builtin_ia32_rdtsc() - cycle_began < STAY_CYCLES)
		return false;
	since = cpu_time(); /* a copy begins at 0 */
	here = executed + since;
	return since >= STAY_MIN && since >= here / STAY_SHARE;
}

static bool has_printed(void)
{
	for (int out = 1; hd_rt.opt.output_points && out <= 2; out++) {
		if (hd_sys(SYS_lseek, out, 0, SEEK_END) != 0)
			return true;
	}
	return false;
}

/* Has the program something that does not get copied: a descriptor's offset, what is in a pipe? */
static bool is_self_contained(void)
{
	long fd = hd_sys(SYS_fcntl, 0, F_DUPFD, 0);

	if (fd >= 0)
		hd_sys(SYS_close, fd);
	if (has_printed())
		return false;
	return fd >= 0 && fd == free_fd && nshared != UINT32_MAX && count_shared() == nshared;
}

static struct place place_here(void)
{
	return (struct place){
		.middle = true,
		.depth = sh->nnodes,
		.nops = sh->nops,
		.nthreads = sh->nthreads,
		.nfaults = sh->nfaults,
		.nchoices = sh->nchoices,
		.nexact = sh->nexact,
		.uses = sh->uses,
		.assumed = sh->assumed,
		.awaited = sh->awaited,
		.waits = sh->waits.sum,
		.input = hd_sys(SYS_lseek, 0, 0, SEEK_CUR),
	};
}

/* Without a copy, where memory is put back anyway. True: this is another execution. */
static bool stay_in_process(void)
{
	struct place before = place;

	if (has_printed())
		return false;
	place = place_here();
	switch (hd_rt_repeat_keep_middle()) {
	case HD_MIDDLE_REFUSED:
		place = before;
		return false;
	case HD_MIDDLE_KEPT:
		return false;
	case HD_MIDDLE_AGAIN:
		break;
	}
	begin_execution();
	return true;
}

bool hd_rt_explore_stay(void)
{
	uint32_t asked = sh->asked; /* see serve() */
	long pid;

	if (!hd_rt.opt.snapshots || cannot_stay || sh->probing || sh->random)
		return false;
	if (hd_rt_repeat_is_middle(sh->nnodes) && stay_in_process())
		return true;
	if (!is_worthwhile())
		return false;
	if (!is_self_contained()) {
		cannot_stay = true;
		return false;
	}
	nplaces++;
	executed += cpu_time();
	place = place_here();
	pid = copy_process();
	if (pid < 0) { /* then it goes on itself */
		cannot_stay = true;
		return false;
	}
	if (execute(asked, pid))
		return sh->asked != asked; /* it may be here again */
	serve();
	return true;
}
