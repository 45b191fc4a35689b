#include "lost_wakeup.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/map.h"

#define READS 64u  /* words that a thread has read since it took a mutex; of more, the last */
#define LOCKS 16u  /* that a thread holds; of more, the first */
#define SITES 256u /* places with waits; more are not looked at */

/* The last words that were added, each once. */
struct word_ring {
	uint64_t words[READS];
	uint8_t chain[READS]; /* by the lowest bits of a word: its index + 1; 0: none ... */
	uint8_t next[READS];  /* ... and from there to the next */
	size_t n;
};

/* Waits at one place for one condition variable with one mutex. */
struct site {
	struct hd_event first;
	struct word_ring reads;
	uint64_t
		around; /* the lock under which its mutex was taken, as std::condition_variable_any does; 0: none */
	bool timed;    /* one ended by itself */
	bool notified; /* somebody notified it ... */
	bool set;      /* ... and had set what it looks at */
	bool one;      /* only one of its waiters was to wake up */
};

struct walker {
	uint64_t locks[LOCKS];
	uint64_t around[LOCKS]; /* the one taken last of those held when each was taken; 0: none */
	size_t nlocks;
	struct word_ring reads;
	size_t waits; /* site + 1 */
};

struct hd_lost_wakeups {
	struct site *sites;
	size_t nsites, sites_room;
	struct walker **walkers;
	size_t nwalkers, walkers_room;
	struct hd_map walker_of; /* thread -> index + 1 */
	uint32_t last_thread;
	struct walker *last; /* its; NULL: nobody's */
	bool again;	     /* events come for the second time */
	struct hd_map wrote; /* site, thread -> enum wrote: what is read there */
};

struct hd_lost_wakeups *hd_lost_wakeups_new(void)
{
	return calloc(1, sizeof(struct hd_lost_wakeups));
}

void hd_lost_wakeups_free(struct hd_lost_wakeups *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->nwalkers; i++)
		free(l->walkers[i]);
	free(l->walkers);
	free(l->sites);
	hd_map_free(&l->walker_of);
	hd_map_free(&l->wrote);
	free(l);
}

/* ---- where a thread is ------------------------------------------------------------------ */

static struct walker *new_walker(struct hd_lost_wakeups *l, uint32_t thread)
{
	struct walker *w = calloc(1, sizeof(*w));

	if (!w || !HD_ROOM(l->walkers, l->walkers_room, l->nwalkers + 1) ||
	    !hd_map_set(&l->walker_of, thread, l->nwalkers + 1)) {
		free(w);
		return NULL;
	}
	l->walkers[l->nwalkers++] = w;
	return w;
}

static struct walker *walker(struct hd_lost_wakeups *l, uint32_t thread)
{
	uint64_t at;

	if (l->last && l->last_thread == thread)
		return l->last;
	at = hd_map_get(&l->walker_of, thread);
	l->last_thread = thread;
	l->last = at ? l->walkers[at - 1] : new_walker(l, thread);
	return l->last;
}

static void forget_words(struct word_ring *r)
{
	memset(r->chain, 0, sizeof(r->chain));
	r->n = 0;
}

static void take(struct walker *w, uint64_t lock)
{
	if (!w->nlocks)
		forget_words(&w->reads);
	if (w->nlocks == LOCKS)
		return;
	w->around[w->nlocks] = w->nlocks ? w->locks[w->nlocks - 1] : 0;
	w->locks[w->nlocks++] = lock;
}

static void give(struct walker *w, uint64_t lock)
{
	for (size_t i = w->nlocks; i-- > 0;) {
		if (w->locks[i] == lock) {
			w->locks[i] = w->locks[--w->nlocks];
			w->around[i] = w->around[w->nlocks];
			return;
		}
	}
}

static bool holds(const struct walker *w, uint64_t lock)
{
	for (size_t i = 0; i < w->nlocks; i++) {
		if (w->locks[i] == lock)
			return true;
	}
	return false;
}

