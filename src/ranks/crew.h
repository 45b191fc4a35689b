/*
 * Jobs that rank 0 has, and ranks that do them.
 *
 * A job is bytes, and so is its answer, which depends on the job alone: so it does not matter who did it, and one that somebody
 * was lost with is done again. Whoever posts jobs asks for their answers in whatever order he needs them.
 *
 * A rank has one job at a time, and is sent nothing while it has: nobody ever waits for somebody who waits to be heard.
 */
#ifndef HD_RANKS_CREW_H
#define HD_RANKS_CREW_H

#include <stdint.h>
#include <stdio.h>

#include "ranks.h"

struct hd_crew;

/* NULL: no memory. @ranks is borrowed. */
struct hd_crew *hd_crew_new(struct hd_ranks *ranks);
void hd_crew_free(struct hd_crew *c);

/*
 * What is to be known before jobs that are posted later; it stays until the end. If an answer is @wanted, a rank that gives another
 * one gets no jobs: it is a stranger. False: no memory.
 */
bool hd_crew_tell(struct hd_crew *c, const char *bytes, size_t len, const uint64_t *wanted);

/* A job; @bytes becomes the crew's. Its number; 0: no memory, and @bytes is freed. */
uint64_t hd_crew_post(struct hd_crew *c, char *bytes, size_t len);
/* Is job @number done? Then its answer is the caller's to free, and the job is over. */
bool hd_crew_answer(struct hd_crew *c, uint64_t number, char **bytes, size_t *len);
/* Nobody wants its answer any more. */
void hd_crew_forget(struct hd_crew *c, uint64_t number);

/*
 * Hand out what can be, and take what comes, for up to @ms milliseconds. False: nobody is left who could do a job, and
 * the caller has to.
 */
bool hd_crew_wait(struct hd_crew *c, int ms);

/* Ranks that do jobs, or may do some yet. */
unsigned hd_crew_hands(const struct hd_crew *c);
unsigned hd_crew_strangers(const struct hd_crew *c);

/* For those who measure: messages and bytes that rank 0 has sent and taken. */
struct hd_crew_load {
	uint64_t jobs, messages, bytes;
};
struct hd_crew_load hd_crew_load(const struct hd_crew *c);

/* ---- the others ---------------------------------------------------------------- */

struct hd_hand {
	void *arg;
	/* Know this; *@answer is what is wanted to be compared. False: it cannot go on. */
	bool (*told)(void *arg, const char *bytes, size_t len, uint64_t *answer);
	/* Do this job. False: it cannot be done here. */
	bool (*job)(void *arg, const char *bytes, size_t len, FILE *answer);
};

/* Until rank 0 ends. */
void hd_crew_help(struct hd_ranks *ranks, const struct hd_hand *hand);

#endif
