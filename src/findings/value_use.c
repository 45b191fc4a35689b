#include "value_use.h"

#include <stdlib.h>

#include "common/array.h"

#define RECENT 4u    /* reads of a thread that are followed at a time */
#define FOLLOW 12u   /* accesses after a read that may be due to it */
#define REACH  4096u /* bytes behind a pointer, or of an element */

struct hd_use_site {
	unsigned uses;
	bool seen;
	bool varies;		  /* the thread goes on in several ways after one value */
	uint64_t value, pc, addr; /* the last one, and the access that followed it */
};

struct recent_read {
	size_t site; /* + 1; 0: none */
	uint64_t value;
	unsigned followed;
};

struct hd_use_thread {
	struct recent_read reads[RECENT];
	unsigned next;
};

bool hd_value_uses_want(struct hd_value_uses *u, uint64_t pc)
{
	if (hd_map_get(&u->sites, pc))
		return true;
	if (!HD_ROOM(u->list, u->room, u->n + 1))
		return false;
	u->list[u->n++] = (struct hd_use_site){ 0 };
	return hd_map_set(&u->sites, pc, u->n);
}

static bool is_access(const struct hd_event *ev)
{
	return ev->op == HD_OP_READ || ev->op == HD_OP_WRITE || ev->op == HD_OP_READ_RANGE ||
	       ev->op == HD_OP_WRITE_RANGE || ev->op == HD_OP_FREE ||
	       (ev->op >= HD_OP_ATOMIC_LOAD && ev->op <= HD_OP_ATOMIC_CAS_FAIL);
}

static bool reads_a_value(const struct hd_event *ev)
{
	return ev->op == HD_OP_READ || ev->op == HD_OP_ATOMIC_LOAD || ev->op == HD_OP_ATOMIC_RMW ||
	       ev->op == HD_OP_ATOMIC_CAS_FAIL;
}

/* Does the address grow by a fixed size with the value? */
static bool grows_with(const struct hd_use_site *s, uint64_t value, uint64_t addr)
{
	bool more = value > s->value;
	uint64_t values = more ? value - s->value : s->value - value;
	uint64_t bytes = more ? addr - s->addr : s->addr - addr;

	return values && bytes && bytes % values == 0 && bytes / values <= REACH;
}

/* The first access after a read; how does it differ from that after another value? */
static void compare(struct hd_use_site *s, uint64_t value, const struct hd_event *ev)
{
	if (s->seen && s->value == value) {
		s->varies |= s->pc != ev->pc;
	} else if (s->seen) {
		if (s->pc != ev->pc)
			s->uses |= HD_USE_BRANCH;
		else if (grows_with(s, value, ev->addr))
			s->uses |= HD_USE_INDEX;
	}
	s->seen = true;
	s->value = value;
	s->pc = ev->pc;
	s->addr = ev->addr;
}

static void follow(struct hd_value_uses *u, struct recent_read *r, const struct hd_event *ev)
{
	struct hd_use_site *s = &u->list[r->site - 1];

	if (r->value > REACH && ev->addr - r->value < REACH)
		s->uses |= ev->op == HD_OP_FREE ? HD_USE_FREED : HD_USE_POINTER;
	if (!r->followed)
		compare(s, r->value, ev);
	if (++r->followed == FOLLOW)
		r->site = 0;
}

static struct hd_use_thread *thread_of(struct hd_value_uses *u, uint32_t thread)
{
	size_t i = hd_map_get(&u->threads, thread + 1ull);

	if (i)
		return &u->of_thread[i - 1];
	if (!HD_ROOM(u->of_thread, u->threads_room, u->nthreads + 1))
		return NULL;
	u->of_thread[u->nthreads++] = (struct hd_use_thread){ 0 };
	return hd_map_set(&u->threads, thread + 1ull, u->nthreads) ? &u->of_thread[u->nthreads - 1]
								   : NULL;
}

bool hd_value_uses_feed(struct hd_value_uses *u, const struct hd_event *ev)
{
	struct hd_use_thread *t;
	size_t site;

	if (!is_access(ev))
		return true;
	t = thread_of(u, ev->thread);
	if (!t)
		return false;
	for (unsigned i = 0; i < RECENT; i++) {
		if (t->reads[i].site)
			follow(u, &t->reads[i], ev);
	}
	site = reads_a_value(ev) ? hd_map_get(&u->sites, ev->pc) : 0;
	if (site)
		t->reads[t->next++ % RECENT] = (struct recent_read){ site, ev->value, 0 };
	return true;
}

unsigned hd_value_uses_of(const struct hd_value_uses *u, uint64_t pc)
{
	size_t i = hd_map_get(&u->sites, pc);
	const struct hd_use_site *s = i ? &u->list[i - 1] : NULL;

	return !s ? 0 : s->varies ? s->uses & ~(unsigned)HD_USE_BRANCH : s->uses;
}

void hd_value_uses_free(struct hd_value_uses *u)
{
	hd_map_free(&u->sites);
	hd_map_free(&u->threads);
	free(u->list);
	free(u->of_thread);
	*u = (struct hd_value_uses){ 0 };
}
