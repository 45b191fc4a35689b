#include "lockset.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

/* One interned set: locks in rising order, and which of them are held exclusively. */
struct set {
	uint64_t *locks;
	bool *exclusive; /* parallel, in the same allocation */
	uint32_t n;
	uint32_t only; /* 1 + hd_lockset_exclusive() of it; 0: nobody has asked */
	uint64_t hash;
};

enum operation { OP_NONE, OP_WITH_SHARED, OP_WITH_EXCLUSIVE, OP_WITHOUT, OP_MEET, OP_EXCLUDES };

/* An operation that was done once, and its result. */
struct memo {
	uint64_t operand;
	hd_lockset set;
	uint32_t result;
	uint32_t op; /* OP_NONE: a free slot */
};

/* Programs take and give back the same few locks: their memos are found without hashing. */
#define RECENT 512u

struct hd_locksets {
	struct set *sets;
	uint32_t nsets, sets_room;
	uint32_t *slots; /* of sets, by hash; 0: free (the empty set needs none) */
	uint32_t slots_room;
	struct memo *memos;
	size_t nmemos, memos_room;
	struct memo recent[RECENT]; /* copies of some, each in the only place it can have */
	uint64_t *scratch_locks;    /* room for the set that is being built */
	bool *scratch_exclusive;
	size_t scratch_room;
	bool failed;
};

static uint64_t mix(uint64_t x)
{
	x ^= x >> 32;
	x *= HD_HASH_DEGSKI;
	x ^= x >> 32;
	return x;
}

struct hd_locksets *hd_locksets_new(void)
{
	struct hd_locksets *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->sets_room = 64;
	s->slots_room = 128;
	s->memos_room = 256;
	s->sets = calloc(s->sets_room, sizeof(*s->sets));
	s->slots = calloc(s->slots_room, sizeof(*s->slots));
	s->memos = calloc(s->memos_room, sizeof(*s->memos));
	if (!s->sets || !s->slots || !s->memos) {
		hd_locksets_free(s);
		return NULL;
	}
	s->nsets = 1; /* the empty set */
	return s;
}

void hd_locksets_free(struct hd_locksets *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->nsets; i++)
		free(s->sets[i].locks);
	free(s->sets);
	free(s->slots);
	free(s->memos);
	free(s->scratch_locks);
	free(s->scratch_exclusive);
	free(s);
}

bool hd_locksets_failed(const struct hd_locksets *s)
{
	return s->failed;
}

static hd_lockset fail(struct hd_locksets *s)
{
	s->failed = true;
	return HD_LOCKSET_EMPTY;
}

/* --- interning --- */

static bool scratch_reserve(struct hd_locksets *s, size_t n)
{
	uint64_t *locks;
	bool *exclusive;

	if (n <= s->scratch_room)
		return true;
	n *= 2;
	locks = realloc(s->scratch_locks, n * sizeof(*locks));
	if (locks)
		s->scratch_locks = locks;
	exclusive = realloc(s->scratch_exclusive, n * sizeof(*exclusive));
	if (exclusive)
		s->scratch_exclusive = exclusive;
	if (!locks || !exclusive)
		return false;
	s->scratch_room = n;
	return true;
}

static uint64_t hash_scratch(const struct hd_locksets *s, uint32_t n)
{
	uint64_t h = n;

	for (uint32_t i = 0; i < n; i++)
		h = mix(h + s->scratch_locks[i] * 2 + s->scratch_exclusive[i]);
	return h;
}

static bool slots_grow(struct hd_locksets *s)
{
	uint32_t room = s->slots_room * 2;
	uint32_t *slots = calloc(room, sizeof(*slots));

	if (!slots)
		return false;
	for (uint32_t i = 1; i < s->nsets; i++) {
		uint32_t at = (uint32_t)s->sets[i].hash & (room - 1);

		while (slots[at])
			at = (at + 1) & (room - 1);
		slots[at] = i;
	}
	free(s->slots);
	s->slots = slots;
	s->slots_room = room;
	return true;
}

static bool sets_grow(struct hd_locksets *s)
{
	uint32_t room = s->sets_room * 2;
	struct set *sets = realloc(s->sets, room * sizeof(*sets));

	if (!sets)
		return false;
	s->sets = sets;
	s->sets_room = room;
	return true;
}

