/*
 * Plain accesses of tasks. Most are answered by thin locations (analysis/tasks/task_thin.h), which workers
 * use side by side; the rest goes to the analysis, under its lock.
 */
#include "par_front.h"

#include "analysis/tasks/task_front.h"
#include "lane.h"
#include "par_tell.h"
#include "runtime/abi/idle_reads.h"
#include "runtime/observe/access_event.h"

#define LANES 256u

struct hd_task_front hd_par_front;
bool hd_par_fronted;

/* Of each worker. */
static struct hd_thin_lane *owns[LANES];
static unsigned nowns;
static __thread struct hd_thin_lane *own __attribute__((tls_model("initial-exec")));

static uint32_t learn(void *arg, uint32_t doing, const struct hd_thin_place *place)
{
	uint32_t after;

	hd_par_check_lock();
	after = hd_task_front_learn(arg, doing, place);
	hd_par_check_unlock();
	return after;
}

void hd_par_front_start(struct hd_task_check *check, const struct hd_task_options *options)
{
	hd_par_fronted = hd_task_front_init(&hd_par_front, check, options);
	hd_par_front.thin.learn = learn;
}

static HD_NOINLINE bool own_new(void)
{
	struct hd_thin_lane *o;

	hd_par_check_lock();
	o = nowns < LANES ? hd_rt_reserve(sizeof(*o)) : NULL;
	if (o)
		owns[nowns++] = o;
	hd_par_check_unlock();
	own = o;
	return o;
}

/* What is on a task's stack is forgotten when the task ends: from where on? */
static inline void note_stack(uintptr_t addr)
{
	struct hd_par_stack *s = hd_par_stack_of(addr);
	uintptr_t low = s ? __atomic_load_n(&s->dirty, __ATOMIC_RELAXED) : 0;

	while (unlikely(addr < low) &&
	       !__atomic_compare_exchange_n(&s->dirty, &low, addr, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
}

static HD_NOINLINE bool step_of(const struct hd_par_strand *f)
{
	if (hd_par_fronted && !hd_par_lane.step) {
		hd_par_check_lock();
		hd_par_lane.step = hd_task_front_step(&hd_par_front, f->id);
		hd_par_check_unlock();
		hd_par_words_new_step();
	}
	return hd_par_lane.step && (own || own_new());
}

/* As many bytes of an access as thin locations answer. */
static size_t thin(uintptr_t addr, size_t len, bool write, uintptr_t pc)
{
	uint32_t ctx = hd_par_context();
	size_t done = 0;

	while (done < len) {
		uintptr_t at = addr + done;
		struct hd_thin_place place;
		unsigned n = 8;

		while ((at & (n - 1)) || n > len - done)
			n /= 2;
		place = hd_thin_place(pc, ctx, at, n, write);
		if (!hd_thin_access(&hd_par_front.thin, own, hd_par_lane.step, at, &place))
			break;
		hd_par_words_note_done(at, n, own->done);
		done += n;
	}
	return done;
}

static HD_NOINLINE void tell(uintptr_t addr, size_t len, bool write, uintptr_t pc)
{
	struct hd_event ev = {
		.pc = pc, .addr = addr, .thread = hd_par_lane.task->id, .ctx = hd_par_context()
	};

	hd_event_set_access(&ev, len, write);
	if (!write && hd_is_idle_read(pc))
		ev.arg = HD_ACCESS_IDLE;
	hd_par_take(&ev);
}

void hd_par_access(uintptr_t addr, size_t len, bool write, uintptr_t pc)
{
	size_t done = 0;

	if (!hd_par_lane.task || !len)
		return;
	note_stack(addr);
	if (step_of(hd_par_lane.task))
		done = thin(addr, len, write, pc);
	if (done < len)
		tell(addr + done, len - done, write, pc);
}

void hd_par_access_word(uintptr_t addr, unsigned size, bool write, uintptr_t pc)
{
	struct hd_thin_place place;

	if (unlikely(!hd_par_lane.step || !own)) {
		hd_par_access(addr, size, write, pc);
		return;
	}
	if (hd_thin_seen_behind(&hd_par_front.thin, hd_par_lane.step, addr, size, write)) {
		if (!write ||
		    hd_thin_seen_behind(&hd_par_front.thin, hd_par_lane.step, addr, size, false))
			hd_par_words_note(addr, size, write);
		return;
	}
	note_stack(addr);
	place = hd_thin_place(pc, hd_par_context(), addr, size, write);
	if (unlikely(!hd_thin_access(&hd_par_front.thin, own, hd_par_lane.step, addr, &place)))
		tell(addr, size, write, pc);
	else
		hd_par_words_note_done(addr, size, own->done);
}

bool hd_par_has_step(void)
{
	return hd_par_lane.task && step_of(hd_par_lane.task);
}

void hd_par_access_run(uintptr_t addr, size_t len, unsigned size, bool write, uintptr_t pc)
{
	const uintptr_t end = addr + len;
	uint32_t ctx = hd_par_context();

	note_stack(addr);
	while (addr < end) {
		if (!(addr & (HD_THIN_LINE - 1)) && end - addr >= HD_THIN_LINE &&
		    hd_thin_access_line(&hd_par_front.thin, own, hd_par_lane.step, addr, size,
					write, pc, ctx)) {
			addr += HD_THIN_LINE;
			continue;
		}
		if (!hd_par_words_know(addr, size, write))
			hd_par_access_word(addr, size, write, pc);
		addr += size;
	}
}

void hd_par_front_stats(struct hd_task_stats *s)
{
	for (unsigned i = 0; i < nowns; i++) {
		s->queries += owns[i]->queries;
		s->walks += owns[i]->walks;
		s->locations += owns[i]->locations;
		s->location_bytes += owns[i]->cells * sizeof(struct hd_thin_cell);
	}
	if (hd_par_fronted)
		s->location_bytes += hd_par_front.thin.nmores * sizeof(struct hd_thin_more) +
				     hd_par_front.thin.known.count * sizeof(struct hd_thin_did);
}
