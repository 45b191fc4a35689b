#include "relatives.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/abi/inline_check.h"
#include "runtime/libc/libc_calls.h"
#include "runtime/memory/arena.h"
#include "runtime/observe/collect.h"
#include "runtime/observe/race_online.h"
#include "runtime/observe/record.h"
#include "runtime/real.h"
#include "runtime/rt.h"
#include "runtime/sched/policy.h"
#include "runtime/sys.h"

bool hd_rt_has_relatives;

/* Which one this is: "" the first, "2" its second child, "2.1" the first child of that. */
static char label[HD_RING_LABEL];
static unsigned nchildren;

/* ---- time ------------------------------------------------------------------ */

/* A page that all of them share. A place is a process that lives; 0: free. */
#define PLACES 64
static struct family {
	struct place {
		int32_t pid;
		uint32_t idle; /* all its threads wait, and not for a time */
	} place[PLACES];
	uint64_t now; /* of whoever's clock is most advanced */
} * family;
static int my_place = -1;

static int take_place(int pid)
{
	for (int i = 0; family && i < PLACES; i++) {
		int32_t none = 0;

		if (__atomic_compare_exchange_n(&family->place[i].pid, &none, pid, false,
						__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
			__atomic_store_n(&family->place[i].idle, 0, __ATOMIC_SEQ_CST);
			return i;
		}
	}
	return -1;
}

static void leave_place(int pid)
{
	for (int i = 0; family && i < PLACES; i++) {
		int32_t expected = pid;

		__atomic_compare_exchange_n(&family->place[i].pid, &expected, 0, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	}
}

static void found_family(void)
{
	long p;

	if (family)
		return;
	p = hd_sys(SYS_mmap, 0, sizeof(*family), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		   -1, 0);
	if (p < 0 && p > -4096)
		return;
	family = (struct family *)p;
	my_place = take_place(hd_rt.pid);
}

/* Has everybody else time? Who has no place may not. */
static bool others_are_idle(void)
{
	for (int i = 0; i < PLACES; i++) {
		int32_t pid = __atomic_load_n(&family->place[i].pid, __ATOMIC_SEQ_CST);

		if (pid && i != my_place &&
		    !__atomic_load_n(&family->place[i].idle, __ATOMIC_SEQ_CST) &&
		    hd_sys(SYS_kill, pid, 0) == 0)
			return false;
	}
	return my_place >= 0;
}

static void clock_to_family(uint64_t now)
{
	uint64_t seen = __atomic_load_n(&family->now, __ATOMIC_SEQ_CST);

	while (seen < now && !__atomic_compare_exchange_n(&family->now, &seen, now, false,
							  __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
}

#define SLICE_NS 2000000u

void hd_rt_relatives_pace(uint64_t left)
{
	if (!family)
		return;
	while (left && !hd_rt.sig_process && !others_are_idle()) {
		uint64_t slice = left < SLICE_NS ? left : SLICE_NS;

		hd_rt_signals_pace(slice);
		left -= slice;
	}
}

void hd_rt_relatives_idle(bool idle)
{
	uint64_t now;

	if (my_place < 0)
		return;
	if (idle)
		clock_to_family(hd_rt.now);
	__atomic_store_n(&family->place[my_place].idle, idle, __ATOMIC_SEQ_CST);
	now = __atomic_load_n(&family->now, __ATOMIC_SEQ_CST);
	if (!idle && now > hd_rt.now)
		hd_rt_advance_to(now); /* it was later elsewhere */
}

void hd_rt_relative_ends(void)
{
	if (!family)
		return;
	clock_to_family(hd_rt.now);
	leave_place(hd_rt.pid);
}

/* ---- asking for a collector ---------------------------------------------------- */

static long connect_to(const char *name)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t len = hd_rt_strlen(name);
	long fd = hd_sys(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), r;

	if (fd < 0 || len + 1 > sizeof(to.sun_path))
		return fd;
	hd_rt_copy(to.sun_path + 1, name, len); /* abstract: no file */
	r = hd_sys(SYS_connect, fd, &to, offsetof(struct sockaddr_un, sun_path) + 1 + len);
	if (r == 0)
		return fd;
	hd_sys(SYS_close, fd);
	return r;
}

union control {
	char room[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

static bool send_ring(long to, const struct hd_ring_request *request, int ring)
{
	struct iovec data = { .iov_base = (void *)request, .iov_len = sizeof(*request) };
	union control control = { { 0 } };
	struct msghdr m = { .msg_iov = &data,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	hd_rt_copy(CMSG_DATA(c), &ring, sizeof(ring));
	return hd_sys(SYS_sendmsg, to, &m, MSG_NOSIGNAL) == (long)sizeof(*request);
}

/* The answer, and a descriptor that came with it. */
static bool take_answer(long from, struct hd_ring_answer *answer, int *fd)
{
	struct iovec data = { .iov_base = answer, .iov_len = sizeof(*answer) };
	union control control = { { 0 } };
	struct msghdr m = { .msg_iov = &data,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	struct cmsghdr *c;
	long n;

	*fd = -1;
	do {
		n = hd_sys(SYS_recvmsg, from, &m, MSG_CMSG_CLOEXEC);
	} while (n == -EINTR);
	if (n != (long)sizeof(*answer) || !answer->accepted)
		return false;
	c = CMSG_FIRSTHDR(&m);
	if (c && c->cmsg_type == SCM_RIGHTS)
		hd_rt_copy(fd, CMSG_DATA(c), sizeof(*fd));
	return true;
}

/* A ring that @name collects; -1: it does not. @config: the options, if they are @wanted. */
static int ask(const char *name, const char *who, bool wanted, int *config)
{
	struct hd_ring_request request = { .version = HD_RING_VERSION, .wants_options = wanted };
	struct hd_ring_answer answer;
	int ring = hd_rt_make_ring();
	long server = ring < 0 ? -1 : connect_to(name);

	hd_rt_print(request.label, sizeof(request.label), "%s", who);
	if (server >= 0 && send_ring(server, &request, ring) &&
	    take_answer(server, &answer, config)) {
		hd_sys(SYS_close, server);
		return ring;
	}
	if (server >= 0)
		hd_sys(SYS_close, server);
	if (ring >= 0)
		hd_sys(SYS_close, ring);
	return -1;
}

static bool follows(void)
{
	return hd_rt.opt.relatives && hd_rt.opt.children == HD_CHILDREN_FOLLOW && !hd_rt.exploring;
}

static void name_child(char *out, size_t size)
{
	hd_rt_print(out, size, "%s%s%u", label, label[0] ? "." : "", ++nchildren);
}

bool hd_rt_is_familys(uintptr_t addr)
{
	return addr - (uintptr_t)family < sizeof(*family);
}

int hd_rt_child_ring(void)
{
	char who[HD_RING_LABEL];
	int config, ring;

	hd_rt_has_relatives = true;
	found_family();
	name_child(who, sizeof(who));
	if (hd_rt.opt.direct && hd_rt.opt.children == HD_CHILDREN_FOLLOW)
		return -1; /* it finds a collector for itself, when it has something to tell */
	ring = follows() ? ask(hd_rt.opt.relatives, who, false, &config) : -1;
	if (ring < 0)
		hd_rt_drop("a child process is not followed");
	return ring;
}

void hd_rt_child_born(int ring, int pid)
{
	if (ring >= 0)
		hd_sys(SYS_close, ring);
	if (pid <= 0)
		return;
	/* The child may have been quicker. */
	for (int i = 0; family && i < PLACES; i++) {
		if (__atomic_load_n(&family->place[i].pid, __ATOMIC_SEQ_CST) == pid)
			return;
	}
	take_place(pid);
}

void hd_rt_child_ended(int pid)
{
	leave_place(pid);
}

/* ---- the child -------------------------------------------------------------------- */

/* What others did before is no part of this process: what it has is a copy. */
static void order_after_others(void)
{
	for (struct fiber *f = hd_rt.all; f; f = f->next) {
		if (f != hd_rt.cur && hd_rt_racing())
			hd_rt_race_sync(HD_OP_JOIN, 0, f->id, 0, 0, 0);
	}
}

/* Its own decisions, from nothing but the seed and which child it is: so it does the same in a replay. */
static void decide_anew(void)
{
	uint64_t seed = hd_rt.opt.seed;

	for (const char *p = label; *p; p++)
		seed = (seed ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
	hd_rt.opt.policy = hd_rt.opt.base_policy;
	hd_rt.opt.wide = hd_rt.opt.any_time = false;
	hd_rt_policy = hd_rt_policy_of(hd_rt.opt.policy);
	hd_rng_seed(&hd_rt_rng, seed);
	if (hd_rt_policy->init)
		hd_rt_policy->init();
	if (hd_rt_policy->spawned)
		hd_rt_policy->spawned(hd_rt.cur);
}

void hd_rt_child_begin(int ring)
{
	char who[HD_RING_LABEL];

	/* The parent has counted it. */
	nchildren--;
	name_child(who, sizeof(who));
	hd_rt_print(label, sizeof(label), "%s", who);
	nchildren = 0;
	hd_rt.cur->tid = hd_rt.pid;
	my_place = -1;
	for (int i = 0; family && i < PLACES; i++) {
		if (__atomic_load_n(&family->place[i].pid, __ATOMIC_SEQ_CST) == hd_rt.pid)
			my_place = i;
	}
	if (my_place < 0)
		my_place = take_place(hd_rt.pid);
	decide_anew();
	if (ring < 0 && !(hd_rt.opt.direct && hd_rt.opt.children == HD_CHILDREN_FOLLOW)) {
		hd_rt.mode &= (uint8_t) ~(HD_M_RACE | HD_M_HEAP);
		hd_rt_inline_refresh();
		return;
	}
	order_after_others();
	hd_rt.opt.ring_fd = -1;
	if (ring >= 0)
		hd_rt_record_start(ring);
	if (hd_rt_racing())
		hd_rt_race_refresh();
}

/* ---- programs that are started ---------------------------------------------------------- */

#define FOLLOW "HEDDLE_FOLLOW="

static size_t count(char *const *envp)
{
	size_t n = 0;

	while (envp[n])
		n++;
	return n;
}

#define TEXT_BYTES (sizeof(FOLLOW) + 128 + HD_RING_LABEL)

char **hd_rt_follow_env(char *const *envp)
{
	size_t n = envp ? count(envp) : 0;
	char **more, *text;

	if (!envp || !follows())
		return (char **)envp;
	more = hd_rt_alloc((n + 2) * sizeof(*more));
	text = hd_rt_alloc(TEXT_BYTES);
	hd_rt_print(text, TEXT_BYTES, FOLLOW "%s,%s", hd_rt.opt.relatives, label);
	hd_rt_copy(more, envp, n * sizeof(*more));
	more[n] = text;
	return more;
}

void hd_rt_follow_env_free(char **made, char *const *envp)
{
	size_t n = envp ? count(envp) : 0;

	if (made == (char **)envp)
		return;
	hd_rt_free(made[n], TEXT_BYTES);
	hd_rt_free(made, (n + 2) * sizeof(*made));
}

static bool begins_with(const char *s, const char *start)
{
	while (*start && *s == *start)
		s++, start++;
	return !*start;
}

bool hd_rt_follow_start(char **envp, int *ring, int *config)
{
	static char told[TEXT_BYTES];
	char **to = envp, *comma;

	for (; *envp; envp++) {
		if (begins_with(*envp, FOLLOW))
			hd_rt_print(told, sizeof(told), "%s", *envp + sizeof(FOLLOW) - 1);
		else
			*to++ = *envp;
	}
	*to = NULL;
	for (comma = told; *comma && *comma != ','; comma++)
		;
	if (!*comma)
		return false;
	*comma = 0;
	hd_rt_print(label, sizeof(label), "%s", comma + 1);
	hd_rt_has_relatives = true;
	*ring = ask(told, label, true, config);
	return *ring >= 0 && *config >= 0;
}
