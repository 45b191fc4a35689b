#include "run_check.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/map.h"
#include "event_meaning.h"

/* An event that means something new is to be thought of here. */
#pragma GCC diagnostic error "-Wswitch"
#pragma GCC diagnostic error "-Wswitch-enum"

struct thread {
	unsigned long first, forked, joined; /* lines; 0: not yet */
	uint64_t depth;			     /* of blocks */
};

struct location {
	uint64_t value;
	unsigned long used; /* line of the first access or init; 0: not yet */
};

struct lock {
	uint32_t owner;	  /* where depth is not 0 */
	uint64_t depth;	  /* times that the owner took it */
	uint64_t sharers; /* times that others share it */
	unsigned long taken;
	uint64_t epoch; /* makes the shares of an earlier life of the lock void */
};

struct hd_run_check {
	const char *file;
	struct hd_map thread_of, location_of, lock_of; /* -> index + 1 */
	struct hd_map shares;			       /* lock and thread -> count + 1 */
	struct thread *threads;
	struct location *locations;
	struct lock *locks;
	size_t nthreads, threads_room, nlocations, locations_room, nlocks, locks_room;
};

/* What one call is about. */
struct step {
	struct hd_run_check *c;
	const struct hd_event *ev;
	unsigned long line;
	const char *name;
	struct hd_errbuf *eb;
};

#define IMPOSSIBLE(s, at, fmt, ...)                                                                \
	hd_fail((s)->eb, HD_ERR_INVALID, "%s: line %lu: " fmt, (s)->c->file, at, __VA_ARGS__)

enum hd_err hd_run_check_new(struct hd_run_check **out, const char *file)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return HD_ERR_NOMEM;
	(*out)->file = file;
	return HD_OK;
}

void hd_run_check_free(struct hd_run_check *c)
{
	if (!c)
		return;
	hd_map_free(&c->thread_of);
	hd_map_free(&c->location_of);
	hd_map_free(&c->lock_of);
	hd_map_free(&c->shares);
	free(c->threads);
	free(c->locations);
	free(c->locks);
	free(c);
}

static struct thread *thread_at(struct hd_run_check *c, uint64_t number)
{
	uint64_t at = hd_map_get(&c->thread_of, number);

	if (at)
		return &c->threads[at - 1];
	if (!HD_ROOM(c->threads, c->threads_room, c->nthreads + 1) ||
	    !hd_map_set(&c->thread_of, number, c->nthreads + 1))
		return NULL;
	c->threads[c->nthreads] = (struct thread){ 0 };
	return &c->threads[c->nthreads++];
}

static struct location *location_at(struct hd_run_check *c, uint64_t addr)
{
	uint64_t at = hd_map_get(&c->location_of, addr);

	if (at)
		return &c->locations[at - 1];
	if (!HD_ROOM(c->locations, c->locations_room, c->nlocations + 1) ||
	    !hd_map_set(&c->location_of, addr, c->nlocations + 1))
		return NULL;
	c->locations[c->nlocations] = (struct location){ 0 };
	return &c->locations[c->nlocations++];
}

static struct lock *lock_at(struct hd_run_check *c, uint64_t addr)
{
	uint64_t at = hd_map_get(&c->lock_of, addr);

	if (at)
		return &c->locks[at - 1];
	if (!HD_ROOM(c->locks, c->locks_room, c->nlocks + 1) ||
	    !hd_map_set(&c->lock_of, addr, c->nlocks + 1))
		return NULL;
	c->locks[c->nlocks] = (struct lock){ 0 };
	return &c->locks[c->nlocks++];
}

static enum hd_err no_memory(const struct step *s)
{
	return hd_fail(s->eb, HD_ERR_NOMEM, "out of memory while checking %s", s->c->file);
}

uint64_t hd_run_check_value(const struct hd_run_check *c, uint64_t addr)
{
	uint64_t at = hd_map_get(&c->location_of, addr);

	return at ? c->locations[at - 1].value : 0;
}

