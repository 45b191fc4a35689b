/*
 * How the runtime gets hold of the program: before its constructors, around its
 * main, and after its exit handlers.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/single_threaded.h>
#include <unistd.h>

#include "debug.h"
#include "options.h"
#include "real.h"
#include "runtime/abi/inline_check.h"
#include "runtime/abi/abi.h"
#include "runtime/explore/explore.h"
#include "runtime/explore/explore_sites.h"
#include "runtime/explore/inferred.h"
#include "runtime/fiber/fiber.h"
#include "runtime/io/files.h"
#include "runtime/libc/libc_calls.h"
#include "runtime/memory/alloc.h"
#include "runtime/memory/arena.h"
#include "runtime/observe/collect.h"
#include "runtime/observe/findings.h"
#include "runtime/observe/record.h"
#include "runtime/sched/policy.h"
#include "runtime/thread/thread.h"
#include "sys.h"

void *hd_rt_next(const char *name)
{
	void *p;

	hd_rt.busy++;
	p = dlsym(RTLD_NEXT, name);
	hd_rt.busy--;
	return p;
}

/* In the environment of a program that was started over, until it looks. */
static char started_over[] = "HEDDLE_STARTED_OVER=1";

/* Is the mark there? It goes: nobody else is to see it. */
static bool take_mark(char **envp)
{
	bool found = false;
	char **to = envp;

	for (; *envp; envp++) {
		if (hd_rt_strcmp(*envp, started_over) == 0)
			found = true;
		else
			*to++ = *envp;
	}
	*to = NULL;
	return found;
}

static void start_over(char **argv, char **envp)
{
	size_t n = 0;
	char **more;

	while (envp[n])
		n++;
	more = hd_rt_alloc((n + 2) * sizeof(*more));
	hd_rt_copy(more, envp, n * sizeof(*more));
	more[n] = started_over;
	hd_sys(SYS_execve, "/proc/self/exe", argv, more);
	hd_rt_free(more, (n + 2) * sizeof(*more));
}

/*
 * Addresses must follow from the schedule alone: start over without address
 * space randomisation. (`heddle run` has done so already.) Once: for programs with other rights than
 * their caller's the kernel switches it on again.
 */
static void derandomise(char **argv, char **envp)
{
	bool again = take_mark(envp);
	int now = personality(0xffffffff);

	if (again || now == -1 || (now & ADDR_NO_RANDOMIZE) || getenv("HEDDLE_CONFIG_FD"))
		return;
	if (personality((unsigned long)now | ADDR_NO_RANDOMIZE) == -1)
		return;
	if (personality(0xffffffff) & ADDR_NO_RANDOMIZE)
		start_over(argv, envp);
}

static void at_exit(int status, void *arg)
{
	hd_rt_before_end();
	hd_rt_finish(status);
	hd_rt_end_judged(true);
	hd_rt_output_flush();
	hd_rt_process_end(status);
}

__attribute__((constructor(101))) static void hd_rt_init(int argc, char **argv, char **envp)
{
	struct fiber *f = &hd_rt_main_fiber;

	derandomise(argv, envp);
	hd_rt_options_read();
	hd_rt_collector_foresee();
	hd_rt_files_init();
	hd_rng_seed(&hd_rt_rng, hd_rt.opt.seed);
	hd_rt.pid = (int)hd_sys(SYS_getpid);
	hd_rt_fiber_init(f);
	f->thread.pt = pthread_self();
	f->tid = hd_rt.pid;
	hd_rt_thread_adopt_main(f);
	if (hd_rt_policy->init)
		hd_rt_policy->init();
	if (hd_rt_policy->spawned)
		hd_rt_policy->spawned(f);
	on_exit(at_exit, NULL);
	hd_rt_access_init();
	hd_rt_slice_wrap();
	hd_rt.access_budget = hd_rt.opt.quantum;
	if (hd_rt.opt.switch_at == HD_AT_ACCESSES)
		hd_rt.mode |= HD_M_ACCESS_POINTS;
	if (hd_rt.opt.model == HD_MODEL_TSO)
		hd_rt.mode |= HD_M_TSO;
	hd_rt_sites_start();
	hd_rt_inferred_start();
	hd_rt_alloc_start();
	hd_rt.active = true;
	if (hd_rt.opt.ring_fd >= 0)
		hd_rt_record_start(hd_rt.opt.ring_fd);
	else if (hd_rt.opt.record != HD_REC_NONE)
		hd_rt_record_start(-1);
	hd_rt_signals_init();
	hd_rt_crash_init();
	if (hd_rt.opt.carriers == HD_CARRIERS_THREADS)
		hd_rt_debug_start();
	hd_rt_inline_init();
	/*
	 * libstdc++ counts owners without atomic operations as long as this is set. It is not in a process that
	 * has had threads in an earlier execution: all executions are to do the same.
	 */
	__libc_single_threaded = false;
}

