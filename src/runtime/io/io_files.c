/*
 * Descriptors that come and go, FIFOs, file locks and System V messages; see io.c.
 */
#include <limits.h>
#include <linux/close_range.h>
#include <stdarg.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/sem.h>

#include "files.h"
#include "io.h"
#include "runtime/explore/common_state.h"
#include "runtime/explore/repeat.h"
#include "runtime/memory/arena.h"
#include "runtime/real.h"
#include "runtime/rt.h"
#include "runtime/sys.h"

/* ---- descriptors ------------------------------------------------------- */

static void made_pair(int fds[2])
{
	hd_rt_fd_model_pair(fds);
	hd_rt_range_done(fds, 2 * sizeof(*fds));
}

/* A descriptor is about to be made, in a step of its own: which number it gets depends on others. */
static void before_number(uintptr_t caller)
{
	if (hd_rt_enter(caller))
		hd_rt_common_point(HD_COMMON_NUMBERS);
}

/* The same of two, whose numbers are written. */
static void before_pair(uintptr_t caller)
{
	before_number(caller);
	if (hd_rt_enter(caller))
		hd_rt_range_soon();
}

HD_EXPORT int pipe2(int fds[2], int flags)
{
	int r;

	before_pair(HD_CALLER);
	r = HD_REAL(pipe2)(fds, flags);

	if (!r && hd_rt_enter(HD_CALLER))
		made_pair(fds);
	return r;
}

HD_EXPORT int pipe(int fds[2])
{
	int r;

	before_pair(HD_CALLER);
	r = HD_REAL(pipe)(fds);

	if (!r && hd_rt_enter(HD_CALLER))
		made_pair(fds);
	return r;
}

HD_EXPORT int socketpair(int domain, int type, int protocol, int fds[2])
{
	int r;

	before_pair(HD_CALLER);
	r = HD_REAL(socketpair)(domain, type, protocol, fds);

	if (!r && hd_rt_enter(HD_CALLER))
		made_pair(fds);
	return r;
}

HD_EXPORT int eventfd(unsigned int count, int flags)
{
	int fd;

	before_number(HD_CALLER);
	fd = HD_REAL(eventfd)(count, flags);

	if (fd >= 0 && hd_rt_enter(HD_CALLER))
		hd_rt_fd_model(fd, HD_FD_EVENT, sizeof(struct hd_descriptor));
	return fd;
}

/* libc's would read and write behind our back. */
HD_EXPORT int eventfd_read(int fd, eventfd_t *value)
{
	return read(fd, value, sizeof(*value)) == sizeof(*value) ? 0 : -1;
}

HD_EXPORT int eventfd_write(int fd, eventfd_t value)
{
	return write(fd, &value, sizeof(value)) == sizeof(value) ? 0 : -1;
}

/*
 * Locks of flock order threads that have a descriptor each. Readers are not ordered among each other: who gives
 * a shared lock back is known to writers alone.
 */
#define LOCK_FILES 64u /* the others count as one file */

static struct locked_file {
	dev_t dev;
	ino_t ino;
	char writers, readers; /* their addresses stand for the two */
} lock_files[LOCK_FILES];
static unsigned nlock_files;
static unsigned char flocked[1024]; /* by descriptor: LOCK_SH, LOCK_EX or 0 */

/* Inodes differ from run to run; the order in which files are locked does not. */
static struct locked_file *lock_file(int fd)
{
	struct stat st;
	unsigned i = 0;

	if (!hd_rt_watches_order() || hd_sys(SYS_fstat, fd, &st) < 0)
		return NULL;
	while (i < nlock_files &&
	       (lock_files[i].dev != st.st_dev || lock_files[i].ino != st.st_ino))
		i++;
	if (i == LOCK_FILES)
		return &lock_files[LOCK_FILES - 1];
	if (i == nlock_files) {
		nlock_files++;
		lock_files[i].dev = st.st_dev;
		lock_files[i].ino = st.st_ino;
	}
	return &lock_files[i];
}

static int held_by(int fd)
{
	return (unsigned)fd < sizeof(flocked) ? flocked[fd] : 0;
}

