#include "weak_model.h"

#include "common/hash.h"

/* ---- orders ---------------------------------------------------------------- */

static bool acquires(int order)
{
	return order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME ||
	       order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static bool releases(int order)
{
	return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static bool is_sc(const struct hd_weak_event *e)
{
	return e->order == __ATOMIC_SEQ_CST;
}

static bool reads(const struct hd_weak_event *e)
{
	return e->kind == HD_WEAK_READ || e->kind == HD_WEAK_RMW;
}

static bool writes(const struct hd_weak_event *e)
{
	return e->kind == HD_WEAK_WRITE || e->kind == HD_WEAK_RMW;
}

static bool is_fence(const struct hd_weak_event *e)
{
	return e->kind == HD_WEAK_FENCE;
}

/* On x86 loads and stores are what they are, seq_cst stores and all that reads and writes drain the buffer. */
int hd_weak_order(const struct hd_weak *m, enum hd_weak_kind kind, int order)
{
	if (!m->tso)
		return order;
	if (kind == HD_WEAK_RMW || (kind != HD_WEAK_READ && order == __ATOMIC_SEQ_CST))
		return __ATOMIC_SEQ_CST;
	return __ATOMIC_RELAXED;
}

/* ---- clocks ---------------------------------------------------------------- */

static void join(const struct hd_weak *m, struct hd_weak_clock *to,
		 const struct hd_weak_clock *from)
{
	for (unsigned i = 0; i < m->nthreads; i++) {
		if (to->of[i] < from->of[i])
			to->of[i] = from->of[i];
	}
}

static bool knows(const struct hd_weak_clock *c, const struct hd_weak_event *e)
{
	return c->of[e->slot] >= e->step;
}

/* Does @a happen before @b? */
static bool hb(const struct hd_weak_event *a, const struct hd_weak_event *b)
{
	return a != b && knows(&b->clock, a);
}

/* ---- threads, locations, objects ----------------------------------------- */

void hd_weak_init(struct hd_weak *m, struct hd_weak_event *events, struct hd_weak_location *locs,
		  int16_t *scratch, unsigned room)
{
	m->events = events;
	m->locs = locs;
	m->scratch = scratch;
	m->room = room;
	hd_weak_settle(m);
	m->settled = 0;
}

void hd_weak_settle(struct hd_weak *m)
{
	m->nevents = m->nlocs = m->nthreads = m->nobjects = m->nsc = 0;
	for (unsigned i = 0; i < HD_WEAK_BUCKETS; i++)
		m->buckets[i] = HD_WEAK_NONE;
	m->settled++;
}

static int find_thread(const struct hd_weak *m, uint32_t thread)
{
	for (unsigned i = 0; i < m->nthreads; i++) {
		if (m->threads[i].id == thread)
			return (int)i;
	}
	return -1;
}

/* Its number in clocks has not been anybody's: nobody knows anything of it. */
static void add_slot(struct hd_weak *m, unsigned slot)
{
	for (unsigned i = 0; i < m->nthreads; i++) {
		struct hd_weak_thread *t = &m->threads[i];

		t->clock.of[slot] = t->elsewhere.of[slot] = 0;
		t->pending.of[slot] = t->fence.of[slot] = 0;
	}
	for (unsigned i = 0; i < m->nobjects; i++)
		m->objects[i].clock.of[slot] = 0;
	for (unsigned i = 0; i < m->nevents; i++) {
		struct hd_weak_event *e = &m->events[i];

		e->clock.of[slot] = e->elsewhere.of[slot] = e->gives.of[slot] = 0;
	}
}

unsigned hd_weak_begin(struct hd_weak *m, uint32_t thread)
{
	int slot = find_thread(m, thread);
	struct hd_weak_thread *t;

	if (m->nevents == m->room || m->nlocs == m->room || m->nobjects == HD_WEAK_OBJECTS ||
	    (slot < 0 && m->nthreads == HD_WEAK_THREADS)) {
		hd_weak_settle(m);
		slot = -1;
	}
	if (slot >= 0)
		return (unsigned)slot;
	slot = (int)m->nthreads++;
	t = &m->threads[slot];
	t->id = thread;
	t->step = t->drained = 0;
	t->last = t->at = HD_WEAK_NONE;
	t->fenced = false;
	for (unsigned i = 0; i < m->nthreads; i++)
		t->clock.of[i] = t->elsewhere.of[i] = t->pending.of[i] = t->fence.of[i] = 0;
	add_slot(m, (unsigned)slot);
	return (unsigned)slot;
}

static int16_t *bucket(struct hd_weak *m, uint64_t addr)
{
	return &m->buckets[hd_hash_place(addr >> 3, HD_WEAK_BUCKETS - 1)];
}

static bool overlap(const struct hd_weak_location *l, uint64_t addr, uint64_t len)
{
	return l->size && l->addr < addr + len && addr < l->addr + l->size;
}

static int new_location(struct hd_weak *m, uint64_t addr, uint32_t size, uint64_t value)
{
	int16_t *head = bucket(m, addr);

	m->locs[m->nlocs] = (struct hd_weak_location){ .addr = addr,
						       .size = size,
						       .base = value,
						       .first = HD_WEAK_NONE,
						       .last_write = HD_WEAK_BASE,
						       .last = HD_WEAK_NONE,
						       .chain = *head };
	*head = (int16_t)m->nlocs;
	return (int)m->nlocs++;
}

int hd_weak_location(struct hd_weak *m, uint64_t addr, uint32_t size, uint64_t value)
{
	for (int i = *bucket(m, addr); i >= 0; i = m->locs[i].chain) {
		struct hd_weak_location *l = &m->locs[i];

		if (!overlap(l, addr, size))
			continue;
		if (l->addr != addr || l->size != size)
			return HD_WEAK_NONE;
		if (hd_weak_value(m, i, l->last_write) == value)
			return i;
		l->size = 0;
		break;
	}
	return new_location(m, addr, size, value);
}

void hd_weak_forget(struct hd_weak *m, uint64_t addr, uint64_t len)
{
	for (unsigned i = 0; i < m->nlocs; i++) {
		if (overlap(&m->locs[i], addr, len))
			m->locs[i].size = 0;
	}
}

uint64_t hd_weak_value(const struct hd_weak *m, int loc, int write)
{
	return write == HD_WEAK_BASE ? m->locs[loc].base : m->events[write].value;
}

const struct hd_weak_where *hd_weak_writer(const struct hd_weak *m, int loc, int write)
{
	return write == HD_WEAK_BASE ? &m->locs[loc].where : &m->events[write].where;
}

int hd_weak_newest(const struct hd_weak *m, int loc)
{
	return m->locs[loc].last_write;
}

/* ---- modification order ---------------------------------------------------- */

static int pos_of(const struct hd_weak *m, int write)
{
	return write == HD_WEAK_BASE ? 0 : m->events[write].pos;
}

/* The write that an event is, or has read. */
static int16_t observed(const struct hd_weak *m, int16_t event)
{
	return writes(&m->events[event]) ? event : m->events[event].src;
}

static int16_t mo_next(const struct hd_weak *m, int loc, int write)
{
	return write == HD_WEAK_BASE ? m->locs[loc].first : m->events[write].mo_next;
}

/* Does a read-modify-write come right after @write? It stays there. */
static bool is_taken(const struct hd_weak *m, int loc, int write)
{
	int16_t next = mo_next(m, loc, write);

	return next >= 0 && m->events[next].kind == HD_WEAK_RMW;
}

static void renumber(struct hd_weak *m, int loc)
{
	int16_t pos = 0;

	m->locs[loc].last_write = HD_WEAK_BASE;
	for (int16_t w = m->locs[loc].first; w >= 0; w = m->events[w].mo_next) {
		m->events[w].pos = ++pos;
		m->locs[loc].last_write = w;
	}
}

static void insert(struct hd_weak *m, int loc, int after, int16_t w)
{
	int16_t *link = after == HD_WEAK_BASE ? &m->locs[loc].first : &m->events[after].mo_next;

	m->events[w].mo_next = *link;
	*link = w;
	renumber(m, loc);
}

static void take_out(struct hd_weak *m, int loc, int after, int16_t w)
{
	int16_t *link = after == HD_WEAK_BASE ? &m->locs[loc].first : &m->events[after].mo_next;

	*link = m->events[w].mo_next;
	renumber(m, loc);
}

/* The newest write that the thread knows of. */
static int16_t bound(const struct hd_weak *m, unsigned slot, int loc)
{
	const struct hd_weak_clock *c = &m->threads[slot].clock;
	int16_t newest = HD_WEAK_BASE;

	for (int16_t i = m->locs[loc].last; i >= 0; i = m->events[i].earlier) {
		if (knows(c, &m->events[i]) && pos_of(m, observed(m, i)) > pos_of(m, newest))
			newest = observed(m, i);
	}
	return newest;
}

/* ---- seq_cst ------------------------------------------------------------------ */

/*
 * Where an event is in the order of its location: a write before those who read it, and they before the
 * next write. So a comes before b in extended coherence order if its number is less.
 */
static int key(const struct hd_weak *m, const struct hd_weak_event *e)
{
	return writes(e) ? 2 * e->pos : 2 * pos_of(m, e->src) + 1;
}

/* mo and rb of scb */
static bool overwritten(const struct hd_weak *m, const struct hd_weak_event *a,
			const struct hd_weak_event *b)
{
	return a->loc >= 0 && a->loc == b->loc && writes(b) && key(m, a) < key(m, b);
}

/* The parts of scb that are in happens-before. */
static bool scb_hb(const struct hd_weak_event *a, const struct hd_weak_event *b)
{
	if (a->slot == b->slot)
		return a->step < b->step;
	if (a->apart && b->elsewhere.of[a->slot] >= a->apart)
		return true;
	return a->loc >= 0 && a->loc == b->loc && hb(a, b);
}

/* From a fence: of what happens after it, the first of each location. */
static void first_after(const struct hd_weak *m, const struct hd_weak_event *fence, int16_t *least)
{
	for (unsigned i = 0; i < m->nlocs; i++)
		least[i] = INT16_MAX;
	for (unsigned i = 0; i < m->nevents; i++) {
		const struct hd_weak_event *a = &m->events[i];

		if (a->loc >= 0 && hb(fence, a) && key(m, a) < least[a->loc])
			least[a->loc] = (int16_t)key(m, a);
	}
}

static bool fence_to_fence(const struct hd_weak *m, const struct hd_weak_event *s,
			   const struct hd_weak_event *t, const int16_t *least)
{
	if (hb(s, t))
		return true;
	for (unsigned i = 0; i < m->nevents; i++) {
		const struct hd_weak_event *b = &m->events[i];

		if (b->loc >= 0 && hb(b, t) && least[b->loc] < key(m, b))
			return true;
	}
	return false;
}

static bool fence_to_access(const struct hd_weak *m, const struct hd_weak_event *s,
			    const struct hd_weak_event *t, const int16_t *least)
{
	if (writes(t) && least[t->loc] < key(m, t))
		return true;
	for (unsigned i = 0; i < m->nevents; i++) {
		const struct hd_weak_event *a = &m->events[i];

		if ((a == s || hb(s, a)) && a != t && scb_hb(a, t))
			return true;
	}
	return false;
}

static bool access_to_fence(const struct hd_weak *m, const struct hd_weak_event *s,
			    const struct hd_weak_event *t)
{
	for (unsigned i = 0; i < m->nevents; i++) {
		const struct hd_weak_event *b = &m->events[i];

		if ((b == t || hb(b, t)) && b != s && (scb_hb(s, b) || overwritten(m, s, b)))
			return true;
	}
	return false;
}

static bool psc(const struct hd_weak *m, const struct hd_weak_event *s,
		const struct hd_weak_event *t, const int16_t *least)
{
	if (s == t)
		return false;
	if (is_fence(s))
		return is_fence(t) ? fence_to_fence(m, s, t, least)
				   : fence_to_access(m, s, t, least);
	if (is_fence(t))
		return access_to_fence(m, s, t);
	return scb_hb(s, t) || overwritten(m, s, t);
}

/* ---- TSO ------------------------------------------------------------------- */

/* Of one thread: is @a in order with the later @b, for everybody? All are, but for what a buffer holds back. */
static bool stays_before(const struct hd_weak_event *a, const struct hd_weak_event *b)
{
	return a->kind != HD_WEAK_WRITE || b->kind != HD_WEAK_READ || is_sc(a) || is_sc(b) ||
	       a->step <= b->drained;
}

static bool tso_before(const struct hd_weak *m, const struct hd_weak_event *a,
		       const struct hd_weak_event *b)
{
	if (a->slot == b->slot)
		return a->step < b->step && stays_before(a, b);
	if (reads(b) && b->src == a - m->events)
		return true;
	return overwritten(m, a, b) || hb(a, b);
}

/* ---- consistency ------------------------------------------------------------- */

static bool comes_before(const struct hd_weak *m, const struct hd_weak_event *a,
			 const struct hd_weak_event *b, const int16_t *least)
{
	return m->tso ? tso_before(m, a, b) : is_sc(b) && psc(m, a, b, least);
}

/* Is there a way from @start back to it? */
static bool on_cycle(const struct hd_weak *m, int16_t start)
{
	int16_t *queue = m->scratch, *least = m->scratch + m->room;
	int16_t *seen = m->scratch + 2 * (size_t)m->room;
	unsigned n = 0;

	for (unsigned i = 0; i < m->nevents; i++)
		seen[i] = 0;
	queue[n++] = start;
	for (unsigned at = 0; at < n; at++) {
		const struct hd_weak_event *s = &m->events[queue[at]];

		if (is_fence(s) && !m->tso)
			first_after(m, s, least);
		for (unsigned i = 0; i < m->nevents; i++) {
			if (seen[i] || !comes_before(m, s, &m->events[i], least))
				continue;
			if (i == (unsigned)start)
				return true;
			seen[i] = 1;
			queue[n++] = (int16_t)i;
		}
	}
	return false;
}

/* The last event has just come before another write: is there still no cycle? */
static bool is_consistent(const struct hd_weak *m)
{
	int16_t e = (int16_t)(m->nevents - 1);

	if ((m->tso || is_sc(&m->events[e])) && on_cycle(m, e))
		return false;
	for (int16_t i = 0; i < e && !m->tso; i++) {
		const struct hd_weak_event *f = &m->events[i];

		if (is_fence(f) && is_sc(f) && hb(f, &m->events[e]) && on_cycle(m, i))
			return false;
	}
	return true;
}

/* ---- events -------------------------------------------------------------------- */

/* What one learns who acquires the write that @e is. */
static void set_gives(const struct hd_weak *m, const struct hd_weak_thread *t,
		      struct hd_weak_event *e)
{
	for (unsigned i = 0; i < m->nthreads; i++)
		e->gives.of[i] = releases(e->order) ? e->clock.of[i]
				 : t->fenced	    ? t->fence.of[i]
						    : 0;
	if (e->kind == HD_WEAK_RMW && e->src >= 0) /* the release sequence goes on */
		join(m, &e->gives, &m->events[e->src].gives);
}

/* The thread's next event, at the end of the list, but in no order yet. */
static int16_t make(struct hd_weak *m, unsigned slot, enum hd_weak_kind kind, int loc, int order,
		    int src)
{
	struct hd_weak_event *e = &m->events[m->nevents];
	const struct hd_weak_thread *t = &m->threads[slot];

	e->kind = (uint8_t)kind;
	e->order = (uint8_t)order;
	e->slot = (uint8_t)slot;
	e->loc = (int16_t)loc;
	e->src = (int16_t)src;
	e->mo_next = HD_WEAK_NONE;
	e->before = t->last;
	e->earlier = loc >= 0 ? m->locs[loc].last : HD_WEAK_NONE;
	e->pos = 0;
	e->apart = e->again = 0;
	e->step = t->step + 1;
	e->clock = t->clock;
	e->clock.of[slot] = e->step;
	e->elsewhere = loc >= 0 && t->at == loc ? t->elsewhere : t->clock;
	e->drained = t->drained;
	if (m->tso) /* orders are not what is known, but what tso_before() has */
		return (int16_t)m->nevents++;
	if (reads(e) && src >= 0 && acquires(order))
		join(m, &e->clock, &m->events[src].gives);
	if (is_fence(e) && acquires(order))
		join(m, &e->clock, &t->pending);
	if (writes(e))
		set_gives(m, t, e);
	return (int16_t)m->nevents++;
}

/* The thread makes a step at @loc: those before it that were elsewhere learn that it went away. */
static void step_to(struct hd_weak *m, unsigned slot, int loc, uint32_t step)
{
	struct hd_weak_thread *t = &m->threads[slot];

	if (loc >= 0 && t->at == loc)
		return;
	for (int16_t i = t->last; i >= 0 && !m->events[i].apart; i = m->events[i].before)
		m->events[i].apart = step;
	t->elsewhere = t->clock;
	t->at = (int16_t)loc;
}

/* It has happened. */
static void commit(struct hd_weak *m, int16_t event)
{
	struct hd_weak_event *e = &m->events[event];
	struct hd_weak_thread *t = &m->threads[e->slot];

	step_to(m, e->slot, e->loc, e->step);
	t->step = e->step;
	t->last = event;
	t->clock = e->clock;
	if (e->loc >= 0)
		m->locs[e->loc].last = event;
	if (reads(e) && e->src >= 0 && !m->tso)
		join(m, &t->pending, &m->events[e->src].gives);
	if (is_fence(e) && releases(e->order)) {
		t->fence = e->clock;
		t->fenced = true;
	}
	m->nsc += is_sc(e);
}

/* May it happen with @after (or what it reads) right before it? */
static bool is_possible(struct hd_weak *m, unsigned slot, enum hd_weak_kind kind, int loc,
			int order, int after)
{
	int16_t e;
	bool ok;

	if (kind != HD_WEAK_READ && is_taken(m, loc, after))
		return false;
	if (after == m->locs[loc].last_write || (!m->tso && !m->nsc && order != __ATOMIC_SEQ_CST))
		return true;
	e = make(m, slot, kind, loc, order, kind == HD_WEAK_WRITE ? HD_WEAK_NONE : after);
	if (kind != HD_WEAK_READ)
		insert(m, loc, after, e);
	ok = is_consistent(m);
	if (kind != HD_WEAK_READ)
		take_out(m, loc, after, e);
	m->nevents--;
	return ok;
}

/* What comes before @write in modification order. */
static int16_t mo_before(const struct hd_weak *m, int loc, int write)
{
	int16_t w = HD_WEAK_BASE;

	for (int16_t next; (next = mo_next(m, loc, w)) != write;)
		w = next;
	return w;
}

unsigned hd_weak_readable(struct hd_weak *m, unsigned slot, int loc,
			  const struct hd_weak_want *want, struct hd_weak_choice *out, unsigned max)
{
	int16_t oldest = bound(m, slot, loc), w = m->locs[loc].last_write;
	unsigned n = 0;

	for (;; w = mo_before(m, loc, w)) {
		bool fails = want->compares && hd_weak_value(m, loc, w) != want->expected;

		/* Who wrote what was there before a settling, and what it gave, is not known any more. */
		if (w == HD_WEAK_BASE && m->settled && n)
			return n;
		if (n < max && is_possible(m, slot, fails ? HD_WEAK_READ : want->kind, loc,
					   fails ? want->fail_order : want->order, w))
			out[n++] = (struct hd_weak_choice){ .write = w, .fails = fails };
		if (n < max && want->may_fail && !fails &&
		    is_possible(m, slot, HD_WEAK_READ, loc, want->fail_order, w))
			out[n++] = (struct hd_weak_choice){ .write = w, .fails = true };
		if (w == oldest)
			return n;
	}
}

unsigned hd_weak_places(struct hd_weak *m, unsigned slot, int loc, int order, int16_t *out,
			unsigned max)
{
	int16_t oldest = bound(m, slot, loc), w = m->locs[loc].last_write;
	unsigned n = 0;

	for (;; w = mo_before(m, loc, w)) {
		if (n < max && is_possible(m, slot, HD_WEAK_WRITE, loc, order, w))
			out[n++] = w;
		if (w == oldest)
			return n;
	}
}

/*
 * Has the thread just done the same, and learnt nothing since? Then it makes no difference. A seq_cst
 * one is ordered after what was known elsewhere, so it counts from then on.
 */
static struct hd_weak_event *repeated(const struct hd_weak *m, unsigned slot, int loc, int order,
				      int src)
{
	const struct hd_weak_thread *t = &m->threads[slot];
	struct hd_weak_event *e = t->last >= 0 ? &m->events[t->last] : NULL;
	const struct hd_weak_clock *since;

	if (!e || e->kind != HD_WEAK_READ || e->loc != loc || e->order != order || e->src != src)
		return NULL;
	since = is_sc(e) && t->at != loc ? &e->elsewhere : &e->clock;
	for (unsigned i = 0; i < m->nthreads; i++) {
		if (i != slot && since->of[i] != t->clock.of[i])
			return NULL;
	}
	return e;
}

void hd_weak_read(struct hd_weak *m, unsigned slot, int loc, int order, int src)
{
	struct hd_weak_event *same = repeated(m, slot, loc, order, src);

	if (same)
		same->again++;
	else
		commit(m, make(m, slot, HD_WEAK_READ, loc, order, src));
}

static void put_write(struct hd_weak *m, int16_t e, int after, uint64_t value,
		      const struct hd_weak_where *where)
{
	m->events[e].value = value;
	if (where)
		m->events[e].where = *where;
	insert(m, m->events[e].loc, after, e);
	commit(m, e);
}

void hd_weak_write(struct hd_weak *m, unsigned slot, int loc, int order, int after, uint64_t value,
		   const struct hd_weak_where *where)
{
	put_write(m, make(m, slot, HD_WEAK_WRITE, loc, order, HD_WEAK_NONE), after, value, where);
}

void hd_weak_rmw(struct hd_weak *m, unsigned slot, int loc, int order, int src, uint64_t value,
		 const struct hd_weak_where *where)
{
	put_write(m, make(m, slot, HD_WEAK_RMW, loc, order, src), src, value, where);
}

void hd_weak_fence(struct hd_weak *m, unsigned slot, int order)
{
	if (order != __ATOMIC_RELAXED)
		commit(m, make(m, slot, HD_WEAK_FENCE, HD_WEAK_NONE, order, HD_WEAK_NONE));
}

/* ---- order from elsewhere -------------------------------------------------------- */

void hd_weak_apart(struct hd_weak *m, unsigned slot)
{
	struct hd_weak_thread *t = &m->threads[slot];

	if (t->at == HD_WEAK_NONE) /* it has not been anywhere since */
		return;
	t->clock.of[slot] = ++t->step;
	step_to(m, slot, HD_WEAK_NONE, t->step);
}

static struct hd_weak_object *object(struct hd_weak *m, uint64_t key)
{
	for (unsigned i = 0; i < m->nobjects; i++) {
		if (m->objects[i].key == key)
			return &m->objects[i];
	}
	return NULL;
}

void hd_weak_give(struct hd_weak *m, unsigned slot, uint64_t key)
{
	struct hd_weak_object *o = object(m, key);

	hd_weak_apart(m, slot);
	m->threads[slot].drained = m->threads[slot].step;
	if (!o) {
		o = &m->objects[m->nobjects++];
		o->key = key;
		o->clock = m->threads[slot].clock;
	}
	join(m, &o->clock, &m->threads[slot].clock);
}

void hd_weak_take(struct hd_weak *m, unsigned slot, uint64_t key)
{
	const struct hd_weak_object *o = object(m, key);

	m->threads[slot].drained = m->threads[slot].step;
	if (!o)
		return;
	hd_weak_apart(m, slot);
	join(m, &m->threads[slot].clock, &o->clock);
	m->threads[slot].elsewhere = m->threads[slot].clock;
}

/* ---- digest ------------------------------------------------------------------------ */

/* An event by what it is in any order of building: its thread, and its number there. */
static uint64_t name_of(const struct hd_weak *m, int event)
{
	uint64_t n = 2;

	if (event < 0)
		return 1;
	for (int16_t i = m->events[event].before; i >= 0; i = m->events[i].before)
		n++;
	return hd_hash_next(hd_hash_number(m->threads[m->events[event].slot].id), n);
}

uint64_t hd_weak_digest(const struct hd_weak *m)
{
	uint64_t sum = m->settled;

	for (unsigned i = 0; i < m->nevents; i++) {
		const struct hd_weak_event *e = &m->events[i];
		uint64_t hash = hd_hash_next(name_of(m, (int)i), e->kind << 8 | e->order);

		hash = hd_hash_next(hash, e->again);
		hash = hd_hash_next(hash, reads(e) ? name_of(m, e->src) : 0);
		hash = hd_hash_next(hash, writes(e) ? name_of(m, e->mo_next) : 0);
		sum += hd_hash_all(hash);
	}
	return sum;
}
