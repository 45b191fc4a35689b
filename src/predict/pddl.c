#include "predict/pddl.h"

#include <stdlib.h>

#include "predict/step_index.h"

/* A thread that takes a read lock. */
struct reader {
	uint32_t lock, thread;
	bool held; /* from the start */
};

struct encoding {
	const struct hd_instance *in;
	const struct hd_step_goal *goal;
	struct hd_step_index index;
	uint32_t *writes;      /* positions, location by location */
	uint32_t *writes_from; /* nlocations + 2: where each location starts, and a spare */
	struct reader *readers;
	size_t nreaders;
	size_t *reader_from; /* nlocks + 1: the readers of each lock */
	bool *held;	     /* of each lock: exclusively, from the start */
	bool last_follows;   /* hd_pddl_last_follows() */
	size_t planned;	     /* how many steps of the order a plan must have */
	FILE *out;
};

/* ---- what is where ------------------------------------------------------------------ */

static void collect_writes(struct encoding *e)
{
	uint32_t *from = e->writes_from;

	/* from[x + 2] counts, from[x + 1] is where the next one of x goes: its end at last */
	for (size_t i = 0; i < e->in->nsteps; i++)
		if (e->in->steps[i].kind == HD_STEP_WRITE)
			from[e->in->steps[i].object + 2]++;
	for (uint32_t x = 0; x < e->in->nlocations; x++)
		from[x + 2] += from[x + 1];
	for (size_t i = 0; i < e->in->nsteps; i++)
		if (e->in->steps[i].kind == HD_STEP_WRITE)
			e->writes[from[e->in->steps[i].object + 1]++] = (uint32_t)i;
}

