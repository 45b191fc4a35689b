/*
 * Ranks that an MPI launcher has started (ranks/ranks.h). heddle itself does not need MPI: this is a library of its own,
 * heddle-mpi.so, which is loaded where there is a launcher.
 *
 * Nothing here waits inside MPI, which would keep a processor busy: it is asked again and again, with pauses.
 */
#include <mpi.h>

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ranks/ranks.h"

enum { TAG_MESSAGE = 1, TAG_END };

#define PAUSE 100000 /* nanoseconds */

struct comm {
	int rank, size;
	bool *ended; /* by rank: it sends no more */
	bool over;   /* of a worker: rank 0 has ended */
};

bool hd_mpi_ranks(struct hd_ranks *ranks);

static void pause_a_little(void)
{
	const struct timespec t = { .tv_nsec = PAUSE };

	nanosleep(&t, NULL);
}

/* Those that rank 0 sends to wait for it: who does not take a message for so long is lost. */
#define PATIENCE (30 * (int64_t)1000000000)

static bool send_with(const struct comm *c, int tag, unsigned to, const void *bytes, size_t len)
{
	char *own = len <= INT_MAX ? malloc(len + 1) : NULL;
	int64_t waited = 0;
	MPI_Request request;
	int done = 0;
	bool ok;

	if (!own)
		return false;
	if (len)
		memcpy(own, bytes, len);
	ok = MPI_Isend(own, (int)len, MPI_BYTE, (int)to, tag, MPI_COMM_WORLD, &request) ==
	     MPI_SUCCESS;
	while (ok) {
		ok = MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS;
		if (!ok || done)
			break;
		if (!c->rank && waited > PATIENCE)
			return false; /* MPI may still read the bytes: they stay */
		pause_a_little();
		waited += PAUSE;
	}
	free(own);
	return ok;
}

static bool comm_send(void *arg, unsigned to, const void *bytes, size_t len)
{
	struct comm *c = arg;

	return !c->ended[to] && send_with(c, TAG_MESSAGE, to, bytes, len);
}

/* A message is there: take it. */
static enum hd_arrival take(struct comm *c, const MPI_Status *status, unsigned *from, char **bytes,
			    size_t *len)
{
	int n = 0;

	*from = (unsigned)status->MPI_SOURCE;
	*bytes = NULL;
	if (MPI_Get_count(status, MPI_BYTE, &n) != MPI_SUCCESS || n < 0)
		n = 0;
	*bytes = malloc((size_t)n + 1);
	*len = (size_t)n;
	if (*bytes &&
	    MPI_Recv(*bytes, n, MPI_BYTE, status->MPI_SOURCE, status->MPI_TAG, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE) == MPI_SUCCESS &&
	    status->MPI_TAG == TAG_MESSAGE)
		return HD_MESSAGE_CAME;
	free(*bytes);
	*bytes = NULL;
	c->ended[*from] = true;
	return HD_RANK_LOST;
}

static enum hd_arrival comm_receive(void *arg, unsigned *from, char **bytes, size_t *len, int ms)
{
	struct comm *c = arg;
	int64_t left = (int64_t)ms * 1000000;

	for (;;) {
		MPI_Status status;
		int there = 0;

		if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status) !=
		    MPI_SUCCESS)
			there = 0;
		if (there)
			return take(c, &status, from, bytes, len);
		if (left <= 0)
			return HD_NOTHING_CAME;
		pause_a_little();
		left -= PAUSE;
	}
}

static bool comm_is_over(void *arg)
{
	struct comm *c = arg;
	int there = 0;

	if (c->rank && !c->ended[0] &&
	    MPI_Iprobe(0, TAG_END, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE) == MPI_SUCCESS)
		c->over |= there != 0;
	return c->over || c->ended[0];
}

/* All say so, and take what others sent before they knew: then nobody waits for anybody. */
static void comm_end(void *arg)
{
	struct comm *c = arg;
	const int first = c->rank ? 0 : 1, end = c->rank ? 1 : c->size;
	char *bytes;
	unsigned from;
	size_t len;

	for (int i = first; i < end; i++)
		send_with(c, TAG_END, (unsigned)i, NULL, 0);
	for (int i = first; i < end; i++) {
		while (!c->ended[i]) {
			if (comm_receive(c, &from, &bytes, &len, 100) == HD_MESSAGE_CAME)
				free(bytes);
		}
	}
	MPI_Finalize();
	free(c->ended);
	free(c);
}

bool hd_mpi_ranks(struct hd_ranks *ranks)
{
	struct comm *c = calloc(1, sizeof(*c));

	if (!c || MPI_Init(NULL, NULL) != MPI_SUCCESS) {
		free(c);
		return false;
	}
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &c->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &c->size);
	c->ended = calloc((size_t)c->size, sizeof(*c->ended));
	if (!c->ended) {
		MPI_Finalize();
		free(c);
		return false;
	}
	*ranks = (struct hd_ranks){ .rank = (unsigned)c->rank,
				    .size = (unsigned)c->size,
				    .send = comm_send,
				    .receive = comm_receive,
				    .is_over = comm_is_over,
				    .end = comm_end,
				    .arg = c };
	return true;
}
