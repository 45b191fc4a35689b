/*
 * Preloaded into the command: the Nth call of a kind that it makes itself fails, once.
 *
 *   HEDDLE_FAIL=alloc:12     kinds: alloc open write print fork mmap thread read rename
 *   HEDDLE_FAIL_COUNTS=file  how many calls of each kind there were, one "kind number" a line
 *
 * Programs that the command starts get none of it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

enum kind { ALLOC, OPEN, WRITE, PRINT, FORK, MMAP, THREAD, READ, RENAME, KINDS };

static const char *const names[KINDS] = {"alloc", "open", "write", "print", "fork", "mmap", "thread", "read", "rename"};
static unsigned long counts[KINDS];
static enum kind kind = KINDS;
static unsigned long nth;
static int ready, owner;
static char counts_path[4096];

/* Where the command itself lies: what libraries do with an allocation that fails is not its fault. */
static uintptr_t low, high;

static int find_command(struct dl_phdr_info *info, size_t size, void *unused)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && (p->p_flags & PF_X)) {
			low = info->dlpi_addr + p->p_vaddr;
			high = low + p->p_memsz;
		}
	}
	return 1; /* the first is the program */
}

#define BY_COMMAND ((uintptr_t)__builtin_return_address(0) - low < high - low)

/* Before main, and in what was forked, nothing is counted. */
static int fails(enum kind k, int err)
{
	if (!ready || getpid() != owner)
		return 0;
	if (__atomic_add_fetch(&counts[k], 1, __ATOMIC_SEQ_CST) != nth || k != kind)
		return 0;
	errno = err;
	return 1;
}

__attribute__((constructor)) static void start(void)
{
	const char *what = getenv("HEDDLE_FAIL"), *path = getenv("HEDDLE_FAIL_COUNTS");

	for (int k = 0; what && k < KINDS; k++) {
		size_t n = strlen(names[k]);

		if (!strncmp(what, names[k], n) && what[n] == ':') {
			kind = (enum kind)k;
			nth = strtoul(what + n + 1, NULL, 10);
		}
	}
	if (path)
		strncpy(counts_path, path, sizeof(counts_path) - 1);
	unsetenv("LD_PRELOAD");
	unsetenv("HEDDLE_FAIL");
	unsetenv("HEDDLE_FAIL_COUNTS");
	dl_iterate_phdr(find_command, NULL);
	owner = getpid();
	ready = 1;
}

__attribute__((destructor)) static void end(void)
{
	FILE *file;

	if (!counts_path[0] || getpid() != owner)
		return;
	ready = 0;
	file = fopen(counts_path, "w");
	for (int k = 0; file && k < KINDS; k++)
		fprintf(file, "%s %lu\n", names[k], counts[k]);
	if (file)
		fclose(file);
}

#define NEXT(name)                                                                                                    \
	({                                                                                                            \
		static __typeof__(&name) next;                                                                        \
		if (!next)                                                                                            \
			next = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                            \
		next;                                                                                                 \
	})

void *malloc(size_t size)
{
	return BY_COMMAND && fails(ALLOC, ENOMEM) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return BY_COMMAND && fails(ALLOC, ENOMEM) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return size && BY_COMMAND && fails(ALLOC, ENOMEM) ? NULL : __libc_realloc(p, size);
}

#define FAILS(type, name, params, args, kind, err, failed)                                                            \
	type name params                                                                                              \
	{                                                                                                             \
		return BY_COMMAND && fails(kind, err) ? failed : NEXT(name) args;                                                   \
	}
