#include "validate.h"

#include <stdlib.h>

#define NEVER	SIZE_MAX
#define NO_STEP UINT32_MAX

/* --- the run ------------------------------------------------------------------------------- */

/* What is done with each object, in order: that of object x is steps[from[x]] to steps[from[x + 1]]. */
struct uses {
	uint32_t *from, *steps;
};

/*
 * What the run does, by thread and by object: what holds after any of its steps is found without
 * going through all before it.
 */
struct hd_validator {
	const struct hd_instance *in;
	struct uses threads, writes, locks, semaphores;
	uint32_t *fork_at;	    /* of each thread: the step that forks it, or NO_STEP */
	uint32_t *held_by;	    /* of each lock at the start: thread + 1 that holds it alone */
	uint32_t *shared_by;	    /* and how many threads share it */
	uint32_t *writer, *readers; /* the same after each of locks.steps */
	uint32_t *permits;	    /* after each of semaphores.steps */
};

static bool is_write(const struct hd_step *s)
{
	return s->kind == HD_STEP_WRITE;
}

static bool is_of_lock(const struct hd_step *s)
{
	return s->kind == HD_STEP_ACQUIRE || s->kind == HD_STEP_RELEASE;
}

static bool is_of_semaphore(const struct hd_step *s)
{
	return s->kind == HD_STEP_POST || s->kind == HD_STEP_DOWN;
}

/* The steps that are @wanted (NULL: all), by their objects (NULL: by their threads). */
static bool list_uses(struct uses *u, const struct hd_instance *in, uint32_t n,
		      bool (*wanted)(const struct hd_step *))
{
	uint32_t *from = calloc(n + 2ul, sizeof(*from)), all = 0;

	u->from = from;
	if (!from)
		return false;
	/* from[x + 2] counts; then from[x + 1] is where the next one of x goes: its end at last. */
	for (size_t i = 0; i < in->nsteps; i++) {
		const struct hd_step *s = &in->steps[i];

		if (!wanted || wanted(s)) {
			from[(wanted ? s->object : s->thread) + 2]++;
			all++;
		}
	}
	for (uint32_t x = 0; x < n; x++)
		from[x + 2] += from[x + 1];
	u->steps = malloc((all + 1ul) * sizeof(*u->steps));
	for (size_t i = 0; u->steps && i < in->nsteps; i++) {
		const struct hd_step *s = &in->steps[i];

		if (!wanted || wanted(s))
			u->steps[from[(wanted ? s->object : s->thread) + 1]++] = (uint32_t)i;
	}
	return u->steps;
}

