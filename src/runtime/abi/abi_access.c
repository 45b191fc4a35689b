/*
 * The compiler's instrumentation of plain accesses: __tsan_read4 and relatives.
 *
 * Hot: with nothing to record and no scheduling points at accesses, a hook is a
 * decrement, a test and a return.
 */
#include "runtime/rt.h"

#include <sys/mman.h>

#include "abi.h"
#include "hidden.h"
#include "idle_reads.h"
#include "inline_check.h"
#include "plain_record.h"
#include "runtime/explore/explore_sites.h"
#include "runtime/explore/inferred.h"
#include "runtime/explore/one_step.h"
#include "runtime/explore/state.h"
#include "runtime/memory/arena.h"
#include "runtime/observe/emit.h"
#include "runtime/sys.h"

/* Ranges longer than this invalidate all shadow words at once, by a new slice. */
#define SHORT_RANGE 256

uint64_t *hd_read_shadow;
bool hd_record_may_be_quick;
static uint64_t *fast_shadow; /* the shadow where a repeated read needs nothing else */

void hd_rt_access_init(void)
{
	bool nothing_else = hd_rt.opt.switch_at != HD_AT_ACCESSES && !hd_rt_switch_sites.n &&
			    !hd_rt_inferred_any() && !hd_rt_is_tso();

	if (hd_rt.opt.record == HD_REC_ALL && !hd_rt.opt.exact)
		hd_read_shadow = hd_rt_reserve(HD_READ_SHADOW_BYTES);
	if (nothing_else)
		fast_shadow = hd_read_shadow;
	hd_record_may_be_quick = nothing_else && !hd_rt.opt.any_time;
}

void hd_rt_access_keep_all(void)
{
	hd_read_shadow = fast_shadow = NULL;
}

void hd_rt_slice_wrap(void)
{
	if (hd_read_shadow)
		hd_sys(SYS_madvise, hd_read_shadow, HD_READ_SHADOW_BYTES, MADV_DONTNEED);
	hd_rt.slice_tag = HD_SLICE_ONE;
}

/*
 * So many accesses without a scheduling point. A loop that reads and never writes
 * may be waiting for somebody, or it may be computing: it is looked at, and others
 * get a chance, after one quantum, two, four, ... while nobody makes progress.
 * Loops that write are interrupted rarely, for fairness.
 */
#define PATIENCE 200u /* quanta */

static HD_NOINLINE void hd_rt_quantum(uintptr_t pc)
{
	static uint64_t progress_seen, steps_seen, steps_spun, quiet_since;
	static unsigned busy, quiet, next_look;
	uint64_t moved;
	bool waits, due;

	if (!hd_rt.active || hd_rt.busy || hd_is_foreign()) {
		hd_rt.access_budget = hd_rt.opt.quantum;
		return;
	}
	if (unlikely(hd_rt.accessing))
		hd_rt_weak_made();
	due = hd_rt_worked(0);
	hd_rt_note_stack_write();
	hd_rt_pulse->beats++;
	waits = hd_rt.progress + hd_rt.stack_progress == progress_seen;
	progress_seen = hd_rt.progress + hd_rt.stack_progress;
	moved = hd_rt_moves();
	if (quiet_since != moved) {
		quiet_since = moved;
		quiet = 0;
		next_look = 1;
	}
	if (steps_seen != hd_rt.steps)
		busy = 0;
	steps_seen = hd_rt.steps;
	if (++busy < PATIENCE && !(waits && ++quiet >= next_look) && !due)
		return;
	next_look = next_look < PATIENCE / 2 ? 2 * next_look : PATIENCE;
	busy = quiet = 0;
	hd_rt.cur->pc = pc;
	if (waits) { /* where tests in line may match, nobody knows what was looked at */
		hd_rt_spin_long(hd_rt.accessed || heddle_inline1_tags != HD_INLINE_NEVER ||
				steps_spun != hd_rt.steps);
		hd_rt.accessed = false;
	}
	hd_rt_calm_point();
	steps_spun = hd_rt.steps;
}

