/*
 * Critical sections around accesses that belong together: with a lock that one of them holds already, or else one that the
 * variable is used under elsewhere, or else a new one. Small sections are tried first, and then those with more of what
 * the functions do around the accesses.
 */
#include "mender.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hash.h"
#include "report/explain.h"
#include "trace/event_meaning.h"

/* How much is held together. */
enum reach {
	REACH_ACCESS,	/* nothing but the accesses, and what is between them */
	REACH_VARIABLE, /* what the function does with the variable */
	REACH_LOCKS,	/* from where the lock was taken that the first one holds already */
	REACH_SHARED,	/* what the function does with all that the threads share, and its locks */
	REACH_FUNCTION, /* the same until it ends */
	REACHES
};

/* ---- what the run has on it -------------------------------------------------------------------- */

static bool follow_lock(struct hd_mender *r, const struct hd_event *ev)
{
	if (ev->op == HD_OP_ACQUIRE) {
		if (!HD_ROOM(r->held, r->held_room, r->nheld + 1))
			return false;
		r->held[r->nheld++] =
			(struct hd_mend_held){ ev->thread, ev->addr, ev->pc, ev->arg };
		return true;
	}
	for (size_t i = r->nheld; i-- > 0;) {
		if (r->held[i].thread != ev->thread || r->held[i].lock != ev->addr)
			continue;
		memmove(&r->held[i], &r->held[i + 1], (--r->nheld - i) * sizeof(*r->held));
		break;
	}
	return true;
}

static void vote(struct hd_mender *r, uint64_t lock)
{
	size_t i = 0;

	while (i < r->nvotes && r->votes[i].lock != lock)
		i++;
	if (i == HD_MEND_LOCKS)
		return;
	r->nvotes += i == r->nvotes;
	r->votes[i].lock = lock;
	r->votes[i].times++;
}

static bool is_on_it(const struct hd_mender *r, const struct hd_event *ev)
{
	uint64_t addr = r->f->location.addr, size = r->f->location.size;

	return addr && hd_op_is_access(ev->op) && ev->addr < addr + (size ? size : 1) &&
	       addr < ev->addr + hd_access_size(ev);
}

static void note_wait(struct hd_mender *r, const struct hd_event *ev, uint64_t index)
{
	const struct hd_access *first = r->f->accesses, *last = &first[r->f->naccesses - 1];

	if (r->f->naccesses < 3 || ev->thread != first->event.thread || index <= first->index ||
	    index > last->index)
		return;
	if (ev->op == HD_OP_WAIT)
		r->wait = ev->pc;
	r->looks |= r->wait && ev->pc == first->event.pc;
}

static void extend(const struct hd_mender *r, struct hd_mend_extent *e, const struct hd_event *ev)
{
	for (size_t i = 0; !e->first && i < r->nheld; i++) {
		if (r->held[i].thread != ev->thread)
			continue;
		e->outer = r->held[i].pc;
		e->outer_lock = r->held[i].lock;
		break;
	}
	if (!e->first)
		e->first = ev->pc;
	e->last = ev->pc;
}

/* Bit of the finding's thread that @thread is: that of the first access, another one; 0: neither. */
static unsigned bit_of(const struct hd_mender *r, uint32_t thread)
{
	if (thread == r->f->accesses[0].event.thread)
		return 1;
	return thread == r->f->accesses[1].event.thread ? 2 : 0;
}

static void note_use(struct hd_mender *r, const struct hd_event *ev)
{
	bool shared = hd_map_get(&r->users, ev->addr) == 3, on_it = is_on_it(r, ev);

	for (size_t i = 0; on_it && i < r->nheld; i++) {
		if (r->held[i].thread == ev->thread && hd_is_mutex(r->held[i].mode))
			vote(r, r->held[i].lock);
	}
	for (size_t i = 0; i < r->f->naccesses && i < HD_MEND_ACCESSES; i++) {
		const struct hd_event *own = &r->f->accesses[i].event;

		if (ev->thread != own->thread || ev->ctx != own->ctx)
			continue;
		if (on_it)
			extend(r, &r->used[i], ev);
		if (shared)
			extend(r, &r->shared[i], ev);
	}
}