static int compare_readers(const void *a, const void *b)
{
	const struct reader *x = a, *y = b;

	if (x->lock != y->lock)
		return x->lock < y->lock ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static void collect_holders(struct encoding *e)
{
	size_t n = 0;

	for (size_t i = 0; i < e->in->nsteps; i++) {
		const struct hd_step *s = &e->in->steps[i];

		bool held = s->kind == HD_STEP_RELEASE && !e->index.nested[i] &&
			    e->index.match[i] == HD_NO_STEP;

		if (hd_step_locks(s) && s->shared)
			e->readers[n++] = (struct reader){ s->object, s->thread, held };
		else if (held)
			e->held[s->object] = true;
	}
	qsort(e->readers, n, sizeof *e->readers, compare_readers);
	for (size_t i = 0; i < n; i++) {
		struct reader *last = e->nreaders > 0 ? &e->readers[e->nreaders - 1] : NULL;

		if (last && compare_readers(last, &e->readers[i]) == 0)
			last->held |= e->readers[i].held;
		else
			e->readers[e->nreaders++] = e->readers[i];
	}
	for (size_t i = 0, l = 0; l <= e->in->nlocks; l++) {
		while (i < e->nreaders && e->readers[i].lock < l)
			i++;
		e->reader_from[l] = i;
	}
}

/*
 * A run with the last access, cut before it, is one in which it is next; and where it is
 * next it can follow, since a write always can and a read at the goal sees any value.
 */
bool hd_pddl_last_follows(const struct hd_instance *in, const struct hd_step_goal *goal)
{
	uint8_t kind;

	if (goal->nnext > 0 || goal->norder < 2 || goal->open_end)
		return false;
	kind = in->steps[goal->order[goal->norder - 1]].kind;
	return kind == HD_STEP_WRITE ||
	       (kind == HD_STEP_READ && !in->steps[goal->order[goal->norder - 1]].firm);
}

static void encoding_free(struct encoding *e)
{
	hd_step_index_free(&e->index);
	free(e->writes);
	free(e->writes_from);
	free(e->readers);
	free(e->reader_from);
	free(e->held);
}

static enum hd_err encoding_make(struct encoding *e, const struct hd_instance *in,
				 const struct hd_step_goal *goal)
{
	enum hd_err err;

	*e = (struct encoding){ .in = in, .goal = goal };
	err = hd_step_index_make(&e->index, in, goal, NULL);
	if (err)
		return err;
	e->writes = malloc((in->nsteps + 1) * sizeof *e->writes);
	e->writes_from = calloc((size_t)in->nlocations + 2, sizeof *e->writes_from);
	e->readers = malloc((in->nsteps + 1) * sizeof *e->readers);
	e->reader_from = calloc((size_t)in->nlocks + 1, sizeof *e->reader_from);
	e->held = calloc((size_t)in->nlocks + 1, sizeof *e->held);
	if (!e->writes || !e->writes_from || !e->readers || !e->reader_from || !e->held) {
		encoding_free(e);
		return HD_ERR_NOMEM;
	}
	collect_writes(e);
	collect_holders(e);
	e->last_follows = hd_pddl_last_follows(in, goal);
	e->planned = goal->norder - (e->last_follows || (goal->open_end && goal->norder > 0));
	return HD_OK;
}

/* Is @pos the step @from, or one that comes after it in its thread? */
static bool comes_from(const struct encoding *e, uint32_t pos, uint32_t from)
{
	return e->in->steps[from].thread == e->in->steps[pos].thread &&
	       e->index.ordinal[from] <= e->index.ordinal[pos];
}

/* Is @pos a step that must not happen, or one that comes after it? Then it has no action. */
static bool is_cut(const struct encoding *e, uint32_t pos)
{
	/* Plans are cut before a last step that is left open, unless the end matters as well. */
	bool cut = e->goal->nnext > 0 && e->goal->open_end && e->goal->norder > 0 &&
		   comes_from(e, pos, e->goal->order[e->planned]);

	for (size_t i = 0; !cut && i < e->goal->nnext; i++)
		cut = comes_from(e, pos, e->goal->next[i]);
	return cut;
}

/* ---- names -------------------------------------------------------------------------- */

/* "1_2": the second step of the first thread */
static void put_number(struct encoding *e, uint32_t pos)
{
	fprintf(e->out, "%u_%u", e->in->steps[pos].thread + 1, e->index.ordinal[pos]);
}

static void put_step(struct encoding *e, const char *fact, uint32_t pos)
{
	fprintf(e->out, " (%s t", fact);
	put_number(e, pos);
	fputc(')', e->out);
}

/* The object for "@write was the last to @location"; HD_NO_STEP is the initial value. */
static void put_version(struct encoding *e, uint32_t location, uint32_t write)
{
	fprintf(e->out, "x%u_", location);
	if (write == HD_NO_STEP)
		fputs("init", e->out);
	else
		put_number(e, write);
}

static void put_goal_name(struct encoding *e, size_t i)
{
	static const char *const of_pattern[] = { "e1", "f", "e2" };

	if (e->goal->norder <= 3)
		fputs(of_pattern[i], e->out);
	else
		fprintf(e->out, "e%zu", i + 1);
}

static void put_happened(struct encoding *e, size_t i)
{
	fputs(" (Happened ", e->out);
	put_goal_name(e, i);
	fputc(')', e->out);
}

/* The object for a permit of semaphore @s: posted by @post, or the @k'th at the start. */
static void put_permit(struct encoding *e, uint32_t s, uint32_t post, uint32_t k)
{
	fprintf(e->out, "s%u_", s);
	if (post == HD_NO_STEP)
		fprintf(e->out, "init%u", k);
	else
		put_number(e, post);
}

/* ---- actions ------------------------------------------------------------------------ */

enum coupling {
	COUPLED_ONLY, /* the only write that the read can see, or not a read */
	COUPLED_ONE,
	COUPLED_INIT, /* with a permit of the start, by its number */
	COUPLED_FREE,
};

static void put_action_name(struct encoding *e, uint32_t pos, enum coupling coupling,
			    uint32_t write)
{
	fputs("Ac", e->out);
	put_number(e, pos);
	if (coupling == COUPLED_FREE) {
		fputs("-free", e->out);
	} else if (coupling == COUPLED_INIT) {
		fprintf(e->out, "-coupled_init%u", write);
	} else if (coupling == COUPLED_ONE && write == HD_NO_STEP) {
		fputs("-coupled_init", e->out);
	} else if (coupling == COUPLED_ONE) {
		fputs("-coupled_", e->out);
		put_number(e, write);
	}
}

static void put_lock_precondition(struct encoding *e, const struct hd_step *s)
{
	fprintf(e->out, " (Available l%u)", s->object);
	if (s->shared)
		return;
	for (size_t i = e->reader_from[s->object]; i < e->reader_from[s->object + 1]; i++)
		fprintf(e->out, " (Unread l%u_t%u)", s->object, e->readers[i].thread + 1);
}

static void put_join_precondition(struct encoding *e, uint32_t thread)
{
	uint32_t last = hd_step_last(&e->index, thread);

	if (last == HD_NO_STEP)
		last = e->index.fork[thread];
	if (last != HD_NO_STEP)
		put_step(e, "Done", last);
}

/* A permit for a DOWN, be it the start's or a POST's */
static void put_permit_fact(struct encoding *e, uint32_t semaphore, enum coupling coupling,
			    uint32_t which)
{
	fputs(" (Permit ", e->out);
	put_permit(e, semaphore, coupling == COUPLED_INIT ? HD_NO_STEP : which, which);
	fputc(')', e->out);
}

/* Inside the section that @start takes, or, if it is a release, that it ends. */
static void put_inside(struct encoding *e, uint32_t start)
{
	bool takes = e->in->steps[start].kind == HD_STEP_ACQUIRE;
	uint32_t end = takes ? e->index.match[start] : start;

	if (takes)
		put_step(e, "Done", start);
	if (end != HD_NO_STEP)
		put_step(e, "Not_Executed", end);
}

static void put_precondition(struct encoding *e, uint32_t pos, enum coupling coupling,
			     uint32_t write)
{
	const struct hd_step *s = &e->in->steps[pos];
	uint32_t enabler = hd_step_enabler(&e->index, e->in, pos);

	fputs("    :precondition (and", e->out);
	if (enabler != HD_NO_STEP)
		put_step(e, "Done", enabler);
	put_step(e, "Not_Executed", pos);
	if (hd_step_sees(e->in, e->goal, pos) && coupling != COUPLED_FREE) {
		fputs(" (Last_Write ", e->out);
		put_version(e, s->object, write);
		fputc(')', e->out);
	}
	if (s->kind == HD_STEP_ACQUIRE && !e->index.nested[pos])
		put_lock_precondition(e, s);
	if (s->kind == HD_STEP_JOIN)
		put_join_precondition(e, s->object);
	if (s->kind == HD_STEP_DOWN)
		put_permit_fact(e, s->object, coupling, write);
	if (s->kind == HD_STEP_FAIL)
		put_inside(e, write);
	for (size_t i = 1; i < e->goal->norder; i++)
		if (e->goal->order[i] == pos)
			put_happened(e, i - 1);
	fputs(")\n", e->out);
}

static void put_versions_deleted(struct encoding *e, uint32_t location, uint32_t but)
{
	fputs(" (not (Last_Write ", e->out);
	put_version(e, location, HD_NO_STEP);
	fputs("))", e->out);
	for (uint32_t i = e->writes_from[location]; i < e->writes_from[location + 1]; i++) {
		if (e->writes[i] == but)
			continue;
		fputs(" (not (Last_Write ", e->out);
		put_version(e, location, e->writes[i]);
		fputs("))", e->out);
	}
}

static void put_lock_effect(struct encoding *e, const struct hd_step *s)
{
	const char *before = s->kind == HD_STEP_ACQUIRE ? " (not" : "";
	const char *after = s->kind == HD_STEP_ACQUIRE ? ")" : "";

	if (s->shared)
		fprintf(e->out, "%s (Unread l%u_t%u)%s", before, s->object, s->thread + 1, after);
	else
		fprintf(e->out, "%s (Available l%u)%s", before, s->object, after);
}

static void put_effect(struct encoding *e, uint32_t pos, enum coupling coupling, uint32_t write)
{
	const struct hd_step *s = &e->in->steps[pos];

	fputs("    :effect (and", e->out);
	/* After a read of another value, what comes next is not known. */
	if (coupling != COUPLED_FREE)
		put_step(e, "Done", pos);
	fputs(" (not", e->out);
	put_step(e, "Not_Executed", pos);
	fputc(')', e->out);
	if (s->kind == HD_STEP_WRITE) {
		put_versions_deleted(e, s->object, pos);
		fputs(" (Last_Write ", e->out);
		put_version(e, s->object, pos);
		fputc(')', e->out);
	}
	if (hd_step_locks(s) && !e->index.nested[pos])
		put_lock_effect(e, s);
	if (s->kind == HD_STEP_POST)
		put_permit_fact(e, s->object, COUPLED_ONE, pos);
	if (s->kind == HD_STEP_DOWN) {
		fputs(" (not", e->out);
		put_permit_fact(e, s->object, coupling, write);
		fputc(')', e->out);
	}
	for (size_t i = 0; i < e->planned; i++)
		if (e->goal->order[i] == pos)
			put_happened(e, i);
	fputs("))\n", e->out);
}

static void put_action(struct encoding *e, uint32_t pos, enum coupling coupling, uint32_t write)
{
	fputs("\n  (:action ", e->out);
	put_action_name(e, pos, coupling, write);
	fputs("\n    :parameters ()\n", e->out);
	put_precondition(e, pos, coupling, write);
	put_effect(e, pos, coupling, write);
}

/* The writes that a read may be coupled with: those of the value that it saw. */
static void put_read_actions(struct encoding *e, uint32_t pos)
{
	const struct hd_step *s = &e->in->steps[pos];
	uint32_t from = e->writes_from[s->object], to = e->writes_from[s->object + 1];
	bool from_init = hd_initial_value(e->in, s->object) == s->value;
	size_t n = from_init;
	enum coupling coupling;

	for (uint32_t i = from; i < to; i++)
		n += e->in->steps[e->writes[i]].value == s->value;
	coupling = n == 1 ? COUPLED_ONLY : COUPLED_ONE;
	if (from_init)
		put_action(e, pos, coupling, HD_NO_STEP);
	for (uint32_t i = from; i < to; i++)
		if (e->in->steps[e->writes[i]].value == s->value)
			put_action(e, pos, coupling, e->writes[i]);
	if (!hd_step_is_free(e->in, e->goal, pos))
		return;
	if (e->planned == e->goal->norder || e->goal->order[e->planned] != pos)
		put_action(e, pos, COUPLED_FREE, HD_NO_STEP);
}

/* A permit that was posted or there at the start; any of them will do. */
static void put_down_actions(struct encoding *e, uint32_t pos)
{
	uint32_t s = e->in->steps[pos].object;

	for (uint32_t k = 0; e->in->permits && k < e->in->permits[s]; k++)
		put_action(e, pos, COUPLED_INIT, k);
	for (uint32_t i = 0; i < e->in->nsteps; i++)
		if (e->in->steps[i].kind == HD_STEP_POST && e->in->steps[i].object == s)
			put_action(e, pos, COUPLED_ONE, i);
}

/* A section that the try may be inside of */
static void put_fail_actions(struct encoding *e, uint32_t pos)
{
	const struct hd_step *s = &e->in->steps[pos];

	for (uint32_t i = 0; i < e->in->nsteps; i++) {
		const struct hd_step *o = &e->in->steps[i];

		if (hd_step_locks(o) && o->object == s->object && !(s->shared && o->shared) &&
		    !e->index.nested[i] &&
		    (o->kind == HD_STEP_ACQUIRE || e->index.match[i] == HD_NO_STEP))
			put_action(e, pos, COUPLED_ONE, i);
	}
}

/* ---- the two files ------------------------------------------------------------------ */

/* All permits of the start. */
static void put_permits(struct encoding *e, const char *before, const char *after)
{
	for (uint32_t s = 0; e->in->permits && s < e->in->nsemaphores; s++)
		for (uint32_t k = 0; k < e->in->permits[s]; k++) {
			fputs(before, e->out);
			put_permit(e, s, HD_NO_STEP, k);
			fputs(after, e->out);
		}
}

static void put_constants(struct encoding *e)
{
	fputs("  (:constants", e->out);
	for (uint32_t i = 0; i < e->in->nsteps; i++) {
		fputs("\n    t", e->out);
		put_number(e, e->index.of_thread[i]);
	}
	for (uint32_t x = 0; x < e->in->nlocations; x++) {
		fputs("\n    ", e->out);
		put_version(e, x, HD_NO_STEP);
		for (uint32_t i = e->writes_from[x]; i < e->writes_from[x + 1]; i++) {
			fputc(' ', e->out);
			put_version(e, x, e->writes[i]);
		}
	}
	for (uint32_t l = 0; l < e->in->nlocks; l++) {
		fprintf(e->out, "\n    l%u", l);
		for (size_t i = e->reader_from[l]; i < e->reader_from[l + 1]; i++)
			fprintf(e->out, " l%u_t%u", l, e->readers[i].thread + 1);
	}
	put_permits(e, "\n    ", "");
	for (uint32_t i = 0; i < e->in->nsteps; i++)
		if (e->in->steps[i].kind == HD_STEP_POST) {
			fputs("\n    ", e->out);
			put_permit(e, e->in->steps[i].object, i, 0);
		}
	if (e->planned > 0)
		fputs("\n   ", e->out);
	for (size_t i = 0; i < e->planned; i++) {
		fputc(' ', e->out);
		put_goal_name(e, i);
	}
	fputs(")\n", e->out);
}

static void put_domain(struct encoding *e)
{
	fputs("(define (domain prediction)\n  (:requirements :strips)\n", e->out);
	put_constants(e);
	fputs("  (:predicates (Done ?step) (Not_Executed ?step) (Last_Write ?version)\n"
	      "    (Available ?lock) (Unread ?lock-and-thread) (Permit ?permit)\n"
	      "    (Happened ?step))\n",
	      e->out);
	for (uint32_t i = 0; i < e->in->nsteps; i++) {
		uint32_t pos = e->index.of_thread[i];

		if (is_cut(e, pos))
			continue;
		if (hd_step_sees(e->in, e->goal, pos))
			put_read_actions(e, pos);
		else if (e->in->steps[pos].kind == HD_STEP_DOWN)
			put_down_actions(e, pos);
		else if (e->in->steps[pos].kind == HD_STEP_FAIL)
			put_fail_actions(e, pos);
		else
			put_action(e, pos, COUPLED_ONLY, HD_NO_STEP);
	}
	fputs(")\n", e->out);
}

static void put_init(struct encoding *e)
{
	fputs("  (:init", e->out);
	for (uint32_t i = 0; i < e->in->nsteps; i++) {
		fputs("\n   ", e->out);
		put_step(e, "Not_Executed", e->index.of_thread[i]);
	}
	for (uint32_t x = 0; x < e->in->nlocations; x++) {
		fputs("\n    (Last_Write ", e->out);
		put_version(e, x, HD_NO_STEP);
		fputc(')', e->out);
	}
	put_permits(e, "\n    (Permit ", ")");
	for (uint32_t l = 0; l < e->in->nlocks; l++)
		if (!e->held[l])
			fprintf(e->out, "\n    (Available l%u)", l);
	for (size_t i = 0; i < e->nreaders; i++)
		if (!e->readers[i].held)
			fprintf(e->out, "\n    (Unread l%u_t%u)", e->readers[i].lock,
				e->readers[i].thread + 1);
	fputs(")\n", e->out);
}

/* @pos is the next of its thread */
static void put_is_next(struct encoding *e, uint32_t pos)
{
	uint32_t enabler = hd_step_enabler(&e->index, e->in, pos);

	if (enabler != HD_NO_STEP)
		put_step(e, "Done", enabler);
}

static void put_problem(struct encoding *e)
{
	fputs("(define (problem goal)\n  (:domain prediction)\n", e->out);
	put_init(e);
	fputs("  (:goal (and", e->out);
	if (e->planned > 0)
		put_happened(e, e->planned - 1);
	if (e->last_follows)
		put_is_next(e, e->goal->order[e->planned]);
	for (size_t i = 0; i < e->goal->nnext; i++) {
		put_is_next(e, e->goal->next[i]);
		put_step(e, "Not_Executed", e->goal->next[i]);
	}
	fputs(")))\n", e->out);
}

enum hd_err hd_pddl_write(const struct hd_instance *instance, const struct hd_step_goal *goal,
			  FILE *domain, FILE *problem)
{
	struct encoding e;
	enum hd_err err = encoding_make(&e, instance, goal);

	if (err)
		return err;
	e.out = domain;
	put_domain(&e);
	e.out = problem;
	put_problem(&e);
	encoding_free(&e);
	if (fflush(domain) || fflush(problem) || ferror(domain) || ferror(problem))
		return HD_ERR_IO;
	return HD_OK;
}
