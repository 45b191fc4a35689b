/*
 * Files that the program changes: what was there is told before (common/file_journal.h), so that
 * the next run finds what this one has found. Writing itself is not looked at: who opens a
 * file for writing is taken to change it.
 */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/file_journal.h"
#include "common/hash.h"
#include "runtime/explore/explore.h"
#include "runtime/memory/arena.h"
#include "runtime/real.h"
#include "runtime/rt.h"
#include "runtime/sys.h"

#define KNOWN_MAX 4096u /* of more paths, some are told again, which does no harm */

static uint64_t known[KNOWN_MAX]; /* hashes of paths that were told; 0: free */
static unsigned nknown;
static uint64_t journal_inode;

/* Somebody may have closed it, and opened something else of that number. */
static bool has_journal(void)
{
	struct stat st;

	return hd_rt.opt.files_fd > 0 && hd_sys(SYS_fstat, hd_rt.opt.files_fd, &st) == 0 &&
	       st.st_ino == journal_inode;
}

void hd_rt_files_init(void)
{
	struct stat st;

	if (hd_rt.opt.files_fd <= 0)
		return;
	hd_sys(SYS_fcntl, hd_rt.opt.files_fd, F_SETFD, FD_CLOEXEC);
	if (hd_sys(SYS_fstat, hd_rt.opt.files_fd, &st) == 0)
		journal_inode = st.st_ino;
}

static bool is_new(const char *path)
{
	uint64_t h = hd_fnv_text(HD_FNV_START, path) | 1;
	unsigned i;

	for (i = (unsigned)(h >> 32) % KNOWN_MAX; known[i] && known[i] != h;)
		i = (i + 1) % KNOWN_MAX;
	if (known[i])
		return false;
	if (nknown < KNOWN_MAX - 1) {
		known[i] = h;
		nknown++;
	}
	return true;
}

static bool begins(const char *path, const char *with)
{
	while (*with && *path == *with) {
		path++;
		with++;
	}
	return !*with;
}

/* @path in @dir, from the root, into @out of PATH_MAX bytes; false: there is no such thing to keep. */
static bool absolute(int dir, const char *path, char *out)
{
	char folder[PATH_MAX], link[32];
	long n = 0;

	if (!path || !*path)
		return false;
	if (*path == '/') {
		n = hd_rt_print(out, PATH_MAX, "%s", path);
	} else {
		hd_rt_print(link, sizeof(link), "/proc/self/fd/%d", dir);
		n = dir == AT_FDCWD ? hd_sys(SYS_getcwd, folder, sizeof(folder))
				    : hd_sys(SYS_readlink, link, folder, sizeof(folder) - 1);
		if (n <= 0)
			return false;
		folder[n] = 0;
		n = hd_rt_print(out, PATH_MAX, "%s/%s", folder, path);
	}
	return n < PATH_MAX && !begins(out, "/dev/") && !begins(out, "/proc/") &&
	       !begins(out, "/sys/");
}

/* All of it, or nothing counts. */
static void put(const void *data, size_t len)
{
	hd_sys(SYS_write, hd_rt.opt.files_fd, data, len);
}

static void put_head(const char *path, enum hd_kept_kind kind, const struct stat *st,
		     uint64_t content)
{
	struct hd_kept k = { .content = content,
			     .kind = kind,
			     .path = (uint32_t)hd_rt_strlen(path) + 1 };

	if (st) {
		k.mode = st->st_mode & 07777;
		k.uid = st->st_uid;
		k.gid = st->st_gid;
		k.mtime = st->st_mtim.tv_sec;
		k.mtime_ns = (uint32_t)st->st_mtim.tv_nsec;
	}
	if (kind == HD_KEPT_NOT)
		hd_rt_drop("a changed file cannot be put back after the run");
	put(&k, sizeof(k));
	put(path, k.path);
}

