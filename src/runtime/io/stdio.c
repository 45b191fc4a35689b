/*
 * Standard I/O: the lock of a FILE, and waiting for input without stopping the others.
 *
 * Only one fiber runs, and none is switched away inside libc, so libc's own locks are
 * always free. What must be modelled is a lock that a thread keeps: flockfile. Other calls
 * wait while another thread has it, and are no scheduling points otherwise.
 */
#define __NO_INLINE__ 1 /* the headers' inline versions would clash with ours */

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <unistd.h>

#include "descriptors.h"
#include "files.h"
#include "runtime/explore/explore.h"
#include "runtime/explore/common_state.h"
#include "runtime/libc/libc_calls.h"
#include "runtime/libc/libc_formats.h"
#include "runtime/memory/alloc.h"
#include "runtime/memory/arena.h"
#include "runtime/real.h"
#include "runtime/rt.h"
#include "runtime/thread/thread.h"

/* ---- the lock ------------------------------------------------------------- */

struct file_lock {
	struct file_lock *next;
	FILE *fp;
	struct fiber *owner;
	uint32_t depth;
};
static struct file_lock *locks; /* those that are held */

static struct file_lock *find_lock(const FILE *fp)
{
	struct file_lock *l = locks;

	while (l && l->fp != fp)
		l = l->next;
	return l;
}

static bool held_by_another(const FILE *fp, const struct fiber *me)
{
	const struct file_lock *l = find_lock(fp);

	return l && l->owner != me;
}

static void wait_until_free(struct fiber *me, FILE *fp)
{
	if (likely(!locks))
		return;
	while (held_by_another(fp, me))
		hd_rt_block(HD_TS_FILE, (uintptr_t)fp, HD_NEVER);
}

/* What is in the buffer and where it stands: output of the program itself is not meant. */
static void use(struct fiber *me, FILE *fp)
{
	wait_until_free(me, fp);
	if (fp != stdout && fp != stderr)
		hd_rt_common_use_alone((uintptr_t)fp);
}

static void take(struct fiber *me, FILE *fp, uint16_t how)
{
	struct file_lock *l = find_lock(fp);
	uint16_t mode = HD_LOCK_FILE | HD_LOCK_EXCLUSIVE | how;

	if (l) {
		l->depth++;
		hd_rt_event(HD_OP_ACQUIRE, (uintptr_t)fp, 0, mode | HD_LOCK_AGAIN);
		return;
	}
	l = hd_rt_alloc(sizeof(*l));
	*l = (struct file_lock){ locks, fp, me, 1 };
	locks = l;
	hd_rt_disable(HD_TS_FILE, (uintptr_t)fp);
	hd_rt_held_add((uintptr_t)fp, mode);
	hd_rt_event(HD_OP_ACQUIRE, (uintptr_t)fp, 0, mode);
}

static void remove_lock(struct file_lock *l)
{
	struct file_lock **p = &locks;

	while (*p != l)
		p = &(*p)->next;
	*p = l->next;
	hd_rt_free(l, sizeof(*l));
}

HD_EXPORT void flockfile(FILE *fp)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);

	if (!me) {
		HD_REAL(flockfile)(fp);
		return;
	}
	hd_rt_point();
	wait_until_free(me, fp);
	take(me, fp, 0);
}

HD_EXPORT int ftrylockfile(FILE *fp)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);

	if (!me)
		return HD_REAL(ftrylockfile)(fp);
	hd_rt_point();
	if (held_by_another(fp, me)) {
		hd_rt_event(HD_OP_ACQUIRE_FAIL, (uintptr_t)fp, EBUSY, HD_LOCK_FILE | HD_LOCK_TRY);
		hd_rt_spin();
		return -1;
	}
	take(me, fp, HD_LOCK_TRY);
	return 0;
}

