#include "inline_check.h"

#include <string.h>
#include <sys/mman.h>

#include "runtime/memory/arena.h"
#include "runtime/observe/tasks_online.h"
#include "runtime/sys.h"

/* Longer ranges are forgotten by new numbers for everybody. */
#define SHORT_RANGE 4096u

/* Four words, at any of them. */
typedef long long __attribute__((vector_size(16), aligned(4), may_alias)) words_pair;

static uint32_t number; /* the last that was given out */
static uint64_t era;	/* all numbers of earlier ones are void */
static bool leaves_out; /* words may match; while none may, none are taken back */
static bool of_steps;	/* the same where tasks are analysed: none need be taken back */

void hd_rt_inline_init(void)
{
	hd_rt_inline_words = hd_rt_reserve(HD_INLINE_WINDOW + 1);
	era = 1;
	hd_rt_inline_refresh();
}

/* May an access be left out that has told everything? */
static bool may_leave_out(void)
{
	return hd_rt_inline_words && hd_rt.active && !hd_rt.planning && !hd_rt.exploring &&
	       !hd_rt_on_access && !(hd_rt.mode & (HD_M_TSO | HD_M_TWICE)) &&
	       (hd_rt.mode & (uint8_t) ~(HD_M_RACE | HD_M_HEAP | HD_M_TASKS)) == 0;
}

static uint32_t next_number(void)
{
	do {
		if (++number == HD_INLINE_NUMBERS - 1) {
			hd_sys(SYS_madvise, hd_rt_inline_words, HD_INLINE_WINDOW + 1,
			       MADV_DONTNEED);
			number = 1;
			era++;
		}
	} while (hd_inline_misleads(number));
	return number;
}

/*
 * Compiled code takes these for constants, and may have loaded one of them only: so they are there before a
 * fiber runs, whether anything can match yet or not; but not where all is recorded, and nothing ever will.
 */
static void show_words(void)
{
	if (!hd_rt_inline_words || hd_rt.opt.record == HD_REC_ALL || hd_rt.planning ||
	    hd_rt.exploring)
		return;
	heddle_inline1_base = (uintptr_t)hd_rt_inline_words;
	heddle_inline1_window = HD_INLINE_WINDOW;
}

void hd_rt_inline_refresh(void)
{
	struct hd_fiber_inline *t = &hd_rt.cur->in_line;
	uint64_t time = hd_rt_racing() ? hd_rt_race_view.epoch : 0;

	show_words();
	heddle_inline1_calls = hd_rt.opt.calls;
	of_steps = hd_rt_tasking() && may_leave_out();
	if (of_steps || !may_leave_out()) {
		heddle_inline1_tags = HD_INLINE_NEVER;
		heddle_inline1_ranges = false;
		leaves_out = false;
		return;
	}
	era += !leaves_out;
	leaves_out = true;
	heddle_inline1_ranges = true;
	if (t->era != era || t->time != time) {
		t->number = next_number();
		t->era = era;
		t->time = time;
	}
	heddle_inline1_tags = hd_inline_tags(t->number);
}

void hd_rt_inline_new_time(void)
{
	struct hd_fiber_inline *t = &hd_rt.cur->in_line;

	if (unlikely(!leaves_out)) {
		hd_rt_inline_refresh();
		return;
	}
	t->number = next_number();
	t->era = era;
	t->time = hd_rt_race_view.epoch;
	heddle_inline1_tags = hd_inline_tags(t->number);
}

void hd_rt_inline_new_step(void)
{
	if (!of_steps || !heddle_inline1_window)
		return;
	heddle_inline1_tags = hd_inline_tags(next_number());
}

/*
 * Is it known that no word of a page matches anything? Where races are looked for, an access is seen by
 * them first. (What was left out before they were has other numbers.)
 */
static inline bool is_untouched(uintptr_t addr)
{
	return hd_rt_racing() &&
	       !hd_rt_race_view.pages[addr >> HD_PAGE_LOG & (HD_DIRECT_PAGES - 1)];
}

/* Words of these bytes are void, but for those of @time. */
static void forget(uintptr_t addr, size_t len, uint32_t time)
{
	if (!leaves_out || !len)
		return;
	if (is_untouched(addr) && is_untouched(addr + len - 1) && len <= 4096)
		return; /* not even looked at: the kernel would map a page for that */
	if (len > SHORT_RANGE) {
		era++;
		hd_rt_inline_refresh();
		return;
	}
	for (uint32_t *w = hd_rt_inline_word(addr), *end = hd_rt_inline_word(addr + len - 1);
	     w <= end; w++) {
		if ((*w ^ time) & HD_INLINE_TIME)
			*w = 0;
	}
}

void hd_rt_inline_forget(uintptr_t addr, size_t len)
{
	forget(addr, len, 0);
}

void hd_rt_inline_touched(uintptr_t addr, size_t len)
{
	forget(addr, len, (uint32_t)heddle_inline1_tags);
}

/* Would the hook leave out this access if it came again? */
static bool told_everything(uintptr_t a, unsigned size, bool write)
{
	if (hd_rt.busy || (a & (size - 1)) || a - HD_HIDDEN_LOW < HD_HIDDEN_SIZE)
		return false;
	if ((hd_rt.mode & HD_M_HEAP) && hd_rt_heap_bad(a, size))
		return false;
	if (write && hd_rt_on_own_stack(a)) /* whether it changes anything is looked at each time */
		return false;
	if (hd_rt_tasking() && (hd_rt_is_of_thread(a) || !hd_rt_tasks_done(a, size, write)))
		return false;
	return !hd_rt_racing() || hd_race_seen(&hd_rt_race_view, a, size, write);
}