static bool has_word(const struct word_ring *r, uint64_t word)
{
	unsigned at = r->chain[word % READS];

	while (at && r->words[at - 1] != word)
		at = r->next[at - 1];
	return at != 0;
}

/* The word at index @at makes room for another one. */
static void unlink_word(struct word_ring *r, size_t at)
{
	uint8_t *link = &r->chain[r->words[at] % READS];

	while (*link != at + 1)
		link = &r->next[*link - 1];
	*link = r->next[at];
}

static void add_word(struct word_ring *r, uint64_t word)
{
	size_t at = r->n % READS;

	if (has_word(r, word))
		return;
	if (r->n >= READS)
		unlink_word(r, at);
	r->words[at] = word;
	r->next[at] = r->chain[word % READS];
	r->chain[word % READS] = (uint8_t)(at + 1);
	r->n++;
}

/* The words of memory that @ev is about; returns how many. */
static uint64_t words_of(const struct hd_event *ev, uint64_t *first)
{
	bool range = ev->op == HD_OP_READ_RANGE || ev->op == HD_OP_WRITE_RANGE;
	uint64_t size = range ? ev->value : ev->size ? ev->size : 1;

	*first = ev->addr / 8;
	return size ? (ev->addr + size - 1) / 8 - *first + 1 : 0;
}

static bool reads(const struct hd_event *ev)
{
	return ev->op == HD_OP_READ || ev->op == HD_OP_READ_RANGE || ev->op == HD_OP_ATOMIC_LOAD ||
	       ev->op == HD_OP_ATOMIC_RMW;
}

static bool writes(const struct hd_event *ev)
{
	return ev->op == HD_OP_WRITE || ev->op == HD_OP_WRITE_RANGE ||
	       ev->op == HD_OP_ATOMIC_STORE || ev->op == HD_OP_ATOMIC_RMW;
}

static void follow_locks(struct walker *w, const struct hd_event *ev)
{
	if (ev->op == HD_OP_ACQUIRE)
		take(w, ev->addr);
	else if (ev->op == HD_OP_RELEASE)
		give(w, ev->addr);
}

/* The lock that was held when @lock was taken; 0: none. */
static uint64_t around(const struct walker *w, uint64_t lock)
{
	for (size_t i = 0; i < w->nlocks; i++) {
		if (w->locks[i] == lock)
			return w->around[i];
	}
	return 0;
}

/* ---- waits ------------------------------------------------------------------------------ */

static enum hd_err add_wait(struct hd_lost_wakeups *l, struct walker *w, const struct hd_event *ev)
{
	struct site *s = NULL;

	for (size_t i = 0; i < l->nsites && !s; i++) {
		const struct hd_event *at = &l->sites[i].first;

		if (at->pc == ev->pc && at->addr == ev->addr && at->value == ev->value)
			s = &l->sites[i];
	}
	if (!s) {
		if (l->nsites == SITES)
			return HD_OK;
		if (!HD_ROOM(l->sites, l->sites_room, l->nsites + 1))
			return HD_ERR_NOMEM;
		s = &l->sites[l->nsites++];
		*s = (struct site){ .first = *ev };
	}
	for (size_t i = 0; i < READS && i < w->reads.n; i++)
		add_word(&s->reads, w->reads.words[i]);
	if (around(w, ev->value))
		s->around = around(w, ev->value);
	w->waits = (size_t)(s - l->sites) + 1;
	return HD_OK;
}