static void file_locked(int fd, int how)
{
	struct locked_file *file = lock_file(fd);

	if ((unsigned)fd < sizeof(flocked))
		flocked[fd] = (unsigned char)how;
	if (!file)
		return;
	hd_rt_event(HD_OP_HB_ACQUIRE, (uintptr_t)&file->writers, 0, 0);
	if (how == LOCK_EX)
		hd_rt_event(HD_OP_HB_ACQUIRE, (uintptr_t)&file->readers, 0, 0);
}

/* What was locked through another descriptor of the same file may be a writer's. */
static void file_unlocks(int fd)
{
	struct locked_file *file = lock_file(fd);

	if (file)
		hd_rt_event(HD_OP_HB_RELEASE,
			    (uintptr_t)(held_by(fd) == LOCK_SH ? &file->readers : &file->writers),
			    0, 0);
	if ((unsigned)fd < sizeof(flocked))
		flocked[fd] = 0;
}

HD_EXPORT int close(int fd)
{
	/* The other end of a pipe may wait for this. */
	if (hd_rt_enter_cancellable(HD_CALLER)) {
		hd_rt_progress();
		if (held_by(fd))
			file_unlocks(fd);
		hd_rt_fd_release(fd, hd_rt_fd_kind(fd));
		hd_rt_fd_closed(fd);
	}
	if (HD_REAL(close)(fd) == 0)
		return 0;
	/* Somebody else has closed it: in another order it would have been another file. */
	if (errno == EBADF && hd_rt_enter(HD_CALLER))
		hd_rt_common_change();
	return -1;
}

HD_EXPORT int close_range(unsigned int first, unsigned int last, int flags)
{
	int r;

	before_number(HD_CALLER);
	r = HD_REAL(close_range)(first, last, flags);

	if (!r && !(flags & CLOSE_RANGE_CLOEXEC) && hd_rt_enter(HD_CALLER))
		hd_rt_fd_closed_range(first, last);
	return r;
}

HD_EXPORT void closefrom(int first)
{
	before_number(HD_CALLER);
	HD_REAL(closefrom)(first);
	if (hd_rt_enter(HD_CALLER))
		hd_rt_fd_closed_range(first > 0 ? (unsigned)first : 0, UINT_MAX);
}

/* After a call that gave @from another number, @to (or failed). */
static int copied(uintptr_t caller, int from, int to)
{
	if (to >= 0 && hd_rt_enter(caller)) {
		hd_rt_fd_copied(from, to);
		hd_rt_repeat_cannot();
	}
	return to;
}

HD_EXPORT int dup(int fd)
{
	before_number(HD_CALLER);
	return copied(HD_CALLER, fd, HD_REAL(dup)(fd));
}

HD_EXPORT int dup2(int fd, int to)
{
	before_number(HD_CALLER);
	return copied(HD_CALLER, fd, HD_REAL(dup2)(fd, to));
}

HD_EXPORT int dup3(int fd, int to, int flags)
{
	before_number(HD_CALLER);
	return copied(HD_CALLER, fd, HD_REAL(dup3)(fd, to, flags));
}

HD_EXPORT int shutdown(int fd, int how)
{
	if (hd_rt_io_begin_plain(HD_CALLER)) {
		hd_rt_progress();
		hd_rt_fd_release(fd, HD_FD_SOCKET);
	}
	return HD_REAL(shutdown)(fd, how);
}

/* ---- opening a FIFO ---------------------------------------------------- */

static bool is_fifo_to_wait_for(int dir, const char *path, int flags)
{
	struct stat st;

	if ((flags & (O_NONBLOCK | O_PATH | O_DIRECTORY)) || (flags & O_ACCMODE) == O_RDWR)
		return false;
	return hd_sys(SYS_newfstatat, dir, path, &st, 0) == 0 && S_ISFIFO(st.st_mode);
}

/*
 * A writer waits until there is a reader. A reader does not wait here: it would wait for a
 * writer, and its first read does that anyway.
 */
static int open_fifo(struct fiber *me, int dir, const char *path, int flags)
{
	long fd;
	int err;

	while ((fd = hd_sys(SYS_openat, dir, path, flags | O_NONBLOCK, 0)) == -ENXIO) {
		err = hd_rt_io_pause(me, 0);
		if (err)
			return hd_rt_fail(err);
	}
	if (fd < 0)
		return hd_rt_fail((int)-fd);
	hd_sys(SYS_fcntl, fd, F_SETFL, flags & ~(O_CREAT | O_EXCL | O_TRUNC));
	return (int)fd;
}