/* Of a race with a free: by what the thread knows where the block is. */
static void note_pointer(struct hd_mender *r, const struct hd_event *ev, uint64_t index)
{
	const struct hd_access *a = r->f->accesses;
	unsigned bit = bit_of(r, ev->thread);
	const struct hd_event *gone = a[0].event.op == HD_OP_FREE ? &a[0].event : &a[1].event;
	struct hd_mend_pointer *p;

	if (!bit || gone->op != HD_OP_FREE || !hd_op_is_read(ev->op) ||
	    ev->size != sizeof(uint64_t) || ev->value - gone->addr >= gone->value ||
	    index >= a[bit - 1].index)
		return;
	p = &r->pointers[bit - 1];
	*p = (struct hd_mend_pointer){ .pc = ev->pc, .ctx = ev->ctx };
	for (size_t i = 0; i < r->nheld; i++) {
		if (r->held[i].thread == ev->thread && hd_is_mutex(r->held[i].mode))
			p->lock = r->held[i].lock;
	}
}

static bool note_event(void *arg, const struct hd_event *ev, uint64_t index)
{
	struct hd_mender *r = arg;

	note_wait(r, ev, index);
	if ((ev->op == HD_OP_ACQUIRE || ev->op == HD_OP_RELEASE) && !(ev->arg & HD_LOCK_AGAIN))
		return follow_lock(r, ev);
	if (!hd_op_is_access(ev->op))
		return true;
	if (r->f->kind == HD_KIND_RACE)
		note_pointer(r, ev, index);
	note_use(r, ev);
	return true;
}

static bool note_user(void *arg, const struct hd_event *ev, uint64_t index)
{
	struct hd_mender *r = arg;
	unsigned bit = hd_op_is_access(ev->op) ? bit_of(r, ev->thread) : 0;

	(void)index;
	return !bit || hd_map_set(&r->users, ev->addr, hd_map_get(&r->users, ev->addr) | bit);
}

enum hd_err hd_mender_look(struct hd_mender *r)
{
	struct hd_trace *t = r->witness->trial->trace;

	if (r->f->naccesses < 2)
		return HD_OK;
	if (!hd_trace_each(t, note_user, r) || !hd_trace_each(t, note_event, r))
		return hd_error(HD_ERR_NOMEM, "out of memory");
	return HD_OK;
}

/* ---- the accesses' parts ------------------------------------------------------------------------ */

/* Calls between the first one's function and the one that both are in. */
static unsigned calls_up(const struct hd_stack *a, const struct hd_stack *b)
{
	size_t same = 0;

	/* The outermost calls are the same; the places in the function that both are in are not. */
	while (same + 1 < a->npcs && same + 1 < b->npcs &&
	       a->pcs[a->npcs - 1 - same] == b->pcs[b->npcs - 1 - same])
		same++;
	return (unsigned)(a->npcs - 1 - same);
}

/* The same where of the second one only the instruction is known: it is in a function that the first one was called by. */
static unsigned calls_up_to(const struct hd_mender *r, const struct hd_stack *a, uint64_t pc)
{
	struct hd_frame at, of;

	if (!hd_run_frame(r->run, pc, &at) || !at.function)
		return 0;
	for (size_t i = 0; i < a->npcs; i++) {
		if (hd_run_frame(r->run, a->pcs[i], &of) && of.function &&
		    !strcmp(of.function, at.function))
			return (unsigned)i;
	}
	return a->npcs ? (unsigned)a->npcs - 1 : 0;
}

/* Accesses @first to @last of one thread, which belong together. */
struct part {
	size_t first, last;
	uint64_t end; /* the instruction of the last one */
	unsigned up;
};

/* The thread's that is torn apart: its last access may be one that the run did not come to. */
static struct part torn_part(const struct hd_mender *r)
{
	const struct hd_access *a = r->f->accesses;
	size_t last = r->f->naccesses - 1;