HD_EXPORT void funlockfile(FILE *fp)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);
	struct file_lock *l;

	if (!me) {
		HD_REAL(funlockfile)(fp);
		return;
	}
	hd_rt_point();
	l = find_lock(fp);
	if (!l || l->owner != me) {
		hd_rt_misuse((uintptr_t)fp,
			     "funlockfile of a file that this thread has not locked");
		return;
	}
	if (--l->depth) {
		hd_rt_event(HD_OP_RELEASE, (uintptr_t)fp, 0, HD_LOCK_FILE | HD_LOCK_AGAIN);
		return;
	}
	hd_rt_event(HD_OP_RELEASE, (uintptr_t)fp, 0, HD_LOCK_FILE);
	remove_lock(l);
	hd_rt_held_remove((uintptr_t)fp);
	hd_rt_progress();
	hd_rt_enable(HD_TS_FILE, (uintptr_t)fp);
}

/* ---- what a FILE leads to -------------------------------------------------- */

/* Remembered, for an fstat in every putc would be slow. */
static struct {
	const FILE *fp;
	int fd;
	enum hd_fd_kind kind;
} kinds[64];

static unsigned kind_slot(const FILE *fp)
{
	return (unsigned)((uintptr_t)fp >> 5) % 64;
}

static enum hd_fd_kind file_kind(FILE *fp)
{
	unsigned i = kind_slot(fp);
	int fd = fp->_fileno;

	if (fd < 0)
		return HD_FD_FILE;
	if (kinds[i].fp != fp || kinds[i].fd != fd) {
		kinds[i].fp = fp;
		kinds[i].fd = fd;
		kinds[i].kind = hd_rt_fd_kind(fd);
	}
	return kinds[i].kind;
}

static void forget_kind(const FILE *fp)
{
	if (kinds[kind_slot(fp)].fp == fp)
		kinds[kind_slot(fp)].fp = NULL;
}

/* ---- output ---------------------------------------------------------------- */

/*
 * Before anything that may write to @fp. A pipe whose reader is one of our threads must have
 * room first; what a FILE flushes at once fits then.
 */
static void before_output(struct fiber *me, FILE *fp)
{
	enum hd_fd_kind kind;

	hd_rt_output_point(fp->_fileno);
	use(me, fp);
	if (hd_rt.nlive < 2)
		return;
	kind = file_kind(fp);
	if (kind == HD_FD_PIPE || kind == HD_FD_SOCKET) {
		hd_rt_fd_release(fp->_fileno, kind);
		hd_rt_io_wait_fd(me, fp->_fileno, POLLOUT, HD_NEVER);
		hd_rt_progress();
	}
}

#define OUTPUT(type, name, params, args, fp)                                                       \
	HD_EXPORT type name params                                                                 \
	{                                                                                          \
		struct fiber *me = hd_rt_enter(HD_CALLER);                                         \
                                                                                                   \
		if (me)                                                                            \
			before_output(me, fp);                                                     \
		return HD_REAL(name) args;                                                         \
	}

#undef putc
#undef putchar
int _IO_putc(int c, FILE *fp);

OUTPUT(int, fputc, (int c, FILE *fp), (c, fp), fp)
OUTPUT(int, putc, (int c, FILE *fp), (c, fp), fp)
OUTPUT(int, _IO_putc, (int c, FILE *fp), (c, fp), fp)
OUTPUT(int, putchar, (int c), (c), stdout)

int __vfprintf_chk(FILE *fp, int flag, const char *fmt, va_list args);
int __vprintf_chk(int flag, const char *fmt, va_list args);
int __fprintf_chk(FILE *fp, int flag, const char *fmt, ...);
int __printf_chk(int flag, const char *fmt, ...);

/* What the format names is read before the wait for the file, as in fputs. */
static void before_print(struct hd_format *f, FILE *fp, const char *fmt, va_list args,
			 uintptr_t caller)
{
	struct fiber *me = hd_rt_enter(caller);

	f->n = 0;
	if (!me)
		return;
	hd_rt_before_print(f, fmt, false, args, caller, false);
	before_output(me, fp);
}