enum hd_err hd_lost_wakeups_waits(struct hd_lost_wakeups *l, const struct hd_event *events,
				  size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct hd_event *ev = &events[i];
		struct walker *w = walker(l, ev->thread);
		uint64_t word, words;

		if (!w)
			return HD_ERR_NOMEM;
		follow_locks(w, ev);
		words = reads(ev) ? words_of(ev, &word) : 0;
		for (uint64_t k = 0; k < words && k < READS; k++)
			add_word(&w->reads, word + k);
		if (ev->op == HD_OP_WAIT && add_wait(l, w, ev) != HD_OK)
			return HD_ERR_NOMEM;
		if (ev->op == HD_OP_WAKE && w->waits) {
			l->sites[w->waits - 1].timed |= !ev->value && ev->value2;
			w->waits = 0;
		}
	}
	return HD_OK;
}

/* ---- what ends them --------------------------------------------------------------------- */

static uint64_t pair(size_t site, uint32_t thread)
{
	return (uint64_t)site << 32 | thread;
}

enum wrote { NOT, AROUND, UNDER };

/* How a thread that holds the locks of @w keeps out those who look before they wait at @s. */
static enum wrote guard(const struct walker *w, const struct site *s)
{
	if (holds(w, s->first.value))
		return UNDER;
	return s->around && holds(w, s->around) ? AROUND : NOT;
}

static bool note_write(struct hd_lost_wakeups *l, const struct walker *w, const struct hd_event *ev)
{
	uint64_t word, words = words_of(ev, &word);

	for (size_t i = 0; i < l->nsites && w->nlocks; i++) {
		const struct site *s = &l->sites[i];
		enum wrote how = guard(w, s);

		if (how <= hd_map_get(&l->wrote, pair(i, ev->thread)))
			continue;
		for (size_t k = 0; k < READS && k < s->reads.n; k++) {
			if (s->reads.words[k] - word < words &&
			    !hd_map_set(&l->wrote, pair(i, ev->thread), how))
				return false;
		}
	}
	return true;
}

/*
 * Who changed it under the lock around has to take the mutex as well before it notifies: it then comes before the
 * look, or after the wait has begun.
 */
static void note_wake(struct hd_lost_wakeups *l, const struct walker *w, const struct hd_event *ev)
{
	for (size_t i = 0; i < l->nsites; i++) {
		struct site *s = &l->sites[i];
		uint64_t how = hd_map_get(&l->wrote, pair(i, ev->thread));

		if (s->first.addr != ev->addr)
			continue;
		s->notified = true;
		s->one |= ev->op == HD_OP_NOTIFY;
		s->set |= how == UNDER || (how == AROUND && holds(w, s->first.value));
	}
}

/* The run begins anew. */
static void start_over(struct hd_lost_wakeups *l)
{
	for (size_t i = 0; i < l->nwalkers && !l->again; i++)
		l->walkers[i]->nlocks = 0;
	l->again = true;
}

enum hd_err hd_lost_wakeups_wakes(struct hd_lost_wakeups *l, const struct hd_event *events,
				  size_t n)
{
	start_over(l);
	for (size_t i = 0; i < n && l->nsites; i++) {
		const struct hd_event *ev = &events[i];
		struct walker *w = walker(l, ev->thread);

		if (!w)
			return HD_ERR_NOMEM;
		follow_locks(w, ev);
		if (writes(ev) && !note_write(l, w, ev))
			return HD_ERR_NOMEM;
		if (ev->op == HD_OP_NOTIFY || ev->op == HD_OP_NOTIFY_ALL)
			note_wake(l, w, ev);
	}
	return HD_OK;
}

bool hd_lost_wakeups_first(const struct hd_lost_wakeups *l, struct hd_lost_wakeup *out)
{
	for (size_t i = 0; i < l->nsites; i++) {
		const struct site *s = &l->sites[i];

		if (s->timed || !s->notified)
			continue;
		*out = (struct hd_lost_wakeup){ .wait = s->first };
		if (!s->set)
			return true;
		for (size_t k = i + 1; k < l->nsites && s->one; k++) {
			out->other = l->sites[k].first;
			if (out->other.addr == s->first.addr && out->other.pc != s->first.pc)
				return true;
		}
	}
	return false;
}