static int open_at(uintptr_t caller, int dir, const char *path, int flags, mode_t mode)
{
	struct fiber *me = hd_rt_enter_cancellable(caller);

	if (me && is_fifo_to_wait_for(dir, path, flags))
		return open_fifo(me, dir, path, flags);
	if (me && (flags & (O_CREAT | O_TRUNC)))
		hd_rt_changes_unseen();
	hd_rt_file_opens(dir, path, flags);
	return HD_REAL(openat)(dir, path, flags, mode);
}

/* The mode is there only if a file may be made. */
static mode_t mode_argument(int flags, va_list args)
{
	return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE
		       ? (mode_t)va_arg(args, unsigned int)
		       : 0;
}

#define OPEN(name, dir, ...)                                                                       \
	HD_EXPORT int name(__VA_ARGS__, int flags, ...)                                            \
	{                                                                                          \
		va_list args;                                                                      \
		mode_t mode;                                                                       \
                                                                                                   \
		va_start(args, flags);                                                             \
		mode = mode_argument(flags, args);                                                 \
		va_end(args);                                                                      \
		return open_at(HD_CALLER, dir, path, flags, mode);                                 \
	}
OPEN(open, AT_FDCWD, const char *path)
OPEN(open64, AT_FDCWD, const char *path)
OPEN(openat, dir, int dir, const char *path)
OPEN(openat64, dir, int dir, const char *path)

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);

HD_EXPORT int __open_2(const char *path, int flags)
{
	return open_at(HD_CALLER, AT_FDCWD, path, flags, 0);
}

HD_EXPORT int __open64_2(const char *path, int flags)
{
	return open_at(HD_CALLER, AT_FDCWD, path, flags, 0);
}

/* ---- file locks -------------------------------------------------------- */

HD_EXPORT int flock(int fd, int op)
{
	struct fiber *me = hd_rt_io_begin_plain(HD_CALLER);
	int err;

	if (!me)
		return HD_REAL(flock)(fd, op);
	hd_rt_progress();
	hd_rt_common_file(fd);
	/* Another kind of lock is a new one: the old one is given back first. */
	if (held_by(fd) || (op & LOCK_UN))
		file_unlocks(fd);
	while (HD_REAL(flock)(fd, op | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK || (op & LOCK_NB))
			return -1;
		err = hd_rt_io_pause(me, (uintptr_t)fd);
		if (err)
			return hd_rt_fail(err);
	}
	if (!(op & LOCK_UN))
		file_locked(fd, op & LOCK_EX ? LOCK_EX : LOCK_SH);
	return 0;
}

static int lock_without_waiting(int cmd)
{
	return cmd == F_SETLKW ? F_SETLK : F_OFD_SETLK;
}

static int control(uintptr_t caller, int fd, int cmd, void *arg)
{
	struct fiber *me = hd_rt_enter_cancellable(caller);
	int err;

	if (me && (cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC))
		hd_rt_common_touch(HD_COMMON_NUMBERS);
	else if (me)
		hd_rt_common_flags(fd);
	if (cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC)
		return copied(caller, fd, HD_REAL(fcntl)(fd, cmd, arg));
	if (!me || (cmd != F_SETLKW && cmd != F_OFD_SETLKW))
		return HD_REAL(fcntl)(fd, cmd, arg);
	hd_rt_progress();
	while (HD_REAL(fcntl)(fd, lock_without_waiting(cmd), arg) < 0) {
		if (errno != EAGAIN && errno != EACCES)
			return -1;
		err = hd_rt_io_pause(me, (uintptr_t)fd);
		if (err)
			return hd_rt_fail(err);
	}
	return 0;
}

#define FCNTL(name)                                                                                \
	HD_EXPORT int name(int fd, int cmd, ...)                                                   \
	{                                                                                          \
		va_list args;                                                                      \
		void *arg;                                                                         \
                                                                                                   \
		va_start(args, cmd);                                                               \
		arg = va_arg(args, void *);                                                        \
		va_end(args);                                                                      \
		return control(HD_CALLER, fd, cmd, arg);                                           \
	}
FCNTL(fcntl)
FCNTL(fcntl64)

