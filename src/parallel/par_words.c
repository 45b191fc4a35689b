/*
 * Tests in line (inline_layout.h) on workers: a word says that a step is done with the bytes, so that a
 * further access changes nothing of what is known of it there (HD_THIN_DONE_READ; for writes both, as
 * then nothing can change any more).
 *
 * A number stands for a step from one of its events to the next. It is never given out twice: what other
 * steps left behind needs no care. When there are none left, all accesses are calls.
 */
#include "lane.h"

/* As many at a time for each worker. */
#define BATCH 256u

static uint32_t given;

static __thread uint32_t next, end __attribute__((tls_model("initial-exec")));

void hd_par_words_start(void)
{
	hd_rt_inline_words = hd_rt_reserve(HD_INLINE_WINDOW + 1);
	hd_par_words_enter();
}

/* Compiled code takes these for constants: they must be the same on all workers that a task comes to. */
void hd_par_words_enter(void)
{
	if (!hd_rt_inline_words)
		return;
	heddle_inline1_base = (uintptr_t)hd_rt_inline_words;
	heddle_inline1_window = HD_INLINE_WINDOW;
}

/* 0: there are none left. */
static uint32_t new_number(void)
{
	do {
		if (next == end) {
			uint32_t first = __atomic_load_n(&given, __ATOMIC_RELAXED);

			do {
				if (first + BATCH >= HD_INLINE_NUMBERS)
					return 0;
			} while (!__atomic_compare_exchange_n(&given, &first, first + BATCH, false,
							      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
			next = first + !first;
			end = first + BATCH;
		}
	} while (hd_inline_misleads(next++));
	return next - 1;
}

void hd_par_words_new_step(void)
{
	uint32_t number = hd_par_lane.step && hd_rt_inline_words ? new_number() : 0;

	hd_par_lane.noted = false;
	heddle_inline1_tags = number ? hd_inline_tags(number) : HD_INLINE_NEVER;
}
