/*
 * Raw events into the ring; see trace/ring.h for the protocol.
 */
#ifndef HD_RUNTIME_RECORD_H
#define HD_RUNTIME_RECORD_H

#include "runtime/rt.h"

/* The shared header; a private page of zeros until recording starts. */
union hd_ring_page {
	struct hd_ring ring;
	char page[HD_RING_HEADER];
};
extern union hd_ring_page hd_rt_ring __attribute__((visibility("hidden")));

/* What others can see of how the program goes on: in the ring, or in the explorer's memory. */
extern struct hd_pulse *hd_rt_pulse __attribute__((visibility("hidden")));

/* Map the ring in @fd, or (fd < 0) start a collector of our own. */
void hd_rt_record_start(int fd);
static inline bool hd_rt_recording(void)
{
	return hd_rt.recording;
}

/* The current buffer is full: hand it over and go on in the next. */
void hd_rt_ring_turn(void);
void hd_rt_ring_switch(void); /* say whose events follow */

/* The value of the write that was recorded last, if it is not known yet. */
static inline __attribute__((always_inline)) void hd_rt_settle_here(void)
{
	struct hd_raw *r = hd_rt.pending;

	if (!r)
		return;
	if (unlikely(r->op == HD_RAW_LOOP)) {
		hd_rt_settle();
		return;
	}
	hd_rt.pending = NULL;
	r->value = hd_rt_value_at(r->addr, HD_RAW_SIZE(r));
	r->spare = 0;
}

/*
 * The slot for one raw record; fill it, then hd_rt_push(). Nothing may be
 * emitted in between.
 */
static inline __attribute__((always_inline)) struct hd_raw *hd_rt_slot(void)
{
	hd_rt_settle_here();
	if (unlikely(hd_rt.rec_thread != hd_rt.cur->id))
		hd_rt_ring_switch();
	if (unlikely(hd_rt_ring.ring.cursor >= HD_RING_EVENTS))
		hd_rt_ring_turn();
	return &hd_rt.buf[hd_rt_ring.ring.cursor];
}

/* The same of @n slots in a row, at most half of a buffer; then hd_rt_push_all(). */
struct hd_raw *hd_rt_slots(uint64_t n);

/* The program crashed in the last loop: how far it came is not known. */
void hd_rt_unput_loops(void);

static inline void hd_rt_push_all(uint64_t n)
{
	__asm__ volatile("" : : : "memory");
	hd_rt_ring.ring.cursor += n;
}

static inline void hd_rt_push(void)
{
	__asm__ volatile(""
			 :
			 :
			 : "memory"); /* the record before the cursor: a reader may look any time */
	hd_rt_ring.ring.cursor++;
}

/* Of the current fiber, in context @ctx. */
static inline __attribute__((always_inline)) void hd_rt_put_in(enum hd_op op, uintptr_t addr,
							       uint64_t value, uint32_t size,
							       uint16_t arg, uintptr_t pc,
							       uint32_t ctx)
{
	struct hd_raw *r = hd_rt_slot();

	r->addr = addr;
	r->value = value;
	r->pc_size = (pc & 0xffffffffffffull) | (uint64_t)size << 48;
	r->ctx = ctx;
	r->arg = arg;
	r->op = (uint8_t)op;
	r->spare = 0;
	hd_rt_push();
}

static inline void hd_rt_put(enum hd_op op, uintptr_t addr, uint64_t value, uint32_t size,
			     uint16_t arg, uintptr_t pc)
{
	hd_rt_put_in(op, addr, value, size, arg, pc, hd_rt_context());
}

/* The same of a write that is about to happen: its value is picked up by hd_rt_settle(). */
static inline __attribute__((always_inline)) void hd_rt_put_later_in(enum hd_op op, uintptr_t addr,
								     uint32_t size, uint16_t arg,
								     uintptr_t pc, uint32_t ctx)
{
	struct hd_raw *r = hd_rt_slot();

	r->addr = addr;
	r->value = 0;
	r->pc_size = (pc & 0xffffffffffffull) | (uint64_t)size << 48;
	r->ctx = ctx;
	r->arg = arg;
	r->op = (uint8_t)op;
	r->spare = 1;
	hd_rt.pending = r;
	hd_rt_push();
}

static inline void hd_rt_put_later(enum hd_op op, uintptr_t addr, uint32_t size, uint16_t arg,
				   uintptr_t pc)
{
	hd_rt_put_later_in(op, addr, size, arg, pc, hd_rt_context());
}

/* A record that is not an event (enum hd_raw_op). */
void hd_rt_put_raw(unsigned op, uint64_t addr, uint64_t value, uint32_t ctx);

/* Before an event that needs it: see ring.h. */
void hd_rt_seal(void);

/* Send the modules (again, after dlopen). */
void hd_rt_send_modules(void);
/* context.c: send the contexts known so far. */
void hd_rt_send_contexts(void);

#endif