/* How many of @x's uses come before step @step, counted from the first of all objects. */
static uint32_t uses_before(const struct uses *u, uint32_t x, size_t step)
{
	uint32_t low = u->from[x], high = u->from[x + 1];

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (u->steps[mid] < step)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * What a thread gives back before it takes it, it has held from the start. Of those who share a lock only the
 * number counts. @met: of each thread, 1 + the lock in which it was met last.
 */
static void find_held(struct hd_validator *v, uint32_t lock, uint32_t *met)
{
	for (uint32_t k = v->locks.from[lock]; k < v->locks.from[lock + 1]; k++) {
		const struct hd_step *s = &v->in->steps[v->locks.steps[k]];

		if (met[s->thread] == lock + 1)
			continue;
		met[s->thread] = lock + 1;
		if (s->kind != HD_STEP_RELEASE)
			continue;
		if (s->shared)
			v->shared_by[lock]++;
		else
			v->held_by[lock] = s->thread + 1;
	}
}

/* Who has a lock after each of its uses: nobody asks whether that could be, for it was. */
static void follow_lock(struct hd_validator *v, uint32_t lock)
{
	uint32_t writer = v->held_by[lock], readers = v->shared_by[lock];

	for (uint32_t k = v->locks.from[lock]; k < v->locks.from[lock + 1]; k++) {
		const struct hd_step *s = &v->in->steps[v->locks.steps[k]];

		if (s->kind == HD_STEP_ACQUIRE && s->shared)
			readers++;
		else if (s->kind == HD_STEP_ACQUIRE)
			writer = s->thread + 1;
		else if (!s->shared)
			writer = 0;
		else if (readers)
			readers--;
		v->writer[k] = writer;
		v->readers[k] = readers;
	}
}

static void follow_semaphore(struct hd_validator *v, uint32_t x)
{
	uint32_t permits = v->in->permits ? v->in->permits[x] : 0;

	for (uint32_t k = v->semaphores.from[x]; k < v->semaphores.from[x + 1]; k++) {
		permits += v->in->steps[v->semaphores.steps[k]].kind == HD_STEP_POST ? 1u : -1u;
		v->permits[k] = permits;
	}
}

static bool follow_run(struct hd_validator *v)
{
	const struct hd_instance *in = v->in;
	uint32_t *met = calloc(in->nthreads + 1ul, sizeof(*met));

	if (!met)
		return false;
	for (uint32_t t = 0; t < in->nthreads; t++)
		v->fork_at[t] = NO_STEP;
	for (size_t i = in->nsteps; i-- > 0;)
		if (in->steps[i].kind == HD_STEP_FORK)
			v->fork_at[in->steps[i].object] = (uint32_t)i;
	for (uint32_t l = 0; l < in->nlocks; l++) {
		find_held(v, l, met);
		follow_lock(v, l);
	}
	for (uint32_t x = 0; x < in->nsemaphores; x++)
		follow_semaphore(v, x);
	free(met);
	return true;
}

enum hd_err hd_validator_new(struct hd_validator **out, const struct hd_instance *in)
{
	struct hd_validator *v = *out = calloc(1, sizeof(*v));
	uint32_t nlocks, npermits;

	if (!v)
		return HD_ERR_NOMEM;
	v->in = in;
	if (!list_uses(&v->threads, in, in->nthreads, NULL) ||
	    !list_uses(&v->writes, in, in->nlocations, is_write) ||
	    !list_uses(&v->locks, in, in->nlocks, is_of_lock) ||
	    !list_uses(&v->semaphores, in, in->nsemaphores, is_of_semaphore))
		goto no_memory;
	nlocks = v->locks.from[in->nlocks];
	npermits = v->semaphores.from[in->nsemaphores];
	v->fork_at = malloc((in->nthreads + 1ul) * sizeof(*v->fork_at));
	v->held_by = calloc(in->nlocks + 1ul, sizeof(*v->held_by));
	v->shared_by = calloc(in->nlocks + 1ul, sizeof(*v->shared_by));
	v->writer = malloc((nlocks + 1ul) * sizeof(*v->writer));
	v->readers = malloc((nlocks + 1ul) * sizeof(*v->readers));
	v->permits = malloc((npermits + 1ul) * sizeof(*v->permits));
	if (v->fork_at && v->held_by && v->shared_by && v->writer && v->readers && v->permits &&
	    follow_run(v))
		return HD_OK;
no_memory:
	hd_validator_free(v);
	*out = NULL;
	return HD_ERR_NOMEM;
}

static void free_uses(struct uses *u)
{
	free(u->from);
	free(u->steps);
}

void hd_validator_free(struct hd_validator *v)
{
	if (!v)
		return;
	free_uses(&v->threads);
	free_uses(&v->writes);
	free_uses(&v->locks);
	free_uses(&v->semaphores);
	free(v->fork_at);
	free(v->held_by);
	free(v->shared_by);
	free(v->writer);
	free(v->readers);
	free(v->permits);
	free(v);
}

/* --- the schedule -------------------------------------------------------------------------- */

/* An object in the schedule, as far as that has come. */
struct place {
	uint32_t key; /* object + 1; 0: there is none */
	uint32_t writer, readers, permits;
	uint64_t value;
};

/* Those that the schedule has used; what they were before that is read from the run. */
struct places {
	struct place *list;
	size_t mask;
};

struct judge {
	const struct hd_validator *v;
	const struct hd_instance *in;
	const struct hd_step_goal *goal;
	struct hd_errbuf *eb;
	size_t base; /* steps before this have happened as observed */
	size_t when
		[HD_STEP_GOAL_MAX]; /* place of each step of the order in the schedule, or NEVER */
	uint32_t *thread_next;	    /* of each thread: which of v->threads.steps comes next */
	bool *unborn, *derailed;
	struct places memory, locks, semaphores;
};

static enum hd_err wrong(struct judge *j, size_t place, uint32_t step, const char *what)
{
	return hd_fail(j->eb, HD_ERR_INVALID, "place %zu of the schedule, step %u: %s", place, step,
		       what);
}

static bool make_places(struct places *p, size_t uses)
{
	size_t room = 16;

	while (room < 2 * uses)
		room *= 2;
	p->mask = room - 1;
	p->list = calloc(room, sizeof(*p->list));
	return p->list;
}

static bool allocate(struct judge *j, size_t nsteps)
{
	size_t n = j->in->nthreads + 1ul;

	j->thread_next = malloc(n * sizeof(*j->thread_next));
	j->unborn = calloc(n, sizeof(*j->unborn));
	j->derailed = calloc(n, sizeof(*j->derailed));
	return j->thread_next && j->unborn && j->derailed && make_places(&j->memory, nsteps) &&
	       make_places(&j->locks, nsteps) && make_places(&j->semaphores, nsteps);
}

/* *@new: nobody has asked for it before. */
static struct place *place_of(struct places *p, uint32_t object, bool *new)
{
	size_t i = (object * 0x9e3779b97f4a7c15ull >> 20) & p->mask;

	while (p->list[i].key && p->list[i].key != object + 1)
		i = (i + 1) & p->mask;
	*new = !p->list[i].key;
	p->list[i].key = object + 1;
	return &p->list[i];
}

static uint64_t *memory_at(struct judge *j, uint32_t x)
{
	const struct uses *u = &j->v->writes;
	bool new;
	struct place *p = place_of(&j->memory, x, &new);
	uint32_t k = new ? uses_before(u, x, j->base) : 0;

	if (new &&k > u->from[x])
		p->value = j->in->steps[u->steps[k - 1]].value;
	else if (new)
		p->value = j->in->init ? j->in->init[x] : 0;
	return &p->value;
}

static struct place *lock_at(struct judge *j, uint32_t x)
{
	const struct uses *u = &j->v->locks;
	bool new;
	struct place *p = place_of(&j->locks, x, &new);
	uint32_t k = new ? uses_before(u, x, j->base) : 0;

	if (!new)
		return p;
	p->writer = k > u->from[x] ? j->v->writer[k - 1] : j->v->held_by[x];
	p->readers = k > u->from[x] ? j->v->readers[k - 1] : j->v->shared_by[x];
	return p;
}

static uint32_t *permits_at(struct judge *j, uint32_t x)
{
	const struct uses *u = &j->v->semaphores;
	bool new;
	struct place *p = place_of(&j->semaphores, x, &new);
	uint32_t k = new ? uses_before(u, x, j->base) : 0;

	if (new &&k > u->from[x])
		p->permits = j->v->permits[k - 1];
	else if (new)
		p->permits = j->in->permits ? j->in->permits[x] : 0;
	return &p->permits;
}

/* The step that @thread has to do next, or NO_STEP. */
static uint32_t next_of(const struct judge *j, uint32_t thread)
{
	uint32_t k = j->thread_next[thread];

	return k < j->v->threads.from[thread + 1] ? j->v->threads.steps[k] : NO_STEP;
}

static void start(struct judge *j)
{
	for (size_t i = 0; i < HD_STEP_GOAL_MAX; i++)
		j->when[i] = i < j->goal->norder && j->goal->order[i] < j->base ? j->goal->order[i]
										: NEVER;
	for (uint32_t t = 0; t < j->in->nthreads; t++) {
		j->thread_next[t] = uses_before(&j->v->threads, t, j->base);
		j->unborn[t] = j->v->fork_at[t] != NO_STEP && j->v->fork_at[t] >= j->base;
	}
}

/* May this read see another value: is it the last of the goal's order in its thread? */
static bool may_differ(const struct judge *j, uint32_t step)
{
	uint32_t last = UINT32_MAX;

	if (j->in->steps[step].firm)
		return false;
	for (size_t i = 0; i < j->goal->norder; i++)
		if (j->in->steps[j->goal->order[i]].thread == j->in->steps[step].thread)
			last = j->goal->order[i];
	return last == step;
}

static const char *read_memory(struct judge *j, const struct hd_step *s, uint32_t step)
{
	if (*memory_at(j, s->object) == s->value)
		return NULL;
	if ((j->goal->ignore_values && !s->firm) || (j->goal->ignore_assumed && s->assumed))
		return NULL;
	j->derailed[s->thread] = true;
	return may_differ(j, step) ? NULL : "reads another value";
}

static const char *lock(struct judge *j, const struct hd_step *s)
{
	struct place *l = lock_at(j, s->object);

	if (l->writer || (!s->shared && l->readers))
		return "takes a lock that is held";
	if (s->shared)
		l->readers++;
	else
		l->writer = s->thread + 1;
	return NULL;
}

static const char *unlock(struct judge *j, const struct hd_step *s)
{
	struct place *l = lock_at(j, s->object);

	if (s->shared ? !l->readers : l->writer != s->thread + 1)
		return "gives back a lock that is not held";
	if (s->shared)
		l->readers--;
	else
		l->writer = 0;
	return NULL;
}

static const char *fail_to_lock(struct judge *j, const struct hd_step *s)
{
	const struct place *l = lock_at(j, s->object);

	return l->writer || (!s->shared && l->readers) ? NULL : "fails to take a lock that is free";
}

static const char *happen(struct judge *j, uint32_t step)
{
	const struct hd_step *s = &j->in->steps[step];

	switch (s->kind) {
	case HD_STEP_READ:
		return read_memory(j, s, step);
	case HD_STEP_WRITE:
		*memory_at(j, s->object) = s->value;
		return NULL;
	case HD_STEP_ACQUIRE:
		return lock(j, s);
	case HD_STEP_RELEASE:
		return unlock(j, s);
	case HD_STEP_FORK:
		j->unborn[s->object] = false;
		return NULL;
	case HD_STEP_JOIN:
		return next_of(j, s->object) != NO_STEP || j->derailed[s->object] ||
				       j->unborn[s->object]
			       ? "joins a thread that has not ended"
			       : NULL;
	case HD_STEP_POST:
		++*permits_at(j, s->object);
		return NULL;
	case HD_STEP_DOWN:
		return (*permits_at(j, s->object))-- ? NULL : "takes a permit that is not there";
	case HD_STEP_FAIL:
		return fail_to_lock(j, s);
	default:
		return NULL;
	}
}

static enum hd_err follow_schedule(struct judge *j, const uint32_t *steps, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t place = j->base + i;
		const struct hd_step *s;
		const char *fault;

		if (steps[i] >= j->in->nsteps)
			return wrong(j, place, steps[i], "is not in the run");
		s = &j->in->steps[steps[i]];
		if (next_of(j, s->thread) != steps[i])
			return wrong(j, place, steps[i], "is not the next of its thread");
		if (j->unborn[s->thread])
			return wrong(j, place, steps[i], "comes before the fork of its thread");
		if (j->derailed[s->thread])
			return wrong(j, place, steps[i], "comes after a read of another value");
		j->thread_next[s->thread]++;
		fault = happen(j, steps[i]);
		if (fault)
			return wrong(j, place, steps[i], fault);
		for (size_t k = 0; k < j->goal->norder; k++)
			if (j->goal->order[k] == steps[i])
				j->when[k] = place;
	}
	return HD_OK;
}

