/*
 * Processes that work together, on one machine or on many: how they reach each other.
 *
 * Rank 0 leads. Messages are whole, and come in the order in which one rank sent them to another. A rank that is lost is told of
 * once, and sending to it is no error: nothing waits for it any more.
 */
#ifndef HD_RANKS_RANKS_H
#define HD_RANKS_RANKS_H

#include <stdbool.h>
#include <stddef.h>

#define HD_MOST_RANKS 256u /* of one machine */

enum hd_arrival { HD_NOTHING_CAME, HD_MESSAGE_CAME, HD_RANK_LOST };

struct hd_ranks {
	unsigned rank, size;
	size_t ahead; /* bytes that can be sent to one that is just sending to us, and reads nothing meanwhile */
	bool (*send)(void *arg, unsigned to, const void *bytes, size_t len);
	/* What came, from *@from; waits for up to @ms milliseconds. The bytes are the caller's to free. */
	enum hd_arrival (*receive)(void *arg, unsigned *from, char **bytes, size_t *len, int ms);
	/* Nobody sends any more. Who is still at work when rank 0 has ended is told by SIGTERM. */
	void (*end)(void *arg);
	void *arg;
};

/*
 * Ranks on this machine: this process leads, and @workers children of it call @work, which gets their end, and
 * end. False: no processes or no memory; what was begun is ended.
 */
bool hd_ranks_fork(struct hd_ranks *ranks, unsigned workers,
		   void (*work)(void *arg, struct hd_ranks *own), void *arg);

#endif
