/*
 * Dependences between sibling tasks.
 *
 * For each place that children of a task have named: the tasks that wrote it last (one `out` or
 * `inout`, or a set of `mutexinoutset`), and those that have read it since. A reader is after the
 * writers; a writer is after the readers and the writers; members of a mutexinoutset are not
 * ordered among themselves but never run at the same time, as if they held a lock.
 */
#include "common/hash.h"
#include "omp_rt.h"

#include "runtime/thread/thread.h"

#define BUCKETS 64u

/* The end of a task: an object of the trace that its successors get. */
struct omp_done {
	uint32_t refs;
	bool over;
	struct omp_task **next; /* who waits for it */
	uint32_t nnext, cap_next;
};

struct omp_dones {
	struct omp_done **at;
	uint32_t n, cap;
};

struct omp_place {
	uint32_t
		owner; /* of the exclusion among a mutexinoutset; first: its address is the lock's */
	uintptr_t addr;
	struct omp_place *next;
	struct omp_dones writers, readers, before; /* before: what a mutexinoutset is after */
	bool exclusive;				   /* writers are such a set */
};

struct omp_deps {
	struct omp_place *bucket[BUCKETS];
};

enum kind { IN = 1, OUT = 2, INOUT = 3, MUTEX = 4, INOUTSET = 5 };

/* ---- ends ------------------------------------------------------------------------------ */

static void unref(struct omp_done *d)
{
	if (--d->refs)
		return;
	hd_rt_free(d->next, d->cap_next * sizeof(*d->next));
	hd_rt_free(d, sizeof(*d));
}

static void dones_add(struct omp_dones *l, struct omp_done *d)
{
	HD_RT_ROOM(l->at, l->cap, l->n, 2);
	d->refs++;
	l->at[l->n++] = d;
}

static void dones_clear(struct omp_dones *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		unref(l->at[i]);
	l->n = 0;
}

static void dones_free(struct omp_dones *l)
{
	dones_clear(l);
	hd_rt_free(l->at, l->cap * sizeof(*l->at));
}

static void place_free(struct omp_place *p)
{
	dones_free(&p->writers);
	dones_free(&p->readers);
	dones_free(&p->before);
	hd_rt_free(p, sizeof(*p));
}

void hd_omp_deps_free(struct omp_task *t)
{
	if (!t->deps)
		return;
	for (unsigned i = 0; i < BUCKETS; i++) {
		for (struct omp_place *p = t->deps->bucket[i], *next; p; p = next) {
			next = p->next;
			place_free(p);
		}
	}
	hd_rt_free(t->deps, sizeof(*t->deps));
	t->deps = NULL;
}

static struct omp_place *place_of(struct omp_task *parent, uintptr_t addr)
{
	struct omp_place **p;

	if (!parent->deps)
		parent->deps = hd_rt_alloc(sizeof(*parent->deps));
	p = &parent->deps->bucket[hd_hash_bits(addr, 6)];
	while (*p && (*p)->addr != addr)
		p = &(*p)->next;
	if (!*p) {
		*p = hd_omp_object(sizeof(**p));
		(*p)->addr = addr;
	}
	return *p;
}

/* ---- what is said ------------------------------------------------------------------------ */

/* One of the list that gcc makes: counts, then addresses by kind, then pointers to depobjs. */
struct list {
	void **at;
	uint32_t n, nout, nmutex, nin;
};

static struct list list_of(void **depend)
{
	uintptr_t n = (uintptr_t)depend[0];

	if (n)
		return (struct list){ .at = depend + 2,
				      .n = (uint32_t)n,
				      .nout = (uint32_t)(uintptr_t)depend[1],
				      .nin = (uint32_t)n - (uint32_t)(uintptr_t)depend[1] };
	return (struct list){ .at = depend + 5,
			      .n = (uint32_t)(uintptr_t)depend[1],
			      .nout = (uint32_t)(uintptr_t)depend[2],
			      .nmutex = (uint32_t)(uintptr_t)depend[3],
			      .nin = (uint32_t)(uintptr_t)depend[4] };
}

static uintptr_t item(const struct list *l, uint32_t i, enum kind *kind)
{
	void **object;

	*kind = i < l->nout ? INOUT : i < l->nout + l->nmutex ? MUTEX : IN;
	if (i < l->nout + l->nmutex + l->nin)
		return (uintptr_t)l->at[i];
	object = l->at[i]; /* a depobj: address and kind */
	*kind = (enum kind)(uintptr_t)object[1];
	return (uintptr_t)object[0];
}

static void after(struct omp_task *t, struct omp_done *d)
{
	for (uint32_t i = 0; i < t->nbefore; i++) {
		if (t->before[i] == d)
			return;
	}
	HD_RT_ROOM(t->before, t->cap_before, t->nbefore, 4);
	d->refs++;
	t->before[t->nbefore++] = d;
	if (d->over)
		return;
	HD_RT_ROOM(d->next, d->cap_next, d->nnext, 4);
	d->next[d->nnext++] = t;
	t->unmet++;
}

static void after_all(struct omp_task *t, const struct omp_dones *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		after(t, l->at[i]);
}

/* @t is after what is at @p as @kind asks for. */
static void find_before(struct omp_task *t, const struct omp_place *p, enum kind kind)
{
	if (kind == IN) {
		after_all(t, &p->writers);
	} else if (kind == MUTEX && p->exclusive && !p->readers.n) {
		after_all(t, &p->before);
	} else {
		after_all(t, &p->readers);
		after_all(t, &p->writers);
	}
}

