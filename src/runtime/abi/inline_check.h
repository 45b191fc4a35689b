/*
 * Tests in line, put there by the compiler plugin: what the runtime does for them.
 *
 * A test leaves out an access that can tell nothing new: the words of inline_layout.h say so. They
 * are set here, after the slow path of an access, by the rule by which the hooks leave out accesses
 * (hd_race_seen), and taken back when what they rest on changes. So a program behaves and is judged
 * as if every access were a call.
 *
 * Whoever must see each access (recording, plans, exploring, switching at accesses) gets that: their
 * threads have a number that no word has.
 *
 * Where tasks are analysed a number stands for a step of the fiber that runs, up to its next event or
 * switch, and a word says that race detection and the step are done with such accesses there. No number
 * comes twice: what others left behind needs no care.
 */
#ifndef HD_RUNTIME_INLINE_CHECK_H
#define HD_RUNTIME_INLINE_CHECK_H

#include "hidden.h"
#include "inline_words.h"
#include "runtime/memory/heap_check.h"
#include "runtime/observe/race_online.h"
#include "runtime/rt.h"

void hd_rt_inline_init(void);

/* The current fiber, its time or what is watched has changed. */
void hd_rt_inline_refresh(void);

/* The same where only the time of the current fiber has changed, in an event that none but the race detector was told of. */
void hd_rt_inline_new_time(void);

/* Tasks are analysed, and the step of the current fiber is known: nothing matches so far, but may from now on. */
void hd_rt_inline_new_step(void);

/* What the step was done with is not known any more: there was an event. */
static inline void hd_rt_inline_no_step(void)
{
	heddle_inline1_tags = HD_INLINE_NEVER;
}

/* What is known of these bytes no longer holds. */
void hd_rt_inline_forget(uintptr_t addr, size_t len);

/* The same, but that the current fiber itself has accessed them: what it did before still holds. */
void hd_rt_inline_touched(uintptr_t addr, size_t len);

/* The current fiber has made this access, and everybody was told who wanted to be. */
void hd_rt_inline_note(uintptr_t addr, unsigned size, bool write);

/* The same of a structure as a whole. */
void hd_rt_inline_note_block(uintptr_t addr, size_t len, bool write);

/*
 * As hd_rt_inline_simple() below, of bytes anywhere: a structure as a whole, or at an odd address.
 */
bool hd_rt_inline_bytes(uintptr_t addr, size_t len, bool write, uintptr_t pc, uint32_t ctx);

struct hd_race_sweep;

/*
 * How many of @count accesses side by side need nothing further: a test in line would leave them
 * out, or they are simple. @s says how they are, but for the context. @back: what a function that was
 * not told of returns to, or 0.
 */
unsigned long hd_rt_inline_run(uintptr_t addr, unsigned long count, struct hd_race_sweep *s,
			       uintptr_t back);

static inline bool hd_rt_on_own_stack(uintptr_t a)
{
	uintptr_t sp;

	__asm__("mov %%rsp, %0" : "=r"(sp));
	return a - sp < 65536;
}

/* Race detection, and no analysis of tasks. */
static inline bool hd_rt_races_alone(void)
{
	return (hd_rt.mode & (HD_M_RACE | HD_M_TASKS)) == HD_M_RACE;
}

/*
 * The common case of what follows a test that did not match: the access is ordered after all others
 * there. False: it may not be; nothing was done. @ctx: where the fiber is.
 */
static inline __attribute__((always_inline)) bool
hd_rt_inline_simple(uintptr_t addr, unsigned size, bool write, uintptr_t pc, uint32_t ctx)
{
	__builtin_prefetch((const void *)addr); /* the program's own access comes next */
	if (!hd_rt_races_alone() || hd_rt.busy || (addr & (size - 1)) ||
	    addr - HD_HIDDEN_LOW < HD_HIDDEN_SIZE ||
	    ((hd_rt.mode & HD_M_HEAP) && hd_rt_heap_bad(addr, size)) ||
	    (write && hd_rt_on_own_stack(addr)))
		return false;
	if (!hd_race_simple(&hd_rt_race_view, addr, size, write, pc, ctx))
		return false;
	hd_rt.progress += write;
	hd_rt_inline_put(addr, size, write);
	return true;
}

/* The same where tasks are analysed: locations that are thin (tasks_online.h). */
bool hd_rt_inline_of_step(uintptr_t addr, unsigned size, bool write, uintptr_t pc);

/* Writes that nobody was told of count as progress. */
static inline void hd_rt_inline_progress(void)
{
	if (heddle_inline1_wrote) {
		heddle_inline1_wrote = 0;
		hd_rt.progress++;
	}
}

#endif