void hd_rt_access_forget(uintptr_t addr, size_t len)
{
	if (len > SHORT_RANGE)
		hd_rt_next_slice();
	else if (len)
		hd_forget_reads(addr, (unsigned)len);
}

static inline __attribute__((always_inline)) void
put_read(uintptr_t a, unsigned size, unsigned flags, uintptr_t pc, uint32_t ctx)
{
	if (hd_rt_has_tasks && hd_is_idle_read(pc))
		flags |= HD_ACCESS_IDLE;
	hd_rt_put_in(HD_OP_READ, a, hd_rt_value_at(a, size), size, (uint16_t)flags, pc, ctx);
}

static HD_NOINLINE void hd_rt_record_read(uintptr_t a, unsigned size, unsigned flags, uintptr_t pc)
{
	if (hd_read_shadow && !(flags & HD_ACCESS_VOLATILE) && !(a & (size - 1)) &&
	    !hd_is_worth_recording(a, pc, &flags))
		return;
	put_read(a, size, flags, pc, hd_rt_context());
}

static HD_NOINLINE void hd_rt_record_write(uintptr_t a, unsigned size, unsigned flags, uintptr_t pc)
{
	hd_forget_reads(a, size);
	hd_rt_put_later(HD_OP_WRITE, a, size, (uint16_t)flags, pc);
}

void hd_rt_plan_access(enum hd_op op, uintptr_t a, uint64_t len, uintptr_t pc)
{
	if (op == HD_OP_READ && len == 16) {
		hd_rt_plan_event(op, a, hd_rt_value_at(a, 8), 0, pc);
		hd_rt_plan_event(op, a + 8, hd_rt_value_at(a + 8, 8), 0, pc);
	} else if (op == HD_OP_READ) {
		hd_rt_plan_event(op, a, hd_rt_value_at(a, (unsigned)len), 0, pc);
	} else if (op == HD_OP_WRITE && len == 16) {
		hd_rt_plan_event(HD_OP_WRITE_RANGE, a, len, 0, pc);
	} else {
		hd_rt_plan_event(op, a, op == HD_OP_WRITE ? 0 : len, 0, pc);
	}
}

/* May others run before this access? */
static bool is_point(unsigned flags, uintptr_t pc)
{
	return (hd_rt.mode & HD_M_ACCESS_POINTS) ||
	       ((flags & HD_ACCESS_VOLATILE) && hd_rt.opt.switch_at >= HD_AT_ATOMICS) ||
	       hd_rt_is_site(pc);
}

/* Accesses that others can come before are told to the explorer; all of them change the state. */
void hd_rt_explore_access(uintptr_t a, uint64_t len, bool write, uint16_t flags, uintptr_t pc)
{
	if (write)
		hd_rt_together_writes(a);
	if (!is_point(flags, pc))
		hd_rt_explore_besides(a, len, write);
	else
		hd_rt_explore_event(write ? HD_OP_WRITE_RANGE : HD_OP_READ_RANGE, a, len, 0, 0);
	if (hd_rt.mode & HD_M_STATES)
		hd_rt_state_access(a, len, write);
	/* What the thread does there next races at another place, where others may come in between, too. */
	if (hd_rt_is_site(pc) && hd_rt_racing())
		hd_rt_race_new_time();
}

static HD_NOINLINE void hd_rt_record_range(enum hd_op op, uintptr_t a, uint64_t len, uintptr_t pc)
{
	if (op == HD_OP_WRITE_RANGE)
		hd_rt_access_forget(a, len);
	hd_rt_put(op, a, len, 0, 0, pc);
}

