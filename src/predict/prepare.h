/*
 * A run laid out for searching: steps by thread, and for each location and lock where each
 * thread writes, reads and holds it. Made once, used for any number of goals.
 *
 * Here a *position* counts within a thread: (thread, position) is one operation.
 */
#ifndef HD_PREDICT_PREPARE_H
#define HD_PREDICT_PREPARE_H

#include "instance.h"
#include "validate.h"

#define HD_NOWHERE UINT32_MAX

struct hd_operation {
	uint64_t value;
	uint32_t object;
	uint32_t step; /* in the instance */
	uint8_t kind;
	bool shared, firm, assumed;
};

/* Where one thread uses one object: entries [first, end) of the table. */
struct hd_lane {
	uint32_t thread, first, end;
};

/*
 * Lanes of all objects of a kind. at is the position of a write, a read or an acquire; for
 * acquires other is the position of the release, HD_NOWHERE if there is none.
 */
struct hd_lanes {
	uint32_t *lane_of; /* the lanes of object o are [lane_of[o], lane_of[o + 1]) */
	struct hd_lane *lanes;
	uint32_t *at, *other;
	uint32_t *by_value; /* writes: entries of each lane by value, then by position */
};

struct hd_prepared {
	const struct hd_instance *in;
	uint32_t nthreads;
	struct hd_operation *ops;	 /* by thread */
	uint32_t *first;		 /* of each thread in ops; one more for the end */
	uint32_t *at;			 /* position of each step of the instance in its thread */
	uint32_t *fork_thread, *fork_at; /* who starts each thread; HD_NOWHERE: it is there */
	struct hd_lanes writes, reads, sections;
	uint32_t *held;	   /* thread + 1 that holds each lock at the start: it releases it first */
	uint32_t *sharing; /* threads that share each lock at the start */
	/* Of each semaphore: its operations, and how many permits there are after each. */
	uint32_t *sem_from, *sem_step, *sem_permits;
	bool assumes; /* there are reads that are assumed */
	struct hd_validator *validator;
};

/* @in is checked, and must outlive the result. */
enum hd_err hd_prepare(struct hd_prepared *p, const struct hd_instance *in, struct hd_errbuf *eb);
void hd_prepared_free(struct hd_prepared *p);

static inline uint32_t hd_length(const struct hd_prepared *p, uint32_t thread)
{
	return p->first[thread + 1] - p->first[thread];
}

static inline const struct hd_operation *hd_operation(const struct hd_prepared *p, uint32_t thread,
						      uint32_t position)
{
	return &p->ops[p->first[thread] + position];
}

/* The first entry of @lane at or after @position, or lane->end. */
static inline uint32_t hd_lane_from(const struct hd_lanes *l, const struct hd_lane *lane,
				    uint32_t position)
{
	uint32_t low = lane->first, high = lane->end;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (l->at[mid] < position)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Does @lane of p->writes have a write of @value at a position from @from to before @to? */
bool hd_lane_writes(const struct hd_prepared *p, const struct hd_lane *lane, uint64_t value,
		    uint32_t from, uint32_t to);

#endif
