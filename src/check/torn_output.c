/*
 * What a program writes may well depend on the schedule: who did how much, how far others were. So a run
 * that only writes something else has failed by a pattern only if two things hold.
 *
 * The pattern is a torn operation: a thread reads a variable under a lock, gives the lock back, and goes by what it
 * has read when it writes the variable under the lock later on, though another thread wrote it in between. One that
 * looks again first, or waits in between, or writes what is there anyway, has thought of the others; and so has one
 * that does the same section twice. Two variables are torn apart only where no section uses both.
 *
 * And no serial order gives that output: with a lock held over the whole operation the program is run in some 200 other
 * orders, and what these write belongs to what is normal.
 */
#include "steps.h"

#include <string.h>

#include "campaign/sites.h"
#include "trace/event_meaning.h"

#define NO_LOCK 0u
#define BOTH	2u /* variables, at most */

struct variable {
	uint64_t addr, size;
};

/* From where the lock was taken to where it was given back; without a lock the access alone. */
struct section {
	uint64_t lock, access, begin, end; /* numbers of events */
	bool used[BOTH];
};

/* What the torn thread did between its two accesses and in the second one's section. */
struct operation {
	const struct hd_sites *at;
	struct variable of[BOTH];
	uint64_t e1, f;
	struct section first, last;
	uint32_t thread;
	bool waits; /* for others, in between */
	bool looks_again; /* at the variable, after the other thread's write and before the last section */
	bool writes;  /* in the first section, or in between */
	bool repeats; /* the last section has the place of the first access as well */
	bool begun,
		backwards; /* the first place was come to; after the last one, so it is of the next round of a loop */
	bool reads_first;	      /* in the first section */
	bool reads_last, writes_last; /* in the last section */
	bool in_vain;	     /* that writes what was there anyway, without having read it there */
	struct hd_event now; /* the last write to the variable, by whomever */
};

/* ---- what a run shows ------------------------------------------------------------------------ */

static bool is_exclusive(const struct hd_found_lock *l)
{
	return !(l->mode & HD_LOCK_SHARED);
}

/* Is @a kept apart from @b, by a lock or as both are atomic? */
static bool is_kept_apart(const struct hd_found_access *a, const struct hd_found_access *b,
			  uint64_t *lock)
{
	for (size_t i = 0; i < a->nlocks; i++) {
		for (size_t k = 0; k < b->nlocks; k++) {
			if (a->locks[i].addr != b->locks[k].addr ||
			    (!is_exclusive(&a->locks[i]) && !is_exclusive(&b->locks[k])))
				continue;
			*lock = a->locks[i].addr;
			return true;
		}
	}
	*lock = NO_LOCK;
	return hd_op_about(a->event.op) == HD_ABOUT_ATOMIC &&
	       hd_op_about(b->event.op) == HD_ABOUT_ATOMIC;
}

static void note_bound(struct section *s, const struct hd_event *ev, uint64_t index)
{
	if (s->lock == NO_LOCK || ev->addr != s->lock || (ev->arg & HD_LOCK_AGAIN))
		return;
	if (ev->op == HD_OP_ACQUIRE && index < s->access)
		s->begin = index;
	else if (ev->op == HD_OP_RELEASE && index > s->access && s->end == HD_NO_INDEX)
		s->end = index;
}

static bool note_bounds(void *arg, const struct hd_event *ev, uint64_t index)
{
	struct operation *o = arg;

	if (ev->thread == o->thread) {
		note_bound(&o->first, ev, index);
		note_bound(&o->last, ev, index);
	}
	return true;
}

static bool is_in(const struct section *s, uint64_t index)
{
	return index >= s->begin && index <= s->end;
}

static bool is_on(const struct hd_event *ev, const struct variable *v)
{
	return ev->addr < v->addr + v->size && v->addr < ev->addr + hd_access_length(ev);
}

static bool overlap(const struct hd_event *a, const struct hd_event *b)
{
	return is_on(a, &(struct variable){ b->addr, hd_access_length(b) });
}

static uint64_t written(const struct hd_event *ev)
{
	return ev->op == HD_OP_ATOMIC_RMW ? ev->value2 : ev->value;
}

/* Is it known that @b writes what @a has written? */
static bool write_the_same(const struct hd_event *a, const struct hd_event *b)
{
	return a->op && b->op && !hd_op_is_range(a->op) && !hd_op_is_range(b->op) &&
	       a->addr == b->addr && a->size == b->size && written(a) == written(b);
}

/* An access of the torn thread to the first variable. */
static void note_own(struct operation *o, const struct hd_event *ev, uint64_t index)
{
	bool write = hd_op_is_write(ev->op);
	bool read = !write || ev->op == HD_OP_ATOMIC_RMW;

	o->reads_first |= read && is_in(&o->first, index);
	o->writes |= write && is_in(&o->first, index);
	if (is_in(&o->last, index)) {
		o->in_vain |= write && !read && !o->reads_last && !o->writes_last &&
			      write_the_same(&o->now, ev);
		o->reads_last |= read;
		o->writes_last |= write;
	} else if (index > o->e1 && index < o->last.begin) {
		o->writes |= write;
		o->looks_again |= read && index > o->f;
	}
}

static void note_place(struct operation *o, const struct hd_event *ev, uint64_t index)
{
	bool first = ev->pc == o->at->accesses[0].event.pc;

	o->repeats |= first && is_in(&o->last, index);
	o->begun |= first;
	o->backwards |= !o->begun && ev->pc == o->at->accesses[o->at->found.naccesses - 1].event.pc;
}

