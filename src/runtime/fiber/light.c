#include "light.h"

#include <errno.h>
#include <link.h>

#include "fiber.h"
#include "runtime/memory/arena.h"
#include "runtime/observe/race_online.h"
#include "runtime/observe/record.h"
#include "runtime/sched/policy.h"
#include "runtime/sys.h"
#include "runtime/thread/thread.h"

#define LIGHT_STACK (1u << 20) /* unless the run asks for another size */

static struct fiber *idle_hosts; /* donors nobody runs on; linked by next */

/* ---- thread-local variables ------------------------------------------------ */

#define MAX_IMAGES 64

static struct image {
	const char *from; /* what it starts as */
	size_t filled, size;
	ptrdiff_t at; /* from the thread pointer */
} images[MAX_IMAGES];
static unsigned nimages;
static bool images_known;
/* Where all of them begin, and libc's, below the thread pointer. */
static ptrdiff_t lowest;
struct hd_tls_part hd_rt_tls_of_libc;

static bool ends_with(const char *s, const char *end)
{
	size_t n = hd_rt_strlen(s), m = hd_rt_strlen(end);

	return n >= m && hd_rt_strcmp(s + n - m, end) == 0;
}

/* libc's own (malloc's caches, locales) belong to the donor for as long as it lives. */
static bool is_of_system(const char *name)
{
	const char *base = name;

	for (const char *p = name; *p; p++) {
		if (*p == '/')
			base = p + 1;
	}
	return (base[0] == 'l' && base[1] == 'i' && base[2] == 'b' && base[3] == 'c' &&
		(base[4] == '.' || base[4] == '-')) ||
	       (base[0] == 'l' && base[1] == 'd' && base[2] == '-') ||
	       ends_with(base, "libheddle.so");
}

static int note_image(struct dl_phdr_info *info, size_t size, void *arg)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		ptrdiff_t at = (ptrdiff_t)((uintptr_t)info->dlpi_tls_data - hd_rt.cur->fs);

		if (ph->p_type != PT_TLS || !info->dlpi_tls_data)
			continue;
		lowest = at < lowest ? at : lowest;
		if ((uintptr_t)&errno - (uintptr_t)info->dlpi_tls_data < ph->p_memsz)
			hd_rt_tls_of_libc = (struct hd_tls_part){ at, ph->p_memsz };
		if (is_of_system(info->dlpi_name) || nimages == MAX_IMAGES)
			continue;
		images[nimages++] = (struct image){
			.from = (const char *)(info->dlpi_addr + ph->p_vaddr),
			.filled = ph->p_filesz,
			.size = ph->p_memsz,
			.at = at,
		};
	}
	return 0;
}

static void renew_tls(uintptr_t fs)
{
	for (unsigned i = 0; i < nimages; i++) {
		char *to = (char *)fs + images[i].at;

		hd_rt_copy(to, images[i].from, images[i].filled);
		hd_rt_fill(to + images[i].filled, 0, images[i].size - images[i].filled);
	}
}

static void know_images(void)
{
	if (images_known)
		return;
	images_known = true;
	hd_rt.busy++;
	dl_iterate_phdr(note_image, NULL);
	hd_rt.busy--;
}

size_t hd_rt_tls_size(void)
{
	know_images();
	return (size_t)-lowest;
}

/* ---- making and ending ----------------------------------------------------- */

/*
 * A task's stack goes on with that of who made it, and so on. Not without end: tasks that make tasks in a
 * recursion would each have contexts of their own, as many as there are tasks, and all that is known
 * by context would grow with them. Beyond this, what is between is left out.
 */
#define NESTED_MAX 4u

struct fiber *hd_rt_light_new(void *(*start)(void *), void *arg, void (*ended)(struct fiber *f))
{
	struct fiber *me = hd_rt.cur, *f = hd_rt_alloc(sizeof(*f));
	bool deep = me->light.nested == NESTED_MAX;

	hd_rt_record_start(hd_rt.opt.ring_fd);
	hd_rt_race_start();
	know_images();
	*f = (struct fiber){
		.state = HD_F_BLOCKED,
		.run_index = -1,
		.calls.root = deep ? me->calls.root : hd_rt_context(),
		.thread = { .start = start, .arg = arg, .detached = true },
		.light = { .on = true,
			   .ended = ended,
			   .nested = (uint8_t)(me->light.nested + !deep) },
		.wait.deadline = HD_NEVER,
		.signals.mask = me->signals.mask,
		.explore.calm = true,
	};
	f->id = ++hd_rt.nthreads;
	hd_rt_thread_list(f);
	if (hd_rt_policy->spawned)
		hd_rt_policy->spawned(f);
	hd_rt_tell_locals();
	hd_rt_event_always(HD_OP_FORK, 0, f->id, 0, 0);
	return f;
}