static hd_lockset add_set(struct hd_locksets *s, uint32_t n, uint64_t hash, uint32_t slot)
{
	struct set *set;

	/* The last number means "all"; half of the numbers leaves the doubling free of overflow. */
	if (s->nsets > UINT32_MAX / 4 || (s->nsets == s->sets_room && !sets_grow(s)))
		return fail(s);
	set = &s->sets[s->nsets];
	set->locks = malloc(n * (sizeof(uint64_t) + sizeof(bool)));
	if (!set->locks)
		return fail(s);
	set->exclusive = (bool *)(set->locks + n);
	memcpy(set->locks, s->scratch_locks, n * sizeof(*set->locks));
	memcpy(set->exclusive, s->scratch_exclusive, n * sizeof(*set->exclusive));
	set->n = n;
	set->only = 0;
	set->hash = hash;
	s->slots[slot] = s->nsets++;
	return s->slots[slot];
}

/* The number of the set in scratch, which is sorted. */
static hd_lockset intern(struct hd_locksets *s, uint32_t n)
{
	uint64_t hash = hash_scratch(s, n);
	uint32_t at;

	if (!n)
		return HD_LOCKSET_EMPTY;
	if (s->nsets * 2 >= s->slots_room && !slots_grow(s))
		return fail(s);
	at = (uint32_t)hash & (s->slots_room - 1);
	for (; s->slots[at]; at = (at + 1) & (s->slots_room - 1)) {
		const struct set *set = &s->sets[s->slots[at]];

		if (set->hash == hash && set->n == n &&
		    !memcmp(set->locks, s->scratch_locks, n * sizeof(*set->locks)) &&
		    !memcmp(set->exclusive, s->scratch_exclusive, n * sizeof(*set->exclusive)))
			return s->slots[at];
	}
	return add_set(s, n, hash, at);
}

/* --- what was computed before --- */

static struct memo *memo_slot(struct memo *memos, size_t room, enum operation op, hd_lockset set,
			      uint64_t operand)
{
	size_t at = mix(mix(operand + op) + set) & (room - 1);

	while (memos[at].op != OP_NONE &&
	       (memos[at].op != op || memos[at].set != set || memos[at].operand != operand))
		at = (at + 1) & (room - 1);
	return &memos[at];
}

static bool recall_old(struct hd_locksets *s, struct memo *recent, enum operation op,
		       hd_lockset set, uint64_t operand)
{
	const struct memo *m = memo_slot(s->memos, s->memos_room, op, set, operand);

	if (m->op == OP_NONE)
		return false;
	*recent = *m;
	return true;
}

static inline bool recall(struct hd_locksets *s, enum operation op, hd_lockset set,
			  uint64_t operand, uint32_t *result)
{
	struct memo *m = &s->recent[(operand >> 3 ^ operand >> 9 ^ set ^ op << 4) % RECENT];

	if ((m->op != op || m->set != set || m->operand != operand) &&
	    !recall_old(s, m, op, set, operand))
		return false;
	*result = m->result;
	return true;
}

static bool memos_grow(struct hd_locksets *s)
{
	size_t room = s->memos_room * 2;
	struct memo *memos = calloc(room, sizeof(*memos));

	if (!memos)
		return false;
	for (size_t i = 0; i < s->memos_room; i++) {
		const struct memo *m = &s->memos[i];

		if (m->op != OP_NONE)
			*memo_slot(memos, room, m->op, m->set, m->operand) = *m;
	}
	free(s->memos);
	s->memos = memos;
	s->memos_room = room;
	return true;
}

static uint32_t remember(struct hd_locksets *s, enum operation op, hd_lockset set, uint64_t operand,
			 uint32_t result)
{
	if (s->failed)
		return result;
	if (s->nmemos * 2 >= s->memos_room && !memos_grow(s))
		return fail(s);
	*memo_slot(s->memos, s->memos_room, op, set, operand) =
		(struct memo){ .operand = operand, .set = set, .result = result, .op = op };
	s->nmemos++;
	return result;
}

/* --- operations --- */

static void put(struct hd_locksets *s, uint32_t *n, uint64_t lock, bool exclusive)
{
	s->scratch_locks[*n] = lock;
	s->scratch_exclusive[(*n)++] = exclusive;
}

static bool has(const struct set *set, uint64_t lock)
{
	for (uint32_t i = 0; i < set->n; i++) {
		if (set->locks[i] == lock)
			return true;
	}
	return false;
}

