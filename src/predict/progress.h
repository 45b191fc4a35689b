/*
 * How far a run in the making is: the state that the search moves through, and back.
 */
#ifndef HD_PREDICT_PROGRESS_H
#define HD_PREDICT_PROGRESS_H

#include "prepare.h"

/* A goal in positions of threads. */
struct hd_target {
	uint32_t thread, at;
};

struct hd_aim {
	struct hd_target order[HD_GOAL_MAX];
	size_t norder; /* that have to happen */
	struct hd_target next[HD_GOAL_MAX];
	size_t nnext;
	uint32_t *bound; /* of each thread: it never goes to this position or beyond */
	uint32_t *loose; /* of each thread: the read that may see any value, or HD_NOWHERE */
	bool ignore_values;
};

/* One operation done, and how to undo it. */
struct hd_done {
	uint64_t before; /* WRITE: the value that was there */
	uint32_t thread;
};

#define HD_FREE_LOCK UINT32_MAX

struct hd_progress {
	const struct hd_prepared *p;
	const struct hd_aim *aim;
	uint32_t *at;	 /* position of each thread */
	bool *stopped;	 /* it read another value than it saw */
	uint64_t *value; /* of each location */
	uint32_t *owner; /* of each lock, HD_FREE_LOCK if nobody's */
	uint32_t *sharers;
	size_t reached; /* steps of the goal's order that have happened */
	struct hd_done *done;
	size_t ndone, room;
};

/*
 * Translate @goal. False in *@possible: it contradicts itself. Threads are bounded by
 * what must not happen, and by the steps from @limit on.
 */
enum hd_err hd_aim_init(struct hd_aim *aim, const struct hd_prepared *p,
			const struct hd_goal *goal, size_t limit, bool *possible,
			struct hd_errbuf *eb);
void hd_aim_free(struct hd_aim *aim);

enum hd_err hd_progress_init(struct hd_progress *s, const struct hd_prepared *p,
			     const struct hd_aim *aim);
void hd_progress_free(struct hd_progress *s);

/* Be where the observed run was after its first @steps steps. */
void hd_progress_start(struct hd_progress *s, size_t steps);

/* May @thread's next operation happen now? It may stop the thread, see hd_stops. */
bool hd_enabled(const struct hd_progress *s, uint32_t thread);
/* Would its next operation, a read at the goal, see another value than it saw? */
bool hd_stops(const struct hd_progress *s, uint32_t thread);
/* Can doing it at once, when it is enabled, take no possibility away? */
bool hd_harmless(const struct hd_progress *s, uint32_t thread);

bool hd_goal_reached(const struct hd_progress *s);

/* False: out of memory. */
bool hd_do(struct hd_progress *s, uint32_t thread);
void hd_undo_to(struct hd_progress *s, size_t ndone);

/* Do all that is harmless until nothing is left of it, or the goal is reached. */
bool hd_do_harmless(struct hd_progress *s);

#endif
