/*
 * What a program says about its own memory: how much it may have (setrlimit) and that it stays in
 * memory (mlockall). Most of the address space is the runtime's, and no part of what it means.
 */
#include <errno.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "arena.h"
#include "limits.h"
#include "maps.h"
#include "runtime/explore/repeat.h"
#include "runtime/libc/libc_calls.h"
#include "runtime/observe/race_online.h"
#include "runtime/real.h"
#include "runtime/rt.h"
#include "runtime/sys.h"
#include "runtime/thread/thread.h"

/* ---- limits on address space and data ------------------------------------- */

/* What the runtime's tables may still grow to after a limit was set. */
#define LATER (UINT64_C(1) << 30)

/* As the program set them. The kernel has a soft limit with room for us, and its old hard one. */
static struct told {
	bool set;
	struct rlimit64 limit;
} told[RLIM_NLIMITS];

static struct told *told_of(int resource)
{
	return resource == RLIMIT_AS || resource == RLIMIT_DATA ? &told[resource] : NULL;
}

static bool has_capability(int number)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	return hd_sys(SYS_capget, &head, data) == 0 &&
	       (data[number / 32].effective >> number % 32 & 1);
}

static long kernel_limit(int resource, const struct rlimit64 *new, struct rlimit64 *old)
{
	return hd_sys(SYS_prlimit64, 0, resource, new, old);
}

static long get_limit(struct told *t, int resource, struct rlimit64 *out)
{
	if (!t->set)
		return kernel_limit(resource, NULL, out);
	*out = t->limit;
	return 0;
}

static long set_limit(struct told *t, int resource, const struct rlimit64 *new)
{
	struct rlimit64 now, kernel;
	uint64_t ours;
	long r = get_limit(t, resource, &now);

	if (r == 0)
		r = kernel_limit(resource, NULL, &kernel);
	if (r < 0)
		return r;
	if (new->rlim_cur > new->rlim_max)
		return -EINVAL;
	if (new->rlim_max > now.rlim_max && !has_capability(CAP_SYS_RESOURCE))
		return -EPERM;
	hd_rt_race_start(); /* its tables are reserved while that is allowed */
	ours = hd_rt_arena_size() + LATER;
	if (new->rlim_max > kernel.rlim_max)
		kernel.rlim_max = new->rlim_max;
	kernel.rlim_cur =
		new->rlim_cur < kernel.rlim_max - ours &&new->rlim_cur < RLIM64_INFINITY - ours
			? new->rlim_cur + ours
			: kernel.rlim_max;
	r = kernel_limit(resource, &kernel, NULL);
	if (r == 0)
		*t = (struct told){ .set = true, .limit = *new };
	return r;
}

static int answer(long r)
{
	return r < 0 ? hd_rt_fail((int)-r) : 0;
}

static struct fiber *enter_to_set(uintptr_t caller)
{
	struct fiber *me = hd_rt_enter(caller);

	if (me)
		hd_rt_changes_unseen();
	return me;
}

#define LIMITS(suffix)                                                                             \
	HD_EXPORT int setrlimit##suffix(__rlimit_resource_t resource,                              \
					const struct rlimit##suffix *limit)                        \
	{                                                                                          \
		struct told *t = enter_to_set(HD_CALLER) ? told_of(resource) : NULL;               \
                                                                                                   \
		return t ? answer(set_limit(t, resource, (const struct rlimit64 *)limit))          \
			 : HD_REAL(setrlimit##suffix)(resource, limit);                            \
	}                                                                                          \
	HD_EXPORT int getrlimit##suffix(__rlimit_resource_t resource,                              \
					struct rlimit##suffix *limit)                              \
	{                                                                                          \
		struct told *t = hd_rt_enter(HD_CALLER) ? told_of(resource) : NULL;                \
                                                                                                   \
		return t ? answer(get_limit(t, resource, (struct rlimit64 *)limit))                \
			 : HD_REAL(getrlimit##suffix)(resource, limit);                            \
	}                                                                                          \
	HD_EXPORT int prlimit##suffix(pid_t pid, enum __rlimit_resource resource,                  \
				      const struct rlimit##suffix *new,                            \
				      struct rlimit##suffix *old)                                  \
	{                                                                                          \
		bool self = !pid || pid == hd_rt.pid;                                              \
		struct told *t = enter_to_set(HD_CALLER) && self ? told_of(resource) : NULL;       \
		long r = 0;                                                                        \
                                                                                                   \
		if (!t)                                                                            \
			return HD_REAL(prlimit##suffix)(pid, resource, new, old);                  \
		if (old)                                                                           \
			r = get_limit(t, resource, (struct rlimit64 *)old);                        \
		if (new &&r == 0)                                                                  \
			r = set_limit(t, resource, (const struct rlimit64 *)new);                  \
		return answer(r);                                                                  \
	}
LIMITS()
LIMITS(64)

/* ---- staying in memory ------------------------------------------------------ */

static bool add_size(const struct hd_mapping *m, void *sum)
{
	size_t len = m->end - m->start;

	if (!hd_rt_is_claimed((const void *)m->start, len))
		*(uint64_t *)sum += len;
	return true;
}

/* The address space of the program and its libraries, in bytes. */
static uint64_t size_without_us(void)
{
	uint64_t sum = 0;

	hd_rt_each_mapping(add_size, &sum);
	return sum;
}

/* What the program said last of mappings to come: MCL_FUTURE and MCL_ONFAULT. A child begins without. */
static struct {
	int pid, flags;
} future;

static unsigned way(int flags)
{
	return flags & MCL_ONFAULT ? MLOCK_ONFAULT : 0;
}

bool hd_rt_keep_in_memory(const void *p, size_t len)
{
	if (likely(!(future.flags & MCL_FUTURE)) || future.pid != hd_rt.pid)
		return true;
	return hd_sys(SYS_mlock2, p, len, way(future.flags)) != -ENOMEM;
}

/* What cannot be locked is left alone, as the kernel does it. */
static bool lock_one(const struct hd_mapping *m, void *flags)
{
	size_t len = m->end - m->start;

	if (!hd_rt_is_claimed((const void *)m->start, len))
		hd_sys(SYS_mlock2, m->start, len, way(*(int *)flags));
	return true;
}

/*
 * The kernel would bring terabytes of tables into memory that are never used. So the program's mappings
 * are locked one by one: those that are there, and those that it makes.
 */
static int lock_all(int flags)
{
	struct rlimit64 limit = { .rlim_cur = RLIM64_INFINITY };

	if (!flags || (flags & ~(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT)) || flags == MCL_ONFAULT)
		return hd_rt_fail(EINVAL);
	if (!has_capability(CAP_IPC_LOCK))
		kernel_limit(RLIMIT_MEMLOCK, NULL, &limit);
	if (limit.rlim_cur == 0)
		return hd_rt_fail(EPERM);
	if ((flags & MCL_CURRENT) && limit.rlim_cur < size_without_us())
		return hd_rt_fail(ENOMEM);
	hd_rt_repeat_cannot();
	future.pid = hd_rt.pid;
	future.flags = flags & (MCL_FUTURE | MCL_ONFAULT);
	if (flags & MCL_CURRENT)
		hd_rt_each_mapping(lock_one, &flags);
	return 0;
}

HD_EXPORT int mlockall(int flags)
{
	return enter_to_set(HD_CALLER) ? lock_all(flags) : HD_REAL(mlockall)(flags);
}

HD_EXPORT int munlockall(void)
{
	if (enter_to_set(HD_CALLER))
		future.flags = 0;
	return HD_REAL(munlockall)();
}