void hd_rt_inline_note(uintptr_t addr, unsigned size, bool write)
{
	if (heddle_inline1_tags == HD_INLINE_NEVER)
		return;
	if (told_everything(addr, size, write))
		hd_rt_inline_put(addr, size, write);
	else
		hd_rt_inline_forget(addr, size);
}

/* All bits of a word are those of a thread that has written all of it. */
static void put_written(uint32_t *w, const uint32_t *end)
{
	uint64_t tags = heddle_inline1_tags;
	words_pair pair = { (long long)tags, (long long)tags };

	for (; w + 4 <= end; w += 4)
		*(words_pair *)w = pair;
	for (; w < end; w++)
		*w = (uint32_t)tags;
}

static void put_words(uintptr_t addr, size_t len, bool write)
{
	uint32_t time = (uint32_t)heddle_inline1_tags & HD_INLINE_TIME;
	uint32_t *w = hd_rt_inline_word(addr), *end = w + len / 4;

	if (write) {
		put_written(w, end);
		return;
	}
	for (; w < end; w++)
		*w = ((*w ^ time) & HD_INLINE_TIME ? time : *w) | HD_INLINE_TOUCHED;
}

void hd_rt_inline_note_block(uintptr_t addr, size_t len, bool write)
{
	if (heddle_inline1_tags == HD_INLINE_NEVER)
		return;
	if ((addr & 3) || (len & 3))
		return;
	for (size_t at = 0; at < len; at += 4) {
		if (!told_everything(addr + at, 4, write)) {
			hd_rt_inline_forget(addr, len);
			return;
		}
	}
	put_words(addr, len, write);
}

bool hd_rt_inline_of_step(uintptr_t addr, unsigned size, bool write, uintptr_t pc)
{
	uint32_t ctx = hd_rt_context();
	bool done;

	if (!of_steps || hd_rt.busy || size > 8 || (addr & (size - 1)) ||
	    addr - HD_HIDDEN_LOW < HD_HIDDEN_SIZE || hd_rt_is_of_thread(addr) ||
	    ((hd_rt.mode & HD_M_HEAP) && hd_rt_heap_bad(addr, size)) ||
	    (write && hd_rt_on_own_stack(addr)))
		return false;
	if (hd_rt_racing() && !hd_race_simple(&hd_rt_race_view, addr, size, write, pc, ctx))
		return false;
	if (!hd_rt_tasks_thin(addr, size, write, pc, ctx, &done))
		return false;
	hd_rt.progress += write;
	if (done)
		hd_rt_inline_put(addr, size, write);
	return true;
}

bool hd_rt_inline_bytes(uintptr_t addr, size_t len, bool write, uintptr_t pc, uint32_t ctx)
{
	if (len > HD_RACE_MOST_BYTES || !hd_rt_races_alone() || hd_rt.busy ||
	    addr - HD_HIDDEN_LOW < HD_HIDDEN_SIZE ||
	    ((hd_rt.mode & HD_M_HEAP) && hd_rt_heap_bad_any(addr, len)) ||
	    (write && hd_rt_on_own_stack(addr)))
		return false;
	if (!hd_race_bytes(&hd_rt_race_view, addr, (unsigned)len, write, pc, ctx))
		return false;
	hd_rt.progress += write;
	hd_rt_inline_put_bytes(addr, (unsigned)len, write);
	return true;
}

/* From @addr on, which is a multiple of four: how many of @len bytes match. */
static size_t matching(uintptr_t addr, size_t len, bool write)
{
	uint64_t tag = heddle_inline1_tags, unless = write ? 0 : HD_INLINE_WRITTEN * 0x100000001ull;
	const uint32_t *begin = hd_rt_inline_word(addr), *w = begin, *end = w + len / 4;

	for (; w + 8 <= end; w += 8) {
		const uint64_t *d = (const uint64_t *)w;

		if (((d[0] | unless) ^ tag) | ((d[1] | unless) ^ tag) | ((d[2] | unless) ^ tag) |
		    ((d[3] | unless) ^ tag))
			break;
	}
	while (w < end && (*w | (uint32_t)unless) == (uint32_t)tag)
		w++;
	return (size_t)(w - begin) * 4;
}

/* Of @len bytes those that are simple, to the end of the page at most. */
static size_t simple_part(uintptr_t addr, size_t len, const struct hd_race_sweep *s)
{
	size_t page_left = 4096 - (addr & 4095), part = len < page_left ? len : page_left, done;

	if (!hd_rt_racing() || hd_rt.busy || (s->write && hd_rt_on_own_stack(addr)) ||
	    addr - HD_HIDDEN_LOW < HD_HIDDEN_SIZE ||
	    ((hd_rt.mode & HD_M_HEAP) && hd_rt_heap_bad_in(addr, part)))
		return 0;
	done = hd_race_simple_run(hd_rt_race, &hd_rt_race_view, addr, part, s);
	put_words(addr, done, s->write);
	hd_rt.progress += s->write && done;
	return done;
}

/* Accesses to whole hd_rt_inline_words only: in longer steps than the program's, if those are shorter. */
unsigned long hd_rt_inline_run(uintptr_t addr, unsigned long count, struct hd_race_sweep *s,
			       uintptr_t back)
{
	size_t len = count * s->size & ~(size_t)7, done = 0, part;

	if (heddle_inline1_tags == HD_INLINE_NEVER || (addr & 3) || (addr & (s->size - 1)))
		return 0;
	do {
		done += matching(addr + done, len - done, s->write);
		if (done >= len)
			break;
		if (!s->ctx)
			s->ctx = back && !hd_rt.opt.calls ? hd_rt_context_below(back)
							  : hd_rt_context();
		part = simple_part(addr + done, len - done, s);
		done += part;
	} while (part);
	return done / s->size;
}
