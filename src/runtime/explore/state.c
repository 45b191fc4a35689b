#include "state.h"

#include "common/hash.h"
#include "runtime/memory/arena.h"
#include "runtime/weak/weak.h"
#include "runtime/thread/thread.h"
#include "state_exact.h"
#include "trace/event_meaning.h"

/* ---- contents of memory ------------------------------------------------------ */

/*
 * Eight bytes of which some were written. Only those count: what lies beside a variable on a
 * stack are the remains of calls, also of the runtime's own.
 */
struct word {
	uintptr_t addr; /* 0: unused; 1: no longer */
	uint64_t value; /* of the bytes that were written; the others are 0 */
	uint32_t owner; /* thread whose stack it is on, 0: none */
};

#define GONE 1u

static struct word *words;
static uint64_t nwords, cap;
static uint64_t memory; /* sum over the words that are on no stack */

/* The last write: its value is there when the next thing happens. */
static uintptr_t pending;
static uint64_t pending_len;

/* Small numbers are kept apart, so that it matters which of the two has which value. */
static uint64_t mix(uint64_t h, uint64_t v)
{
	h = hd_hash_pair(h, v) * HD_HASH_EVENSEN;
	h ^= h >> 35;
	h *= HD_HASH_DEGSKI;
	return h ^ (h >> 32);
}

static struct word *word_of(struct word *table, uint64_t size, uintptr_t addr)
{
	uint64_t i = mix(0, addr) & (size - 1);

	while (table[i].addr && table[i].addr != addr)
		i = (i + 1) & (size - 1);
	return &table[i];
}

static void grow(void)
{
	uint64_t bigger = cap ? 2 * cap : 4096;
	struct word *table = hd_rt_alloc(bigger * sizeof(*table));

	nwords = 0;
	for (uint64_t i = 0; i < cap; i++) {
		if (words[i].addr > GONE) {
			*word_of(table, bigger, words[i].addr) = words[i];
			nwords++;
		}
	}
	if (cap)
		hd_rt_free(words, cap * sizeof(*words));
	words = table;
	cap = bigger;
}

/* The thread on whose stack @addr is, or NULL. */
static struct fiber *owner_of(uintptr_t addr)
{
	struct fiber *f = hd_rt.cur;

	if (addr - f->stack.low < f->stack.top - f->stack.low)
		return f;
	for (f = hd_rt.all; f; f = f->next) {
		if (f->state != HD_F_DONE && addr - f->stack.low < f->stack.top - f->stack.low)
			return f;
	}
	return NULL;
}

static uint64_t hash_of(const struct word *w)
{
	return mix(mix(1, w->addr), w->value);
}

/* Those of the eight bytes at @addr that are in @mask have changed. */
static void refresh_word(uintptr_t addr, uint64_t mask)
{
	struct fiber *owner = owner_of(addr);
	uint64_t *sum = owner ? &owner->explore.state_stack : &memory;
	uint32_t id = owner ? owner->id : 0;
	struct word *w;

	if (2 * nwords >= cap)
		grow();
	w = word_of(words, cap, addr);
	if (!w->addr) {
		w->addr = addr;
		nwords++;
	} else if (w->owner == id) {
		*sum -= hash_of(w);
	} else { /* the stack of a thread that has ended, and all that was on it, is another one's now */
		w->value = 0;
	}
	w->value = (w->value & ~mask) | (*(volatile uint64_t *)addr & mask);
	w->owner = id;
	*sum += hash_of(w);
}

static void refresh(uintptr_t addr, uint64_t len)
{
	uintptr_t end = addr + len;

	for (uintptr_t at = addr & ~(uintptr_t)7; at < end; at += 8) {
		uint64_t mask = ~0ull;

		if (at < addr)
			mask <<= 8 * (addr - at);
		if (end - at < 8)
			mask &= ~0ull >> 8 * (8 - (end - at));
		refresh_word(at, mask);
	}
}

void hd_rt_state_settle(void)
{
	uint64_t len = pending_len;

	pending_len = 0;
	if (len)
		refresh(pending, len);
}

static void forget(uintptr_t addr, uint64_t len)
{
	for (uintptr_t at = (addr + 7) & ~(uintptr_t)7; cap && at + 8 <= addr + len; at += 8) {
		struct word *w = word_of(words, cap, at);

		if (!w->addr)
			continue;
		if (!w->owner)
			memory -= hash_of(w);
		w->value = 0;
		w->addr = GONE;
	}
}

/* ---- threads ---------------------------------------------------------------- */

static void remember(uint64_t what)
{
	if (unlikely(hd_rt_exact))
		hd_rt_exact_note(what);
	hd_rt.cur->explore.state_past = mix(hd_rt.cur->explore.state_past, what);
}

