/*
 * Recording of plain accesses: what abi_access.c and abi_loops.c share.
 *
 * While recording, repeated reads are recognised by a shadow word for every four
 * bytes of the program's memory, holding the tag of the last read there:
 *
 *   bits 0-31  the instruction (low half of its address)
 *   bits 32-33 address bits 0-1, so that bytes of one word differ
 *   bit  36    read twice: later ones are left out
 *   bits 37-63 the slice; at 2^27 slices the shadow is emptied and numbers start over
 *
 * Equal low halves of two instructions' addresses would leave out one read: that
 * takes two modules exactly 4 GiB apart. So would equal low 44 bits of two
 * places, which Linux does not give a program that does not ask for them.
 */
#ifndef HD_RUNTIME_PLAIN_RECORD_H
#define HD_RUNTIME_PLAIN_RECORD_H

#include "runtime/observe/emit.h"
#include "runtime/rt.h"

#define HD_READ_TWICE	     (UINT64_C(1) << 36)
#define HD_READ_WINDOW	     (UINT64_C(1) << 44)
#define HD_READ_SHADOW_BYTES (HD_READ_WINDOW * 2)

extern uint64_t *hd_read_shadow /* NULL: every read is recorded */
	__attribute__((visibility("hidden")));
extern bool hd_record_may_be_quick /* accesses that are recorded need nothing else */
	__attribute__((visibility("hidden")));

static inline uint64_t *hd_read_shadow_of(uintptr_t a)
{
	return hd_read_shadow + ((a & (HD_READ_WINDOW - 1)) >> 2);
}

static inline uint64_t hd_read_tag_of(uintptr_t a, uintptr_t pc)
{
	return hd_rt.slice_tag | (pc & 0xffffffff) | (a & 3) << 32;
}

/* Does somebody run who is no fiber? */
static inline bool hd_is_foreign(void)
{
	uintptr_t fs;

	__asm__("mov %%fs:0x10, %0" : "=r"(fs));
	return fs != hd_rt.cur->fs;
}

/* What is known about reads of these bytes no longer holds. */
static inline __attribute__((always_inline)) void hd_forget_reads(uintptr_t a, unsigned size)
{
	uint64_t *s, *end;

	if (!hd_read_shadow)
		return;
	s = hd_read_shadow_of(a & ~(uintptr_t)7);
	end = s + (((a & 7) + size + 7) >> 3) * 2;
	for (; s < end; s++)
		*s = 0;
}

/* Of an aligned read. False: the trace has it twice already. @flags: HD_ACCESS_REPEAT may come to it. */
static inline __attribute__((always_inline)) bool hd_is_worth_recording(uintptr_t a, uintptr_t pc,
									unsigned *flags)
{
	uint64_t *s = hd_read_shadow_of(a), tag = hd_read_tag_of(a, pc);

	if (*s == (tag | HD_READ_TWICE))
		return false;
	*flags |= *s == tag ? HD_ACCESS_REPEAT : 0;
	*s = *s == tag ? tag | HD_READ_TWICE : tag;
	return true;
}

/* Does nobody else listen but the analysis of races? */
static inline __attribute__((always_inline)) bool hd_records_alone(void)
{
	return hd_record_may_be_quick &&
	       (hd_rt.mode | HD_M_HEAP | HD_M_RACE) == (HD_M_RECORD | HD_M_HEAP | HD_M_RACE) &&
	       !hd_rt.busy && !hd_rt.planning && !hd_rt_on_access && !hd_is_foreign();
}

#endif