#define VPRINTF(name, parameters, arguments, fp)                                                   \
	HD_EXPORT int name parameters                                                              \
	{                                                                                          \
		struct hd_format f;                                                                \
		int n;                                                                             \
                                                                                                   \
		before_print(&f, fp, fmt, args, HD_CALLER);                                        \
		n = HD_REAL(name) arguments;                                                       \
		if (f.n && hd_rt_enter(HD_CALLER))                                                 \
			hd_rt_print_stored(&f);                                                    \
		return n;                                                                          \
	}
VPRINTF(vfprintf, (FILE *restrict fp, const char *restrict fmt, va_list args), (fp, fmt, args), fp)
VPRINTF(vprintf, (const char *restrict fmt, va_list args), (fmt, args), stdout)
VPRINTF(__vfprintf_chk, (FILE * fp, int flag, const char *fmt, va_list args), (fp, flag, fmt, args),
	fp)
VPRINTF(__vprintf_chk, (int flag, const char *fmt, va_list args), (flag, fmt, args), stdout)

#define PRINTF(name, parameters, real, arguments, fp)                                              \
	HD_EXPORT int name parameters                                                              \
	{                                                                                          \
		struct hd_format f;                                                                \
		va_list args;                                                                      \
		int n;                                                                             \
                                                                                                   \
		va_start(args, fmt);                                                               \
		before_print(&f, fp, fmt, args, HD_CALLER);                                        \
		n = HD_REAL(real) arguments;                                                       \
		va_end(args);                                                                      \
		if (f.n && hd_rt_enter(HD_CALLER))                                                 \
			hd_rt_print_stored(&f);                                                    \
		return n;                                                                          \
	}
PRINTF(fprintf, (FILE *restrict fp, const char *restrict fmt, ...), vfprintf, (fp, fmt, args), fp)
PRINTF(printf, (const char *restrict fmt, ...), vfprintf, (stdout, fmt, args), stdout)
PRINTF(__fprintf_chk, (FILE * fp, int flag, const char *fmt, ...), __vfprintf_chk,
       (fp, flag, fmt, args), fp)
PRINTF(__printf_chk, (int flag, const char *fmt, ...), __vfprintf_chk, (stdout, flag, fmt, args),
       stdout)

/* In pieces that a pipe takes without blocking, where it may be one of us who reads it. */
static size_t write_bytes(struct fiber *me, FILE *fp, const char *p, size_t n)
{
	enum hd_fd_kind kind = file_kind(fp);
	size_t done = 0, piece;

	if (kind != HD_FD_PIPE && kind != HD_FD_SOCKET)
		return HD_REAL(fwrite)(p, 1, n, fp);
	while (done < n) {
		piece = n - done < PIPE_BUF ? n - done : PIPE_BUF;
		before_output(me, fp);
		piece = HD_REAL(fwrite)(p + done, 1, piece, fp);
		if (!piece)
			break;
		done += piece;
	}
	return done;
}

HD_EXPORT size_t fwrite(const void *restrict p, size_t size, size_t n, FILE *restrict fp)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);

	if (!me || !size || !n)
		return HD_REAL(fwrite)(p, size, n, fp);
	hd_rt_range(p, size * n, false);
	before_output(me, fp);
	return write_bytes(me, fp, p, size * n) / size;
}

HD_EXPORT int fputs(const char *restrict s, FILE *restrict fp)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);
	size_t n;

	if (!me)
		return HD_REAL(fputs)(s, fp);
	n = hd_rt_strlen(s);
	hd_rt_range(s, n + 1, false);
	before_output(me, fp);
	return write_bytes(me, fp, s, n) == n ? 1 : EOF;
}

HD_EXPORT size_t fwrite_unlocked(const void *restrict p, size_t size, size_t n, FILE *restrict fp)
{
	if (hd_rt_enter(HD_CALLER) && size && n)
		hd_rt_range(p, size * n, false);
	return HD_REAL(fwrite_unlocked)(p, size, n, fp);
}

