/*
 * Messages: a letter and what belongs to it.
 *   rank 0:  T what is to be known    J number, job
 *   others:  T 64 bits, what came of knowing it    J number, answer    E it cannot go on
 */
#include "crew.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/interrupts.h"

#define WAIT 100 /* milliseconds between looks at whether to go on */

struct told {
	char *bytes; /* a whole message */
	size_t len;
	bool compare;
	uint64_t wanted;
};

enum state { WAITS, AWAY, DONE, FORGOTTEN };

struct job {
	uint64_t number;
	enum state state;
	unsigned rank; /* that has it */
	char *bytes;   /* a whole message; when it is done, the answer */
	size_t len;
};

struct hand {
	bool lost, busy; /* busy: it has been sent what it has not answered yet */
	size_t told;	 /* so many were sent */
};

struct hd_crew {
	struct hd_ranks *ranks;
	struct hand *hands; /* by rank */
	struct told *told;
	size_t ntold, told_room;
	struct job *jobs; /* by number */
	size_t njobs, jobs_room;
	uint64_t last; /* number */
	unsigned nlost, strangers;
	struct hd_crew_load load;
};

#define HEAD (1 + sizeof(uint64_t))

struct hd_crew *hd_crew_new(struct hd_ranks *ranks)
{
	struct hd_crew *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->ranks = ranks;
	c->hands = calloc(ranks->size, sizeof(*c->hands));
	if (c->hands)
		return c;
	free(c);
	return NULL;
}

void hd_crew_free(struct hd_crew *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->ntold; i++)
		free(c->told[i].bytes);
	for (size_t i = 0; i < c->njobs; i++)
		free(c->jobs[i].bytes);
	free(c->told);
	free(c->jobs);
	free(c->hands);
	free(c);
}

unsigned hd_crew_hands(const struct hd_crew *c)
{
	return c->ranks->size - 1 - c->nlost;
}

unsigned hd_crew_strangers(const struct hd_crew *c)
{
	return c->strangers;
}

struct hd_crew_load hd_crew_load(const struct hd_crew *c)
{
	return c->load;
}

bool hd_crew_tell(struct hd_crew *c, const char *bytes, size_t len, const uint64_t *wanted)
{
	struct told t = { .bytes = malloc(1 + len), .len = 1 + len };

	if (!t.bytes || !HD_ROOM(c->told, c->told_room, c->ntold + 1)) {
		free(t.bytes);
		return false;
	}
	t.bytes[0] = 'T';
	memcpy(t.bytes + 1, bytes, len);
	t.compare = wanted;
	t.wanted = wanted ? *wanted : 0;
	c->told[c->ntold++] = t;
	return true;
}

/* ---- jobs ----------------------------------------------------------------------- */

static struct job *find(struct hd_crew *c, uint64_t number)
{
	size_t low = 0, high = c->njobs;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (c->jobs[mid].number < number)
			low = mid + 1;
		else
			high = mid;
	}
	return low < c->njobs && c->jobs[low].number == number ? &c->jobs[low] : NULL;
}

static void drop(struct hd_crew *c, struct job *j)
{
	size_t at = (size_t)(j - c->jobs);

	free(j->bytes);
	memmove(j, j + 1, (--c->njobs - at) * sizeof(*j));
}

uint64_t hd_crew_post(struct hd_crew *c, char *bytes, size_t len)
{
	struct job j = { .number = c->last + 1, .bytes = malloc(HEAD + len), .len = HEAD + len };

	if (!j.bytes || !HD_ROOM(c->jobs, c->jobs_room, c->njobs + 1)) {
		free(j.bytes);
		free(bytes);
		return 0;
	}
	j.bytes[0] = 'J';
	memcpy(j.bytes + 1, &j.number, sizeof(j.number));
	memcpy(j.bytes + HEAD, bytes, len);
	free(bytes);
	c->jobs[c->njobs++] = j;
	c->load.jobs++;
	return c->last = j.number;
}

bool hd_crew_answer(struct hd_crew *c, uint64_t number, char **bytes, size_t *len)
{
	struct job *j = find(c, number);

	if (!j || j->state != DONE)
		return false;
	*bytes = j->bytes;
	*len = j->len;
	j->bytes = NULL;
	drop(c, j);
	return true;
}

void hd_crew_forget(struct hd_crew *c, uint64_t number)
{
	struct job *j = find(c, number);

	if (j && j->state == AWAY)
		j->state = FORGOTTEN; /* whoever has it is still busy with it */
	else if (j)
		drop(c, j);
}

/* ---- ranks -------------------------------------------------------------------------- */

static void lose(struct hd_crew *c, unsigned rank)
{
	if (c->hands[rank].lost)
		return;
	c->hands[rank].lost = true;
	c->nlost++;
	for (size_t i = 0; i < c->njobs; i++) {
		struct job *j = &c->jobs[i];

		if (j->rank != rank)
			continue;
		if (j->state == AWAY)
			j->state = WAITS;
		else if (j->state == FORGOTTEN)
			drop(c, &c->jobs[i--]);
	}
}