#define LOCKF(name, offset_t)                                                                      \
	HD_EXPORT int name(int fd, int cmd, offset_t len)                                          \
	{                                                                                          \
		struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);                             \
		int err;                                                                           \
                                                                                                   \
		if (!me || cmd != F_LOCK)                                                          \
			return HD_REAL(name)(fd, cmd, len);                                        \
		hd_rt_progress();                                                                  \
		while (HD_REAL(name)(fd, F_TLOCK, len) < 0) {                                      \
			if (errno != EAGAIN && errno != EACCES)                                    \
				return -1;                                                         \
			err = hd_rt_io_pause(me, (uintptr_t)fd);                                   \
			if (err)                                                                   \
				return hd_rt_fail(err);                                            \
		}                                                                                  \
		return 0;                                                                          \
	}
LOCKF(lockf, off_t)
LOCKF(lockf64, off64_t)

/* ---- System V messages -------------------------------------------------- */

HD_EXPORT int msgsnd(int id, const void *msg, size_t size, int flags)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);
	int err;

	if (!me || (flags & IPC_NOWAIT))
		return HD_REAL(msgsnd)(id, msg, size, flags);
	hd_rt_progress();
	while (HD_REAL(msgsnd)(id, msg, size, flags | IPC_NOWAIT) < 0) {
		if (errno != EAGAIN)
			return -1;
		err = hd_rt_io_pause(me, (uintptr_t)id);
		if (err)
			return hd_rt_fail(err);
	}
	return 0;
}

HD_EXPORT ssize_t msgrcv(int id, void *msg, size_t size, long type, int flags)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);
	ssize_t r;
	int err;

	if (!me || (flags & IPC_NOWAIT))
		return HD_REAL(msgrcv)(id, msg, size, type, flags);
	hd_rt_settle();
	while ((r = HD_REAL(msgrcv)(id, msg, size, type, flags | IPC_NOWAIT)) < 0) {
		if (errno != ENOMSG)
			return -1;
		err = hd_rt_io_pause(me, (uintptr_t)id);
		if (err)
			return hd_rt_fail(err);
	}
	hd_rt_progress();
	hd_rt_range_done(msg, sizeof(long) + (size_t)r);
	return r;
}

HD_EXPORT int semop(int id, struct sembuf *ops, size_t n)
{
	if (hd_rt_enter_cancellable(HD_CALLER)) {
		hd_rt_progress();
		hd_rt_drop("semop: waits without letting other threads run");
	}
	return HD_REAL(semop)(id, ops, n);
}

/* ---- what _FORTIFY_SOURCE calls instead --------------------------------- */

void __chk_fail(void) __attribute__((noreturn));

#define CHECKED(need, have)                                                                        \
	do {                                                                                       \
		if ((need) > (have))                                                               \
			__chk_fail();                                                              \
	} while (0)

ssize_t __read_chk(int fd, void *buf, size_t count, size_t room);
ssize_t __pread_chk(int fd, void *buf, size_t count, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *buf, size_t count, off64_t at, size_t room);
ssize_t __recv_chk(int fd, void *buf, size_t count, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *buf, size_t count, size_t room, int flags, __SOCKADDR_ARG from,
		       socklen_t *from_len);
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask,
		size_t room);

HD_EXPORT ssize_t __read_chk(int fd, void *buf, size_t count, size_t room)
{
	CHECKED(count, room);
	return read(fd, buf, count);
}

HD_EXPORT ssize_t __pread_chk(int fd, void *buf, size_t count, off_t at, size_t room)
{
	CHECKED(count, room);
	return pread(fd, buf, count, at);
}

HD_EXPORT ssize_t __pread64_chk(int fd, void *buf, size_t count, off64_t at, size_t room)
{
	CHECKED(count, room);
	return pread64(fd, buf, count, at);
}

HD_EXPORT ssize_t __recv_chk(int fd, void *buf, size_t count, size_t room, int flags)
{
	CHECKED(count, room);
	return recv(fd, buf, count, flags);
}

HD_EXPORT ssize_t __recvfrom_chk(int fd, void *buf, size_t count, size_t room, int flags,
				 __SOCKADDR_ARG from, socklen_t *from_len)
{
	CHECKED(count, room);
	return recvfrom(fd, buf, count, flags, from, from_len);
}

HD_EXPORT int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room)
{
	CHECKED(n, room / sizeof(*fds));
	return poll(fds, n, timeout);
}

HD_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
			  const sigset_t *mask, size_t room)
{
	CHECKED(n, room / sizeof(*fds));
	return ppoll(fds, n, timeout, mask);
}
