/*
 * getaddrinfo_a: names that are looked up behind the program's back. What libc keeps in a request (__return) is kept
 * there, too. The lookup itself is libc's, and whoever makes it waits for the network for real.
 */
#include <errno.h>
#include <netdb.h>

#include "jobs.h"
#include "runtime/libc/libc_calls.h"
#include "runtime/real.h"
#include "runtime/rt.h"

static bool is_done(const struct gaicb *cb)
{
	return cb->__return != EAI_INPROGRESS;
}

static void work(struct hd_job *job)
{
	struct gaicb *cb = job->request;

	cb->__return = getaddrinfo(cb->ar_name, cb->ar_service, cb->ar_request, &cb->ar_result);
}

static int start(struct gaicb *cb, struct hd_job_group *group)
{
	struct hd_job job = { .group = group, .request = cb, .work = work, .descriptor = -1 };

	cb->__return = EAI_INPROGRESS;
	if (hd_rt_job_start(&job) == 0)
		return 0;
	cb->__return = EAI_AGAIN;
	hd_rt_job_left_out(group);
	return EAI_AGAIN;
}

static bool any_goes_on(const struct gaicb *const list[], int n)
{
	for (int i = 0; i < n; i++) {
		if (list[i] && !is_done(list[i]))
			return true;
	}
	return false;
}

static void ask_all(const struct gaicb *const list[], int n)
{
	for (int i = 0; i < n; i++) {
		if (list[i] && is_done(list[i]))
			hd_rt_job_asked(list[i], true);
	}
}

static int look_up(int mode, struct gaicb *list[], int n, struct sigevent *event)
{
	const struct gaicb *const *asked = (const struct gaicb *const *)list;
	struct hd_job_group *group;
	int result = 0;

	if (mode != GAI_WAIT && mode != GAI_NOWAIT)
		return hd_rt_fail(EINVAL);
	group = hd_rt_job_group((uint32_t)n + 1, mode == GAI_NOWAIT ? event : NULL);
	for (int i = 0; i < n; i++) {
		if (!list[i])
			hd_rt_job_left_out(group);
		else if (start(list[i], group))
			result = EAI_AGAIN;
	}
	hd_rt_job_left_out(group);
	while (mode == GAI_WAIT && any_goes_on(asked, n)) {
		if (hd_rt_job_wait(HD_NEVER) == EINTR)
			return EAI_INTR;
	}
	if (mode == GAI_WAIT)
		ask_all(asked, n);
	return result;
}

static int suspend(const struct gaicb *const list[], int n, const struct timespec *timeout)
{
	uint64_t deadline = timeout ? hd_rt_deadline_rel(timeout) : HD_NEVER;
	bool any = any_goes_on(list, n);

	hd_rt_testcancel();
	hd_rt_point();
	if (!any)
		return EAI_ALLDONE;
	for (;;) {
		int err;

		for (int i = 0; i < n; i++) {
			if (!list[i] || !is_done(list[i]))
				continue;
			ask_all(list, n);
			return 0;
		}
		err = hd_rt_job_wait(deadline);
		if (err)
			return err == EINTR ? EAI_INTR : EAI_AGAIN;
	}
}

HD_EXPORT int getaddrinfo_a(int mode, struct gaicb *list[restrict], int n,
			    struct sigevent *restrict event)
{
	return hd_rt_enter(HD_CALLER) ? look_up(mode, list, n, event)
				      : HD_REAL(getaddrinfo_a)(mode, list, n, event);
}

HD_EXPORT int gai_error(struct gaicb *cb)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(gai_error)(cb);
	hd_rt_point();
	hd_rt_job_asked(cb, is_done(cb));
	return cb->__return;
}

HD_EXPORT int gai_suspend(const struct gaicb *const list[], int n, const struct timespec *timeout)
{
	return hd_rt_enter(HD_CALLER) ? suspend(list, n, timeout)
				      : HD_REAL(gai_suspend)(list, n, timeout);
}

HD_EXPORT int gai_cancel(struct gaicb *cb)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(gai_cancel)(cb);
	hd_rt_point();
	return is_done(cb) ? EAI_ALLDONE : EAI_NOTCANCELED;
}