HD_EXPORT int fputs_unlocked(const char *restrict s, FILE *restrict fp)
{
	if (hd_rt_enter(HD_CALLER))
		hd_rt_range(s, hd_rt_strlen(s) + 1, false);
	return HD_REAL(fputs_unlocked)(s, fp);
}

HD_EXPORT int puts(const char *s)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);

	if (me) {
		hd_rt_range(s, hd_rt_strlen(s) + 1, false);
		before_output(me, stdout);
	}
	return HD_REAL(puts)(s);
}

HD_EXPORT void perror(const char *s)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);
	int saved = errno;

	if (me) {
		if (s)
			hd_rt_range(s, hd_rt_strlen(s) + 1, false);
		before_output(me, stderr);
	}
	errno = saved;
	HD_REAL(perror)(s);
}

HD_EXPORT int fflush(FILE *fp)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);

	if (me && fp)
		before_output(me, fp);
	return HD_REAL(fflush)(fp);
}

HD_EXPORT int fclose(FILE *fp)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);
	struct file_lock *l;

	if (!me)
		return HD_REAL(fclose)(fp);
	if (file_kind(fp) != HD_FD_FILE) {
		hd_rt_point(); /* the other end of a pipe may wait for this */
		hd_rt_fd_release(fp->_fileno, file_kind(fp));
	}
	if (__fpending(fp))
		before_output(me, fp);
	else
		wait_until_free(me, fp);
	hd_rt_common_forget((uintptr_t)fp);
	l = find_lock(fp);
	if (l) {
		remove_lock(l);
		hd_rt_held_remove((uintptr_t)fp);
	}
	forget_kind(fp);
	hd_rt_progress();
	return HD_REAL(fclose)(fp);
}

/* Where it stands. */
#define POSITION(type, name, params, args)                                                         \
	HD_EXPORT type name params                                                                 \
	{                                                                                          \
		struct fiber *me = hd_rt_enter(HD_CALLER);                                         \
                                                                                                   \
		if (me)                                                                            \
			use(me, fp);                                                               \
		return HD_REAL(name) args;                                                         \
	}
POSITION(int, fseek, (FILE * fp, long at, int from), (fp, at, from))
POSITION(int, fseeko, (FILE * fp, off_t at, int from), (fp, at, from))
POSITION(int, fseeko64, (FILE * fp, off64_t at, int from), (fp, at, from))
POSITION(long, ftell, (FILE * fp), (fp))
POSITION(off_t, ftello, (FILE * fp), (fp))
POSITION(off64_t, ftello64, (FILE * fp), (fp))
POSITION(void, rewind, (FILE * fp), (fp))
POSITION(int, fgetpos64, (FILE *restrict fp, fpos64_t *restrict at), (fp, at))
POSITION(int, fsetpos64, (FILE * fp, const fpos64_t *at), (fp, at))
POSITION(int, ungetc, (int c, FILE *fp), (c, fp))
POSITION(int, feof, (FILE * fp), (fp))
POSITION(int, ferror, (FILE * fp), (fp))
POSITION(void, clearerr, (FILE * fp), (fp))

#define FREOPEN(name)                                                                              \
	HD_EXPORT FILE *name(const char *restrict path, const char *restrict mode,                 \
			     FILE *restrict fp)                                                    \
	{                                                                                          \
		struct fiber *me = hd_rt_enter(HD_CALLER);                                         \
                                                                                                   \
		if (me) {                                                                          \
			use(me, fp);                                                               \
			forget_kind(fp);                                                           \
		}                                                                                  \
		hd_rt_file_fopens(path, mode);                                                     \
		return HD_REAL(name)(path, mode, fp);                                              \
	}
FREOPEN(freopen)
FREOPEN(freopen64)

HD_EXPORT int pclose(FILE *fp)
{
	if (hd_rt_enter(HD_CALLER)) {
		hd_rt_point();
		hd_rt_progress();
		forget_kind(fp);
	}
	return HD_REAL(pclose)(fp);
}

/* ---- input ----------------------------------------------------------------- */