static void keep_file(const char *path, const struct stat *st)
{
	long fd = hd_sys(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0), n = 1;

	if (fd < 0 || st->st_size > HD_KEPT_MAX) {
		put_head(path, HD_KEPT_NOT, st, 0);
	} else {
		put_head(path, HD_KEPT_FILE, st, (uint64_t)st->st_size);
		for (off_t at = 0; at < st->st_size && n > 0;)
			n = hd_sys(SYS_sendfile, hd_rt.opt.files_fd, fd, &at, st->st_size - at);
	}
	if (fd >= 0)
		hd_sys(SYS_close, fd);
}

static void keep_link(const char *path, const struct stat *st)
{
	char to[PATH_MAX];
	long n = hd_sys(SYS_readlink, path, to, sizeof(to));

	if (n < 0)
		n = 0;
	put_head(path, HD_KEPT_LINK, st, (uint64_t)n);
	put(to, (size_t)n);
}

/* Tell what is at @path in @dir; @follow: what a symbolic link leads to. */
static void keep(int dir, const char *path, bool follow)
{
	char whole[PATH_MAX];
	struct stat st;
	long r;

	if (!has_journal() || !absolute(dir, path, whole) || !is_new(whole))
		return;
	r = hd_sys(SYS_newfstatat, AT_FDCWD, whole, &st, follow ? 0 : AT_SYMLINK_NOFOLLOW);
	if (r == -ENOENT)
		put_head(whole, HD_KEPT_NOTHING, NULL, 0);
	else if (r == 0 && S_ISREG(st.st_mode))
		keep_file(whole, &st);
	else if (r == 0 && S_ISDIR(st.st_mode))
		put_head(whole, HD_KEPT_FOLDER, &st, 0);
	else if (r == 0 && S_ISLNK(st.st_mode))
		keep_link(whole, &st);
	else
		return; /* a device, a pipe, or the call fails anyway */
	if (hd_rt.exploring) {
		hd_rt_explore_cannot_stay();
		hd_rt_explore_uses(HD_X_USES_FILES);
	}
}

void hd_rt_file_opens(int dir, const char *path, int flags)
{
	if (hd_rt.opt.files_fd > 0 &&
	    ((flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC))) &&
	    (flags & O_TMPFILE) != O_TMPFILE && !(flags & O_PATH))
		keep(dir, path, true);
}

/* ---- names that come and go --------------------------------------------------- */

/* Not where it lies, but that it is there. */
static void keep_name(int dir, const char *path)
{
	if (hd_rt.opt.files_fd > 0)
		keep(dir, path, false);
}

/* A name or a file's contents: neither is memory. */
static void changes(uintptr_t caller)
{
	if (hd_rt_enter(caller))
		hd_rt_changes_unseen();
}

#define CHANGES_NAME(name, params, args, dir, path)                                                \
	HD_EXPORT int name params                                                                  \
	{                                                                                          \
		changes(HD_CALLER);                                                                \
		keep_name(dir, path);                                                              \
		return HD_REAL(name) args;                                                         \
	}
CHANGES_NAME(unlink, (const char *path), (path), AT_FDCWD, path)
CHANGES_NAME(unlinkat, (int dir, const char *path, int flags), (dir, path, flags), dir, path)
CHANGES_NAME(remove, (const char *path), (path), AT_FDCWD, path)
CHANGES_NAME(rmdir, (const char *path), (path), AT_FDCWD, path)
CHANGES_NAME(mkdir, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path)
CHANGES_NAME(mkdirat, (int dir, const char *path, mode_t mode), (dir, path, mode), dir, path)
CHANGES_NAME(mkfifo, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path)
CHANGES_NAME(link, (const char *from, const char *to), (from, to), AT_FDCWD, to)
CHANGES_NAME(linkat, (int from_dir, const char *from, int dir, const char *to, int flags),
	     (from_dir, from, dir, to, flags), dir, to)
CHANGES_NAME(symlink, (const char *from, const char *to), (from, to), AT_FDCWD, to)
CHANGES_NAME(symlinkat, (const char *from, int dir, const char *to), (from, dir, to), dir, to)
CHANGES_NAME(chmod, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path)