static void send_to(struct hd_crew *c, unsigned rank, const char *bytes, size_t len)
{
	c->hands[rank].busy = true;
	c->load.messages++;
	c->load.bytes += len;
	if (!c->ranks->send(c->ranks->arg, rank, bytes, len))
		lose(c, rank);
}

static struct job *first_that_waits(struct hd_crew *c)
{
	for (size_t i = 0; i < c->njobs; i++) {
		if (c->jobs[i].state == WAITS)
			return &c->jobs[i];
	}
	return NULL;
}

static void hand_out(struct hd_crew *c)
{
	struct job *j = first_that_waits(c);

	for (unsigned i = 1; i < c->ranks->size; i++) {
		struct hand *h = &c->hands[i];

		if (h->lost || h->busy)
			continue;
		if (h->told < c->ntold) {
			const struct told *t = &c->told[h->told++];

			send_to(c, i, t->bytes, t->len);
		} else if (j) {
			j->state = AWAY;
			j->rank = i;
			send_to(c, i, j->bytes, j->len);
			j = first_that_waits(c);
		}
	}
}

static void take_told(struct hd_crew *c, unsigned from, const char *bytes)
{
	const struct told *t = &c->told[c->hands[from].told - 1];
	uint64_t answer;

	memcpy(&answer, bytes + 1, sizeof(answer));
	if (!t->compare || answer == t->wanted)
		return;
	c->strangers++;
	lose(c, from);
}

static void take_answer(struct hd_crew *c, unsigned from, char *bytes, size_t len)
{
	struct job *j;
	uint64_t number;

	memcpy(&number, bytes + 1, sizeof(number));
	j = find(c, number);
	if (!j || j->rank != from || (j->state != AWAY && j->state != FORGOTTEN)) {
		lose(c, from); /* that is no answer to anything */
	} else if (j->state == FORGOTTEN) {
		drop(c, j);
	} else {
		char *own = malloc(len - HEAD + 1);

		if (!own) {
			j->state = WAITS;
			return;
		}
		memcpy(own, bytes + HEAD, len - HEAD);
		free(j->bytes);
		j->bytes = own;
		j->len = len - HEAD;
		j->state = DONE;
	}
}

/* True: something came. */
static bool take_one(struct hd_crew *c, int ms)
{
	char *bytes = NULL;
	size_t len = 0;
	unsigned from = 0;
	enum hd_arrival came = c->ranks->receive(c->ranks->arg, &from, &bytes, &len, ms);

	if (came == HD_NOTHING_CAME)
		return false;
	if (came == HD_RANK_LOST) {
		lose(c, from);
	} else if (!c->hands[from].lost) {
		c->load.messages++;
		c->load.bytes += len;
		c->hands[from].busy = false;
		if (len == HEAD && bytes[0] == 'T' && c->hands[from].told)
			take_told(c, from, bytes);
		else if (len >= HEAD && bytes[0] == 'J')
			take_answer(c, from, bytes, len);
		else
			lose(c, from);
	}
	free(bytes);
	return true;
}

bool hd_crew_wait(struct hd_crew *c, int ms)
{
	hand_out(c);
	if (hd_crew_hands(c) && take_one(c, ms)) {
		while (take_one(c, 0))
			;
		hand_out(c);
	}
	return hd_crew_hands(c) > 0;
}

/* ---- the others ---------------------------------------------------------------------- */

static bool tell_what_came(struct hd_ranks *r, const struct hd_hand *hand, const char *bytes,
			   size_t len)
{
	char answer[HEAD] = "T";
	uint64_t what = 0;

	if (!hand->told(hand->arg, bytes + 1, len - 1, &what))
		return false;
	memcpy(answer + 1, &what, sizeof(what));
	return r->send(r->arg, 0, answer, sizeof(answer));
}

static bool do_job(struct hd_ranks *r, const struct hd_hand *hand, const char *bytes, size_t len)
{
	char *answer = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&answer, &n);
	bool ok = out && fwrite(bytes, HEAD, 1, out) == 1 &&
		  hand->job(hand->arg, bytes + HEAD, len - HEAD, out);

	if (out && fclose(out) != 0)
		ok = false;
	ok = ok && r->send(r->arg, 0, answer, n);
	free(answer);
	return ok;
}

void hd_crew_help(struct hd_ranks *r, const struct hd_hand *hand)
{
	bool go_on = true;

	while (go_on && !hd_interrupted()) {
		char *bytes = NULL;
		size_t len = 0;
		unsigned from;
		enum hd_arrival came = r->receive(r->arg, &from, &bytes, &len, WAIT);

		if (came == HD_RANK_LOST)
			return;
		if (came == HD_NOTHING_CAME)
			continue;
		if (len && bytes[0] == 'T')
			go_on = tell_what_came(r, hand, bytes, len);
		else
			go_on = len >= HEAD && bytes[0] == 'J' && do_job(r, hand, bytes, len);
		free(bytes);
	}
	if (!hd_interrupted())
		r->send(r->arg, 0, "E", 1);
}