static bool buffer_is_empty(const FILE *fp)
{
	return fp->_IO_read_ptr >= fp->_IO_read_end;
}

/* May a read from @fp block? Regular files and strings never do. */
static bool may_block(FILE *fp)
{
	return file_kind(fp) != HD_FD_FILE;
}

#define ERROR_SEEN 0x20 /* _IO_ERR_SEEN: what ferror() tests */

/* Wait until the next character can be had without blocking; false: interrupted. */
static bool wait_for_input(struct fiber *me, FILE *fp)
{
	int err;

	if (!buffer_is_empty(fp) || feof_unlocked(fp) || !may_block(fp))
		return true;
	/* As libc does before it reads from a terminal: show the prompt. */
	if (__flbf(stdout))
		HD_REAL(fflush)(stdout);
	hd_rt_point();
	hd_rt_testcancel();
	err = hd_rt_io_wait_fd(me, fp->_fileno, POLLIN, HD_NEVER);
	if (err) {
		fp->_flags |= ERROR_SEEN;
		errno = err;
		return false;
	}
	hd_rt_progress();
	hd_rt_fd_acquire(fp->_fileno, file_kind(fp));
	return true;
}

static bool before_input(struct fiber *me, FILE *fp)
{
	use(me, fp);
	return wait_for_input(me, fp);
}

#undef getc
#undef getchar
int _IO_getc(FILE *fp);

/* One character; libc's fgetc after a wait cannot block. */
static int next_char(struct fiber *me, FILE *fp)
{
	return wait_for_input(me, fp) ? HD_REAL(fgetc)(fp) : EOF;
}

#define GETC(name, params, args, fp)                                                               \
	HD_EXPORT int name params                                                                  \
	{                                                                                          \
		struct fiber *me = hd_rt_enter(HD_CALLER);                                         \
                                                                                                   \
		if (me && !before_input(me, fp))                                                   \
			return EOF;                                                                \
		return HD_REAL(name) args;                                                         \
	}
GETC(fgetc, (FILE * fp), (fp), fp)
GETC(getc, (FILE * fp), (fp), fp)
GETC(_IO_getc, (FILE * fp), (fp), fp)
GETC(getchar, (void), (), stdin)

/* Before a call that stores what it reads. If all of that is in the buffer, this is its only point. */
static void before_store(struct fiber *me, FILE *fp)
{
	hd_rt_range_soon();
	use(me, fp);
	hd_rt_settle();
}

/* fgets from where reads may block, a character at a time. */
static char *read_line(struct fiber *me, char *buf, int size, FILE *fp)
{
	int n = 0, c = 0;

	while (n < size - 1 && c != '\n') {
		c = next_char(me, fp);
		if (c == EOF)
			break;
		buf[n++] = (char)c;
	}
	if (n == 0 || (c == EOF && ferror_unlocked(fp)))
		return NULL;
	buf[n] = 0;
	hd_rt_range_done(buf, (size_t)n + 1);
	return buf;
}

static char *get_line(struct fiber *me, char *buf, int size, FILE *fp)
{
	before_store(me, fp);
	if (size > 1 && may_block(fp))
		return read_line(me, buf, size, fp);
	if (!HD_REAL(fgets)(buf, size, fp))
		return NULL;
	hd_rt_range_done(buf, hd_rt_strlen(buf) + 1);
	return buf;
}

HD_EXPORT char *fgets(char *restrict buf, int size, FILE *restrict fp)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);

	return me ? get_line(me, buf, size, fp) : HD_REAL(fgets)(buf, size, fp);
}

HD_EXPORT char *fgets_unlocked(char *restrict buf, int size, FILE *restrict fp)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);

	return me ? get_line(me, buf, size, fp) : HD_REAL(fgets_unlocked)(buf, size, fp);
}

char *__fgets_chk(char *buf, size_t room, int size, FILE *fp);