FAILS(char *, strdup, (const char *s), (s), ALLOC, ENOMEM, NULL)
FAILS(char *, strndup, (const char *s, size_t n), (s, n), ALLOC, ENOMEM, NULL)
FAILS(int, vasprintf, (char **to, const char *fmt, va_list args), (to, fmt, args), ALLOC, ENOMEM, -1)
FAILS(FILE *, fopen, (const char *path, const char *mode), (path, mode), OPEN, EMFILE, NULL)
FAILS(FILE *, fopen64, (const char *path, const char *mode), (path, mode), OPEN, EMFILE, NULL)
FAILS(FILE *, fdopen, (int fd, const char *mode), (fd, mode), OPEN, ENOMEM, NULL)
FAILS(FILE *, open_memstream, (char **p, size_t *n), (p, n), OPEN, ENOMEM, NULL)
FAILS(FILE *, popen, (const char *command, const char *mode), (command, mode), FORK, EAGAIN, NULL)
FAILS(int, memfd_create, (const char *name, unsigned flags), (name, flags), OPEN, EMFILE, -1)
FAILS(int, pipe2, (int fds[2], int flags), (fds, flags), OPEN, EMFILE, -1)
FAILS(int, dup, (int fd), (fd), OPEN, EMFILE, -1)
FAILS(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n), WRITE, ENOSPC, -1)
FAILS(int, ftruncate64, (int fd, off64_t n), (fd, n), WRITE, ENOSPC, -1)
FAILS(ssize_t, read, (int fd, void *p, size_t n), (fd, p, n), READ, EIO, -1)
FAILS(ssize_t, pread64, (int fd, void *p, size_t n, off64_t at), (fd, p, n, at), READ, EIO, -1)
FAILS(pid_t, fork, (void), (), FORK, EAGAIN, -1)
FAILS(void *, mmap, (void *p, size_t n, int prot, int flags, int fd, off_t at), (p, n, prot, flags, fd, at), MMAP,
      ENOMEM, MAP_FAILED)
FAILS(void *, mmap64, (void *p, size_t n, int prot, int flags, int fd, off64_t at), (p, n, prot, flags, fd, at), MMAP,
      ENOMEM, MAP_FAILED)
FAILS(int, rename, (const char *from, const char *to), (from, to), RENAME, EACCES, -1)

int pthread_create(pthread_t *t, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	return BY_COMMAND && fails(THREAD, EAGAIN) ? EAGAIN : NEXT(pthread_create)(t, attr, run, arg);
}

static int open_mode(int flags, va_list args)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(args, int) : 0;
}

int open(const char *path, int flags, ...)
{
	va_list args;
	int mode;

	va_start(args, flags);
	mode = open_mode(flags, args);
	va_end(args);
	return BY_COMMAND && fails(OPEN, EMFILE) ? -1 : NEXT(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	va_list args;
	int mode;

	va_start(args, flags);
	mode = open_mode(flags, args);
	va_end(args);
	return BY_COMMAND && fails(OPEN, EMFILE) ? -1 : NEXT(open64)(path, flags, mode);
}

#define ERROR_SEEN 0x20 /* what ferror() tests */

/* A stream that can be written no more says so at ferror(). */
static int print_fails(FILE *fp)
{
	if (!fails(PRINT, ENOSPC))
		return 0;
	fp->_flags |= ERROR_SEEN;
	return 1;
}

size_t fwrite(const void *p, size_t size, size_t n, FILE *fp)
{
	return print_fails(fp) ? 0 : NEXT(fwrite)(p, size, n, fp);
}

int fputs(const char *s, FILE *fp)
{
	return print_fails(fp) ? EOF : NEXT(fputs)(s, fp);
}

int fputc(int c, FILE *fp)
{
	return print_fails(fp) ? EOF : NEXT(fputc)(c, fp);
}

int vfprintf(FILE *fp, const char *fmt, va_list args)
{
	return print_fails(fp) ? -1 : NEXT(vfprintf)(fp, fmt, args);
}

int fprintf(FILE *fp, const char *fmt, ...)
{
	va_list args;
	int n;

	if (print_fails(fp))
		return -1;
	va_start(args, fmt);
	n = NEXT(vfprintf)(fp, fmt, args);
	va_end(args);
	return n;
}

size_t fread(void *p, size_t size, size_t n, FILE *fp)
{
	if (!fails(READ, EIO))
		return NEXT(fread)(p, size, n, fp);
	fp->_flags |= ERROR_SEEN;
	return 0;
}
