/*
 * What functions of libc touch, one case after the other: a thread calls the function, and another accesses the
 * last byte that it touches (for what it reads: writes it; for what it writes: reads it).
 *
 *   touches racy      nothing orders the two: each case is a race
 *   touches locked    a mutex does: none is
 *   touches beside    the other thread writes the byte behind: none is
 *   touches readers   of what is only read, the other thread reads, too: none is
 *   touches native    the function really changes the byte that it is said to write
 *   touches list      the names
 *
 * The cases are in cases.def; the names of functions here are looked for in reports by test_touches.py.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <locale.h>
#include <malloc.h>
#include <math.h>
#include <net/if.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <threads.h>
#include <time.h>
#include <uchar.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>
#include <wordexp.h>

#include "declared.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile char sink;
static volatile uintptr_t used;
static enum { RACY, LOCKED, BESIDE, READERS, NATIVE, LIST } mode;

/* Made in main, before any thread. */
static int pipe_out, pipe_in, event_fd, pair[2], listener, datagrams[2], terminal = -1;
static FILE *file, *pipe_file;
static char folder[] = "/tmp/heddle-touches-XXXXXX";
static time_t moment = 86400;

static int by_int(const void *a, const void *b)
{
	return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static int by_int_r(const void *a, const void *b, void *unused)
{
	return by_int(a, b);
}

static void *run_nothing(void *arg)
{
	return arg;
}

static int run_nothing_c11(void *arg)
{
	return 0;
}

static FILE *file_null(void)
{
	static FILE *null;

	return null ? null : (null = fopen("/dev/null", "w"));
}

static int null_fd(void)
{
	return fileno(file_null());
}

/* A connection that waits to be accepted. */
static int to_listener(void)
{
	struct sockaddr_in at;
	socklen_t n = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	getsockname(listener, (struct sockaddr *)&at, &n);
	assert(connect(fd, (struct sockaddr *)&at, n) == 0);
	return fd;
}

struct sockaddr_un_ {
	short family;
	char path[108];
};

/* "va_list" twins. */
#define V(name, first, type)                                                                                          \
	static int call_##name first                                                                                  \
	{                                                                                                             \
		va_list args;                                                                                         \
		int n;                                                                                                \
                                                                                                                      \
		va_start(args, fmt);                                                                                  \
		n = type;                                                                                             \
		va_end(args);                                                                                         \
		return n;                                                                                             \
	}
V(vsprintf, (char *to, const char *fmt, ...), vsprintf(to, fmt, args))
V(vsnprintf, (char *to, size_t n_, const char *fmt, ...), vsnprintf(to, n_, fmt, args))
V(vasprintf, (char **to, const char *fmt, ...), vasprintf(to, fmt, args))
V(vdprintf, (int fd, const char *fmt, ...), vdprintf(fd, fmt, args))
V(vfprintf, (FILE *fp, const char *fmt, ...), vfprintf(fp, fmt, args))
V(vprintf, (const char *fmt, ...), vprintf(fmt, args))
V(vswprintf, (wchar_t * to, size_t n_, const wchar_t *fmt, ...), vswprintf(to, n_, fmt, args))
V(vsscanf, (const char *s, const char *fmt, ...), vsscanf(s, fmt, args))
V(vfscanf, (FILE *fp, const char *fmt, ...), vfscanf(fp, fmt, args))
V(__vsprintf_chk, (char *to, const char *fmt, ...), __vsprintf_chk(to, 1, 100, fmt, args))
V(__vsnprintf_chk, (char *to, size_t n_, const char *fmt, ...), __vsnprintf_chk(to, n_, 1, 100, fmt, args))
V(__vasprintf_chk, (char **to, const char *fmt, ...), __vasprintf_chk(to, 1, fmt, args))
V(__vfprintf_chk, (FILE *fp, const char *fmt, ...), __vfprintf_chk(fp, 1, fmt, args))
V(__vswprintf_chk, (wchar_t * to, size_t n_, const wchar_t *fmt, ...), __vswprintf_chk(to, n_, 1, 100, fmt, args))

#define INIT(...) __VA_ARGS__
#define DO(...)   __VA_ARGS__
#define USE(x)    (used = (uintptr_t)(x))

/* The memory, the call, and what the other thread does. Volatile: each is one access, whatever the compiler thinks. */
#define CASE(name, part, members, init, setup, call, last)                                                            \
	static struct s_##name##part {                                                                                \
		members;                                                                                              \
		char guard;                                                                                           \
	} v_##name##part = init;                                                                                      \
	static char *p_##name##part;                                                                                  \
	__attribute__((noinline)) static void touch_##name##part(void)                                                \
	{                                                                                                             \
		__attribute__((unused)) struct s_##name##part *S = &v_##name##part;                                   \
		call;                                                                                                 \
		__asm__ volatile("");                                                                                 \
	}                                                                                                             \
	__attribute__((noinline)) static void plain_##name##part(int write)                                           \
	{                                                                                                             \
		volatile char *at = p_##name##part;                                                                   \
		if (mode == BESIDE)                                                                                   \
			*(volatile char *)&v_##name##part.guard = 1;                                                  \
		else if (write)                                                                                       \
			*at = *at;                                                                                    \
		else                                                                                                  \
			sink = *at;                                                                                   \
	}                                                                                                             \
	static void setup_##name##part(void)                                                                          \
	{                                                                                                             \
		__attribute__((unused)) struct s_##name##part *S = &v_##name##part;                                   \
		setup;                                                                                                \
		p_##name##part = (char *)&(last) + sizeof(last) - 1;                                                  \
	}