void hd_rt_light_ready(struct fiber *f)
{
	hd_rt.nbare++;
	hd_rt_progress();
	f->wait.why = HD_TS_RUNNABLE;
	hd_rt_add_runnable(f);
}

void hd_rt_light_on_call(struct fiber *f)
{
	hd_rt.nbare++;
	f->wait.why = HD_TS_RUNNABLE;
}

void hd_rt_light_throttle(void)
{
	while (hd_rt.nbare >= HD_BARE_MAX)
		hd_rt_block(HD_TS_RUNNABLE, (uintptr_t)&idle_hosts, HD_NEVER);
}

static void __attribute__((noreturn)) no_donor(void)
{
	static const char msg[] = "heddle: no more threads: too many tasks wait at once\n";

	hd_sys(SYS_write, 2, msg, sizeof(msg) - 1);
	hd_rt_misuse(0,
		     "more tasks wait at once (%u) than the machine has threads for: the run ends",
		     hd_rt.nbodies);
	hd_rt_finish(3);
	hd_sys(SYS_exit_group, 3);
	__builtin_unreachable();
}

static struct fiber *new_host(size_t stack)
{
	struct fiber *host = hd_rt_alloc(sizeof(*host));
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, stack);
	if (hd_rt_donor_start(host, &attr))
		no_donor();
	pthread_attr_destroy(&attr);
	return host;
}

struct fiber *hd_rt_light_host(size_t stack)
{
	pthread_attr_t attr;

	if (!stack) {
		pthread_attr_init(&attr);
		pthread_attr_getstacksize(&attr, &stack);
		pthread_attr_destroy(&attr);
	}
	return new_host(stack);
}

void hd_rt_light_give_host(struct fiber *host)
{
	host->next = idle_hosts;
	idle_hosts = host;
}

void hd_rt_light_embody(struct fiber *f)
{
	struct fiber *host = f->light.own_host ? f->light.host : idle_hosts;
	bool used = host && !f->light.own_host;

	if (f->light.own_host) {
		;
	} else if (host) {
		idle_hosts = host->next;
		host->next = NULL;
	} else {
		host = new_host(LIGHT_STACK);
	}
	f->light.host = host;
	f->thread.pt = host->thread.pt;
	f->fs = host->fs;
	f->tid = host->tid;
	f->calls.stack = host->calls.stack;
	f->stack.low = host->stack.low;
	f->stack.top = host->stack.top;
	hd_rt_fiber_prepare(f, host->stack.top, hd_rt_thread_entry);
	hd_rt_thread_index(f);
	if (f->light.embodied)
		f->light.embodied(f);
	if (used && !f->tls.lender)
		renew_tls(host->fs);
	hd_rt.nbodies++;
	if (--hd_rt.nbare == HD_BARE_MAX / 2)
		hd_rt_wake_all(HD_TS_RUNNABLE, (uintptr_t)&idle_hosts);
}

void hd_rt_light_return(struct fiber *f)
{
	struct fiber *host = f->light.host;

	host->calls.stack = f->calls.stack;
	hd_rt.nbodies--;
	if (!f->light.own_host)
		hd_rt_light_give_host(host);
}

struct fiber *hd_rt_light_choose(void)
{
	struct fiber **cand = hd_rt_alloc(hd_rt.nrunnable * sizeof(*cand)), *young = NULL, *next;
	uint32_t size = hd_rt.nrunnable, n = 0;

	for (uint32_t i = 0; i < size; i++) {
		struct fiber *f = hd_rt.runnable[i];

		if (f->sp && !(hd_rt.ncycles && hd_rt_is_spinning(f)))
			cand[n++] = f;
		else if (!f->sp && (!young || f->id > young->id))
			young = f;
	}
	next = n ? hd_rt_choose(HD_PICK_RUN, cand, n) : young;
	hd_rt_free(cand, size * sizeof(*cand));
	return next;
}

void hd_rt_light_after_fork_child(void)
{
	idle_hosts = NULL;
	hd_rt.nbare = hd_rt.nbodies = 0;
}