/* Older code calls this first; by then the constructor has run. */
HD_EXPORT void __tsan_init(void)
{
}

/* ---- main on a stack of ours --------------------------------------------- */

/*
 * The kernel puts arguments and environment above the first stack, so addresses there
 * change with every variable in the environment. Main runs on a stack whose place
 * depends on nothing.
 */

typedef int main_fn(int, char **, char **);

static main_fn *program_main;
static int main_argc;
static char **main_argv, **main_envp;

/* What serving left below: main's frames have unused words, and executions are told apart by them. */
static HD_NOINLINE void wipe_stack(void)
{
	volatile uint64_t below[1024];

	for (unsigned i = 0; i < sizeof(below) / sizeof(below[0]); i++)
		below[i] = 0;
}

static void main_entry(void)
{
	int status;

	if (hd_rt.exploring) {
		hd_rt_explore_serve();
		wipe_stack();
	}
	status = program_main(main_argc, main_argv, main_envp);
	exit(status);
}

static size_t main_stack_size(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_STACK, &lim) != 0 || lim.rlim_cur == RLIM_INFINITY)
		return 64ul << 20;
	return lim.rlim_cur < (1ul << 20) ? 1ul << 20 : (size_t)lim.rlim_cur;
}

#define MAIN_STACK_END 0x0f0000000000ul

/* Always at the same place, so not from the arena, whose use depends on what is recorded. */
static char *map_main_stack(size_t size)
{
	uintptr_t want = MAIN_STACK_END - ((size + 4095) & ~4095ul);
	long p = hd_sys(SYS_mmap, want, MAIN_STACK_END - want, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	return (uintptr_t)p == want ? (char *)p : NULL;
}

static int run_main(int argc, char **argv, char **envp)
{
	size_t size = main_stack_size();
	char *stack = map_main_stack(size + 4096);
	static struct fiber boot;

	main_argc = argc;
	main_argv = argv;
	main_envp = envp;
	if (!stack)
		return program_main(argc, argv, envp);
	hd_sys(SYS_mprotect, stack, 4096, PROT_NONE);
	hd_rt_main_stack = stack + 4096;
	hd_rt_main_stack_size = size;
	hd_rt_claim(stack, size + 4096);
	boot.fs = hd_rt_main_fiber.fs;
	hd_rt_fiber_prepare(&hd_rt_main_fiber, MAIN_STACK_END, main_entry);
	hd_rt_main_fiber.stack.low = (uintptr_t)hd_rt_main_stack;
	hd_rt_switch_to(&boot, &hd_rt_main_fiber);
	__builtin_unreachable();
}

typedef int start_main_fn(main_fn *, int, char **, void (*)(void), void (*)(void), void (*)(void),
			  void *);
start_main_fn __libc_start_main;

HD_EXPORT int __libc_start_main(main_fn *fn, int argc, char **argv, void (*init)(void),
				void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	start_main_fn *real = (start_main_fn *)hd_rt_next("__libc_start_main");

	program_main = fn;
	return real(hd_rt.active ? run_main : fn, argc, argv, init, fini, rtld_fini, stack_end);
}