	if (a[last].event.thread != a[0].event.thread)
		return (struct part){ .end = r->f->missing,
				      .up = calls_up_to(r, &a[0].stack, r->f->missing) };
	return (struct part){ .last = last,
			      .end = a[last].event.pc,
			      .up = calls_up(&a[0].stack, &a[last].stack) };
}

static struct part tearing_part(const struct hd_mender *r)
{
	const struct hd_access *a = r->f->accesses;
	size_t last = r->f->naccesses - 1;

	if (last > 1 && a[last].event.thread == a[0].event.thread)
		last--;
	return (struct part){ .first = 1,
			      .last = last,
			      .end = a[last].event.pc,
			      .up = calls_up(&a[1].stack, &a[last].stack) };
}

bool hd_access_holds(const struct hd_access *a, uint64_t lock)
{
	for (size_t i = 0; i < a->nheld; i++) {
		if (a->held[i].addr == lock)
			return true;
	}
	return false;
}

void hd_mender_add(struct hd_mender *r, struct hd_mend_section s)
{
	for (size_t i = 0; i < r->nsections; i++) {
		if (r->sections[i].from == s.from && r->sections[i].to == s.to)
			return;
	}
	if (r->nsections < HD_MEND_SECTIONS)
		r->sections[r->nsections++] = s;
}

/* An access alone or, with what its function does with the variable. */
static void add_single(struct hd_mender *r, size_t i, uint64_t lock, enum reach reach)
{
	const struct hd_access *a = &r->f->accesses[i];
	const struct hd_mend_extent *e = &r->used[i];
	bool more = reach == REACH_VARIABLE && e->first && e->first != e->last;

	if (!more && hd_access_holds(a, lock))
		return;
	hd_mender_add(r, (struct hd_mend_section){ .lock = lock,
						   .from = more ? e->first : a->event.pc,
						   .to = more ? e->last : a->event.pc,
						   .access = i });
}

static void add_wide(struct hd_mender *r, const struct part *p, uint64_t lock, enum reach reach)
{
	const struct hd_access *a = &r->f->accesses[p->first];
	const struct hd_mend_extent *e = &r->shared[p->first], *end = &r->shared[p->last];
	struct hd_mend_section s = {
		.lock = lock, .from = e->first, .to = end->last, .up = p->up, .access = p->first
	};

	if (reach == REACH_LOCKS || !e->first) {
		s.from = a->nheld && a->held[0].addr != lock ? a->held[0].pc : a->event.pc;
		s.to = p->end;
	} else if (e->outer && e->outer_lock != lock) {
		s.from = e->outer;
	}
	if (reach == REACH_FUNCTION)
		s.to = 0;
	hd_mender_add(r, s);
}

static void add_part(struct hd_mender *r, const struct part *p, uint64_t lock, enum reach reach)
{
	const struct hd_access *a = r->f->accesses;
	bool single = p->first == p->last && p->end == a[p->first].event.pc;
	bool twice = a[p->first].event.pc == p->end && p->up;

	if (reach >= REACH_LOCKS)
		add_wide(r, p, lock, reach);
	else if (single && p->first)
		add_single(r, p->first, lock, reach);
	else
		hd_mender_add(r, (struct hd_mend_section){ .lock = lock,
							   .from = a[p->first].event.pc,
							   .to = twice ? 0 : p->end,
							   .up = p->up,
							   .access = p->first });
}

/* ---- trying ------------------------------------------------------------------------------------ */

/* Nobody has tried these sections yet. */
static bool is_new(struct hd_mender *r)
{
	uint64_t key = r->nsections;

	for (size_t i = 0; i < r->nsections; i++) {
		const struct hd_mend_section *s = &r->sections[i];

		key = hd_hash_pair(key, hd_hash_pair(s->lock, hd_hash_pair(s->from, s->to)));
	}
	if (hd_map_get(&r->tried, key))
		return false;
	if (!hd_map_set(&r->tried, key, 1))
		r->rc = hd_error(HD_ERR_NOMEM, "out of memory");
	return r->rc == HD_OK;
}

