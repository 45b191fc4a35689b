/*
 * How well a search is shared by many ranks: the code that deals out slices (explore/split.h), the real one, with searches of small
 * programs, the real ones too, and a clock that is simulated.
 *
 * Each slice is made once, and what came of it is kept: it does not depend on who makes it. Then the same search is
 * dealt out to so many ranks. Executions take COST, messages LATENCY and their bytes; what rank 0 does takes what it
 * took here.
 *
 *   bench_ranks [MOST]: trees with no more executions than that
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../tests/unit/explore/model.h"
#include "common/array.h"
#include "common/hash.h"
#include "explore/position.h"
#include "explore/split.h"

#define COST	300e-6 /* seconds of an execution: of a small program, as `heddle explore` makes it */
#define LATENCY 20e-6 /* of a message */
#define BYTE	1e-9  /* of one of its bytes */
#define ALONE	250   /* executions before others help */

static void die(const char *why)
{
	fprintf(stderr, "bench_ranks: %s\n", why);
	exit(1);
}

/* ---- recorded slices ------------------------------------------------------------------- */

struct record {
	uint64_t key; /* a hash of the task; 0: free */
	char *bytes;
	size_t len;
	uint64_t executions;
};

struct recording {
	struct model m;
	struct record *table;
	size_t n, room; /* room is a power of two */
};

static struct record *place(struct record *table, size_t room, uint64_t key)
{
	size_t i = (size_t)key & (room - 1);

	while (table[i].key && table[i].key != key)
		i = (i + 1) & (room - 1);
	return &table[i];
}

static void grow(struct recording *r)
{
	size_t room = r->room ? 2 * r->room : 1024;
	struct record *table = calloc(room, sizeof(*table));

	if (!table)
		die("out of memory");
	for (size_t i = 0; i < r->room; i++) {
		if (r->table[i].key)
			*place(table, room, r->table[i].key) = r->table[i];
	}
	free(r->table);
	r->table = table;
	r->room = room;
}

static bool look_on(void *arg, const struct hd_xlog *log, const struct hd_xstats *stats)
{
	(void)arg, (void)log, (void)stats;
	return true;
}

/* As a rank makes it. */
static void make(struct recording *r, const struct hd_xtask *task, struct record *out)
{
	FILE *in = fmemopen((char *)task->bytes, task->len, "r"), *to;
	struct hd_xposition *p = NULL;
	struct hd_xoptions options = { .strategy = HD_X_DPOR,
				       .max_executions = task->executions,
				       .position = &p };
	struct hd_xstats stats;
	struct hd_errbuf eb;

	if (!in || hd_xposition_read(in, &p) != HD_OK)
		die("a task cannot be read");
	fclose(in);
	if (hd_explore(&options, model_run, look_on, &r->m, &stats, &eb) != HD_OK)
		die(eb.text);
	to = open_memstream(&out->bytes, &out->len);
	if (!to || !hd_xslice_write(to, p, task->share, &stats, "", 0) || fclose(to) != 0)
		die("out of memory");
	hd_xposition_free(p);
	out->executions = stats.executions;
}

static const struct record *slice_of(struct recording *r, const struct hd_xtask *task)
{
	const uint64_t how[] = { task->executions, task->share };
	uint64_t key =
		hd_fnv_bytes(hd_fnv_bytes(HD_FNV_START, how, sizeof(how)), task->bytes, task->len);
	struct record *at;

	if (2 * r->n >= r->room)
		grow(r);
	at = place(r->table, r->room, key ? key : 1);
	if (at->key)
		return at;
	make(r, task, at);
	at->key = key ? key : 1;
	r->n++;
	return at;
}

static void forget(struct recording *r)
{
	for (size_t i = 0; i < r->room; i++)
		free(r->table[i].bytes);
	free(r->table);
	*r = (struct recording){ .m = r->m };
}

/* ---- the simulation ------------------------------------------------------------------------ */

/* A slice that somebody is making. */
struct event {
	double at; /* its message is with rank 0 */
	unsigned rank;
	uint64_t number;
	struct record slice;
};

struct simulation {
	struct recording *r;
	struct hd_xsplit *split;
	struct event *heap; /* the earliest first */
	size_t n;
	struct rank {
		unsigned has; /* slices: it works at one, and the other one is at hand */
		double free;  /* when it will have made them */
	} *ranks;
	unsigned nranks; /* rank 0 included */
	double now;	 /* of rank 0 */
	double busy; /* that it was */
	uint64_t messages, bytes;
};

