#include "record.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>

#include "collect.h"
#include "emit.h"
#include "runtime/memory/arena.h"
#include "runtime/process/relatives.h"
#include "runtime/real.h"
#include "runtime/sched/policy.h"
#include "runtime/sys.h"

/* In its own pages, so that the shared header can be mapped over it: the cursor
 * is then as cheap to reach as any static variable. */
union hd_ring_page hd_rt_ring __attribute__((aligned(HD_RING_HEADER)));

struct hd_pulse *hd_rt_pulse = &hd_rt_ring.ring.pulse;

static bool stopped;
static uint32_t produced; /* the ring's, where no stray store is likely to hit it */
static uint64_t seal;
static char *buffers; /* the ring's buffers */
static uint64_t nstrings;

/* ---- the ring ------------------------------------------------------------ */

static void collector_gone(void)
{
	stopped = true;
	hd_rt.mode &= (uint16_t)~HD_M_RECORD;
}

/* Something in the header cannot be: the program has written over it. */
static void header_damaged(struct hd_ring *r)
{
	r->damaged = 1;
	collector_gone();
}

/* Wait until the collector has emptied the next buffer; it may have died. */
static void wait_for_room(struct hd_ring *r)
{
	static const struct timespec second = { .tv_sec = 1 };

	for (;;) {
		uint32_t seen = __atomic_load_n(&r->consumed, __ATOMIC_ACQUIRE);

		if (produced - seen < HD_RING_BUFFERS)
			return;
		if (produced - seen > HD_RING_BUFFERS) {
			header_damaged(r);
			return;
		}
		__atomic_store_n(&r->producer_waits, 1, __ATOMIC_SEQ_CST);
		r->pulse.waiting = 1;
		if (__atomic_load_n(&r->consumed, __ATOMIC_SEQ_CST) == seen)
			hd_futex_wait(&r->consumed, seen, &second);
		__atomic_store_n(&r->producer_waits, 0, __ATOMIC_RELAXED);
		r->pulse.waiting = 0;
		if (r->collector_pid && hd_sys(SYS_kill, r->collector_pid, 0) == -ESRCH) {
			collector_gone();
			return;
		}
	}
}

void hd_rt_ring_turn(void)
{
	struct hd_ring *r = &hd_rt_ring.ring;

	if (r->cursor > HD_RING_EVENTS || r->produced != produced)
		header_damaged(r);
	if (!stopped) {
		/* Partner: the collector's acquire of produced. */
		__atomic_store_n(&r->produced, ++produced, __ATOMIC_SEQ_CST);
		if (__atomic_load_n(&r->collector_waits, __ATOMIC_SEQ_CST))
			hd_futex_wake(&r->produced);
		wait_for_room(r);
	}
	if (r->stop)
		collector_gone();
	hd_rt.buf = (struct hd_raw *)(buffers + (uint64_t)(produced % HD_RING_BUFFERS) *
							HD_RING_EVENTS * sizeof(struct hd_raw));
	r->cursor = 0;
}

struct hd_raw *hd_rt_slots(uint64_t n)
{
	struct hd_raw *r = hd_rt_slot();
	uint64_t left = HD_RING_EVENTS - hd_rt_ring.ring.cursor;

	if (n <= left)
		return r;
	*r = (struct hd_raw){ .value = left - 1, .op = HD_RAW_PAD };
	hd_rt_push_all(left);
	return hd_rt_slot();
}

void hd_rt_put_raw(unsigned op, uint64_t addr, uint64_t value, uint32_t ctx)
{
	struct hd_raw *r = hd_rt_slot();

	*r = (struct hd_raw){ .addr = addr, .value = value, .ctx = ctx, .op = (uint8_t)op };
	hd_rt_push();
}

void hd_rt_seal(void)
{
	hd_rt_put_raw(HD_RAW_SEAL, 0, seal, 0);
}

void hd_rt_ring_switch(void)
{
	hd_rt.rec_thread = hd_rt.cur->id;
	hd_rt_put_raw(HD_RAW_SWITCH, 0, hd_rt.cur->id, 0);
}

/* ---- values of writes ---------------------------------------------------- */

/*
 * A hook runs before its access, so a write's value is not there yet. It is picked up
 * before anything else is recorded or anybody else runs: execution is serial, so it is exact.
 */
