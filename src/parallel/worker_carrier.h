/*
 * Workers as a carrier of tasks: tasks/carrier.h says what each of these is for. Tasks run at the
 * same time, by the kernel's schedule: there are no scheduling points, and nobody explores.
 */
#ifndef HD_PARALLEL_WORKER_CARRIER_H
#define HD_PARALLEL_WORKER_CARRIER_H

#include "par.h"

typedef struct hd_par_strand hd_strand;

/* ---- strands ------------------------------------------------------------ */

static inline hd_strand *hd_carrier_enter(uintptr_t caller)
{
	return hd_par_enter(caller);
}

static inline bool hd_carrier_in_charge(void)
{
	return true;
}

static inline void hd_carrier_refuse(uintptr_t caller, const char *call)
{
	hd_par_no_task(caller, call);
}

static inline struct hd_task *hd_strand_task(const hd_strand *s)
{
	return s->task;
}

static inline uint32_t hd_strand_id(const hd_strand *s)
{
	return s->id;
}

static inline uintptr_t hd_strand_pc(const hd_strand *s)
{
	return s->pc;
}

static inline uint32_t hd_strand_ctx(const hd_strand *s)
{
	return s->ctx;
}

static inline void hd_strand_awaits(hd_strand *s, enum hd_thread_state why, uintptr_t addr)
{
	s->wait_why = why;
	s->wait_addr = addr;
}

static inline void hd_strand_ready(hd_strand *s)
{
	hd_par_ready(s);
}

/* ---- the library's lock ------------------------------------------------- */

struct hd_par_call {
	char taken;
};

static inline struct hd_par_call hd_par_call_begin(void)
{
	hd_par_lock();
	return (struct hd_par_call){ 1 };
}

static inline void hd_par_call_end(struct hd_par_call *c)
{
	if (c->taken)
		hd_par_unlock();
}

#define HD_CALL                                                                                    \
	struct hd_par_call hd_call_ __attribute__((cleanup(hd_par_call_end), unused)) =            \
		hd_par_call_begin()
#define HD_OUTSIDE(call)                                                                           \
	do {                                                                                       \
		unsigned times_ = hd_par_unlock_all();                                             \
		call;                                                                              \
		hd_par_lock_again(times_);                                                         \
	} while (0)
#define HD_AWAIT_OUTSIDE(condition)                                                                \
	do {                                                                                       \
		while (!(condition))                                                               \
			hd_par_pause();                                                            \
	} while (0)
#define HD_FINISH_TOKEN 1 /* par_finish.c */

/* ---- scheduling points: none -------------------------------------------- */

static inline void hd_carrier_point(void)
{
}

static inline void hd_carrier_calm_point(void)
{
}

static inline void hd_carrier_fine_point(void)
{
}

static inline void hd_carrier_assumption_failed(void)
{
}

static inline void hd_carrier_point_before(enum hd_thread_state why, uintptr_t addr)
{
}

static inline bool hd_carrier_region_is_calm(uintptr_t pc)
{
	return true;
}

/* ---- waiting ------------------------------------------------------------ */

static inline void hd_carrier_block(enum hd_thread_state why, uintptr_t addr)
{
	hd_par_block(why, addr);
}

static inline void hd_carrier_wake_all(enum hd_thread_state why, uintptr_t addr)
{
	hd_par_wake_all(addr);
}

static inline bool hd_carrier_has_waiters(uintptr_t addr)
{
	return hd_par_has_waiters(addr);
}

static inline void hd_carrier_help(const void *future)
{
	hd_par_help(future);
}

static inline void hd_carrier_spin(void)
{
	hd_par_yield();
}

/* ---- memory ------------------------------------------------------------- */

static inline void *hd_carrier_alloc(size_t size)
{
	return hd_par_alloc(size);
}

static inline void hd_carrier_free(void *p, size_t size)
{
	hd_par_free(p, size);
}

/* ---- telling ------------------------------------------------------------ */

static inline void hd_carrier_event2(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2,
				     uint16_t arg)
{
	hd_par_event(op, addr, value, value2, arg);
}

static inline void hd_carrier_named(uintptr_t addr, size_t len, uintptr_t caller)
{
	if (hd_par_checker.named)
		hd_par_checker.named(addr, len);
}

static inline bool hd_carrier_watches(uintptr_t caller)
{
	return hd_par_checked() && !hd_rt_is_our_code(caller) && hd_par_enter(caller) != NULL;
}

static inline bool hd_carrier_watches_string(uintptr_t caller)
{
	return hd_carrier_watches(caller);
}

static inline void hd_carrier_range(const void *addr, size_t len, bool write)
{
	hd_par_range(addr, len, write);
}

static inline void hd_carrier_range_done(const void *addr, size_t len)
{
	hd_par_range(addr, len, true);
}

static inline void hd_carrier_settle(void)
{
}

#define hd_carrier_misuse(addr, ...) hd_par_misuse(addr, __VA_ARGS__)

static inline void hd_carrier_misuse_at(uintptr_t pc, uint32_t ctx, const char *text)
{
	hd_par_misuse_at(pc, ctx, text);
}

/* ---- for those who explore: nobody -------------------------------------- */

static inline void hd_carrier_progress(void)
{
}

static inline void hd_carrier_look(uintptr_t addr)
{
}

static inline void hd_carrier_use_alone(uintptr_t addr)
{
}

static inline void hd_carrier_change_common(void)
{
}

static inline void hd_carrier_change_unseen(void)
{
}

static inline void hd_carrier_change(uintptr_t addr, uint64_t was, uint64_t is)
{
}

static inline void hd_carrier_sum(uintptr_t addr, uint64_t was, uint64_t is)
{
}

static inline void hd_carrier_peek(uintptr_t addr)
{
}

static inline void hd_carrier_uses_isolated(void)
{
}

static inline void hd_carrier_uses_regions(void)
{
}

#endif
