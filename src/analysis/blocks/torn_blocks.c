#include "torn_blocks.h"

#include "common/hash.h"
#include "trace/event_meaning.h"

/* The first event in the block, two for each step, and the last. */
#define ACCESSES_MAX (2 * HD_PATH_MAX + 4)

struct finding {
	uint64_t hash;
	uint32_t chain; /* number of the next with this bucket, from 1 */
	bool cut;
	uint64_t merged;
	uint64_t explained; /* of these and the first: blocks that a pattern was found in later */
	const char *pattern;
	struct hd_found_access *accesses;
	size_t naccesses;
};

struct hd_torn {
	const struct hd_paths *paths;
	struct finding *all;
	uint32_t n, cap;
	uint32_t *buckets, mask;
};

struct cycle {
	struct hd_seen seen[ACCESSES_MAX];
	size_t n;
	bool cut;
};

struct hd_torn *hd_torn_new(const struct hd_paths *paths)
{
	struct hd_torn *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->paths = paths;
	t->mask = 63;
	t->buckets = calloc(t->mask + 1, sizeof(*t->buckets));
	if (!t->buckets) {
		free(t);
		return NULL;
	}
	return t;
}

void hd_torn_free(struct hd_torn *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->n; i++)
		free(t->all[i].accesses);
	free(t->all);
	free(t->buckets);
	free(t);
}

/* ---- what kind of access, where -------------------------------------------------- */

char hd_access_letter(const struct hd_event *ev)
{
	return hd_op_is_read(ev->op) ? 'R' : hd_op_is_write(ev->op) ? 'W' : 0;
}

uint64_t hd_access_bytes(const struct hd_event *ev)
{
	if (hd_op_is_range(ev->op))
		return ev->value;
	return ev->size ? ev->size : 1;
}

bool hd_accesses_conflict(const struct hd_event *a, const struct hd_event *b)
{
	char x = hd_access_letter(a), y = hd_access_letter(b);

	if (!x || !y || (x == 'R' && y == 'R'))
		return false;
	if (a->addr < b->addr)
		return b->addr - a->addr < hd_access_bytes(a);
	return a->addr - b->addr < hd_access_bytes(b);
}

static const char *pattern_of(const struct cycle *c)
{
	static const char *const patterns[] = { "RWR", "RWW", "WWR", "WRW", "WWW" };

	for (size_t i = 0; c->n == 3 && !c->cut && i < sizeof(patterns) / sizeof(patterns[0]);
	     i++) {
		if (hd_access_letter(&c->seen[0].event) == patterns[i][0] &&
		    hd_access_letter(&c->seen[1].event) == patterns[i][1] &&
		    hd_access_letter(&c->seen[2].event) == patterns[i][2] &&
		    hd_accesses_conflict(&c->seen[0].event, &c->seen[1].event) &&
		    hd_accesses_conflict(&c->seen[1].event, &c->seen[2].event))
			return patterns[i];
	}
	return NULL;
}

/* ---- the cycle ----------------------------------------------------------------------- */

static void put(struct cycle *c, const struct hd_seen *seen)
{
	if (!seen->event.op || (c->n && c->seen[c->n - 1].index == seen->index))
		return;
	c->seen[c->n++] = *seen;
}

static void put_path(struct cycle *c, const struct hd_paths *paths, uint32_t path)
{
	const struct hd_path_step *s = hd_path_step(paths, path);

	if (path <= HD_PATH_SELF)
		return;
	put_path(c, paths, s->before);
	put(c, &s->from);
	put(c, &s->to);
	c->cut |= s->cut;
}

static void make_cycle(struct cycle *c, const struct hd_paths *paths, uint32_t path,
		       const struct hd_seen *within, const struct hd_seen *other,
		       const struct hd_seen *last)
{
	c->n = 0;
	c->cut = false;
	if (within)
		put(c, within);
	else
		put_path(c, paths, path);
	put(c, other);
	put(c, last);
}

/* ---- each once -------------------------------------------------------------------------- */

/* A site is where the code is; imported traces without positions have only what is accessed. */
static uint64_t mix_site(uint64_t hash, const struct hd_event *ev)
{
	uint64_t site = ev->pc ? ev->pc : ev->addr << 8 ^ ev->thread;

	hash = hd_hash_next(hash, site);
	hash = hd_hash_next(hash ^ hash >> 29, ev->op);
	return hash ^ hash >> 32;
}

static bool same_site(const struct hd_event *a, const struct hd_event *b)
{
	return a->op == b->op && a->pc == b->pc &&
	       (a->pc || (a->addr == b->addr && a->thread == b->thread));
}

/* The first and the last access in the block, and the last of another thread. */
static uint64_t hash_of(const struct cycle *c)
{
	uint64_t hash = mix_site(c->n, &c->seen[0].event);

	hash = mix_site(hash, &c->seen[c->n - 2].event);
	return mix_site(hash, &c->seen[c->n - 1].event);
}