uint64_t hd_run_check_holds(const struct hd_run_check *c, uint64_t addr, uint32_t thread)
{
	uint64_t at = hd_map_get(&c->lock_of, addr);

	return at && c->locks[at - 1].owner == thread ? c->locks[at - 1].depth : 0;
}

static enum hd_err check_fork(const struct step *s)
{
	struct thread *t;

	if (s->ev->value == s->ev->thread)
		return IMPOSSIBLE(s, s->line, "T%u forks itself", s->ev->thread);
	t = thread_at(s->c, s->ev->value);
	if (!t)
		return no_memory(s);
	if (t->forked)
		return IMPOSSIBLE(s, s->line, "T%" PRIu64 " is forked again (first in line %lu)",
				  s->ev->value, t->forked);
	if (t->joined)
		return IMPOSSIBLE(s, s->line, "T%" PRIu64 " is forked after its join in line %lu",
				  s->ev->value, t->joined);
	if (t->first)
		return IMPOSSIBLE(s, t->first, "T%" PRIu64 " runs before it is forked in line %lu",
				  s->ev->value, s->line);
	t->forked = s->line;
	return HD_OK;
}

static enum hd_err check_join(const struct step *s)
{
	struct thread *t;

	if (s->ev->value == s->ev->thread)
		return IMPOSSIBLE(s, s->line, "T%u joins itself", s->ev->thread);
	t = thread_at(s->c, s->ev->value);
	if (!t)
		return no_memory(s);
	if (t->joined)
		return IMPOSSIBLE(s, s->line, "T%" PRIu64 " is joined again (first in line %lu)",
				  s->ev->value, t->joined);
	t->joined = s->line;
	return HD_OK;
}

static uint64_t share_key(const struct hd_run_check *c, const struct lock *l, uint32_t thread)
{
	return ((uint64_t)(l - c->locks) << 40 | (l->epoch & 0xff) << 32) | thread;
}

static enum hd_err acquire_shared(const struct step *s, struct lock *l)
{
	uint64_t key = share_key(s->c, l, s->ev->thread), n = hd_map_get(&s->c->shares, key);

	if (l->depth)
		return IMPOSSIBLE(s, s->line, "T%u shares %s, which T%u holds since line %lu",
				  s->ev->thread, s->name, l->owner, l->taken);
	l->sharers++;
	return hd_map_set(&s->c->shares, key, (n ? n : 1) + 1) ? HD_OK : no_memory(s);
}

static enum hd_err check_acquire(const struct step *s)
{
	struct lock *l = lock_at(s->c, s->ev->addr);
	uint32_t thread = s->ev->thread;

	if (!l)
		return no_memory(s);
	if (s->ev->arg & HD_LOCK_SHARED)
		return acquire_shared(s, l);
	if (l->sharers)
		return IMPOSSIBLE(s, s->line, "T%u acquires %s, which is shared", thread, s->name);
	if (l->depth && (l->owner != thread || !(s->ev->arg & HD_LOCK_AGAIN)))
		return IMPOSSIBLE(s, s->line, "T%u acquires %s, which T%u holds since line %lu",
				  thread, s->name, l->owner, l->taken);
	if (!l->depth++)
		l->taken = s->line;
	l->owner = thread;
	return HD_OK;
}

static enum hd_err check_release(const struct step *s)
{
	struct lock *l = lock_at(s->c, s->ev->addr);
	uint32_t thread = s->ev->thread;
	uint64_t key, n;

	if (!l)
		return no_memory(s);
	if (!(s->ev->arg & HD_LOCK_SHARED)) {
		if (!l->depth || l->owner != thread)
			return IMPOSSIBLE(s, s->line, "T%u releases %s, which it does not hold",
					  thread, s->name);
		l->depth--;
		return HD_OK;
	}
	key = share_key(s->c, l, thread);
	n = hd_map_get(&s->c->shares, key);
	if (n < 2)
		return IMPOSSIBLE(s, s->line,
				  "T%u releases its share of %s, which it does not have", thread,
				  s->name);
	l->sharers--;
	return hd_map_set(&s->c->shares, key, n - 1) ? HD_OK : no_memory(s);
}

