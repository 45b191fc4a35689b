/*
 * Asynchronous I/O: aio_read and relatives, lio_listio. What libc keeps in a request (__error_code, __return_value)
 * is kept there, too.
 */
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "jobs.h"
#include "runtime/libc/libc_calls.h"
#include "runtime/memory/arena.h"
#include "runtime/real.h"
#include "runtime/rt.h"

enum { SYNC = LIO_NOP + 1, DATA_SYNC };

_Static_assert(sizeof(struct aiocb) == sizeof(struct aiocb64), "one struct serves both");

static bool is_done(const struct aiocb *cb)
{
	return cb->__error_code != EINPROGRESS;
}

static ssize_t perform(struct aiocb *cb, int what)
{
	void *buf = (void *)cb->aio_buf;

	switch (what) {
	case LIO_READ:
		return pread(cb->aio_fildes, buf, cb->aio_nbytes, cb->aio_offset);
	case LIO_WRITE:
		return pwrite(cb->aio_fildes, buf, cb->aio_nbytes, cb->aio_offset);
	case SYNC:
		return fsync(cb->aio_fildes);
	case DATA_SYNC:
		return fdatasync(cb->aio_fildes);
	default:
		return 0;
	}
}

static void work(struct hd_job *job)
{
	struct aiocb *cb = job->request;
	ssize_t r = perform(cb, job->what);

	cb->__return_value = r;
	cb->__error_code = r < 0 ? errno : 0;
}

/* 0, or -1 and errno, which the request has, too. */
static int start(struct aiocb *cb, int what, struct hd_job_group *group)
{
	struct hd_job job = { .group = group,
			      .request = cb,
			      .work = work,
			      .descriptor = cb->aio_fildes,
			      .what = what };
	int err = cb->aio_reqprio < 0 || cb->aio_reqprio > 20 ? EINVAL : 0;

	cb->__error_code = EINPROGRESS;
	cb->__return_value = 0;
	if (!err)
		err = hd_rt_job_start(&job);
	if (!err)
		return 0;
	cb->__error_code = err;
	cb->__return_value = -1;
	return hd_rt_fail(err);
}

static int start_one(struct aiocb *cb, int what)
{
	struct hd_job_group *group = hd_rt_job_group(1, &cb->aio_sigevent);
	int r = start(cb, what, group);

	if (r)
		hd_rt_free(group, sizeof(*group));
	return r;
}

static int start_sync(int op, struct aiocb *cb)
{
	if (op != O_SYNC && op != O_DSYNC)
		return hd_rt_fail(EINVAL);
	if (fcntl(cb->aio_fildes, F_GETFL) < 0)
		return hd_rt_fail(EBADF);
	return start_one(cb, op == O_SYNC ? SYNC : DATA_SYNC);
}

static int error_of(const struct aiocb *cb)
{
	hd_rt_point();
	hd_rt_job_asked(cb, is_done(cb));
	return cb->__error_code;
}

static ssize_t result_of(struct aiocb *cb)
{
	hd_rt_point();
	hd_rt_job_asked(cb, is_done(cb));
	return cb->__return_value;
}

static int suspend(const struct aiocb *const list[], int n, const struct timespec *timeout)
{
	uint64_t deadline = timeout ? hd_rt_deadline_rel(timeout) : HD_NEVER;

	hd_rt_testcancel();
	hd_rt_point();
	for (;;) {
		bool any = false, goes_on = false;
		int err;

		for (int i = 0; i < n; i++) {
			if (list[i] && is_done(list[i])) {
				hd_rt_job_asked(list[i], true);
				any = true;
			}
			goes_on |= list[i] && !is_done(list[i]);
		}
		if (any || !goes_on)
			return 0;
		err = hd_rt_job_wait(deadline);
		if (err)
			return hd_rt_fail(err);
	}
}

static int cancel(int fd, const struct aiocb *cb)
{
	hd_rt_point();
	if (fcntl(fd, F_GETFL) < 0)
		return hd_rt_fail(EBADF);
	if (cb && cb->aio_fildes != fd)
		return hd_rt_fail(EINVAL);
	return (cb ? !is_done(cb) : hd_rt_job_goes_on(fd)) ? AIO_NOTCANCELED : AIO_ALLDONE;
}

/* ---- lists -------------------------------------------------------------------- */