static bool try_lock(struct hd_mender *r, uint64_t lock, enum reach reach)
{
	struct part torn = torn_part(r), tearing = tearing_part(r);

	r->nsections = 0;
	if (torn.last || torn.end) {
		add_part(r, &torn, lock, reach);
		add_part(r, &tearing, lock, reach);
	} else if (reach <= REACH_VARIABLE) { /* a race: the accesses are to exclude each other */
		add_single(r, 0, lock, reach);
		add_single(r, 1, lock, reach);
	}
	return r->nsections && is_new(r) && hd_mender_stands(r);
}

/* From where the thread of access @i had the block's address to what it does with the block. */
static void add_pointer(struct hd_mender *r, size_t i, uint64_t lock)
{
	const struct hd_mend_pointer *p = &r->pointers[i];
	const struct hd_access *a = &r->f->accesses[i];
	struct hd_stack stack = { 0 };

	if (!p->pc || hd_run_stack(r->run, p->pc, p->ctx, &stack) != HD_OK)
		return;
	hd_mender_add(r, (struct hd_mend_section){ .lock = lock,
						   .from = p->pc,
						   .to = a->event.pc,
						   .up = calls_up(&stack, &a->stack),
						   .access = i });
	hd_stack_free(&stack);
}

/* The block is used where its address is still right: who uses it alone, then who frees it, too. */
static bool try_pointers(struct hd_mender *r, uint64_t lock)
{
	size_t freeing = r->f->accesses[1].event.op == HD_OP_FREE;

	for (int both = 0; both < 2; both++) {
		r->nsections = 0;
		add_pointer(r, !freeing, lock);
		if (both)
			add_pointer(r, freeing, lock);
		if (r->nsections && is_new(r) && hd_mender_stands(r))
			return true;
	}
	return false;
}

static void add_lock(uint64_t *locks, size_t *n, uint64_t lock)
{
	for (size_t i = 0; i < *n; i++) {
		if (locks[i] == lock)
			return;
	}
	if (*n < HD_MEND_LOCKS)
		locks[(*n)++] = lock;
}

/* Those that the accesses hold, the other thread's first; then where else the variable is used. */
static size_t list_locks(const struct hd_mender *r, uint64_t locks[HD_MEND_LOCKS + 1])
{
	static const size_t turn[] = { 1, 0, 2 };
	size_t n = 0;

	for (size_t i = 0; i < 2; i++) {
		if (r->pointers[i].lock)
			add_lock(locks, &n, r->pointers[i].lock);
	}
	for (size_t k = 0; k < 3; k++) {
		const struct hd_access *a = &r->f->accesses[turn[k]];

		for (size_t i = 0; turn[k] < r->f->naccesses && i < a->nheld; i++) {
			if (hd_is_mutex(a->held[i].mode))
				add_lock(locks, &n, a->held[i].addr);
		}
	}
	for (size_t i = 0; i < r->nvotes; i++)
		add_lock(locks, &n, r->votes[i].lock);
	locks[n++] = HD_NEW_LOCK;
	return n;
}

/*
 * Few places first: with every lock the accesses alone, then with what belongs to them. Where only the output is unusual, to
 * hold more together proves nothing: threads that work one after the other write something else, too.
 */
enum hd_err hd_mend_accesses(struct hd_mender *r)
{
	uint64_t locks[HD_MEND_LOCKS + 1];
	size_t n = list_locks(r, locks);
	enum reach end = r->by_output ? REACH_LOCKS : REACHES;

	for (enum reach reach = 0; reach < end; reach++) {
		for (size_t i = 0; i < n && r->rc == HD_OK; i++) {
			if (try_lock(r, locks[i], reach) ||
			    (reach == REACH_VARIABLE && try_pointers(r, locks[i])))
				return hd_mender_tell(r, hd_put_held_sections);
		}
	}
	return r->rc != HD_OK ? r->rc : hd_mender_tell(r, NULL);
}