HD_EXPORT char *__fgets_chk(char *buf, size_t room, int size, FILE *fp)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);

	if (!me || (size > 0 && (size_t)size > room))
		return HD_REAL(__fgets_chk)(buf, room, size, fp);
	return get_line(me, buf, size, fp);
}

/* fread from where reads may block: what is buffered at once, then wait for more. */
static size_t read_bytes(struct fiber *me, char *p, size_t n, FILE *fp)
{
	size_t done = 0;

	while (done < n) {
		size_t ready = (size_t)(fp->_IO_read_end - fp->_IO_read_ptr);
		int c;

		if (!buffer_is_empty(fp)) {
			ready = ready < n - done ? ready : n - done;
			done += HD_REAL(fread)(p + done, 1, ready, fp);
			continue;
		}
		c = next_char(me, fp);
		if (c == EOF)
			break;
		p[done++] = (char)c;
	}
	return done;
}

static size_t get_bytes(struct fiber *me, void *p, size_t size, size_t n, FILE *fp)
{
	size_t got;

	if (!size || !n)
		return 0;
	before_store(me, fp);
	got = may_block(fp) ? read_bytes(me, p, size * n, fp) : HD_REAL(fread)(p, 1, size * n, fp);
	hd_rt_range_done(p, got);
	return got / size;
}

HD_EXPORT size_t fread(void *restrict p, size_t size, size_t n, FILE *restrict fp)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);

	return me ? get_bytes(me, p, size, n, fp) : HD_REAL(fread)(p, size, n, fp);
}

HD_EXPORT size_t fread_unlocked(void *restrict p, size_t size, size_t n, FILE *restrict fp)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);

	return me ? get_bytes(me, p, size, n, fp) : HD_REAL(fread_unlocked)(p, size, n, fp);
}

size_t __fread_chk(void *p, size_t room, size_t size, size_t n, FILE *fp);

HD_EXPORT size_t __fread_chk(void *p, size_t room, size_t size, size_t n, FILE *fp)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);

	if (!me || (size && n > room / size))
		return HD_REAL(__fread_chk)(p, room, size, n, fp);
	return get_bytes(me, p, size, n, fp);
}

/* getdelim from where reads may block. */
static ssize_t read_record(struct fiber *me, char **line, size_t *room, int delim, FILE *fp)
{
	size_t n = 0;
	int c = EOF;

	do {
		if (n + 2 > *room || !*line) {
			size_t more = *room < 60 ? 120 : 2 * *room;
			char *grown = hd_rt_program_realloc(*line, more);

			if (!grown)
				return -1;
			*line = grown;
			*room = more;
		}
		c = next_char(me, fp);
		if (c == EOF)
			break;
		(*line)[n++] = (char)c;
	} while (c != delim);
	if (n == 0 || (c == EOF && ferror_unlocked(fp)))
		return -1;
	(*line)[n] = 0;
	return (ssize_t)n;
}

static ssize_t get_record(struct fiber *me, char **line, size_t *room, int delim, FILE *fp)
{
	uintptr_t pc = me->pc;
	char *was;
	ssize_t n;

	if (!line || !room)
		return hd_rt_fail(EINVAL);
	before_store(me, fp);
	was = *line;
	hd_rt_range(line, sizeof(*line), false);
	hd_rt_range(room, sizeof(*room), false);
	n = may_block(fp) ? read_record(me, line, room, delim, fp)
			  : HD_REAL(getdelim)(line, room, delim, fp);
	me->pc = pc; /* libc has allocated */
	if (n > 0)
		hd_rt_range_done(*line, (size_t)n + 1);
	if (*line != was) { /* it grew */
		hd_rt_range_done(line, sizeof(*line));
		hd_rt_range_done(room, sizeof(*room));
	}
	return n;
}

HD_EXPORT ssize_t getdelim(char **restrict line, size_t *restrict room, int delim,
			   FILE *restrict fp)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);

	return me ? get_record(me, line, room, delim, fp)
		  : HD_REAL(getdelim)(line, room, delim, fp);
}

ssize_t __getdelim(char **restrict line, size_t *restrict room, int delim, FILE *restrict fp);

