/*
 * Tests in line (inline_layout.h) on workers: a word says that a step is done with the bytes, so that a
 * further access changes nothing of what is known of it there (HD_THIN_DONE_READ; for writes both, as
 * then nothing can change any more).
 *
 * A number stands for a step from one of its events to the next. It is never given out twice: what other
 * steps left behind needs no care. When there are none left, all accesses are calls.
 *
 * There are several banks of words. A task stays on its worker, and each worker has one of them: what many
 * tasks read at the same time would otherwise be one's, then the other's, and match for nobody.
 */
#include "lane.h"

/* As many at a time for each worker. */
#define BATCH 256u

/* The address space of one is 16 TiB of 128. */
#define BANKS 4u

static unsigned char *banks[BANKS];
static unsigned nbanks;

static uint32_t given;

static __thread uint32_t next, end __attribute__((tls_model("initial-exec")));

void hd_par_words_start(void)
{
	while (nbanks < BANKS && (banks[nbanks] = hd_rt_reserve(HD_INLINE_WINDOW + 1)))
		nbanks++;
	hd_par_words_enter();
}

/* Compiled code takes these for constants: they must stay what they are on the worker of a task. */
void hd_par_words_enter(void)
{
	if (!nbanks)
		return;
	heddle_inline1_base = (uintptr_t)banks[hd_par_self ? hd_par_self->number % nbanks : 0];
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
	uint32_t number = hd_par_lane.step && nbanks ? new_number() : 0;

	hd_par_lane.noted = false;
	heddle_inline1_tags = number ? hd_inline_tags(number) : HD_INLINE_NEVER;
}