/* A lock made anew or unmade is held by nobody, whatever was before. */
static enum hd_err check_lock_renewed(const struct step *s)
{
	struct lock *l = lock_at(s->c, s->ev->addr);

	if (!l)
		return no_memory(s);
	*l = (struct lock){ .epoch = l->epoch + 1 };
	return HD_OK;
}

static enum hd_err check_access(const struct step *s)
{
	struct location *l = location_at(s->c, s->ev->addr);
	uint8_t op = s->ev->op;
	bool writes = op == HD_OP_WRITE || op == HD_OP_ATOMIC_STORE;

	if (!l)
		return no_memory(s);
	if (op == HD_OP_INIT && l->used)
		return IMPOSSIBLE(s, s->line,
				  "%s gets its first value after it was used in line %lu", s->name,
				  l->used);
	if (!l->used)
		l->used = s->line;
	if (op != HD_OP_INIT && !writes && l->value != s->ev->value)
		return IMPOSSIBLE(s, s->line, "T%u reads %" PRId64 " from %s, which holds %" PRId64,
				  s->ev->thread, (int64_t)s->ev->value, s->name, (int64_t)l->value);
	l->value = op == HD_OP_ATOMIC_RMW ? s->ev->value2 : s->ev->value;
	return HD_OK;
}

static enum hd_err check_thread(const struct step *s, struct thread *t)
{
	if (t->joined)
		return IMPOSSIBLE(s, s->line, "T%u has an event after its join in line %lu",
				  s->ev->thread, t->joined);
	if (!t->first)
		t->first = s->line;
	if (s->ev->op == HD_OP_BEGIN)
		t->depth++;
	if (s->ev->op == HD_OP_END && !t->depth--)
		return IMPOSSIBLE(s, s->line, "T%u ends a block that it did not begin",
				  s->ev->thread);
	return HD_OK;
}

static enum hd_err check_lock(const struct step *s)
{
	switch (hd_op_way(s->ev->op)) {
	case HD_WAY_TAKES:
		return check_acquire(s);
	case HD_WAY_GIVES:
		return check_release(s);
	case HD_WAY_RENEWS:
		return check_lock_renewed(s);
	case HD_WAY_NONE:
		return HD_OK;
	}
	return HD_OK;
}

enum hd_err hd_run_check_event(struct hd_run_check *c, const struct hd_event *ev,
			       unsigned long line, const char *name, struct hd_errbuf *eb)
{
	const struct step s = { c, ev, line, name, eb };

	if (ev->op != HD_OP_INIT) {
		struct thread *t = thread_at(c, ev->thread);
		enum hd_err err = t ? check_thread(&s, t) : no_memory(&s);

		if (err)
			return err;
	}
	switch (hd_op_about(ev->op)) {
	case HD_ABOUT_CHILD:
		return hd_op_way(ev->op) == HD_WAY_GIVES ? check_fork(&s) : check_join(&s);
	case HD_ABOUT_LOCK:
		return check_lock(&s);
	case HD_ABOUT_MEMORY:
	case HD_ABOUT_ATOMIC:
		return hd_op_is_range(ev->op) || ev->op == HD_OP_PLACE ? HD_OK : check_access(&s);
	case HD_ABOUT_NOTHING:
	case HD_ABOUT_THREAD:
	case HD_ABOUT_HEAP:
	case HD_ABOUT_COND:
	case HD_ABOUT_BARRIER:
	case HD_ABOUT_SEM:
	case HD_ABOUT_ONCE:
	case HD_ABOUT_MARK:
	case HD_ABOUT_FUTURE:
	case HD_ABOUT_PHASER:
	case HD_ABOUT_FENCE:
	case HD_ABOUT_CODE:
	case HD_ABOUT_TASK:
	case HD_ABOUT_TEAM:
	case HD_ABOUT_RUN:
	case HD_ABOUT_FINDING:
		return HD_OK;
	}
	return HD_OK;
}