hd_lockset hd_lockset_with(struct hd_locksets *s, hd_lockset set, uint64_t lock, bool exclusive)
{
	enum operation op = exclusive ? OP_WITH_EXCLUSIVE : OP_WITH_SHARED;
	uint32_t n = 0, i = 0, result;
	const struct set *from;

	if (set == HD_LOCKSET_ALL || recall(s, op, set, lock, &result))
		return set == HD_LOCKSET_ALL ? set : result;
	from = &s->sets[set];
	if (from->n >= HD_LOCKSET_MAX && !has(from, lock))
		return set;
	if (!scratch_reserve(s, from->n + 1))
		return fail(s);
	for (; i < from->n && from->locks[i] < lock; i++)
		put(s, &n, from->locks[i], from->exclusive[i]);
	if (i < from->n && from->locks[i] == lock)
		exclusive |= from->exclusive[i++];
	put(s, &n, lock, exclusive);
	for (; i < from->n; i++)
		put(s, &n, from->locks[i], from->exclusive[i]);
	return remember(s, op, set, lock, intern(s, n));
}

hd_lockset hd_lockset_without(struct hd_locksets *s, hd_lockset set, uint64_t lock)
{
	uint32_t n = 0, result;
	const struct set *from;

	if (set == HD_LOCKSET_ALL || recall(s, OP_WITHOUT, set, lock, &result))
		return set == HD_LOCKSET_ALL ? set : result;
	from = &s->sets[set];
	if (!scratch_reserve(s, from->n))
		return fail(s);
	for (uint32_t i = 0; i < from->n; i++) {
		if (from->locks[i] != lock)
			put(s, &n, from->locks[i], from->exclusive[i]);
	}
	return remember(s, OP_WITHOUT, set, lock, intern(s, n));
}

/* What is in both, exclusively only where both hold it exclusively. */
hd_lockset hd_lockset_meet(struct hd_locksets *s, hd_lockset a, hd_lockset b)
{
	hd_lockset low = a < b ? a : b, high = a < b ? b : a;
	const struct set *p, *q;
	uint32_t n = 0, result;

	if (high == HD_LOCKSET_ALL || low == high || low == HD_LOCKSET_EMPTY)
		return low;
	if (recall(s, OP_MEET, low, high, &result))
		return result;
	p = &s->sets[low];
	q = &s->sets[high];
	if (!scratch_reserve(s, p->n))
		return fail(s);
	for (uint32_t i = 0, j = 0; i < p->n && j < q->n;) {
		if (p->locks[i] == q->locks[j]) {
			put(s, &n, p->locks[i], p->exclusive[i] && q->exclusive[j]);
			i++;
			j++;
		} else if (p->locks[i] < q->locks[j]) {
			i++;
		} else {
			j++;
		}
	}
	return remember(s, OP_MEET, low, high, intern(s, n));
}

hd_lockset hd_lockset_exclusive(struct hd_locksets *s, hd_lockset set)
{
	const struct set *from;
	uint32_t n = 0, only;

	if (set == HD_LOCKSET_ALL || set == HD_LOCKSET_EMPTY)
		return set;
	from = &s->sets[set];
	if (from->only)
		return from->only - 1;
	if (!scratch_reserve(s, from->n))
		return fail(s);
	for (uint32_t i = 0; i < from->n; i++) {
		if (from->exclusive[i])
			put(s, &n, from->locks[i], true);
	}
	only = intern(s, n);
	s->sets[set].only = only + 1; /* may have moved */
	return only;
}

static bool clash(const struct set *p, const struct set *q)
{
	for (uint32_t i = 0, j = 0; i < p->n && j < q->n;) {
		if (p->locks[i] == q->locks[j]) {
			if (p->exclusive[i] || q->exclusive[j])
				return true;
			i++;
			j++;
		} else if (p->locks[i] < q->locks[j]) {
			i++;
		} else {
			j++;
		}
	}
	return false;
}

bool hd_lockset_excludes(struct hd_locksets *s, hd_lockset a, hd_lockset b)
{
	hd_lockset low = a < b ? a : b, high = a < b ? b : a;
	uint32_t result;

	if (low == HD_LOCKSET_EMPTY || high == HD_LOCKSET_ALL)
		return low != HD_LOCKSET_EMPTY;
	if (recall(s, OP_EXCLUDES, low, high, &result))
		return result;
	return remember(s, OP_EXCLUDES, low, high, clash(&s->sets[low], &s->sets[high]));
}

const uint64_t *hd_lockset_members(const struct hd_locksets *s, hd_lockset set, size_t *n,
				   const bool **exclusive)
{
	const struct set *from = &s->sets[set == HD_LOCKSET_ALL ? HD_LOCKSET_EMPTY : set];

	*n = from->n;
	if (exclusive)
		*exclusive = from->exclusive;
	return from->locks;
}