/* From now on @d is part of what is at @p. */
static void enter(struct omp_place *p, struct omp_done *d, enum kind kind)
{
	if (kind == IN) {
		dones_add(&p->readers, d);
		return;
	}
	if (kind == MUTEX && p->exclusive && !p->readers.n) {
		dones_add(&p->writers, d);
		return;
	}
	dones_clear(&p->before);
	p->exclusive = kind == MUTEX;
	if (p->exclusive) {
		for (uint32_t i = 0; i < p->readers.n; i++)
			dones_add(&p->before, p->readers.at[i]);
		for (uint32_t i = 0; i < p->writers.n; i++)
			dones_add(&p->before, p->writers.at[i]);
	}
	dones_clear(&p->readers);
	dones_clear(&p->writers);
	dones_add(&p->writers, d);
}

static void want_alone(struct omp_task *t, struct omp_place *p)
{
	for (uint32_t i = 0; i < t->nalone; i++) {
		if (t->alone[i] == p)
			return;
	}
	HD_RT_ROOM(t->alone, t->cap_alone, t->nalone, 2);
	t->alone[t->nalone++] = p;
}

void hd_omp_depend(struct omp_task *t, void **depend)
{
	const struct list l = list_of(depend);
	enum kind kind;

	t->own_done = hd_omp_object(sizeof(*t->own_done));
	t->own_done->refs = 1;
	for (uint32_t i = 0; i < l.n; i++) {
		struct omp_place *p = place_of(t->parent, item(&l, i, &kind));

		find_before(t, p, kind);
		if (kind == MUTEX)
			want_alone(t, p);
	}
	/* Not before all are looked up: a task does not depend on itself. */
	for (uint32_t i = 0; i < l.n; i++) {
		struct omp_place *p = place_of(t->parent, item(&l, i, &kind));

		enter(p, t->own_done, kind);
	}
}

/* ---- its life ------------------------------------------------------------------------------ */

bool hd_omp_depend_free(const struct omp_task *t)
{
	for (uint32_t i = 0; i < t->nalone; i++) {
		if (t->alone[i]->owner)
			return false;
	}
	return true;
}

void hd_omp_depend_take(struct omp_task *t)
{
	for (uint32_t i = 0; i < t->nalone; i++)
		t->alone[i]->owner = t->fiber->id;
}

static void get_before(struct omp_task *t)
{
	for (uint32_t i = 0; i < t->nbefore; i++) {
		hd_rt_event(HD_OP_FUTURE_GET, (uintptr_t)t->before[i], 0, 0);
		unref(t->before[i]);
	}
	hd_rt_free(t->before, t->cap_before * sizeof(*t->before));
	t->before = NULL;
	t->nbefore = t->cap_before = 0;
}

/* What @t has alone, as an object of the trace. */
static uintptr_t lock_of(const struct omp_task *t, uint32_t i)
{
	return (uintptr_t)t->alone[i] | HD_DEPEND_TAG;
}

void hd_omp_depend_begin(struct omp_task *t)
{
	get_before(t);
	for (uint32_t i = 0; i < t->nalone; i++) {
		hd_rt_held_add(lock_of(t, i), HD_LOCK_OMP);
		hd_rt_event(HD_OP_ACQUIRE, lock_of(t, i), 0, HD_LOCK_OMP);
	}
}

static void give_back(struct omp_task *t)
{
	for (uint32_t i = t->nalone; i-- > 0;) {
		hd_rt_event(HD_OP_RELEASE, lock_of(t, i), 0, HD_LOCK_OMP);
		hd_rt_held_remove(lock_of(t, i));
		t->alone[i]->owner = 0;
	}
	hd_rt_free(t->alone, t->cap_alone * sizeof(*t->alone));
	t->alone = NULL;
	t->cap_alone = 0;
	if (t->nalone)
		hd_omp_offer(t->team);
	t->nalone = 0;
}

void hd_omp_depend_end(struct omp_task *t)
{
	struct omp_done *d = t->own_done;

	give_back(t);
	if (!d)
		return;
	hd_rt_event(HD_OP_FUTURE_PUT, (uintptr_t)d, 0, 0);
	d->over = true;
	for (uint32_t i = 0; i < d->nnext; i++) {
		struct omp_task *next = d->next[i];

		if (--next->unmet)
			continue;
		if (next->kind == OMP_EXPLICIT && !next->began)
			hd_omp_make_ready(next);
		else
			hd_omp_poke(next);
	}
	d->nnext = 0;
	t->own_done = NULL;
	unref(d);
}

/* ---- waiting without a task ------------------------------------------------------------------ */

static bool all_met(struct omp_task *t)
{
	return !t->unmet;
}

void hd_omp_depend_wait(struct omp_task *me, void **depend)
{
	const struct list l = list_of(depend);
	enum kind kind;

	for (uint32_t i = 0; i < l.n; i++) {
		struct omp_place *p = place_of(me, item(&l, i, &kind));

		find_before(me, p, kind);
	}
	hd_rt_point_before(HD_TS_TASKS, (uintptr_t)me);
	hd_omp_wait(me, all_met, false);
	get_before(me);
}

void GOMP_taskwait_depend(void **depend);

HD_EXPORT void GOMP_taskwait_depend(void **depend)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (me)
		hd_omp_depend_wait(me, depend);
}