static void settle_loop(struct hd_raw *loop)
{
	char *values = (char *)(loop + 1 + loop->arg);

	for (struct hd_raw *part = loop + 1, *end = part + loop->arg; part < end; part++) {
		uint64_t back = (int64_t)part->value < 0 ? (loop->value - 1) * -part->value : 0;

		if (part->op == HD_OP_WRITE)
			hd_rt_copy(values, (const char *)part->addr - back,
				   loop->value * HD_RAW_SIZE(part));
		values += hd_loop_bytes(part, loop->value);
	}
	__asm__ volatile("" : : : "memory"); /* the values before the word that they are there */
	loop->spare = 0;
}

/* From @r on all there is are loops. */
static void settle_loops(struct hd_raw *r)
{
	for (struct hd_raw *end = &hd_rt.buf[hd_rt_ring.ring.cursor]; r < end; r += 1 + r->addr) {
		if (r->op != HD_RAW_LOOP || r->addr >= (uint64_t)(end - r)) {
			header_damaged(&hd_rt_ring.ring);
			return;
		}
		settle_loop(r);
	}
}

void hd_rt_settle(void)
{
	struct hd_raw *r = hd_rt.pending;

	if (!r || r->op != HD_RAW_LOOP) {
		hd_rt_settle_here();
		return;
	}
	hd_rt.pending = NULL;
	settle_loops(r);
}

/* ---- events -------------------------------------------------------------- */

void hd_rt_event2(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2, uint16_t arg)
{
	if (op != HD_OP_ALLOC && op != HD_OP_FREE) /* those are about one address only */
		addr = hd_rt_name_of(addr);
	hd_rt_emit(&(struct hd_emit){ .kind = HD_EMIT_SYNC,
				      .op = op,
				      .addr = addr,
				      .value = value,
				      .value2 = value2,
				      .arg = arg,
				      .pc = hd_rt.cur->pc });
}

void hd_rt_lock_event(enum hd_op op, uintptr_t addr, uint16_t mode)
{
	if (unlikely(hd_rt_order_is_news() || !hd_rt_racing())) {
		hd_rt_event(op, addr, 0, mode);
		return;
	}
	hd_rt_heap_look_at_object(op, addr);
	hd_rt_race_lock(op, addr, mode);
}

void hd_rt_access_event(uintptr_t addr, uint32_t thread, enum hd_op op, uint32_t size,
			uint16_t number)
{
	if (!hd_rt.recording)
		return;
	hd_rt_put(HD_OP_ACCESS, addr, thread, size, number, hd_rt.cur->pc);
	hd_rt_put_raw(HD_RAW_VALUE2, 0, op, 0);
}

void hd_rt_event_always(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2,
			uint16_t arg)
{
	hd_rt_emit(&(struct hd_emit){ .kind = HD_EMIT_ALWAYS,
				      .op = op,
				      .addr = addr,
				      .value = value,
				      .value2 = value2,
				      .arg = arg,
				      .pc = hd_rt.cur->pc });
}

void hd_rt_tell(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2, uint16_t arg)
{
	if (!hd_rt.recording)
		return;
	hd_rt_put(op, addr, value, 0, arg, hd_rt.cur->pc);
	if (value2)
		hd_rt_put_raw(HD_RAW_VALUE2, 0, value2, 0);
}

uint64_t hd_rt_string(const char *s)
{
	uint64_t len = hd_rt_strlen(s);

	if (!hd_rt.recording)
		return 0;
	hd_rt_put_raw(HD_RAW_STRING, len, ++nstrings, 0);
	for (uint64_t done = 0; done < len; done += sizeof(struct hd_raw)) {
		struct hd_raw *r = hd_rt_slot();
		uint64_t n = len - done < sizeof(*r) ? len - done : sizeof(*r);

		hd_rt_fill(r, 0, sizeof(*r));
		hd_rt_copy(r, s + done, n);
		hd_rt_push();
	}
	return nstrings;
}

/* Reasons are string literals: compared by address, counted, sent at the end. */
#define REASONS 32
static struct {
	const char *text;
	uint64_t count;
} drops[REASONS], outsides[REASONS];

void hd_rt_drop(const char *reason)
{
	for (int i = 0; i < REASONS; i++) {
		if (!drops[i].text)
			drops[i].text = reason;
		if (drops[i].text == reason) {
			drops[i].count++;
			return;
		}
	}
}

