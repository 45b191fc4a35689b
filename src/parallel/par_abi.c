/*
 * The compiler's calls before each access and for each atomic operation.
 */
#include "lane.h"
#include "par_front.h"
#include "runtime/abi/abi.h"
#include "runtime/abi/inline_vars.h"

static inline void hook(void *p, unsigned size, bool write, uintptr_t pc)
{
	if (likely(hd_par_lane.task != NULL))
		hd_par_access((uintptr_t)p, size, write, pc);
}

/* A write is left out in line only where reads are, too. */
static inline void note(uint32_t step, uintptr_t a, unsigned size, bool write)
{
	if (!write || hd_thin_seen(&hd_par_front.thin, step, a, size, false))
		hd_par_words_note(a, size, write);
}

/* Aligned: often it has all been seen. */
static inline void quick(void *p, unsigned size, bool write, uintptr_t pc)
{
	const uint32_t step = hd_par_lane.step;

	if (likely(step != 0) &&
	    likely(hd_thin_seen(&hd_par_front.thin, step, (uintptr_t)p, size, write))) {
		note(step, (uintptr_t)p, size, write);
		return;
	}
	hd_par_access_word((uintptr_t)p, size, write, pc);
}

static inline void plain(uintptr_t a, unsigned size, bool aligned, bool write, uintptr_t pc)
{
	void *p = (void *)a;

	if (!aligned) {
		hook(p, size, write, pc);
	} else if (size == 16) {
		quick(p, 8, write, pc);
		quick((char *)p + 8, 8, write, pc);
	} else {
		quick(p, size, write, pc);
	}
}

static inline void read_hook(uintptr_t a, unsigned size, bool aligned, uintptr_t pc)
{
	plain(a, size, aligned, false, pc);
}

static inline void write_hook(uintptr_t a, unsigned size, bool aligned, uintptr_t pc)
{
	plain(a, size, aligned, true, pc);
}

static inline void volatile_hook(uintptr_t a, unsigned size, bool write, uintptr_t pc)
{
	plain(a, size, false, write, pc);
}

static inline void range_hook(uintptr_t a, size_t len, bool write, uintptr_t pc)
{
	hd_par_access(a, len, write, pc);
}

static inline void inline_hook(uintptr_t a, unsigned size, bool write, uintptr_t pc)
{
	plain(a, size, !(a & (size - 1)), write, pc);
}

static inline void inline_leaf_hook(uintptr_t a, unsigned size, bool write, uintptr_t pc,
				    uintptr_t back)
{
	__tsan_func_entry((void *)back);
	inline_hook(a, size, write, pc);
	__tsan_func_exit();
}

static inline void inline_block_hook(uintptr_t a, size_t len, bool write, uintptr_t pc,
				     uintptr_t back)
{
	if (back)
		__tsan_func_entry((void *)back);
	range_hook(a, len, write, pc);
	if (back)
		__tsan_func_exit();
}

HD_EXPORT void heddle_inline1_loop(void)
{
	hd_inline_work();
}

HD_EXPORT void heddle_inline1_spent(void *pc)
{
	hd_inline_work();
}

bool hd_par_instrumented;

/* Called by a constructor of every source that the compiler put calls into. */
HD_EXPORT void __tsan_init(void)
{
	hd_par_instrumented = true;
}

/*
 * What gives something to others is told before it happens, what takes something after: so the
 * analysis hears of a store before it hears of the load that saw it.
 */
static inline bool atomic_before(enum hd_op op, uintptr_t a, unsigned size, uint64_t with, int mo,
				 uintptr_t pc)
{
	if (op == HD_OP_ATOMIC_STORE || op == HD_OP_ATOMIC_RMW)
		hd_par_atomic(op, a, size, mo, pc);
	return true;
}

static inline void atomic_loaded(uintptr_t a, unsigned size, uint64_t value, int mo, uintptr_t pc)
{
	hd_par_atomic(HD_OP_ATOMIC_LOAD, a, size, mo, pc);
}

static inline void atomic_stored(uintptr_t a, unsigned size, uint64_t old, uint64_t new, int mo)
{
}

static inline void atomic_changed(uintptr_t a, unsigned size, uint64_t old, uint64_t new, int mo)
{
}

static inline void atomic_swapped(uintptr_t a, unsigned size, uint64_t old, uint64_t new, int mo,
				  uintptr_t pc)
{
	hd_par_atomic(HD_OP_ATOMIC_RMW, a, size, mo, pc);
}

static inline void atomic_failed(uintptr_t a, unsigned size, uint64_t value, int mo, uintptr_t pc)
{
	hd_par_atomic(HD_OP_ATOMIC_CAS_FAIL, a, size, mo, pc);
}

static inline void atomic_fenced(int mo, uintptr_t pc)
{
	if (hd_par_enter(pc))
		hd_carrier_event(HD_OP_FENCE, 0, 0, (uint16_t)(mo & 0x7fff));
}

#define ATOMIC_READ(type, p) __sync_val_compare_and_swap((volatile type *)(p), 0, 0)

#include "runtime/abi/access_hooks.h"
#include "runtime/abi/atomic_hooks.h"