static enum hd_err check_goal(struct judge *j)
{
	const struct hd_step_goal *g = j->goal;
	size_t must = g->norder - (g->open_end && g->norder);

	for (size_t i = 0; i < must; i++) {
		if (j->when[i] == NEVER)
			return hd_fail(j->eb, HD_ERR_INVALID, "step %u of the goal does not happen",
				       g->order[i]);
		if (i && j->when[i] <= j->when[i - 1])
			return hd_fail(j->eb, HD_ERR_INVALID, "step %u of the goal is too early",
				       g->order[i]);
	}
	if (must < g->norder && j->when[must] != NEVER)
		return hd_fail(j->eb, HD_ERR_INVALID, "step %u happens, which should be left open",
			       g->order[must]);
	for (size_t i = 0; i < g->nnext; i++) {
		uint32_t t = j->in->steps[g->next[i]].thread;

		if (next_of(j, t) != g->next[i] || j->derailed[t] || j->unborn[t])
			return hd_fail(j->eb, HD_ERR_INVALID, "step %u is not next at the end",
				       g->next[i]);
	}
	return HD_OK;
}

static enum hd_err check_names(struct judge *j)
{
	const struct hd_step_goal *g = j->goal;

	if (g->norder > HD_STEP_GOAL_MAX || g->nnext > HD_STEP_GOAL_MAX)
		return hd_fail(j->eb, HD_ERR_INVALID, "the goal has too many steps");
	for (size_t i = 0; i < g->norder; i++)
		if (g->order[i] >= j->in->nsteps)
			return hd_fail(j->eb, HD_ERR_INVALID, "the goal is not in the run");
	for (size_t i = 0; i < g->nnext; i++)
		if (g->next[i] >= j->in->nsteps)
			return hd_fail(j->eb, HD_ERR_INVALID, "the goal is not in the run");
	return HD_OK;
}

