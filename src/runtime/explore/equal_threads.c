#include "equal_threads.h"

#include "explore.h"
#include "runtime/memory/arena.h"
#include "runtime/weak/weak.h"

#define GROUPS	16 /* of threads that are equal; more are not looked at */
#define MEMBERS 64

struct group {
	uint32_t first, maker;
	const struct fiber *last; /* that was made; only while none has begun */
	unsigned n, ended;	  /* how many there are, and were waited for */
};

static struct group groups[GROUPS];
static struct {
	uint32_t thread;
	struct group *group;
} members[MEMBERS];
static unsigned ngroups, nmembers;
static struct group *making;   /* the next thread may be one of these */
static struct group *waiting;  /* some of these were waited for, and not all */
static uint32_t held[MEMBERS]; /* that were waited for, and the race detector does not know */
static unsigned nheld;
static uint32_t to_hold;
static uint64_t handle; /* of the thread that is waited for next, as an object */

static struct group *group_of(uint32_t thread)
{
	for (unsigned i = 0; i < nmembers; i++) {
		if (members[i].thread == thread)
			return members[i].group;
	}
	return NULL;
}

static void tell_apart(void)
{
	hd_rt_explore_uses(HD_X_USES_TOLD_APART);
}

/* ---- their beginning ----------------------------------------------------------------- */

static bool is_like_last(const struct fiber *f)
{
	const struct fiber *last = making->last;

	return f->thread.start == last->thread.start && f->thread.arg == last->thread.arg &&
	       !__builtin_memcmp(&f->signals.mask, &last->signals.mask, sizeof(sigset_t)) &&
	       !hd_rt_strcmp(f->thread.name, last->thread.name);
}

void hd_rt_equal_created(struct fiber *f, const pthread_attr_t *attr)
{
	const struct group *mine;
	uint32_t me = hd_rt.cur->id;

	if (!hd_rt.exploring || !hd_rt.opt.symmetry || hd_rt_is_weak())
		return;
	mine = group_of(me);
	if (mine && mine->n > 1)
		tell_apart(); /* those whom they make would have to be exchanged, too */
	if (making && (making->maker != me || attr || !is_like_last(f)))
		making = NULL;
	if (nmembers == MEMBERS || (!making && ngroups == GROUPS) || attr) {
		making = NULL;
		return;
	}
	if (!making) {
		making = &groups[ngroups++];
		*making = (struct group){ .first = f->id, .maker = me };
	}
	making->last = f;
	if (++making->n == 2)
		hd_rt_explore_uses(HD_X_USES_EQUAL);
	members[nmembers].thread = f->id;
	members[nmembers++].group = making;
}

uint32_t hd_rt_equal_first(uint32_t thread)
{
	const struct group *g = group_of(thread);

	return g && g->n > 1 ? g->first : 0;
}

uint32_t hd_rt_equal_maker(uint32_t thread)
{
	const struct group *g = group_of(thread);

	return g && g->first != thread ? g->first : 0;
}

void hd_rt_equal_begins(void)
{
	if (unlikely(making != NULL) && making == group_of(hd_rt.cur->id))
		making = NULL;
}

/* ---- what tells them apart --------------------------------------------------------------- */

void hd_rt_equal_told_apart(const struct fiber *f)
{
	const struct group *g = nmembers && f ? group_of(f->id) : NULL;

	if (!g)
		return;
	if (g == making)
		making = NULL;
	if (g->n > 1)
		tell_apart();
}

void hd_rt_equal_does(uint32_t thread, enum hd_xop_kind kind, uint64_t object)
{
	if (kind == HD_X_STEP)
		return;
	if (making && making->maker == thread && kind != HD_X_FORK)
		making = NULL;
	if (waiting && waiting->maker == thread &&
	    !(kind == HD_X_JOIN && group_of((uint32_t)object) == waiting) &&
	    !(kind == HD_X_WRITE && object == handle))
		tell_apart();
}

void hd_rt_equal_at_end(bool by_program)
{
	if (waiting && by_program)
		tell_apart();
	making = waiting = NULL; /* what is told from now on is not done */
}

void hd_rt_equal_comes_to_join(pthread_t pt)
{
	if (nmembers)
		handle = hd_rt_explore_object((uintptr_t)pt);
}

/* ---- their end ------------------------------------------------------------------------- */

void hd_rt_equal_joined(const struct fiber *f, bool result)
{
	struct group *g = nmembers ? group_of(f->id) : NULL;

	if (!g)
		return;
	if (g->n == 1) {
		if (g == making)
			making = NULL;
		return;
	}
	if (result || hd_rt.cur->id != g->maker || (waiting && waiting != g))
		tell_apart();
	waiting = ++g->ended < g->n ? g : NULL;
	to_hold = waiting ? f->id : 0;
}

bool hd_rt_equal_holds_back(uint32_t thread)
{
	if (likely(!to_hold) || to_hold != thread)
		return false;
	held[nheld++] = thread;
	to_hold = 0;
	return true;
}

uint32_t hd_rt_equal_next_ended(void)
{
	return nheld && !waiting ? held[--nheld] : 0;
}
