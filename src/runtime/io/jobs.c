#include "jobs.h"

#include <errno.h>

#include "runtime/explore/explore.h"
#include "runtime/libc/libc_calls.h"
#include "runtime/memory/arena.h"
#include "runtime/rt.h"
#include "runtime/thread/thread.h"

static struct hd_job *jobs, **last = &jobs;

/* Who waits for a job waits for this. */
static uintptr_t done_word(void)
{
	return (uintptr_t)&jobs;
}

/* ---- the end of a job ------------------------------------------------------- */

static void send(const struct sigevent *event)
{
	siginfo_t info;

	hd_rt_fill(&info, 0, sizeof(info));
	info.si_signo = event->sigev_signo;
	info.si_code = SI_ASYNCIO;
	info.si_pid = hd_rt.pid;
	info.si_value = event->sigev_value;
	hd_rt_signal_release(event->sigev_signo);
	hd_rt_signal_raise(NULL, &info);
}

/* The last of a group tells of it. */
static void leave_group(struct hd_job_group *group)
{
	struct sigevent event = group->event;

	if (--group->left)
		return;
	hd_rt_free(group, sizeof(*group));
	if (event.sigev_notify == SIGEV_SIGNAL)
		send(&event);
	else if (event.sigev_notify == SIGEV_THREAD)
		event.sigev_notify_function(event.sigev_value);
}

void hd_rt_job_left_out(struct hd_job_group *group)
{
	leave_group(group);
}

static void take_out(struct hd_job *job)
{
	struct hd_job **p = &jobs;

	while (*p != job)
		p = &(*p)->next;
	*p = job->next;
	if (!*p)
		last = p;
}

/* ---- its thread -------------------------------------------------------------- */

static bool is_next(const struct hd_job *job)
{
	for (const struct hd_job *j = jobs; j != job; j = j->next) {
		if (j->descriptor == job->descriptor && j->descriptor >= 0 && j->pid == job->pid)
			return false;
	}
	return true;
}

/* The name is for reports, which leave out frames of the runtime. */
static void *hd_rt_job_thread(void *arg)
{
	struct hd_job *job = arg;
	struct hd_job_group *group = job->group;

	hd_rt.cur->pc = job->pc;
	hd_rt_point();
	while (!is_next(job))
		hd_rt_block(HD_TS_FUTEX, done_word(), HD_NEVER);
	job->work(job);
	hd_rt_event(HD_OP_HB_RELEASE, (uintptr_t)job->request, 0, 0);
	hd_rt_progress();
	take_out(job);
	hd_rt_free(job, sizeof(*job));
	hd_rt_wake_all(HD_TS_FUTEX, done_word());
	leave_group(group);
	return NULL;
}

struct hd_job_group *hd_rt_job_group(uint32_t n, const struct sigevent *event)
{
	struct hd_job_group *group = hd_rt_alloc(sizeof(*group));

	group->left = n;
	group->event.sigev_notify = SIGEV_NONE;
	if (event)
		hd_rt_copy(&group->event, event, sizeof(*event));
	return group;
}

int hd_rt_job_start(const struct hd_job *job)
{
	struct hd_job *own = hd_rt_alloc(sizeof(*own));
	const struct sigevent *event = &job->group->event;
	bool attributes = event->sigev_notify == SIGEV_THREAD && event->sigev_notify_attributes;
	pthread_attr_t attr;
	pthread_t pt;
	int err;

	hd_rt_copy(own, job, sizeof(*own));
	own->pc = hd_rt.cur->pc;
	own->pid = hd_rt.pid;
	own->next = NULL;
	*last = own;
	last = &own->next;
	if (attributes)
		attr = *event->sigev_notify_attributes;
	else
		pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	err = hd_rt_thread_create(&pt, &attr, hd_rt_job_thread, own);
	if (!attributes)
		pthread_attr_destroy(&attr);
	if (err) {
		take_out(own);
		hd_rt_free(own, sizeof(*own));
		return EAGAIN;
	}
	hd_rt_signals_block_all(hd_rt_thread_find(pt));
	return 0;
}

/* ---- asking ------------------------------------------------------------------- */

bool hd_rt_job_goes_on(int descriptor)
{
	for (const struct hd_job *j = jobs; j; j = j->next) {
		if (j->pid == hd_rt.pid && (descriptor < 0 || j->descriptor == descriptor))
			return true;
	}
	return false;
}

void hd_rt_job_asked(const void *request, bool done)
{
	/* Asking is no operation to an explorer, and others may be done at other times. */
	hd_rt_explore_uses(HD_X_USES_ASKS);
	if (done)
		hd_rt_event(HD_OP_HB_ACQUIRE, (uintptr_t)request, 0, 0);
	else
		hd_rt_spin();
}

int hd_rt_job_wait(uint64_t deadline)
{
	enum hd_wake w;

	hd_rt_explore_uses(HD_X_USES_ASKS);
	if (hd_rt_too_late(deadline))
		return EAGAIN;
	w = hd_rt_block_cancellable(HD_TS_FUTEX, done_word(), deadline, true);
	if (w == HD_CANCELLED)
		hd_rt_testcancel();
	if (w == HD_TIMEOUT)
		return EAGAIN;
	return w == HD_INTERRUPTED ? EINTR : 0;
}