void hd_rt_outside(const char *reason)
{
	for (int i = 0; i < REASONS; i++) {
		if (outsides[i].text == reason)
			return;
		if (!outsides[i].text) {
			outsides[i].text = reason;
			if (hd_rt.recording)
				hd_rt_event_always(HD_OP_OUTSIDE, 0, hd_rt_string(reason), 0, 0);
			return;
		}
	}
}

void hd_rt_note_start_time(uint64_t seconds)
{
	hd_rt_ring.ring.start_time = seconds;
}

void hd_rt_unput_loops(void)
{
	struct hd_raw *r = hd_rt.pending;

	hd_rt.pending = NULL;
	r->value = (uint64_t)(&hd_rt.buf[hd_rt_ring.ring.cursor] - r) - 1;
	r->spare = 0;
	r->op = HD_RAW_PAD;
	hd_rt_drop("loops in which a fault happened");
}

/* ---- modules ------------------------------------------------------------- */

static void hex(char *out, const unsigned char *in, size_t n)
{
	static const char digit[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		out[2 * i] = digit[in[i] >> 4];
		out[2 * i + 1] = digit[in[i] & 15];
	}
	out[2 * n] = 0;
}

/* The build id from the notes of a loaded module; empty if there is none. */
static void find_build_id(const struct dl_phdr_info *info, char out[64])
{
	out[0] = 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		const char *p = (const char *)(info->dlpi_addr + ph->p_vaddr),
			   *end = p + ph->p_memsz;

		if (ph->p_type != PT_NOTE)
			continue;
		while (p + sizeof(ElfW(Nhdr)) <= end) {
			const ElfW(Nhdr) *n = (const ElfW(Nhdr) *)p;
			const char *name = p + sizeof(*n);
			const char *desc = name + ((n->n_namesz + 3) & ~3u);

			if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && name[0] == 'G' &&
			    n->n_descsz <= 31 && desc + n->n_descsz <= end) {
				hex(out, (const unsigned char *)desc, n->n_descsz);
				return;
			}
			p = desc + ((n->n_descsz + 3) & ~3u);
		}
	}
}

static int send_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	uintptr_t low = UINTPTR_MAX, high = 0;
	char path[4096], id[64];
	const char *name = info->dlpi_name;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type != PT_LOAD)
			continue;
		if (ph->p_vaddr < low)
			low = ph->p_vaddr & ~(uintptr_t)4095;
		if (ph->p_vaddr + ph->p_memsz > high)
			high = ph->p_vaddr + ph->p_memsz;
	}
	if (low > high)
		return 0;
	if (!name || !name[0]) { /* the program itself, which comes first; or the vdso */
		long n = *(int *)arg
				 ? -1
				 : hd_sys(SYS_readlink, "/proc/self/exe", path, sizeof(path) - 1);

		if (n <= 0)
			return 0;
		path[n] = 0;
		name = path;
	}
	*(int *)arg = 1;
	hd_rt_event_always(HD_OP_MODULE, info->dlpi_addr + low, high - low, hd_rt_string(name), 0);
	find_build_id(info, id);
	if (id[0])
		hd_rt_put_raw(HD_RAW_BUILD_ID, info->dlpi_addr + low, hd_rt_string(id), 0);
	return 0;
}

void hd_rt_send_modules(void)
{
	int program_seen = 0;

	if (!hd_rt.recording)
		return;
	hd_rt.busy++;
	dl_iterate_phdr(send_module, &program_seen);
	hd_rt.busy--;
}

/* ---- start and end ------------------------------------------------------- */

static bool map_ring(int fd)
{
	long page = hd_sys(SYS_mmap, &hd_rt_ring, HD_RING_HEADER, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_FIXED, fd, 0);
	long body;

	if (page < 0 && page > -4096)
		return false;
	if (hd_rt_ring.ring.magic != HD_RING_MAGIC || hd_rt_ring.ring.version != HD_RING_VERSION)
		return false;
	body = hd_sys(SYS_mmap, 0x0a7d00000000, HD_RING_BYTES - HD_RING_HEADER,
		      PROT_READ | PROT_WRITE, MAP_SHARED, fd, HD_RING_HEADER);
	if (body < 0 && body > -4096)
		return false;
	buffers = (char *)body;
	produced = hd_rt_ring.ring.produced;
	seal = hd_rt_ring.ring.seal;
	hd_rt_claim(buffers, HD_RING_BYTES - HD_RING_HEADER);
	return true;
}

