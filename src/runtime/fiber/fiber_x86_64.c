/*
 * Fibers on x86-64: the thread pointer is the FS base.
 */
#include "fiber.h"

#include <asm/prctl.h>
#include <sys/auxv.h>

#include "hand_over.h"
#include "runtime/sys.h"

#ifndef __x86_64__
#error "heddle's fibers exist for x86-64 only: another machine needs its own fiber_<machine>.c"
#endif

#define HWCAP2_FSGSBASE 2

static bool have_fsgsbase;

static inline void set_fs(uintptr_t fs)
{
	if (likely(have_fsgsbase))
		__asm__ volatile("wrfsbase %0" : : "r"(fs) : "memory");
	else
		hd_sys(SYS_arch_prctl, ARCH_SET_FS, fs);
}

void hd_rt_set_thread_pointer(uintptr_t fs)
{
	set_fs(fs);
}

void hd_rt_switch_to(struct fiber *from, struct fiber *to)
{
	if (from->fs != to->fs) {
		if (unlikely(hd_rt.opt.carriers == HD_CARRIERS_THREADS)) {
			hd_rt_hand_over(from, to);
			return;
		}
		set_fs(to->fs);
	}
	hd_rt_switch_stack(&from->sp, to->sp);
}

void hd_rt_fiber_prepare(struct fiber *f, uintptr_t top, void (*entry)(void))
{
	f->sp = hd_rt_stack_prepare(top, entry);
	f->stack.top = top;
}

void hd_rt_fiber_init(struct fiber *main_fiber)
{
	have_fsgsbase = getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE;
	__asm__("mov %%fs:0x10, %0" : "=r"(main_fiber->fs));
}
