/*
 * Who the process is: setuid and relatives. For the kernel each thread has an identity of its own, so glibc makes all
 * threads change theirs, by a signal. Donors must not handle one, for fibers run on their stacks; and only the
 * carrier makes calls for which an identity matters. So it is the carrier's that changes.
 */
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <unistd.h>

#include "runtime/libc/libc_calls.h"
#include "runtime/real.h"
#include "runtime/rt.h"
#include "runtime/sys.h"

/* With a kernel thread for each, all must change. */
static bool is_carriers(uintptr_t caller)
{
	return hd_rt_enter(caller) && hd_rt.opt.carriers != HD_CARRIERS_THREADS;
}

static int answer(long r)
{
	hd_rt_progress();
	hd_rt_changes_unseen();
	return r < 0 ? hd_rt_fail((int)-r) : 0;
}

#define IDENTITY(name, params, args, ...)                                                          \
	HD_EXPORT int name params                                                                  \
	{                                                                                          \
		return is_carriers(HD_CALLER) ? answer(hd_sys(__VA_ARGS__)) : HD_REAL(name) args;  \
	}

IDENTITY(setuid, (uid_t id), (id), SYS_setuid, id)
IDENTITY(setgid, (gid_t id), (id), SYS_setgid, id)
IDENTITY(seteuid, (uid_t id), (id), SYS_setresuid, -1, id, -1)
IDENTITY(setegid, (gid_t id), (id), SYS_setresgid, -1, id, -1)
IDENTITY(setreuid, (uid_t real, uid_t effective), (real, effective), SYS_setreuid, real, effective)
IDENTITY(setregid, (gid_t real, gid_t effective), (real, effective), SYS_setregid, real, effective)
IDENTITY(setresuid, (uid_t real, uid_t effective, uid_t saved), (real, effective, saved),
	 SYS_setresuid, real, effective, saved)
IDENTITY(setresgid, (gid_t real, gid_t effective, gid_t saved), (real, effective, saved),
	 SYS_setresgid, real, effective, saved)
IDENTITY(setgroups, (size_t n, const gid_t *groups), (n, groups), SYS_setgroups, n, groups)

/* glibc's own calls its setgroups. */
HD_EXPORT int initgroups(const char *user, gid_t group)
{
	gid_t groups[1024];
	int n = sizeof(groups) / sizeof(groups[0]);

	if (!is_carriers(HD_CALLER))
		return HD_REAL(initgroups)(user, group);
	if (getgrouplist(user, group, groups, &n) < 0)
		return hd_rt_fail(ENOMEM);
	return answer(hd_sys(SYS_setgroups, n, groups));
}