HD_EXPORT ssize_t __getdelim(char **restrict line, size_t *restrict room, int delim,
			     FILE *restrict fp)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);

	return me ? get_record(me, line, room, delim, fp)
		  : HD_REAL(getdelim)(line, room, delim, fp);
}

HD_EXPORT ssize_t getline(char **restrict line, size_t *restrict room, FILE *restrict fp)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);

	return me ? get_record(me, line, room, '\n', fp) : HD_REAL(getline)(line, room, fp);
}

/*
 * scanf waits for the first character only: a conversion that stops in the middle of what a
 * pipe holds blocks for real.
 *
 * There are two of each, "scanf" and "__isoc99_scanf", and the headers map the one name to
 * the other; so ours have names of their own, and the symbols are given by hand.
 */
typedef int vfscanf_fn(FILE *restrict fp, const char *restrict fmt, va_list args);

#define SCANF(kind, prefix, old)                                                                   \
	HD_EXPORT vfscanf_fn hd_rt_vfscanf_##kind __asm__(prefix "vfscanf");                       \
	HD_EXPORT int hd_rt_vscanf_##kind(const char *restrict fmt,                                \
					  va_list args) __asm__(prefix "vscanf");                  \
	HD_EXPORT int hd_rt_fscanf_##kind(FILE *restrict fp, const char *restrict fmt,             \
					  ...) __asm__(prefix "fscanf");                           \
	HD_EXPORT int hd_rt_scanf_##kind(const char *restrict fmt, ...) __asm__(prefix "scanf");   \
                                                                                                   \
	static int scan_##kind(uintptr_t caller, FILE *fp, const char *fmt, va_list args)          \
	{                                                                                          \
		struct fiber *me = hd_rt_enter(caller);                                            \
		static vfscanf_fn *real;                                                           \
		va_list copy;                                                                      \
		int n;                                                                             \
                                                                                                   \
		if (!real)                                                                         \
			real = (vfscanf_fn *)hd_rt_next(prefix "vfscanf");                         \
		if (!me)                                                                           \
			return real(fp, fmt, args);                                                \
		hd_rt_range_soon();                                                                \
		if (!before_input(me, fp))                                                         \
			return EOF;                                                                \
		hd_rt_settle();                                                                    \
		va_copy(copy, args);                                                               \
		n = real(fp, fmt, copy);                                                           \
		va_end(copy);                                                                      \
		if (hd_rt_enter(caller))                                                           \
			hd_rt_scan_stored(fmt, false, old, n, args);                               \
		return n;                                                                          \
	}                                                                                          \
	int hd_rt_vfscanf_##kind(FILE *restrict fp, const char *restrict fmt, va_list args)        \
	{                                                                                          \
		return scan_##kind(HD_CALLER, fp, fmt, args);                                      \
	}                                                                                          \
	int hd_rt_vscanf_##kind(const char *restrict fmt, va_list args)                            \
	{                                                                                          \
		return scan_##kind(HD_CALLER, stdin, fmt, args);                                   \
	}                                                                                          \
	int hd_rt_fscanf_##kind(FILE *restrict fp, const char *restrict fmt, ...)                  \
	{                                                                                          \
		va_list args;                                                                      \
		int n;                                                                             \
                                                                                                   \
		va_start(args, fmt);                                                               \
		n = scan_##kind(HD_CALLER, fp, fmt, args);                                         \
		va_end(args);                                                                      \
		return n;                                                                          \
	}                                                                                          \
	int hd_rt_scanf_##kind(const char *restrict fmt, ...)                                      \
	{                                                                                          \
		va_list args;                                                                      \
		int n;                                                                             \
                                                                                                   \
		va_start(args, fmt);                                                               \
		n = scan_##kind(HD_CALLER, stdin, fmt, args);                                      \
		va_end(args);                                                                      \
		return n;                                                                          \
	}

SCANF(gnu, "", true)
SCANF(iso, "__isoc99_", false)