/* Wait for all; -1 if one of them failed. */
static int wait_for_list(struct aiocb *const list[], int n)
{
	bool failed = false;

	for (int i = 0; i < n; i++) {
		if (!list[i] || list[i]->aio_lio_opcode == LIO_NOP)
			continue;
		while (!is_done(list[i])) {
			if (hd_rt_job_wait(HD_NEVER) == EINTR)
				return hd_rt_fail(EINTR);
		}
		hd_rt_job_asked(list[i], true);
		failed |= list[i]->__error_code != 0;
	}
	return failed ? hd_rt_fail(EIO) : 0;
}

static int list_io(int mode, struct aiocb *const list[], int n, struct sigevent *event)
{
	struct hd_job_group *all;
	int result = 0;

	if ((mode != LIO_WAIT && mode != LIO_NOWAIT) || n < 0)
		return hd_rt_fail(EINVAL);
	/* One more than there are, so that nobody is told before all have begun. */
	all = hd_rt_job_group((uint32_t)n + 1, mode == LIO_NOWAIT ? event : NULL);
	for (int i = 0; i < n; i++) {
		if (list[i] && list[i]->aio_lio_opcode != LIO_NOP) {
			list[i]->aio_sigevent.sigev_notify = SIGEV_NONE;
			if (start(list[i], list[i]->aio_lio_opcode & 127, all) == 0)
				continue;
			result = -1;
		}
		hd_rt_job_left_out(all);
	}
	hd_rt_job_left_out(all);
	if (mode == LIO_NOWAIT)
		return result ? hd_rt_fail(EIO) : 0;
	return wait_for_list(list, n) || result ? hd_rt_fail(EIO) : 0;
}

/* ---- the calls ------------------------------------------------------------------ */

#define AIO(suffix)                                                                                \
	HD_EXPORT int aio_read##suffix(struct aiocb##suffix *cb)                                   \
	{                                                                                          \
		return hd_rt_enter(HD_CALLER) ? start_one((struct aiocb *)cb, LIO_READ)            \
					      : HD_REAL(aio_read##suffix)(cb);                     \
	}                                                                                          \
	HD_EXPORT int aio_write##suffix(struct aiocb##suffix *cb)                                  \
	{                                                                                          \
		return hd_rt_enter(HD_CALLER) ? start_one((struct aiocb *)cb, LIO_WRITE)           \
					      : HD_REAL(aio_write##suffix)(cb);                    \
	}                                                                                          \
	HD_EXPORT int aio_fsync##suffix(int op, struct aiocb##suffix *cb)                          \
	{                                                                                          \
		return hd_rt_enter(HD_CALLER) ? start_sync(op, (struct aiocb *)cb)                 \
					      : HD_REAL(aio_fsync##suffix)(op, cb);                \
	}                                                                                          \
	HD_EXPORT int aio_error##suffix(const struct aiocb##suffix *cb)                            \
	{                                                                                          \
		return hd_rt_enter(HD_CALLER) ? error_of((const struct aiocb *)cb)                 \
					      : HD_REAL(aio_error##suffix)(cb);                    \
	}                                                                                          \
	HD_EXPORT ssize_t aio_return##suffix(struct aiocb##suffix *cb)                             \
	{                                                                                          \
		return hd_rt_enter(HD_CALLER) ? result_of((struct aiocb *)cb)                      \
					      : HD_REAL(aio_return##suffix)(cb);                   \
	}                                                                                          \
	HD_EXPORT int aio_suspend##suffix(const struct aiocb##suffix *const list[], int n,         \
					  const struct timespec *restrict timeout)                 \
	{                                                                                          \
		return hd_rt_enter(HD_CALLER)                                                      \
			       ? suspend((const struct aiocb *const *)list, n, timeout)            \
			       : HD_REAL(aio_suspend##suffix)(list, n, timeout);                   \
	}                                                                                          \
	HD_EXPORT int aio_cancel##suffix(int fd, struct aiocb##suffix *cb)                         \
	{                                                                                          \
		return hd_rt_enter(HD_CALLER) ? cancel(fd, (const struct aiocb *)cb)               \
					      : HD_REAL(aio_cancel##suffix)(fd, cb);               \
	}                                                                                          \
	HD_EXPORT int lio_listio##suffix(int mode, struct aiocb##suffix *const list[restrict],     \
					 int n, struct sigevent *restrict event)                   \
	{                                                                                          \
		return hd_rt_enter(HD_CALLER)                                                      \
			       ? list_io(mode, (struct aiocb *const *)list, n, event)              \
			       : HD_REAL(lio_listio##suffix)(mode, list, n, event);                \
	}
AIO()
AIO(64)