/* Sixteen bytes: every event that has a value has all of it. */
static HD_NOINLINE void hd_rt_record_long(enum hd_op op, uintptr_t a, uint16_t flags, uintptr_t pc)
{
	if (op == HD_OP_READ) {
		hd_rt_record_read(a, 8, flags, pc);
		hd_rt_record_read(a + 8, 8, flags, pc);
	} else { /* the value of a first half would be picked up by the second: too early */
		hd_rt_put(HD_OP_WRITE_RANGE, a, 16, 0, 0, pc);
		hd_forget_reads(a, 16);
	}
}

void hd_rt_record_access(enum hd_op op, uintptr_t a, uint64_t len, uint16_t flags, uintptr_t pc)
{
	if (op == HD_OP_READ && len <= 8)
		hd_rt_record_read(a, (unsigned)len, flags, pc);
	else if (op == HD_OP_WRITE && len <= 8)
		hd_rt_record_write(a, (unsigned)len, flags, pc);
	else if (op == HD_OP_READ || op == HD_OP_WRITE)
		hd_rt_record_long(op, a, flags, pc);
	else
		hd_rt_record_range(op, a, len, pc);
}

/* In parts, if it goes on behind the end of a mapping: then it has no single value. */
void hd_rt_emit_access_named(enum hd_op op, uintptr_t a, uint64_t len, bool write, uint16_t flags,
			     uintptr_t pc)
{
	while (len) {
		size_t part = len;
		uintptr_t name = hd_rt_name_of_mapped(a, &part);

		if (part < len)
			op = write ? HD_OP_WRITE_RANGE : HD_OP_READ_RANGE;
		hd_rt_emit(&(struct hd_emit){ .kind = HD_EMIT_ACCESS,
					      .op = op,
					      .addr = name,
					      .value = part,
					      .write = write,
					      .arg = flags,
					      .pc = pc });
		a += part;
		len -= part;
	}
}

/* The access happens now: tell whoever wants to know. */
static void note_access(uintptr_t a, unsigned size, bool write, unsigned flags, uintptr_t pc)
{
	hd_rt_emit_access(write ? HD_OP_WRITE : HD_OP_READ, a, size, write, (uint16_t)flags, pc);
}

/*
 * Without optimisation a loop that waits for an atomic variable copies it to a
 * temporary on the stack: a write, but none that anybody could notice if the value is
 * the same. Whether it is shows when the next one comes, or somebody asks.
 */
static struct {
	uintptr_t addr;
	unsigned size;
	uint64_t old;
} stack_write;

static void note_own_stack(void)
{
	hd_rt.stack_progress++;
	hd_rt.cur->spin.own_stack++;
}

void hd_rt_note_stack_write(void)
{
	hd_rt_inline_progress();
	if (stack_write.size &&
	    hd_rt_value_at(stack_write.addr, stack_write.size) != stack_write.old)
		note_own_stack();
	stack_write.size = 0;
}

static void await_stack_write(uintptr_t a, unsigned size)
{
	hd_rt_note_stack_write();
	if (size <= 8) {
		stack_write.addr = a;
		stack_write.size = size;
		stack_write.old = hd_rt_value_at(a, size);
	} else {
		note_own_stack();
	}
}

/* A write is about to happen that others can notice. */
static void note_write(uintptr_t a, unsigned size)
{
	if (hd_rt_on_own_stack(a))
		await_stack_write(a, size);
	else
		hd_rt.progress++;
}