#define READS  CASE
#define WRITES CASE
#define STATIC CASE
#define STRAY  CASE
#define FREES  CASE
#include "cases.def"
#undef READS
#undef WRITES
#undef STATIC
#undef STRAY
#undef FREES

enum kind { IS_READ, IS_WRITE, IS_STATIC, IS_STRAY, IS_FREE };

static const struct test_case {
	const char *name;
	enum kind kind;
	void (*setup)(void), (*touch)(void), (*plain)(int write);
	char **at;
} cases[] = {
#define ROW(kind, name, part)                                                                                         \
	{#name #part, kind, setup_##name##part, touch_##name##part, plain_##name##part, &p_##name##part},
#define READS(name, part, ...)	ROW(IS_READ, name, part)
#define WRITES(name, part, ...) ROW(IS_WRITE, name, part)
#define STATIC(name, part, ...) ROW(IS_STATIC, name, part)
#define STRAY(name, part, ...)	ROW(IS_STRAY, name, part)
#define FREES(name, part, ...)	ROW(IS_FREE, name, part)
#include "cases.def"
};

static void *run_touch(void *arg)
{
	const struct test_case *c = arg;

	if (mode == LOCKED)
		pthread_mutex_lock(&lock);
	c->touch();
	if (mode == LOCKED)
		pthread_mutex_unlock(&lock);
	return NULL;
}

static void *run_plain(void *arg)
{
	const struct test_case *c = arg;

	if (mode == LOCKED)
		pthread_mutex_lock(&lock);
	c->plain(c->kind == IS_READ && mode != READERS);
	if (mode == LOCKED)
		pthread_mutex_unlock(&lock);
	return NULL;
}

static void both(const struct test_case *c, int plain_first)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, plain_first ? run_plain : run_touch, (void *)c);
	pthread_create(&t[1], NULL, plain_first ? run_touch : run_plain, (void *)c);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

/* With what was there before, inverted: a function that writes the byte makes it what it was, or something else. */
static void native(const struct test_case *c)
{
	char was, now;

	c->setup();
	was = **c->at;
	c->touch();
	now = **c->at;
	if (now != was)
		return;
	c->setup();
	**c->at = (char)~was;
	c->touch();
	if (**c->at == (char)~was)
		printf("not written: %s\n", c->name);
}

static void make_files(void)
{
	int ends[2];
	char path[100];

	assert(mkdtemp(folder) && chdir(folder) == 0);
	assert(pipe(ends) == 0);
	pipe_in = ends[0];
	pipe_out = ends[1];
	assert(write(pipe_out, "1 2 3 4 5 6 7 8 9 10\n1\n2\n3\n4\n5\n6\n7\n8\n9\n", 39) == 39);
	pipe_file = fdopen(pipe_in, "r");
	snprintf(path, sizeof(path), "%s/file", folder);
	file = fopen(path, "w+");
	for (int i = 0; i < 200; i++)
		fprintf(file, "1234567 line\n");
	rewind(file);
	assert(symlink("file", "link") == 0);
	event_fd = eventfd(0, EFD_NONBLOCK);
	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	assert(socketpair(AF_UNIX, SOCK_DGRAM, 0, datagrams) == 0);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	assert(listen(listener, 5) == 0);
	terminal = posix_openpt(O_RDWR | O_NOCTTY);
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	file_null();
}

static void remove_files(void)
{
	assert(unlink("file") == 0 && unlink("link") == 0 && chdir("/") == 0 && rmdir(folder) == 0);
}

int main(int argc, char **argv)
{
	static const char *const modes[] = {"racy", "locked", "beside", "readers", "native", "list"};

	while (mode <= LIST && (argc < 2 || strcmp(argv[1], modes[mode])))
		mode++;
	assert(mode <= LIST);
	make_files();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct test_case *c = &cases[i];

		if (argc > 2 && strcmp(argv[2], c->name))
			continue;
		if (mode == LIST) {
			printf("%s\n", c->name);
			continue;
		}
		if ((mode == READERS && c->kind != IS_READ) || (mode == BESIDE && c->kind >= IS_STATIC) ||
		    (mode == LOCKED && c->kind == IS_FREE))
			continue;
		if (mode == NATIVE) {
			if (c->kind == IS_WRITE)
				native(c);
			continue;
		}
		c->setup();
		both(c, i % 2 || c->kind == IS_FREE); /* else it is used after it was freed */
	}
	remove_files();
	return 0;
}
