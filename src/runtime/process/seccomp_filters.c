/*
 * seccomp. The runtime makes system calls that the program does not know of, so what the program installs is
 * preceded by a rule that allows those from this library's code. The kernel keeps filters for each of its
 * threads, and here one carries all: a filter of one thread among others would hold for all of them. It is not
 * installed then, and neither is strict mode, which ends a process for the least of our calls. The
 * report says so.
 */
#include "seccomp_filters.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "runtime/libc/libc_calls.h"
#include "runtime/memory/arena.h"
#include "runtime/rt.h"
#include "runtime/sys.h"

#define OURS 6u /* instructions that allow our calls */

/* Where this library's code is, as a filter sees the place of a call: in two halves. */
static bool allow_ours(struct sock_filter *out)
{
	const unsigned place = offsetof(struct seccomp_data, instruction_pointer);
	uint64_t low = (uintptr_t)__ehdr_start, high = (uintptr_t)__etext;
	const struct sock_filter rules[OURS] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, place + 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(low >> 32), 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, place),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)low, 0, 2),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (uint32_t)high, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	hd_rt_copy(out, rules, sizeof(rules));
	return low >> 32 == high >> 32;
}

static int install(unsigned flags, const struct sock_fprog *filter)
{
	size_t size = (OURS + filter->len) * sizeof(struct sock_filter);
	struct sock_filter *rules = hd_rt_alloc(size);
	struct sock_fprog both = { .len = (unsigned short)(OURS + filter->len), .filter = rules };
	long r;

	if (filter->len && allow_ours(rules)) {
		hd_rt_copy(rules + OURS, filter->filter, filter->len * sizeof(*rules));
		hd_rt_drop("seccomp filter: the runtime's own calls are exempt from it");
	} else {
		both = *filter;
	}
	r = hd_sys(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &both);
	hd_rt_free(rules, size);
	return r < 0 ? hd_rt_fail((int)-r) : (int)r;
}

static int set_filter(unsigned flags, const struct sock_fprog *filter)
{
	if (!filter)
		return hd_rt_fail(EFAULT);
	if (hd_rt.nlive > 1 && !(flags & SECCOMP_FILTER_FLAG_TSYNC)) {
		hd_rt_drop("seccomp filter of one thread among others: it is not applied");
		return 0;
	}
	return install(flags & ~(unsigned)SECCOMP_FILTER_FLAG_TSYNC, filter);
}

static int set_strict(void)
{
	hd_rt_drop("seccomp strict mode: it is not applied");
	return 0;
}

int hd_rt_seccomp(unsigned operation, unsigned flags, void *args)
{
	long r;

	if (operation == SECCOMP_SET_MODE_STRICT && !flags && !args)
		return set_strict();
	if (operation == SECCOMP_SET_MODE_FILTER)
		return set_filter(flags, args);
	r = hd_sys(SYS_seccomp, operation, flags, args);
	return r < 0 ? hd_rt_fail((int)-r) : (int)r;
}

int hd_rt_seccomp_mode(unsigned long mode, void *filter)
{
	if (mode == SECCOMP_MODE_STRICT)
		return set_strict();
	return mode == SECCOMP_MODE_FILTER ? set_filter(0, filter) : hd_rt_fail(EINVAL);
}
