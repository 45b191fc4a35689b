/*
 * Plain accesses of tasks. Most are answered by thin locations (analysis/task_thin.h), which workers
 * use side by side; the rest goes to the analysis, under its lock.
 */
#include "par_front.h"

#include "analysis/task_front.h"
#include "lane.h"
#include "par_tell.h"

#define SITES 1024u
#define LANES 256u

struct hd_task_front hd_par_front;
bool hd_par_fronted;

/* What each worker has for itself. */
struct own {
	struct hd_thin_lane thin;
	struct {
		uintptr_t pc;
		uint32_t ctx, shape, site;
	} sites[SITES];
};

static struct own *owns[LANES];
static unsigned nowns;
static __thread struct own *own __attribute__((tls_model("initial-exec")));

void hd_par_front_start(struct hd_task_check *check, const struct hd_task_options *options)
{
	hd_par_fronted = hd_task_front_init(&hd_par_front, check, options);
}

static HD_NOINLINE bool own_new(void)
{
	struct own *o;

	hd_par_check_lock();
	o = nowns < LANES ? hd_rt_reserve(sizeof(*o)) : NULL;
	if (o)
		owns[nowns++] = o;
	hd_par_check_unlock();
	own = o;
	return o;
}

/* The number of the place of an access. */
static uint32_t site_of(uintptr_t pc, uint32_t ctx, unsigned size, unsigned offset, bool write)
{
	uint32_t shape = size << 4 | offset << 1 | write;
	uint64_t hash = (pc ^ (uint64_t)ctx << 32 ^ shape) * 0x9e3779b97f4a7c15ull;
	unsigned i = (unsigned)(hash >> 54) & (SITES - 1);

	if (own->sites[i].pc != pc || own->sites[i].ctx != ctx || own->sites[i].shape != shape) {
		hd_par_check_lock();
		own->sites[i].site = hd_task_front_site(&hd_par_front, pc, ctx, size, offset, write);
		hd_par_check_unlock();
		own->sites[i].pc = pc;
		own->sites[i].ctx = ctx;
		own->sites[i].shape = shape;
	}
	return own->sites[i].site;
}

/* What is on a task's stack is forgotten when the task ends: from where on? */
static void note_stack(uintptr_t addr)
{
	struct hd_stack *s = hd_par_stack_of(addr);
	uintptr_t low = s ? __atomic_load_n(&s->dirty, __ATOMIC_RELAXED) : 0;

	while (s && addr < low &&
	       !__atomic_compare_exchange_n(&s->dirty, &low, addr, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
}

static HD_NOINLINE void step_of(const struct fiber *f)
{
	hd_par_check_lock();
	hd_lane.step = hd_task_front_step(&hd_par_front, f->id);
	hd_par_check_unlock();
}

/* As many bytes of an access as thin locations answer. */
static size_t thin(uintptr_t addr, size_t len, bool write, uintptr_t pc)
{
	uint32_t ctx = hd_par_context();
	size_t done = 0;

	while (done < len) {
		uintptr_t at = addr + done;
		unsigned n = 8;

		while ((at & (n - 1)) || n > len - done)
			n /= 2;
		if (!hd_thin_seen(&hd_par_front.thin, hd_lane.step, at, n, write) &&
		    !hd_thin_access(&hd_par_front.thin, &own->thin, hd_lane.step, at, n, write,
				    site_of(pc, ctx, n, at & 7, write)))
			break;
		done += n;
	}
	return done;
}

void hd_par_access(uintptr_t addr, size_t len, bool write, uintptr_t pc)
{
	const struct fiber *f = hd_lane.task;
	struct hd_event ev = { .pc = pc };

	if (!f || !len)
		return;
	note_stack(addr);
	if (hd_par_fronted && !hd_lane.step)
		step_of(f);
	if (hd_lane.step && (own || own_new())) {
		size_t done = thin(addr, len, write, pc);

		if (done == len)
			return;
		addr += done;
		len -= done;
	}
	ev.addr = addr;
	ev.thread = f->id;
	ev.ctx = hd_par_context();
	if (likely(len <= 8)) {
		ev.op = write ? HD_OP_WRITE : HD_OP_READ;
		ev.size = (uint32_t)len;
	} else {
		ev.op = write ? HD_OP_WRITE_RANGE : HD_OP_READ_RANGE;
		ev.value = len;
	}
	hd_par_take(&ev);
}

void hd_par_front_stats(struct hd_task_stats *s)
{
	for (unsigned i = 0; i < nowns; i++) {
		s->queries += owns[i]->thin.queries;
		s->walks += owns[i]->thin.walks;
		s->locations += owns[i]->thin.locations;
		s->location_bytes += owns[i]->thin.locations * sizeof(struct hd_thin_cell);
	}
	if (hd_par_fronted)
		s->location_bytes += hd_par_front.thin.nmores * sizeof(struct hd_thin_more);
}
