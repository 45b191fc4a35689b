/*
 * Ranks that an MPI launcher has started (ranks/ranks.h). heddle itself does not need MPI: this is a library of its own, which
 * is loaded where there is a launcher, by a process that does nothing but pass on messages (ranks/relay.h).
 *
 * Nothing here waits inside MPI, which would keep a processor busy: it is asked again and again, with pauses. Who waits for
 * another one to take a message takes what comes meanwhile: the other one may be waiting, too.
 *
 * MPI tells nobody that a rank is gone, or only who sends to it. So all give a sign of life to rank 0 now and then, and rank 0
 * to all: whoever is not heard of for long is lost.
 */
#include <mpi.h>

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ranks/ranks.h"

enum { TAG_MESSAGE = 1, TAG_END, TAG_ALIVE };

#define PAUSE	 100000 /* nanoseconds */
#define SECOND	 ((int64_t)1000000000)
#define PATIENCE 30	       /* seconds; tests may have it otherwise */
#define SIGNS	 10	       /* signs of life in that time */
#define STEP	 (SECOND / 10) /* a longer time without looking says nothing of others */

struct peer {
	bool ended; /* it sends no more ... */
	bool told;  /* ... and who asks has been told */
	bool lost;  /* without a word */
	int64_t heard;
};

struct arrived {
	struct arrived *next;
	unsigned from;
	char *bytes;
	size_t len;
};

struct comm {
	int rank, size;
	struct arrived *first, **last; /* messages that nobody has asked for yet */
	struct peer *peers;	       /* by rank */
	bool lossy; /* somebody has gone without a word: MPI cannot come to its end */
	int64_t patience, looked, sign;
	int64_t quiet; /* so long we looked, and nothing was there */
	int *status;
};

bool hd_mpi_ranks(struct hd_ranks *ranks, int *status);

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

static void pause_a_little(void)
{
	const struct timespec t = { .tv_nsec = PAUSE };

	nanosleep(&t, NULL);
}

/* Rank 0 has to do with all others, and they with rank 0. */
static int first_peer(const struct comm *c)
{
	return c->rank ? 0 : 1;
}

static int end_of_peers(const struct comm *c)
{
	return c->rank ? 1 : c->size;
}

static void lose(struct comm *c, int rank)
{
	c->peers[rank].ended = c->peers[rank].lost = true;
	c->lossy = true;
}

static void give_sign(struct comm *c)
{
	const int64_t t = now();
	MPI_Request request;

	if (t < c->sign)
		return;
	c->sign = t + c->patience / SIGNS;
	for (int i = first_peer(c); i < end_of_peers(c); i++) {
		if (c->peers[i].lost)
			continue;
		if (c->quiet - c->peers[i].heard > c->patience ||
		    MPI_Isend(NULL, 0, MPI_BYTE, i, TAG_ALIVE, MPI_COMM_WORLD, &request) !=
			    MPI_SUCCESS)
			lose(c, i);
		else
			MPI_Request_free(&request);
	}
}

/* A message is there: take it. */
static void take(struct comm *c, const MPI_Status *status)
{
	struct peer *p = &c->peers[status->MPI_SOURCE];
	struct arrived *a = malloc(sizeof(*a));
	char *bytes;
	int n = 0;
	bool ok;

	if (MPI_Get_count(status, MPI_BYTE, &n) != MPI_SUCCESS || n < 0)
		n = 0;
	bytes = malloc((size_t)n + 1);
	ok = a && bytes &&
	     MPI_Recv(bytes, n, MPI_BYTE, status->MPI_SOURCE, status->MPI_TAG, MPI_COMM_WORLD,
		      MPI_STATUS_IGNORE) == MPI_SUCCESS;
	p->heard = c->quiet;
	if (ok && status->MPI_TAG == TAG_MESSAGE && !p->ended) {
		*a = (struct arrived){ NULL, (unsigned)status->MPI_SOURCE, bytes, (size_t)n };
		*c->last = a;
		c->last = &a->next;
		return;
	}
	free(a);
	free(bytes);
	if (!ok)
		lose(c, status->MPI_SOURCE);
	p->ended |= status->MPI_TAG == TAG_END;
}

static bool look(struct comm *c, MPI_Status *status)
{
	const int64_t t = now(), since = t - c->looked;
	int there = 0;

	if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, status) != MPI_SUCCESS)
		there = 0;
	if (!there)
		c->quiet += since < STEP ? since : STEP;
	c->looked = t;
	return there;
}

