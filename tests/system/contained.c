/*
 * Run a command as in a container: contained COMMAND WORDS...
 *
 * A seccomp filter in the manner of what container engines install by default: calls that containers have
 * no business with fail with EPERM, ptrace among them; clone3 fails with ENOSYS; personality(2) may ask, and may set
 * the few values that are harmless, which leaving addresses fixed is not.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NUMBER		   offsetof(struct seccomp_data, nr)
#define FIRST		   offsetof(struct seccomp_data, args[0])
#define FAIL(e)		   BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (e))
#define ALLOW		   BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define LOAD(at)	   BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at)
#define IS(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)
#define HAS(bits, yes, no) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, yes, no)

static const unsigned forbidden[] = {
	SYS_ptrace,
	SYS_perf_event_open,
	SYS_userfaultfd,
	SYS_bpf,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_kcmp,
	SYS_io_uring_setup,
	SYS_io_uring_enter,
	SYS_io_uring_register,
	SYS_keyctl,
	SYS_add_key,
	SYS_request_key,
	SYS_mount,
	SYS_umount2,
	SYS_pivot_root,
	SYS_chroot,
	SYS_setns,
	SYS_unshare,
	SYS_open_by_handle_at,
	SYS_name_to_handle_at,
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_kexec_load,
	SYS_reboot,
	SYS_swapon,
	SYS_swapoff,
	SYS_settimeofday,
	SYS_clock_settime,
	SYS_clock_adjtime,
	SYS_adjtimex,
	SYS_acct,
	SYS_quotactl,
	SYS_syslog,
	SYS_vhangup,
	SYS_move_pages,
	SYS_mbind,
	SYS_set_mempolicy,
	SYS_get_mempolicy,
	SYS_iopl,
	SYS_ioperm,
	SYS_lookup_dcookie,
	SYS_fanotify_init,
	SYS_nfsservctl,
	SYS_pidfd_getfd,
	SYS_mount_setattr,
	SYS_fsopen,
	SYS_process_madvise,
	SYS_move_mount,
	SYS_open_tree,
	SYS_sethostname,
	SYS_setdomainname,
};
static const unsigned harmless[] = { 0, 8, 0x20000, 0x20008, 0xffffffff };

int main(int argc, char **argv)
{
	enum {
		N = sizeof(forbidden) / sizeof(*forbidden),
		M = sizeof(harmless) / sizeof(*harmless)
	};
	const unsigned spaces = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
				CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWCGROUP;
	struct sock_filter code[2 * N + 2 * M + 16];
	struct sock_fprog program = { .filter = code };
	unsigned short n = 0;

	code[n++] = (struct sock_filter)LOAD(NUMBER);
	for (int i = 0; i < N; i++) {
		code[n++] = (struct sock_filter)IS(forbidden[i], 0, 1);
		code[n++] = (struct sock_filter)FAIL(EPERM);
	}
	code[n++] = (struct sock_filter)IS(SYS_clone3, 0, 1);
	code[n++] = (struct sock_filter)FAIL(ENOSYS);
	code[n++] = (struct sock_filter)IS(SYS_clone, 0, 4);
	code[n++] = (struct sock_filter)LOAD(FIRST);
	code[n++] = (struct sock_filter)HAS(spaces, 0, 1);
	code[n++] = (struct sock_filter)FAIL(EPERM);
	code[n++] = (struct sock_filter)ALLOW;
	code[n++] = (struct sock_filter)IS(SYS_personality, 1, 0);
	code[n++] = (struct sock_filter)ALLOW;
	code[n++] = (struct sock_filter)LOAD(FIRST);
	for (int i = 0; i < M; i++) {
		code[n++] = (struct sock_filter)IS(harmless[i], 0, 1);
		code[n++] = (struct sock_filter)ALLOW;
	}
	code[n++] = (struct sock_filter)FAIL(EPERM);
	program.len = n;
	if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
		perror("contained");
		return 125;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