/* Everything that is not the fast path: scheduling points, recording. */
static HD_NOINLINE void hd_rt_access(uintptr_t a, unsigned size, bool write, unsigned flags,
				     uintptr_t pc)
{
	if (!hd_rt.active || hd_rt.busy || hd_is_foreign())
		return;
	if (unlikely(hd_rt_hidden(a)))
		return;
	if (unlikely(hd_rt.accessing))
		hd_rt_weak_made();
	if (hd_rt_is_tso() && size <= 8 && hd_rt_weak_is_atomic(a)) {
		hd_rt_volatile_as_atomic(a, size, write, pc);
		return;
	}
	if (unlikely(hd_rt.planning))
		pc = hd_rt_plan_place(a, write, pc);
	hd_rt.cur->pc = pc;
	if (unlikely(hd_rt.opt.any_time) && !write)
		hd_rt_spin_reads(a);
	if (unlikely(hd_rt.mode & HD_M_REGIONS))
		hd_rt_inferred_access(pc, write);
	if (unlikely(hd_rt.exploring) && write && (flags & HD_ACCESS_VOLATILE))
		hd_rt_explore_uses(HD_X_USES_BUFFERED);
	if (is_point(flags, pc)) {
		if (unlikely(hd_rt.exploring))
			hd_rt_explore_point_at(a, size, !write, write);
		else
			hd_rt_access_point();
		if (hd_rt_is_tso())
			hd_rt_weak_access(a, size, write);
		if (write)
			note_write(a, size); /* others have run since the hook did */
		else if (hd_rt_is_weak())
			hd_rt_weak_spin();
		else
			hd_rt_spin();
	}
	note_access(a, size, write, flags, pc);
	hd_rt_inline_touched(a, size);
}

/*
 * The hooks proper. Kept so small that the compiler needs no stack frame: whatever
 * is rare is a tail call.
 */
static HD_NOINLINE void hd_rt_read_at_quantum(uintptr_t a, unsigned size, uintptr_t pc)
{
	hd_rt.accessed = true;
	hd_rt_quantum(pc);
	if (hd_rt.mode)
		hd_rt_access(a, size, false, 0, pc);
}

static HD_NOINLINE void hd_rt_write_at_quantum(uintptr_t a, unsigned size, uintptr_t pc)
{
	hd_rt_quantum(pc);
	hd_rt.progress++;
	if (hd_rt.mode)
		hd_rt_access(a, size, true, 0, pc);
}

static HD_NOINLINE void hd_rt_read_slow(uintptr_t a, unsigned size, uintptr_t pc)
{
	hd_rt_access(a, size, false, 0, pc);
}

/* Freeing resets what is known by the other filters (race.h, fast_shadow): only here, it is looked at. */
static inline bool nothing_to_do(uintptr_t a, unsigned size, bool aligned)
{
	return hd_rt.mode == 0 || (hd_rt.mode == HD_M_HEAP && aligned && !hd_rt_heap_bad(a, size));
}

/* Is it a read that the trace has twice already, in a run where nobody else wants to know of it? */
static inline bool recorded_twice(uintptr_t a, unsigned size, uintptr_t pc)
{
	/* Aligned reads of four and eight bytes have the address bits of the tag clear. */
	return (size == 4 || size == 8) && likely(fast_shadow != NULL) &&
	       likely(fast_shadow[(a & (HD_READ_WINDOW - 1)) >> 2] ==
		      (hd_rt.slice_tag | HD_READ_TWICE | (pc & 0xffffffff)));
}

static inline void read_access(uintptr_t a, unsigned size, bool aligned, uintptr_t pc)
{
	hd_rt.accessed = true;
	if (likely(nothing_to_do(a, size, aligned)))
		return;
	if ((hd_rt.mode & ~HD_M_HEAP) == HD_M_RACE && aligned && size <= 8 &&
	    hd_race_seen(&hd_rt_race_view, a, size, false))
		return;
	if (aligned && recorded_twice(a, size, pc))
		return;
	hd_rt_read_slow(a, size, pc);
}

static inline void read_hook(uintptr_t a, unsigned size, bool aligned, uintptr_t pc)
{
	if (unlikely(--hd_rt.access_budget == 0))
		hd_rt_read_at_quantum(a, size, pc);
	else
		read_access(a, size, aligned, pc);
}

