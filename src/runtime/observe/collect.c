#include "collect.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "record.h"
#include "runtime/memory/arena.h"
#include "runtime/options.h"
#include "runtime/real.h"
#include "runtime/sys.h"

/* The command beside this library: in the build folder, or ../../bin when installed. */
static bool find_heddle(char *out, size_t size)
{
	static const char *const tails[] = { "/heddle", "/../../bin/heddle", "/../../../bin/heddle",
					     NULL };
	Dl_info info;
	int dir = 0;

	if (!dladdr(&hd_rt_ring, &info) || !info.dli_fname)
		return false;
	for (int i = 0; info.dli_fname[i]; i++) {
		if (info.dli_fname[i] == '/')
			dir = i;
	}
	for (int i = 0; tails[i]; i++) {
		hd_rt_print(out, size, "%.*s%s", dir, info.dli_fname, tails[i]);
		if (hd_sys(SYS_access, out, 1 /* X_OK */) == 0)
			return true;
	}
	return false;
}

int hd_rt_make_ring(void)
{
	int fd = (int)hd_sys(SYS_memfd_create, "heddle-ring", MFD_CLOEXEC);
	struct hd_ring header = { .magic = HD_RING_MAGIC,
				  .version = HD_RING_VERSION,
				  .target_pid = hd_rt.pid };

	if (fd < 0)
		return -1;
	hd_sys(SYS_getrandom, &header.seal, sizeof(header.seal), 0);
	if (hd_sys(SYS_ftruncate, fd, HD_RING_BYTES) < 0 ||
	    hd_sys(SYS_pwrite64, fd, &header, sizeof(header), 0) < 0) {
		hd_sys(SYS_close, fd);
		return -1;
	}
	return fd;
}

/* The options in force, for the trace's header: key=value lines. */
static int make_config(void)
{
	int fd = (int)hd_sys(SYS_memfd_create, "heddle-config", MFD_CLOEXEC);
	char text[2048];

	if (fd >= 0)
		hd_sys(SYS_pwrite64, fd, text, hd_rt_options_print(text, sizeof(text)), 0);
	return fd;
}

/* Standard descriptors that were closed when the program began; by now its files may be there. */
static unsigned closed;

void hd_rt_collector_foresee(void)
{
	for (int fd = 0; fd <= 2; fd++)
		closed |= (unsigned)(hd_sys(SYS_fcntl, fd, F_GETFD) == -EBADF) << fd;
}

/* A report is not for files that have come into their places. */
static void close_again(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (closed >> fd & 1)
			hd_sys(SYS_close, fd);
	}
}

static void exec_collector(const char *heddle, int ring, int config)
{
	char ring_arg[16], config_arg[16];
	const char *argv[11] = { "heddle", "collect",	  "--ring-fd",
				 ring_arg, "--config-fd", config_arg };
	static const char *const env[] = { NULL };
	int n = 6;

	if (hd_rt_record_file[0]) {
		argv[n++] = "--record";
		argv[n++] = hd_rt_record_file;
	}
	if (hd_rt_suppressions[0]) {
		argv[n++] = "--suppressions";
		argv[n++] = hd_rt_suppressions;
	}

	ring = (int)hd_sys(SYS_fcntl, ring, F_DUPFD, 3);
	config = (int)hd_sys(SYS_fcntl, config, F_DUPFD, 3);
	close_again();
	hd_rt_print(ring_arg, sizeof(ring_arg), "%d", ring);
	hd_rt_print(config_arg, sizeof(config_arg), "%d", config);
	hd_sys(SYS_pwrite64, ring, &(int32_t){ (int32_t)hd_sys(SYS_getpid) }, 4,
	       offsetof(struct hd_ring, collector_pid));
	hd_sys(SYS_setsid); /* Ctrl-C is for the program */
	hd_sys(SYS_execve, heddle, argv, env);
	hd_sys(SYS_exit_group, 127);
}

int hd_rt_collector_spawn(void)
{
	char heddle[4200];
	int ring, config;
	long pid;

	if (!find_heddle(heddle, sizeof(heddle)))
		return -1;
	ring = hd_rt_make_ring();
	config = make_config();
	if (ring < 0 || config < 0)
		return -1;
	/*
	 * By way of a child that ends at once, so that the collector is nobody's child:
	 * the program's wait() must not see one it did not make. (No exit signal does
	 * not suffice: exec restores it.)
	 */
	pid = hd_sys(SYS_clone, 0, 0, 0, 0, 0);
	if (pid == 0) {
		if (hd_sys(SYS_clone, 0, 0, 0, 0, 0) == 0)
			exec_collector(heddle, ring, config);
		hd_sys(SYS_exit_group, 0);
	}
	hd_sys(SYS_close, config);
	if (pid < 0) {
		hd_sys(SYS_close, ring);
		return -1;
	}
	hd_sys(SYS_wait4, pid, 0, __WCLONE, 0);
	return ring;
}

void hd_rt_collector_wait(void)
{
	static const struct timespec second = { .tv_sec = 1 };
	struct hd_ring *r = &hd_rt_ring.ring;

	hd_futex_wake(&r->produced);
	while (!__atomic_load_n(&r->done, __ATOMIC_ACQUIRE)) {
		int32_t pid = __atomic_load_n(&r->collector_pid, __ATOMIC_ACQUIRE);

		if (pid && hd_sys(SYS_kill, pid, 0) < 0)
			break;
		hd_futex_wait(&r->done, 0, &second);
	}
}

void hd_rt_end_judged(bool flush)
{
	if (!hd_rt.opt.direct || !hd_rt.opt.exitcode ||
	    __atomic_load_n(&hd_rt_ring.ring.done, __ATOMIC_ACQUIRE) != HD_RING_FINDINGS)
		return;
	hd_rt.busy++;
	if (flush)
		HD_REAL(fflush)(NULL);
	hd_sys(SYS_exit_group, hd_rt.opt.exitcode);
}