static uint64_t bytes_at(uintptr_t addr, uint64_t len)
{
	uint64_t h = len;

	for (; len >= 8; addr += 8, len -= 8) {
		h = mix(h, *(volatile uint64_t *)addr);
		if (unlikely(hd_rt_exact))
			hd_rt_exact_note(*(volatile uint64_t *)addr);
	}
	for (; len; addr++, len--) {
		h = mix(h, *(volatile uint8_t *)addr);
		if (unlikely(hd_rt_exact))
			hd_rt_exact_note(*(volatile uint8_t *)addr);
	}
	return h;
}

/* Kept for the program, but not in its memory. */
static void keep(uint64_t tag, uint64_t addr, uint64_t value)
{
	memory += mix(mix(tag, addr), value);
	if (unlikely(hd_rt_exact))
		hd_rt_exact_keep(tag, addr, value);
}

void hd_rt_state_access(uintptr_t addr, uint64_t len, bool write)
{
	hd_rt_state_settle();
	if (write) {
		pending = addr;
		pending_len = len;
		remember(2);
	} else {
		remember(bytes_at(addr, len));
	}
}

void hd_rt_state_point(void)
{
	remember(7);
}

/* What it did is forgotten, the locks that it has stay. */
static void digest_end(void)
{
	hd_rt.cur->explore.state_stack = 0;
	for (struct hd_held *h = NULL; (h = hd_rt_held_next(hd_rt.cur, h));)
		keep(8, h->addr, h->mode);
	if (unlikely(hd_rt_exact))
		hd_rt_exact_leave_stack();
}

/* An event that means something new is to be thought of here. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"
#pragma GCC diagnostic error "-Wswitch-enum"

void hd_rt_state_event(enum hd_op op, uintptr_t addr, uint64_t value, uint32_t size, uint16_t arg)
{
	hd_rt_state_settle();
	switch (hd_op_digest(op)) {
	case HD_DIGEST_NONE:
		return;
	case HD_DIGEST_PERMITS:
		refresh(addr, 8); /* how much it has: glibc's first eight bytes */
		remember(op);
		return;
	case HD_DIGEST_STORE: /* what it wrote follows from the past */
		refresh(addr, size);
		value = 0;
		break;
	case HD_DIGEST_SWAP:
		refresh(addr, size);
		break;
	case HD_DIGEST_ONCE:
		refresh(addr, sizeof(pthread_once_t));
		break;
	case HD_DIGEST_FREE:
		forget(addr, value);
		keep(9, addr, 0); /* what touches it now is an error */
		remember(op);
		return;
	case HD_DIGEST_PHASE:
		keep(4, addr, 0);
		break;
	case HD_DIGEST_END:
		digest_end();
		break;
	case HD_DIGEST_LOCK:
		if (unlikely(hd_rt_exact))
			hd_rt_exact_lock(addr, arg);
		break;
	case HD_DIGEST_ACCESS: /* comes as hd_rt_state_access() */
	case HD_DIGEST_VALUE:
		break;
	}
	/* What others did, the value may tell. */
	if (unlikely(hd_rt_exact))
		hd_rt_exact_note(value);
	remember(mix(op, value));
}

#pragma GCC diagnostic pop

void hd_rt_state_change(uintptr_t addr, uint64_t was, uint64_t is)
{
	memory += mix(mix(3, addr), is) - mix(mix(3, addr), was);
	if (unlikely(hd_rt_exact))
		hd_rt_exact_change(3, addr, is);
}

static uint64_t thread_state(const struct fiber *f)
{
	uint64_t h = mix(5, f->id);

	h = mix(h, f->explore.state_past);
	h = mix(h, f->explore.state_stack);
	h = mix(h, f->state == HD_F_BLOCKED ? f->wait.why : HD_TS_RUNNABLE);
	return mix(h, f->state == HD_F_BLOCKED && f->wait.why != HD_TS_JOIN ? f->wait.addr : 0);
}

uint64_t hd_rt_state(void)
{
	uint64_t h;

	hd_rt_state_settle();
	/* Where time orders nothing it is known by who has looked at it. */
	h = mix(mix(6, memory), hd_rt.opt.any_time && !hd_rt.clock_seen ? 0 : hd_rt.now);
	for (const struct fiber *f = hd_rt.all; f; f = f->next) {
		if (f->state != HD_F_DONE)
			h += thread_state(f);
	}
	if (hd_rt_is_weak())
		h = mix(h, hd_rt_weak_state());
	return h | 1;
}

void hd_rt_state_words(void (*fn)(uintptr_t addr, uint64_t value, uint32_t owner))
{
	for (uint64_t i = 0; i < cap; i++) {
		if (words[i].addr > GONE)
			fn(words[i].addr, words[i].value, words[i].owner);
	}
}

void hd_rt_state_start(void)
{
	hd_rt_exact = hd_rt.opt.exact_states;
	hd_rt.mode |= HD_M_STATES;
}