static HD_NOINLINE void hd_rt_stack_write(uintptr_t a, unsigned size, uintptr_t pc)
{
	await_stack_write(a, size);
	if ((hd_rt.mode & ~HD_M_HEAP) == HD_M_RACE && size <= 8 && !(a & (size - 1)) &&
	    hd_race_seen(&hd_rt_race_view, a, size, true))
		return;
	if (hd_rt.mode)
		hd_rt_access(a, size, true, 0, pc);
}

static inline void write_access(uintptr_t a, unsigned size, bool aligned, uintptr_t pc)
{
	if (unlikely(hd_rt_on_own_stack(a))) {
		hd_rt_stack_write(a, size, pc);
		return;
	}
	hd_rt.progress++;
	if (likely(nothing_to_do(a, size, aligned)))
		return;
	if ((hd_rt.mode & ~HD_M_HEAP) == HD_M_RACE && aligned && size <= 8 &&
	    hd_race_seen(&hd_rt_race_view, a, size, true))
		return;
	hd_rt_access(a, size, true, 0, pc);
}

static inline void write_hook(uintptr_t a, unsigned size, bool aligned, uintptr_t pc)
{
	if (unlikely(--hd_rt.access_budget == 0))
		hd_rt_write_at_quantum(a, size, pc);
	else
		write_access(a, size, aligned, pc);
}

static inline void volatile_hook(uintptr_t a, unsigned size, bool write, uintptr_t pc)
{
	hd_rt.accessed = true;
	hd_rt.progress += write;
	if (unlikely(hd_rt.opt.volatiles || hd_rt_is_tso()) && size <= 8) {
		hd_rt_volatile_as_atomic(a, size, write, pc);
		return;
	}
	if (unlikely(--hd_rt.access_budget == 0))
		hd_rt_quantum(pc);
	hd_rt_access(a, size, write, HD_ACCESS_VOLATILE, pc);
}

/* ---- ranges -------------------------------------------------------------- */

/* The last range, or the last point before some; both by number of steps. */
static struct {
	uint64_t step;
	size_t len;
	uintptr_t pc;
	bool write;
} last;

/*
 * A scheduling point before a range. A copy announces what it reads and what it writes, and then
 * does both: between the two nobody else may run, or what was announced as read first would be read
 * last. The same goes for whatever one call into libc touches. True: so there was no point.
 */
static bool range_point(size_t len, bool write, unsigned flags, uintptr_t pc)
{
	bool with = last.step == hd_rt.steps &&
		    ((flags & HD_ACCESS_LIBC) ? last.pc == pc
					      : write && !last.write && last.len == len);

	if (!with && is_point(0, pc))
		hd_rt_access_point();
	last.step = hd_rt.steps;
	last.len = len;
	last.pc = pc;
	last.write = write;
	return with;
}

static void range(uintptr_t a, size_t len, bool write, unsigned flags, uintptr_t pc)
{
	bool with;

	if (len == 0 || !hd_rt.active || hd_rt.busy || hd_is_foreign() || hd_rt_hidden(a))
		return;
	if (unlikely(hd_rt.accessing))
		hd_rt_weak_made();
	hd_rt.accessed = true;
	hd_rt.progress += write;
	if (hd_rt.mode == 0 && !hd_rt.planning)
		return;
	hd_rt_inline_touched(a, len);
	hd_rt.cur->pc = pc;
	if (unlikely(hd_rt.mode & HD_M_REGIONS) && last.step != hd_rt.steps)
		hd_rt_inferred_access(pc, write);
	with = range_point(len, write, flags, pc);
	if (hd_rt_is_tso() && is_point(0, pc))
		hd_rt_weak_range(a, len, write);
	hd_rt.progress += write; /* others may have run since */
	if (len <= 8 && !(len & (len - 1)) && !(a & (len - 1))) {
		if (!with && !write && is_point(0, pc))
			hd_rt_spin();
		note_access(a, (unsigned)len, write, flags, pc);
		return;
	}
	hd_rt_emit_access(write ? HD_OP_WRITE_RANGE : HD_OP_READ_RANGE, a, len, write,
			  (uint16_t)flags, pc);
}