static void push(struct simulation *s, struct event e)
{
	size_t i = s->n++;

	for (; i && s->heap[(i - 1) / 2].at > e.at; i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = e;
}

static struct event pop(struct simulation *s)
{
	struct event first = s->heap[0], last = s->heap[--s->n];
	size_t i = 0;

	for (;;) {
		size_t k = 2 * i + 1;

		if (k + 1 < s->n && s->heap[k + 1].at < s->heap[k].at)
			k++;
		if (k >= s->n || s->heap[k].at >= last.at)
			break;
		s->heap[i] = s->heap[k];
		i = k;
	}
	s->heap[i] = last;
	return first;
}

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void spend(struct simulation *s, double began)
{
	double took = cpu() - began;

	s->now += took;
	s->busy += took;
}

/* What rank 0 does of it: it copies the task into a message. */
static bool next_task(struct simulation *s, struct hd_xtask *task)
{
	double began = cpu();
	bool any = hd_xsplit_next(s->split, task);
	char *message = any ? malloc(task->len) : NULL;

	if (message)
		memcpy(message, task->bytes, task->len);
	free(message);
	spend(s, began);
	return any;
}

static bool hand_to(struct simulation *s, unsigned rank)
{
	struct rank *to = &s->ranks[rank];
	const struct record *slice;
	struct hd_xtask task;
	double there;

	if ((to->has && !hd_xsplit_has_spare(s->split, s->nranks - 1)) || !next_task(s, &task))
		return false;
	slice = slice_of(s->r, &task);
	there = s->now + LATENCY + BYTE * (double)task.len;
	to->has++;
	to->free = (to->free > there ? to->free : there) + COST * (double)slice->executions;
	s->messages += 2;
	s->bytes += task.len + slice->len;
	push(s, (struct event){ to->free + LATENCY + BYTE * (double)slice->len, rank, task.number,
				*slice });
	return true;
}

/* As rank 0 does it: to who has none, then to who has one. */
static void hand_out(struct simulation *s)
{
	for (unsigned has = 0; has < 2; has++) {
		for (unsigned i = 1; i < s->nranks; i++) {
			if (s->ranks[i].has == has && !hand_to(s, i))
				return;
		}
	}
}

static bool taken(void *arg, const struct hd_xstats *slice, const char *said, size_t len)
{
	(void)arg, (void)slice, (void)said, (void)len;
	return true;
}

static void take(struct simulation *s)
{
	struct event e = pop(s);
	double began;

	if (e.at > s->now)
		s->now = e.at;
	began = cpu();
	if (hd_xsplit_done(s->split, e.number, e.slice.bytes, e.slice.len) != HD_OK)
		die("a slice is not taken in");
	spend(s, began);
	s->ranks[e.rank].has--;
}

struct figures {
	uint64_t executions, slices, messages, bytes;
	double seconds, busy;
};

static struct figures simulate(struct recording *r, unsigned ranks)
{
	struct simulation s = { .r = r,
				.split = hd_xsplit_new(),
				.heap = calloc(2 * (size_t)ranks, sizeof(*s.heap)),
				.ranks = calloc(ranks, sizeof(*s.ranks)),
				.nranks = ranks,
				.now = ALONE * COST };
	struct hd_xposition *first = calloc(1, sizeof(*first));
	const struct hd_xstats before = { 0 };
	struct figures f;

	if (!s.split || !s.heap || !s.ranks || !first)
		die("out of memory");
	hd_xsplit_take(s.split, taken, NULL);
	first->tree.sleep = true;
	if (hd_xsplit_begin(s.split, first, &before) != HD_OK)
		die("out of memory");
	for (hand_out(&s); s.n; hand_out(&s))
		take(&s);
	if (!hd_xsplit_is_over(s.split) || !hd_xsplit_stats(s.split)->complete)
		die("a search is not complete");
	f = (struct figures){ .executions = hd_xsplit_stats(s.split)->executions,
			      .slices = hd_xsplit_load(s.split).slices,
			      .messages = s.messages,
			      .bytes = s.bytes,
			      .seconds = s.now,
			      .busy = s.busy };
	hd_xsplit_free(s.split);
	free(s.heap);
	free(s.ranks);
	return f;
}

/* ---- the table -------------------------------------------------------------------------------- */

/* Threads that add to one counter so often: (sum of all)! divided by the product of each one's !. */
static const struct tree {
	const char *name;
	unsigned adds[MODEL_THREADS];
	double orders;
} trees[] = {
	{ "5, 2 operations each", { 2, 2, 2, 2, 2 }, 113400 },
	{ "4, 8, 3, 2 and 2 operations", { 8, 3, 2, 2, 0 }, 1351350 },
	{ "5, 3 operations each, one 1", { 3, 3, 3, 3, 1 }, 4804800 },
	{ "5, 4, 4, 3, 2 and 1 operations", { 4, 4, 3, 2, 1 }, 12612600 },
};

static struct model model_of(const struct tree *t)
{
	struct model m = { 0 };

	for (unsigned i = 0; i < MODEL_THREADS && t->adds[i]; i++) {
		m.nthreads = i + 1;
		m.forked_at_start[i] = true;
		m.nops[i] = t->adds[i];
		for (unsigned k = 0; k < t->adds[i]; k++)
			m.ops[i][k] = (struct model_op){ M_ADD, 0 };
	}
	return m;
}

static void show(const struct tree *t)
{
	static const unsigned ranks[] = { 2, 10, 100, 1000 };
	struct recording *r = calloc(1, sizeof(*r));
	struct figures f = { 0 };

	if (!r)
		die("out of memory");
	r->m = model_of(t);
	printf("| %s |", t->name);
	for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++) {
		f = simulate(r, ranks[i]);
		if (!i)
			printf(" %" PRIu64 " | %" PRIu64 " |", f.executions, f.slices);
		printf(" %.3f |", (double)f.executions * COST / f.seconds / ranks[i]);
	}
	printf(" %.4f | %.0f | %.2f | %.0f |\n", (double)f.messages / (double)f.executions,
	       (double)f.bytes / (double)f.executions, f.busy / (double)f.executions * 1e6,
	       COST / (f.busy / (double)f.executions));
	fflush(stdout);
	forget(r);
	free(r);
}

int main(int argc, char **argv)
{
	double most = argc > 1 ? strtod(argv[1], NULL) : 1e9;

	printf("Searches dealt out to many ranks by a simulated clock; %.0f us an execution, %.0f us a message.\n"
	       "Efficiency: the executions' time over that of all ranks, rank 0 included.\n\n"
	       "| threads that add to one counter | executions | slices | 2 ranks | 10 | 100 | 1000 | messages an execution | bytes | rank 0, us | ranks at which it saturates |\n"
	       "| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n",
	       COST * 1e6, LATENCY * 1e6);
	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
		if (trees[i].orders <= most)
			show(&trees[i]);
	}
	return 0;
}