void hd_rt_record_start(int fd)
{
	uint64_t start_time = hd_rt_ring.ring.start_time;

	if (hd_rt.recording || hd_rt.exploring)
		return;
	if (fd < 0 && !hd_rt.opt.direct) /* in a debugger: nobody collects */
		return;
	if (fd < 0)
		fd = hd_rt_collector_spawn();
	if (fd < 0)
		return;
	if (!map_ring(fd)) {
		hd_sys(SYS_close, fd);
		return;
	}
	hd_sys(SYS_close, fd);
	hd_rt.buf = (struct hd_raw *)buffers;
	hd_rt_ring.ring.target_pid = hd_rt.pid;
	hd_rt_ring.ring.start_time = start_time;
	hd_rt_ring.ring.pulse.thread = hd_rt.cur->id;
	hd_rt_ring.ring.attached = 1;
	hd_rt.recording = true;
	if (hd_rt.opt.record == HD_REC_ALL)
		hd_rt.mode |= HD_M_RECORD;
	hd_rt_ring_switch();
	hd_rt_send_contexts();
	hd_rt_event_always(HD_OP_THREAD_BEGIN, 0, 0, 0, 0);
	hd_rt_send_modules();
}

void hd_rt_finish(int status)
{
	static bool finished;

	if (hd_rt.exploring)
		hd_rt_explore_end();
	hd_rt_relative_ends();
	if (finished || !hd_rt.recording || hd_sys(SYS_getpid) != hd_rt.pid)
		return;
	finished = true;
	hd_rt_pulse->thread = 0; /* what comes now makes no scheduling points */
	hd_rt_tasks_tell();
	hd_rt_settle();
	hd_rt_replay_end();
	hd_rt_plan_end();
	for (int i = 0; i < REASONS && drops[i].text; i++)
		hd_rt_put_raw(HD_RAW_DROP, hd_rt_string(drops[i].text), drops[i].count, 0);
	hd_rt_tell_stalls();
	hd_rt_event_always(HD_OP_EXIT, 0, (uint32_t)status, 0, 0);
	hd_rt.recording = false;
	hd_rt.active = false;
	hd_rt.mode = 0;
	__atomic_store_n(&hd_rt_ring.ring.attached, 2, __ATOMIC_RELEASE);
	hd_futex_wake(&hd_rt_ring.ring.attached);
	if (hd_rt.opt.direct)
		hd_rt_collector_wait();
}

void hd_rt_after_fork_child(void)
{
	struct fiber *me = hd_rt.cur;

	/* The ring stays the parent's: nothing of ours may reach it. */
	hd_rt.recording = false;
	hd_rt.exploring = false;
	hd_rt_pulse = &hd_rt_ring.ring.pulse;
	hd_rt.mode &= (uint16_t) ~(HD_M_RECORD | HD_M_TASKS | HD_M_LOOKS | HD_M_TSO);
	hd_rt.pending = NULL;
	hd_rt.planning = false;
	hd_rt.opt.record = HD_REC_NONE;
	hd_sys(SYS_mmap, &hd_rt_ring, HD_RING_HEADER, PROT_READ | PROT_WRITE,
	       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	if (buffers)
		hd_sys(SYS_munmap, buffers, HD_RING_BYTES - HD_RING_HEADER);
	buffers = NULL;
	stopped = false;
	nstrings = 0;
	hd_rt_fill(drops, 0, sizeof(drops));
	hd_rt_fill(outsides, 0, sizeof(outsides));

	/* Of the threads, only the one that forked exists here. */
	for (struct fiber *f = hd_rt.all; f; f = f->next) {
		if (f != me) {
			f->state = HD_F_DONE;
			f->run_index = -1;
			f->wait.prev = NULL;
			f->thread.detached = true;
		}
	}
	hd_rt_forget_waiters();
	hd_rt.runnable[0] = me;
	me->run_index = 0;
	hd_rt.nrunnable = hd_rt.nlive = 1;
	hd_rt.pid = (int)hd_sys(SYS_getpid);
}