static inline void range_hook(uintptr_t a, size_t len, bool write, uintptr_t pc)
{
	range(a, len, write, 0, pc);
}

void hd_rt_range(const void *addr, size_t len, bool write)
{
	range((uintptr_t)addr, len, write, HD_ACCESS_LIBC, hd_rt.cur->pc);
}

void hd_rt_libc_point(void)
{
	hd_rt_point();
	last.step = hd_rt.steps;
	last.pc = hd_rt.cur->pc;
}

void hd_rt_range_soon(void)
{
	range_point(0, true, HD_ACCESS_LIBC, hd_rt.cur->pc);
}

void hd_rt_range_done(const void *addr, size_t len)
{
	last.step = hd_rt.steps; /* what it belongs to has had its point */
	last.pc = hd_rt.cur->pc;
	range((uintptr_t)addr, len, true, HD_ACCESS_LIBC, hd_rt.cur->pc);
}

/* ---- recording, where nobody else listens but the analysis of races ------- */

/*
 * Does what hd_rt_access() does for an access that is aligned, ordered after all others and of no
 * special memory. False: it may not be; nothing was done.
 */
static inline __attribute__((always_inline)) bool
record_simple(uintptr_t a, unsigned size, bool write, uintptr_t pc, uint32_t ctx)
{
	unsigned flags = 0;

	if (!hd_records_alone() || (a & (size - 1)) || hd_rt_hidden(a) ||
	    ((hd_rt.mode & HD_M_HEAP) && hd_rt_heap_bad(a, size)) ||
	    (write && hd_rt_on_own_stack(a)))
		return false;
	if (hd_rt_racing() && !hd_race_simple(&hd_rt_race_view, a, size, write, pc, ctx))
		return false;
	hd_rt.cur->pc = pc;
	if (write) {
		hd_rt.progress++;
		hd_forget_reads(a, size);
		hd_rt_put_later_in(HD_OP_WRITE, a, size, 0, pc, ctx);
	} else if (!hd_read_shadow || hd_is_worth_recording(a, pc, &flags)) {
		put_read(a, size, flags, pc, ctx);
	}
	return true;
}

/* ---- tests in line that did not match ------------------------------------- */

/* All that is not simple. @may_match: something may be left out if it comes again. */
static HD_NOINLINE void inline_hard(uintptr_t a, unsigned size, bool write, bool may_match,
				    uintptr_t pc)
{
	if (may_match && hd_rt_inline_of_step(a, size, write, pc))
		return;
	if (write)
		write_access(a, size, !(a & (size - 1)), pc);
	else
		read_access(a, size, !(a & (size - 1)), pc);
	if (may_match)
		hd_rt_inline_note(a, size, write);
}

/*
 * Not counted here: the loops and functions that it is in are, whether it matches or not. @leaf: the
 * function was not told of, and returns to @back.
 */
static inline __attribute__((always_inline)) void
inline_tested(uintptr_t a, unsigned size, bool write, uintptr_t pc, bool leaf, uintptr_t back)
{
	struct hd_call *top = heddle_inline1_top;

	if (leaf && unlikely(hd_is_foreign())) /* not this fiber's function */
		return;
	if (likely(!leaf || !hd_rt.opt.calls) &&
	    likely(hd_rt_inline_simple(a, size, write, pc,
				       leaf ? hd_rt_context_below(back) : hd_rt_context())))
		return;
	if (leaf && likely(!hd_rt.opt.calls))
		hd_rt_calls_enter_leaf(back);
	inline_hard(a, size, write, true, pc);
	if (leaf)
		heddle_inline1_top = top;
}

/*
 * Where nobody listens but the analysis of races (in executions that are explored, mostly): it has seen this.
 * Known before the call is entered for it.
 */
