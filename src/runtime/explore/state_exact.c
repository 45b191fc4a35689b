#include "state_exact.h"

#include "runtime/memory/arena.h"
#include "runtime/sync/mutex.h"
#include "runtime/thread/thread.h"

bool hd_rt_exact;

/* Words that grow. */
struct list {
	uint64_t *at;
	size_t n, cap;
};

/* What a thread has been told, by its number. */
static struct past {
	struct list told;
	bool no_stack;
} * pasts;
static size_t npasts;

static struct list kept, locks, words;

static void append(struct list *l, uint64_t v)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 64;
		uint64_t *at = hd_rt_alloc(cap * sizeof(*at));

		for (size_t i = 0; i < l->n; i++)
			at[i] = l->at[i];
		if (l->cap)
			hd_rt_free(l->at, l->cap * sizeof(*at));
		l->at = at;
		l->cap = cap;
	}
	l->at[l->n++] = v;
}

static struct past *past_of(uint32_t id)
{
	if (id >= npasts) {
		size_t n = 2 * (size_t)id + 16;
		struct past *p = hd_rt_alloc(n * sizeof(*p));

		for (size_t i = 0; i < n; i++)
			p[i] = i < npasts ? pasts[i] : (struct past){ 0 };
		if (npasts)
			hd_rt_free(pasts, npasts * sizeof(*p));
		pasts = p;
		npasts = n;
	}
	return &pasts[id];
}

void hd_rt_exact_note(uint64_t what)
{
	append(&past_of(hd_rt.cur->id)->told, what);
}

void hd_rt_exact_keep(uint64_t tag, uint64_t addr, uint64_t value)
{
	append(&kept, tag);
	append(&kept, addr);
	append(&kept, value);
}

void hd_rt_exact_change(uint64_t tag, uint64_t addr, uint64_t value)
{
	for (size_t i = 0; i < kept.n; i += 3) {
		if (kept.at[i] == tag && kept.at[i + 1] == addr) {
			kept.at[i + 2] = value;
			return;
		}
	}
	hd_rt_exact_keep(tag, addr, value);
}

void hd_rt_exact_leave_stack(void)
{
	past_of(hd_rt.cur->id)->no_stack = true;
}

void hd_rt_exact_lock(uintptr_t addr, uint16_t mode)
{
	uint16_t kind = mode & HD_LOCK_KIND_MASK;

	if (kind == HD_LOCK_FILE || kind == HD_LOCK_ISOLATED)
		return;
	if (kind == HD_LOCK_OMP)
		addr = HD_LEAGUE_LOCK(addr);
	for (size_t i = 0; i < locks.n; i += 3) {
		if (locks.at[i] == addr)
			return;
	}
	append(&locks, addr);
	append(&locks, kind);
	append(&locks, 0); /* room for its state */
}

/* ---- writing ------------------------------------------------------------------- */

static bool is_less(const uint64_t *a, const uint64_t *b)
{
	for (unsigned i = 0; i < 3; i++) {
		if (a[i] != b[i])
			return a[i] < b[i];
	}
	return false;
}

/* Triples in order (Shell's sort). */
static void sort(struct list *l)
{
	size_t n = l->n / 3;

	for (size_t gap = n / 2; gap; gap = gap == 2 ? 1 : gap * 5 / 11) {
		for (size_t i = gap; i < n; i++) {
			uint64_t v[3] = { l->at[3 * i], l->at[3 * i + 1], l->at[3 * i + 2] };
			size_t k = i;

			for (; k >= gap && is_less(v, &l->at[3 * (k - gap)]); k -= gap) {
				for (unsigned j = 0; j < 3; j++)
					l->at[3 * k + j] = l->at[3 * (k - gap) + j];
			}
			for (unsigned j = 0; j < 3; j++)
				l->at[3 * k + j] = v[j];
		}
	}
}

static void add_word(uintptr_t addr, uint64_t value, uint32_t owner)
{
	const struct fiber *f = owner ? hd_rt_fiber_by_id(owner) : NULL;

	if (owner && (!f || f->state == HD_F_DONE || past_of(owner)->no_stack))
		return;
	append(&words, addr);
	append(&words, value);
	append(&words, owner);
}

/* Who has a lock, in the words that libc and heddle know it by. */
static uint64_t lock_state(uintptr_t addr, uint64_t kind)
{
	const pthread_mutex_t *m = (const pthread_mutex_t *)addr;
	const pthread_rwlock_t *l = (const pthread_rwlock_t *)addr;

	if (kind == HD_LOCK_RWLOCK)
		return (uint64_t)l->__data.__readers << 32 | (uint32_t)l->__data.__cur_writer;
	if (kind == HD_LOCK_MUTEX)
		return (uint64_t)m->__data.__count << 32 | (uint32_t)m->__data.__owner;
	return *(const volatile uint32_t *)addr;
}

struct out {
	uint64_t *at;
	size_t n, room;
};

static void put(struct out *o, uint64_t v)
{
	if (o->n < o->room)
		o->at[o->n] = v;
	o->n++;
}

static void put_list(struct out *o, const struct list *l)
{
	put(o, l->n);
	for (size_t i = 0; i < l->n; i++)
		put(o, l->at[i]);
}

static void put_thread(struct out *o, const struct fiber *f)
{
	bool waits = f->state == HD_F_BLOCKED;

	put(o, f->id);
	put(o, waits ? f->wait.why : HD_TS_RUNNABLE);
	put(o, waits && f->wait.why != HD_TS_JOIN ? f->wait.addr : 0);
	put_list(o, &past_of(f->id)->told);
}

size_t hd_rt_exact_write(uint64_t *out, size_t room)
{
	struct out o = { .at = out, .room = room };

	words.n = 0;
	hd_rt_state_words(add_word);
	sort(&words);
	sort(&kept);
	for (size_t i = 0; i < locks.n; i += 3)
		locks.at[i + 2] = lock_state(locks.at[i], locks.at[i + 1]);
	sort(&locks);
	put(&o, hd_rt.opt.any_time && !hd_rt.clock_seen ? 0 : hd_rt.now);
	put_list(&o, &words);
	put_list(&o, &kept);
	for (size_t i = 0; i < locks.n; i += 3) {
		if (!locks.at[i + 2]) /* one that was never used is the same */
			continue;
		put(&o, locks.at[i]);
		put(&o, locks.at[i + 2]);
	}
	for (uint32_t id = 1; id < npasts; id++) {
		const struct fiber *f = hd_rt_fiber_by_id(id);

		if (f && f->state != HD_F_DONE)
			put_thread(&o, f);
	}
	return o.n <= room ? o.n : 0;
}
