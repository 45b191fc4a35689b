/*
 * One segment of a schedule, as the runtime reads it: see segments.h.
 */
#ifndef HD_TRACE_SEGMENT_H
#define HD_TRACE_SEGMENT_H

#include <stdint.h>

/* In thread: it waits, and time passes until its deadline. */
#define HD_SEGMENT_TIME (UINT32_C(1) << 30)
/* In thread: not who runs, but which waiter the next notification reaches. */
#define HD_SEGMENT_WAKE (UINT32_C(1) << 31)

/* In thread: of a run in which every scheduling point is a decision. */
#define HD_SEGMENT_WIDE (UINT32_C(1) << 29)

/*
 * Not who runs, but what an atomic operation of the thread reads, or where its store goes, if it is not
 * the newest: count is the number of the operation among those of its thread, and, from HD_SEGMENT_KTH
 * on, which of the possibilities.
 */
#define HD_SEGMENT_READ (UINT32_C(1) << 28)
#define HD_SEGMENT_KTH	26

/* As a count: until the thread waits, ends, or goes round in vain. */
#define HD_SEGMENT_ON UINT32_MAX

struct hd_segment {
	uint32_t thread; /* its number (0: nobody can do anything of use), and the above */
	uint32_t count;	 /* decisions */
};

static inline uint32_t hd_segment_thread(const struct hd_segment *s)
{
	return s->thread & ~(HD_SEGMENT_TIME | HD_SEGMENT_WAKE | HD_SEGMENT_WIDE | HD_SEGMENT_READ);
}

#endif