static bool is_folder(int dir, const char *path)
{
	struct stat st;

	return hd_sys(SYS_newfstatat, dir, path, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(st.st_mode);
}

static void keep_both(int from_dir, const char *from, int to_dir, const char *to)
{
	if (hd_rt.opt.files_fd > 0 && is_folder(from_dir, from))
		hd_rt_drop(
			"a folder gets another name: it does not get its old one back after the run");
	keep_name(from_dir, from);
	keep_name(to_dir, to);
}

HD_EXPORT int rename(const char *from, const char *to)
{
	changes(HD_CALLER);
	keep_both(AT_FDCWD, from, AT_FDCWD, to);
	return HD_REAL(rename)(from, to);
}

HD_EXPORT int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	changes(HD_CALLER);
	keep_both(from_dir, from, to_dir, to);
	return HD_REAL(renameat)(from_dir, from, to_dir, to);
}

HD_EXPORT int renameat2(int from_dir, const char *from, int to_dir, const char *to,
			unsigned int flags)
{
	changes(HD_CALLER);
	keep_both(from_dir, from, to_dir, to);
	return HD_REAL(renameat2)(from_dir, from, to_dir, to, flags);
}

/* ---- contents ------------------------------------------------------------------- */

#define CHANGES_FILE(name, params, args)                                                           \
	HD_EXPORT int name params                                                                  \
	{                                                                                          \
		changes(HD_CALLER);                                                                \
		hd_rt_file_opens(AT_FDCWD, path, O_WRONLY);                                        \
		return HD_REAL(name) args;                                                         \
	}
CHANGES_FILE(truncate, (const char *path, off_t size), (path, size))
CHANGES_FILE(truncate64, (const char *path, off64_t size), (path, size))
CHANGES_FILE(creat, (const char *path, mode_t mode), (path, mode))
CHANGES_FILE(creat64, (const char *path, mode_t mode), (path, mode))

void hd_rt_file_fopens(const char *path, const char *mode)
{
	if (path && (mode[0] != 'r' || mode[1] == '+' || (mode[1] && mode[2] == '+')))
		hd_rt_file_opens(AT_FDCWD, path, O_WRONLY);
}

HD_EXPORT FILE *fopen(const char *restrict path, const char *restrict mode)
{
	changes(HD_CALLER);
	hd_rt_file_fopens(path, mode);
	return HD_REAL(fopen)(path, mode);
}

HD_EXPORT FILE *fopen64(const char *restrict path, const char *restrict mode)
{
	changes(HD_CALLER);
	hd_rt_file_fopens(path, mode);
	return HD_REAL(fopen64)(path, mode);
}

/* ---- names that nobody has ------------------------------------------------------- */

/* @path was made just now, and a part of it. */
static void made(char *path, uintptr_t caller)
{
	char whole[PATH_MAX];

	changes(caller);
	if (hd_rt_enter(caller))
		hd_rt_range_done(path, hd_rt_strlen(path));
	if (has_journal() && absolute(AT_FDCWD, path, whole))
		put_head(whole, HD_KEPT_NOTHING, NULL, 0);
	if (hd_rt.exploring)
		hd_rt_explore_cannot_stay();
}

#define MAKES_FILE(name, params, args)                                                             \
	HD_EXPORT int name params                                                                  \
	{                                                                                          \
		int fd = HD_REAL(name) args;                                                       \
                                                                                                   \
		if (fd >= 0)                                                                       \
			made(path, HD_CALLER);                                                     \
		return fd;                                                                         \
	}
MAKES_FILE(mkstemp, (char *path), (path))
MAKES_FILE(mkstemp64, (char *path), (path))
MAKES_FILE(mkostemp, (char *path, int flags), (path, flags))
MAKES_FILE(mkostemp64, (char *path, int flags), (path, flags))
MAKES_FILE(mkstemps, (char *path, int end), (path, end))
MAKES_FILE(mkstemps64, (char *path, int end), (path, end))

HD_EXPORT char *mkdtemp(char *path)
{
	char *name = HD_REAL(mkdtemp)(path);

	if (name)
		made(name, HD_CALLER);
	return name;
}