enum hd_err hd_validator_check(const struct hd_validator *v, const struct hd_step_goal *goal,
			       size_t observed, const uint32_t *steps, size_t nsteps,
			       struct hd_errbuf *eb)
{
	struct judge j = { .v = v, .in = v->in, .goal = goal, .eb = eb, .base = observed };
	enum hd_err err = observed <= v->in->nsteps ? check_names(&j) : HD_ERR_INVALID;

	if (!err && !allocate(&j, nsteps))
		err = hd_fail(eb, HD_ERR_NOMEM, "out of memory while checking a schedule");
	if (!err) {
		start(&j);
		err = follow_schedule(&j, steps, nsteps);
	}
	if (!err)
		err = check_goal(&j);
	free(j.thread_next);
	free(j.unborn);
	free(j.derailed);
	free(j.memory.list);
	free(j.locks.list);
	free(j.semaphores.list);
	return err;
}

enum hd_err hd_validate(const struct hd_instance *in, const struct hd_step_goal *goal,
			const uint32_t *steps, size_t nsteps, struct hd_errbuf *eb)
{
	struct hd_validator *v;
	enum hd_err err = hd_validator_new(&v, in);

	if (err)
		return hd_fail(eb, err, "out of memory while checking a schedule");
	err = hd_validator_check(v, goal, 0, steps, nsteps, eb);
	hd_validator_free(v);
	return err;
}