static bool note_event(void *arg, const struct hd_event *ev, uint64_t index)
{
	struct operation *o = arg;
	bool own = ev->thread == o->thread, between = index > o->e1 && index < o->last.access;

	if (own && between)
		o->waits |= ev->op == HD_OP_WAIT || ev->op == HD_OP_BARRIER_ENTER ||
			    ev->op == HD_OP_SEM_WAIT || ev->op == HD_OP_JOIN;
	if (!hd_op_is_access(ev->op))
		return true;
	if (own)
		note_place(o, ev, index);
	for (unsigned i = 0; i < BOTH && own; i++) {
		o->first.used[i] |= is_in(&o->first, index) && is_on(ev, &o->of[i]);
		o->last.used[i] |= is_in(&o->last, index) && is_on(ev, &o->of[i]);
	}
	if (!is_on(ev, &o->of[0]))
		return true;
	if (own)
		note_own(o, ev, index);
	if (hd_op_is_write(ev->op))
		o->now = *ev;
	return true;
}

static struct section section_at(const struct hd_found_access *a, uint64_t lock)
{
	struct section s = { .lock = lock, .access = a->index, .begin = a->index, .end = a->index };

	if (lock != NO_LOCK)
		s.end = HD_NO_INDEX;
	return s;
}

/* The operation that is torn apart at @s; false: some of the accesses race, which is another matter. */
static bool look_at(struct operation *o, const struct hd_sites *s, struct hd_trace *t)
{
	const struct hd_found_access *a = s->accesses;
	size_t last = s->found.naccesses - 1;
	/* Of two variables the other thread may come to either first. */
	bool crossed = s->found.together && !overlap(&a[0].event, &a[1].event);
	bool apart;
	uint64_t lock, other;

	*o = (struct operation){
		.at = s, .thread = a[0].event.thread, .e1 = a[0].index, .f = a[last - 1].index
	};
	apart = is_kept_apart(&a[0], &a[crossed ? last - 1 : 1], &lock);
	apart &= is_kept_apart(&a[last], &a[crossed ? 1 : last - 1], &other);
	if (!apart && !s->found.together)
		return false;
	o->first = section_at(&a[0], lock);
	o->last = section_at(&a[last], other);
	o->of[0] = (struct variable){ a[0].event.addr, hd_access_length(&a[0].event) };
	o->of[1] = (struct variable){ a[last].event.addr, hd_access_length(&a[last].event) };
	return hd_trace_each(t, note_bounds, o) && hd_trace_each(t, note_event, o);
}

/* ---- whether that is a torn operation ------------------------------------------------------------ */

/* Each variable by itself is used in a section of its own: whoever uses both in one has them as one. */
static bool is_torn_pair(const struct operation *o)
{
	return !(o->first.used[0] && o->first.used[1]) && !(o->last.used[0] && o->last.used[1]);
}

static bool is_torn_update(const struct operation *o)
{
	return o->writes_last && !o->writes && !o->looks_again;
}

static bool note_last(void *arg, const struct hd_event *ev, uint64_t index)
{
	struct operation *o = arg;

	if (hd_op_is_access(ev->op) && hd_op_is_write(ev->op) && is_on(ev, &o->of[0]))
		o->now = *ev;
	return true;
}

/* Two threads may well do the same work, and write the same in the end as without that. */
static bool ends_alike(const struct operation *o, struct hd_trace *orderly)
{
	struct operation other = { .of = { o->of[0] } };

	return hd_trace_each(orderly, note_last, &other) && write_the_same(&o->now, &other.now);
}

/* It leaves something there, and fetches it again; one that puts it to what is there shares it with others. */
static bool is_torn_loan(const struct operation *o)
{
	return !o->reads_first && !o->writes_last &&
	       hd_op_about(o->at->accesses[0].event.op) != HD_ABOUT_ATOMIC;
}

/* In this run, in which a failed exchange may be where there was one: does the other thread write? */
static bool tears(const struct operation *o)
{
	const struct hd_found *f = &o->at->found;

	return f->together || hd_op_is_write(f->accesses[1].event.op);
}

static bool is_torn(const struct operation *o, const struct hd_found *found)
{
	if (o->waits || o->repeats || o->backwards || !tears(o))
		return false;
	if (found->together)
		return is_torn_pair(o);
	if (!strcmp(found->pattern, "RWW") || !strcmp(found->pattern, "RWR"))
		return is_torn_update(o);
	return !strcmp(found->pattern, "WWR") && is_torn_loan(o);
}

enum hd_err hd_check_tear(const struct hd_campaign *c, const struct hd_trial *t,
			  const struct hd_found *found, enum hd_tear *tear)
{
	struct hd_errbuf eb = { 0 };
	struct hd_sites sites;
	struct operation o;
	bool there = false;
	enum hd_err rc = HD_OK;

	*tear = HD_TEAR_NONE;
	if (hd_sites_find(&sites, t->trace, found, &there, &eb) != HD_OK)
		rc = hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	else if (there && sites.complete)
		*tear = !look_at(&o, &sites, t->trace) ? HD_TEAR_RACES
			: is_torn(&o, found)	       ? HD_TEAR_OPERATION
						       : HD_TEAR_NONE;
	if (*tear == HD_TEAR_OPERATION && o.in_vain &&
	    ends_alike(&o, c->observations[0].trial->trace))
		*tear = HD_TEAR_NONE;
	hd_sites_free(&sites);
	return rc;
}