static bool same_finding(const struct finding *f, const struct cycle *c)
{
	const struct hd_found_access *a = f->accesses;
	size_t n = f->naccesses;

	return n == c->n && same_site(&a[0].event, &c->seen[0].event) &&
	       same_site(&a[n - 2].event, &c->seen[n - 2].event) &&
	       same_site(&a[n - 1].event, &c->seen[n - 1].event);
}

static bool grow(struct hd_torn *t)
{
	uint32_t cap = t->cap ? 2 * t->cap : 32, mask = 4 * cap - 1;
	struct finding *all = realloc(t->all, cap * sizeof(*all));
	uint32_t *buckets;

	if (!all)
		return false;
	t->all = all;
	t->cap = cap;
	buckets = calloc((size_t)mask + 1, sizeof(*buckets));
	if (!buckets)
		return false;
	free(t->buckets);
	t->buckets = buckets;
	t->mask = mask;
	for (uint32_t i = 0; i < t->n; i++) {
		all[i].chain = buckets[all[i].hash & mask];
		buckets[all[i].hash & mask] = i + 1;
	}
	return true;
}

static const char *role(size_t i, size_t n, bool pattern)
{
	if (i == 0)
		return pattern ? "e1" : "block first";
	if (i == n - 1)
		return pattern ? "e2" : "block later";
	return pattern ? "f" : "other";
}

static bool add_finding(struct hd_torn *t, const struct cycle *c, uint64_t hash)
{
	const char *pattern = pattern_of(c);
	struct finding *f;

	if (t->n == t->cap && !grow(t))
		return false;
	f = &t->all[t->n];
	*f = (struct finding){ .hash = hash,
			       .pattern = pattern,
			       .cut = c->cut,
			       .naccesses = c->n,
			       .accesses = calloc(c->n, sizeof(*f->accesses)) };
	if (!f->accesses)
		return false;
	for (size_t i = 0; i < c->n; i++) {
		f->accesses[i] = (struct hd_found_access){ .role = role(i, c->n, pattern != NULL),
							   .tears = i && i < c->n - 1,
							   .index = c->seen[i].index,
							   .event = c->seen[i].event };
	}
	f->chain = t->buckets[hash & t->mask];
	t->buckets[hash & t->mask] = ++t->n;
	return true;
}

/* The number of the finding that @c is, from 1; 0: out of memory. */
static uint32_t find_or_add(struct hd_torn *t, const struct cycle *c)
{
	uint64_t hash = hash_of(c);

	for (uint32_t i = t->buckets[hash & t->mask]; i; i = t->all[i - 1].chain) {
		if (t->all[i - 1].hash == hash && same_finding(&t->all[i - 1], c)) {
			t->all[i - 1].merged++;
			return i;
		}
	}
	return add_finding(t, c, hash) ? t->n : 0;
}

static void note_said(struct hd_torn *t, struct hd_torn_said *said, uint32_t number)
{
	const size_t n = sizeof(said->without_pattern) / sizeof(said->without_pattern[0]);

	for (size_t i = 0; i < n; i++) {
		uint32_t *other = &said->without_pattern[i];

		if (t->all[number - 1].pattern) {
			if (*other)
				t->all[*other - 1].explained++;
			*other = 0;
		} else if (!*other) {
			*other = number;
			return;
		}
	}
}

bool hd_torn_add(struct hd_torn *t, struct hd_torn_said *said, uint32_t path,
		 const struct hd_seen *within, const struct hd_seen *other,
		 const struct hd_seen *last)
{
	uint32_t number;
	struct cycle c;

	make_cycle(&c, t->paths, path, within, other, last);
	if (c.n < 2)
		return true;
	number = find_or_add(t, &c);
	if (number)
		note_said(t, said, number);
	return number != 0;
}

void hd_torn_each(const struct hd_torn *t, bool numbered, hd_found_fn *found, void *arg)
{
	for (uint32_t i = 0; i < t->n; i++) {
		const struct finding *f = &t->all[i];
		/* The last event outside of the block: where it was torn. */
		const struct hd_event *where = &f->accesses[f->naccesses - 2].event;
		uint64_t size = hd_access_letter(where) ? hd_access_bytes(where) : 0;

		if (f->explained > f->merged)
			continue;
		for (size_t k = 0; !numbered && k < f->naccesses; k++)
			f->accesses[k].index = HD_NO_INDEX;
		found(arg,
		      &(struct hd_found){
			      .kind = HD_KIND_ATOMICITY,
			      .pattern = f->pattern,
			      .addr = where->addr,
			      .size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size,
			      .group = -1,
			      .merged = f->merged,
			      .why = f->cut ? "more events lie between the first and the others "
					      "than are kept"
					    : NULL,
			      .accesses = f->accesses,
			      .naccesses = f->naccesses });
	}
}