static inline __attribute__((always_inline)) bool seen_alone(uintptr_t a, unsigned size, bool write)
{
	if ((hd_rt.mode & ~HD_M_HEAP) != HD_M_RACE || (a & (size - 1)) ||
	    (write && hd_rt_on_own_stack(a)) || !hd_race_seen(&hd_rt_race_view, a, size, write))
		return false;
	hd_rt.accessed |= !write;
	hd_rt.progress += write;
	return true;
}

/* The same where nothing matches, most often because all is recorded. */
static inline __attribute__((always_inline)) void
inline_told(uintptr_t a, unsigned size, bool write, uintptr_t pc, bool leaf, uintptr_t back)
{
	struct hd_call *top = heddle_inline1_top;

	if (leaf && unlikely(hd_is_foreign()))
		return;
	if (likely(hd_rt.recording) && likely(!leaf || !hd_rt.opt.calls) &&
	    likely(record_simple(a, size, write, pc,
				 leaf ? hd_rt_context_below(back) : hd_rt_context())))
		return;
	if (seen_alone(a, size, write))
		return;
	if (leaf && likely(!hd_rt.opt.calls))
		hd_rt_calls_enter_leaf(back);
	inline_hard(a, size, write, false, pc);
	if (leaf)
		heddle_inline1_top = top;
}

/* Functions of their own, so that a hook, which jumps there, needs to keep nothing. */
#define AWAY(kind, size, write)                                                                    \
	static HD_NOINLINE void tested_##kind##size(uintptr_t a, uintptr_t pc)                     \
	{                                                                                          \
		inline_tested(a, size, write, pc, false, 0);                                       \
	}                                                                                          \
	static HD_NOINLINE void tested_leaf_##kind##size(uintptr_t a, uintptr_t pc,                \
							 uintptr_t back)                           \
	{                                                                                          \
		inline_tested(a, size, write, pc, true, back);                                     \
	}                                                                                          \
	static HD_NOINLINE void told_##kind##size(uintptr_t a, uintptr_t pc)                       \
	{                                                                                          \
		inline_told(a, size, write, pc, false, 0);                                         \
	}                                                                                          \
	static HD_NOINLINE void told_leaf_##kind##size(uintptr_t a, uintptr_t pc, uintptr_t back)  \
	{                                                                                          \
		inline_told(a, size, write, pc, true, back);                                       \
	}
AWAY(read, 1, false)
AWAY(read, 2, false)
AWAY(read, 4, false)
AWAY(read, 8, false)
AWAY(write, 1, true)
AWAY(write, 2, true)
AWAY(write, 4, true)
AWAY(write, 8, true)

typedef void away_fn(uintptr_t a, uintptr_t pc);
typedef void away_leaf_fn(uintptr_t a, uintptr_t pc, uintptr_t back);