static void take_all(struct comm *c)
{
	MPI_Status status;

	while (look(c, &status))
		take(c, &status);
}

static bool next_arrived(struct comm *c, unsigned *from, char **bytes, size_t *len)
{
	struct arrived *a = c->first;

	if (!a)
		return false;
	*from = a->from;
	*bytes = a->bytes;
	*len = a->len;
	c->first = a->next;
	if (!c->first)
		c->last = &c->first;
	free(a);
	return true;
}

/* False: it does not take it. */
static bool send_with(struct comm *c, int tag, unsigned to, const void *bytes, size_t len)
{
	char *own = len <= INT_MAX ? malloc(len + 1) : NULL;
	const int64_t until = now() + c->patience;
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
		if (!c->rank && now() > until)
			return false; /* MPI may still read the bytes: they stay */
		give_sign(c);
		take_all(c);
		if (c->peers[to].lost)
			return false;
		pause_a_little();
	}
	free(own);
	return ok;
}

static bool comm_send(void *arg, unsigned to, const void *bytes, size_t len)
{
	struct comm *c = arg;

	if (c->peers[to].ended)
		return false;
	if (send_with(c, TAG_MESSAGE, to, bytes, len))
		return true;
	lose(c, (int)to);
	return false;
}

static bool has_lost(struct comm *c, unsigned *from)
{
	for (int i = first_peer(c); i < end_of_peers(c); i++) {
		if (c->peers[i].ended && !c->peers[i].told) {
			c->peers[i].told = true;
			*from = (unsigned)i;
			return true;
		}
	}
	return false;
}

static enum hd_arrival comm_receive(void *arg, unsigned *from, char **bytes, size_t *len, int ms)
{
	struct comm *c = arg;
	int64_t left = (int64_t)ms * 1000000;

	for (;;) {
		give_sign(c);
		if (!c->first)
			take_all(c);
		if (next_arrived(c, from, bytes, len))
			return HD_MESSAGE_CAME;
		if (has_lost(c, from))
			return HD_RANK_LOST;
		if (left <= 0)
			return HD_NOTHING_CAME;
		pause_a_little();
		left -= PAUSE;
	}
}

/*
 * All say so, and take what others sent before they knew: then nobody waits for anybody. MPI itself waits for those who are
 * lost: then rank 0 ends the job.
 */
static void comm_end(void *arg)
{
	struct comm *c = arg;
	const int first = first_peer(c), end = end_of_peers(c);
	char *bytes;
	unsigned from;
	size_t len;

	for (int i = first; i < end; i++) {
		if (!c->peers[i].lost)
			send_with(c, TAG_END, (unsigned)i, NULL, 0);
	}
	for (int i = first; i < end; i++) {
		while (!c->peers[i].ended) {
			if (comm_receive(c, &from, &bytes, &len, 100) == HD_MESSAGE_CAME)
				free(bytes);
		}
	}
	while (next_arrived(c, &from, &bytes, &len))
		free(bytes);
	if (!c->lossy)
		MPI_Finalize();
	else if (!c->rank)
		MPI_Abort(MPI_COMM_WORLD, *c->status);
	else
		*c->status = 3; /* what there is of it is not all */
	free(c->peers);
	free(c);
}

bool hd_mpi_ranks(struct hd_ranks *ranks, int *status)
{
	const char *patience = getenv("HEDDLE_PATIENCE");
	struct comm *c = calloc(1, sizeof(*c));

	if (!c || MPI_Init(NULL, NULL) != MPI_SUCCESS) {
		free(c);
		return false;
	}
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &c->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &c->size);
	c->patience = (patience && atoi(patience) > 0 ? atoi(patience) : PATIENCE) * SECOND;
	c->status = status;
	c->looked = now();
	c->last = &c->first;
	c->peers = calloc((size_t)c->size, sizeof(*c->peers));
	if (!c->peers) {
		MPI_Finalize();
		free(c);
		return false;
	}
	*ranks = (struct hd_ranks){ .rank = (unsigned)c->rank,
				    .size = (unsigned)c->size,
				    .send = comm_send,
				    .receive = comm_receive,
				    .end = comm_end,
				    .arg = c };
	return true;
}