/* [write][log2 of the size]: which of them it is, is known when this is compiled. */
#define AWAY_ROWS(what)                                                                            \
	{                                                                                          \
		{ what##read1, what##read2, what##read4, what##read8 },                            \
		{                                                                                  \
			what##write1, what##write2, what##write4, what##write8                     \
		}                                                                                  \
	}
static away_fn *const tested[2][4] = AWAY_ROWS(tested_), *const told[2][4] = AWAY_ROWS(told_);
static away_leaf_fn *const tested_leaf[2][4] = AWAY_ROWS(tested_leaf_), *const told_leaf[2][4] =
										AWAY_ROWS(
											told_leaf_);

static inline __attribute__((always_inline)) void inline_hook(uintptr_t a, unsigned size,
							      bool write, uintptr_t pc)
{
	unsigned log = (unsigned)__builtin_ctz(size);

	if (!write && !(a & (size - 1)) && recorded_twice(a, size, pc))
		return;
	if (heddle_inline1_tags == HD_INLINE_NEVER)
		told[write][log](a, pc);
	else
		tested[write][log](a, pc);
}

static inline __attribute__((always_inline)) void
inline_leaf_hook(uintptr_t a, unsigned size, bool write, uintptr_t pc, uintptr_t back)
{
	unsigned log = (unsigned)__builtin_ctz(size);

	if (!write && !(a & (size - 1)) && recorded_twice(a, size, pc))
		return;
	if (heddle_inline1_tags == HD_INLINE_NEVER)
		told_leaf[write][log](a, pc, back);
	else
		tested_leaf[write][log](a, pc, back);
}

/* A structure that is as long as a plain access is recorded as one. */
static bool block_quickly(uintptr_t a, size_t len, bool write, uintptr_t pc, uint32_t ctx)
{
	if (heddle_inline1_tags != HD_INLINE_NEVER)
		return hd_rt_inline_bytes(a, len, write, pc, ctx);
	return hd_rt.recording && len <= 8 && !(len & (len - 1)) &&
	       record_simple(a, (unsigned)len, write, pc, ctx);
}

static inline void inline_block_hook(uintptr_t a, size_t len, bool write, uintptr_t pc,
				     uintptr_t back)
{
	struct hd_call *top = heddle_inline1_top;

	if (unlikely(hd_is_foreign()))
		return;
	if (likely(!hd_rt.opt.calls) &&
	    block_quickly(a, len, write, pc, back ? hd_rt_context_below(back) : hd_rt_context()))
		return;
	if (back && likely(!hd_rt.opt.calls))
		hd_rt_calls_enter_leaf(back);
	range(a, len, write, 0, pc);
	hd_rt_inline_note_block(a, len, write);
	if (back)
		heddle_inline1_top = top;
}

/* One of a range, which no short way was found for. */
static void range_element(uintptr_t a, unsigned size, bool write, uintptr_t pc, uintptr_t back)
{
	if (back)
		inline_leaf_hook(a, size, write, pc, back);
	else
		inline_hook(a, size, write, pc);
}

/*
 * All accesses that a loop makes of @kind (bytes; 256: writes; 512: writes, after a read each) side
 * by side: @count of them, at @p, @p + @step, ... or, if @step is 0, all at @p. @back: as in
 * inline_leaf_hook(), or NULL. The writes of both are at another place than the reads, but on the
 * same line: the call's last byte.
 */
HD_EXPORT void heddle_inline1_range(void *p, long step, unsigned long count, unsigned kind,
				    void *back)
{
	struct hd_race_sweep s = { .read = !(kind & 256),
				   .write = (kind & (256 | 512)) != 0,
				   .size = kind & 255,
				   .read_pc = HD_CALLER,
				   .write_pc = HD_CALLER - (kind & 512 ? 1 : 0) };
	uintptr_t a = (uintptr_t)p;

	if (!heddle_inline1_ranges) /* the loop was recorded as a whole: abi_loops.c */
		return;
	if (step <= 0 && count) {
		a += (unsigned long)step * (count - 1);
		count = step ? count : 1;
	}
	while (count) {
		unsigned long done = hd_rt_inline_run(a, count, &s, (uintptr_t)back);

		a += done * s.size;
		count -= done;
		if (!count)
			break;
		if (s.read)
			range_element(a, s.size, false, s.read_pc, (uintptr_t)back);
		if (s.write)
			range_element(a, s.size, true, s.write_pc, (uintptr_t)back);
		a += s.size;
		count--;
	}
	heddle_inline1_wrote |= s.write;
}

/* So much was done in line that it is time to ask for others. */
static inline void work_done(uintptr_t pc)
{
	uint32_t done = hd_inline_work();

	if (hd_rt.access_budget > done)
		hd_rt.access_budget -= done;
	else
		hd_rt_quantum(pc);
}

HD_EXPORT void heddle_inline1_loop(void)
{
	work_done(HD_CALLER);
}

HD_EXPORT void heddle_inline1_spent(void *pc)
{
	work_done((uintptr_t)pc);
}

#include "access_hooks.h"
