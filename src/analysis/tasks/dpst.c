#include "dpst.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/hash.h"

#define CACHE_LOG_MIN 8u
#define CACHE_LOG_MAX 16u /* 768 KiB */
#define DEPTH_MAX     (1u << 29)
#define RESERVED      (1u << 28) /* nodes */

bool hd_dpst_init(struct hd_dpst *t)
{
	*t = (struct hd_dpst){ .room = 64, .count = 1, .cache_log = CACHE_LOG_MIN };
	t->nodes = calloc(t->room, sizeof(*t->nodes));
	t->cache = calloc(1u << t->cache_log, sizeof(*t->cache));
	if (!t->nodes || !t->cache) {
		hd_dpst_free(t);
		return false;
	}
	t->nodes[t->count++] =
		(struct hd_dpst_node){ .jump = HD_DPST_ROOT, .depth_kind = HD_DPST_FINISH };
	return true;
}

bool hd_dpst_reserve(struct hd_dpst *t)
{
	const size_t size = (size_t)RESERVED * sizeof(*t->nodes);
	struct hd_dpst_node *nodes = mmap(NULL, size, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (!nodes || nodes == MAP_FAILED)
		return false;
	memcpy(nodes, t->nodes, t->count * sizeof(*nodes));
	free(t->nodes);
	t->nodes = nodes;
	t->room = RESERVED;
	t->reserved = true;
	return true;
}

void hd_dpst_free(struct hd_dpst *t)
{
	if (t->reserved)
		munmap(t->nodes, (size_t)RESERVED * sizeof(*t->nodes));
	else
		free(t->nodes);
	free(t->cache);
	*t = (struct hd_dpst){ 0 };
}

/* The cache follows the tree; what it knew is found out again. */
static void grow_cache(struct hd_dpst *t)
{
	uint32_t log = t->cache_log + 1;
	struct hd_dpst_answer *more;

	if (log > CACHE_LOG_MAX)
		return;
	more = calloc(1u << log, sizeof(*more));
	if (!more)
		return; /* slower, not wrong */
	free(t->cache);
	t->cache = more;
	t->cache_log = log;
}

hd_dpst_id hd_dpst_add(struct hd_dpst *t, hd_dpst_id parent, enum hd_dpst_kind kind)
{
	uint32_t depth = hd_dpst_depth(t, parent) + 1, jump, far;

	if (t->count == t->room) {
		struct hd_dpst_node *more = NULL;

		if (t->room < HD_DPST_NUMBERS && !t->reserved)
			more = realloc(t->nodes, 2ull * t->room * sizeof(*more));
		if (!more)
			return 0;
		t->nodes = more;
		t->room *= 2;
	}
	if (t->count >> t->cache_log > 2)
		grow_cache(t);
	if (depth >= DEPTH_MAX)
		return 0;
	t->pools += kind == HD_DPST_POOL;
	/* Two jumps of equal length make one of twice the length. */
	jump = t->nodes[parent].jump;
	far = t->nodes[jump].jump;
	if (hd_dpst_depth(t, parent) - hd_dpst_depth(t, jump) !=
	    hd_dpst_depth(t, jump) - hd_dpst_depth(t, far))
		far = parent;
	t->nodes[t->count] = (struct hd_dpst_node){ .parent = parent,
						    .jump = far,
						    .depth_kind = depth << 3 | kind };
	return t->count++;
}

/*
 * What was answered before a finish became a scope is void. So numbers of nodes in the cache have the
 * number of scopes in the bits above them; when that has gone round, all of it is cleared.
 */
#define NODE_BITS 28
#define AGES	  (1u << (32 - NODE_BITS))

void hd_dpst_make_scope(struct hd_dpst *t, hd_dpst_id n)
{
	t->nodes[n].depth_kind = (t->nodes[n].depth_kind & ~7u) | HD_DPST_SCOPE;
	t->scopes++;
	if (t->scopes % AGES == 0 || t->count >> NODE_BITS)
		memset(t->cache, 0, sizeof(*t->cache) << t->cache_log);
}

static uint32_t age(const struct hd_dpst *t)
{
	return t->scopes % AGES << NODE_BITS;
}

static hd_dpst_id climb(const struct hd_dpst *t, hd_dpst_id n, uint32_t depth)
{
	while (hd_dpst_depth(t, n) > depth) {
		hd_dpst_id far = t->nodes[n].jump;

		n = hd_dpst_depth(t, far) >= depth ? far : t->nodes[n].parent;
	}
	return n;
}

struct hd_dpst_meeting hd_dpst_meet(const struct hd_dpst *t, hd_dpst_id a, hd_dpst_id b)
{
	uint32_t da = hd_dpst_depth(t, a), db = hd_dpst_depth(t, b);

	a = climb(t, a, db);
	b = climb(t, b, da);
	if (a == b)
		return (struct hd_dpst_meeting){ a, a, b };
	/* At equal depths the jumps are equally long. */
	while (t->nodes[a].parent != t->nodes[b].parent) {
		bool far = t->nodes[a].jump != t->nodes[b].jump;

		a = far ? t->nodes[a].jump : t->nodes[a].parent;
		b = far ? t->nodes[b].jump : t->nodes[b].parent;
	}
	return (struct hd_dpst_meeting){ t->nodes[a].parent, a, b };
}

static bool is_looked_through(enum hd_dpst_kind kind)
{
	return kind == HD_DPST_SCOPE || kind == HD_DPST_UNIT || kind == HD_DPST_POOL;
}

/* The topmost node from @child down to @leaf that is not looked through. */
static enum hd_dpst_kind effective(const struct hd_dpst *t, hd_dpst_id child, hd_dpst_id leaf)
{
	enum hd_dpst_kind kind = hd_dpst_kind(t, child);

	if (!is_looked_through(kind))
		return kind;
	for (hd_dpst_id n = leaf; n != child; n = t->nodes[n].parent) {
		if (!is_looked_through(hd_dpst_kind(t, n)))
			kind = hd_dpst_kind(t, n);
	}
	return kind;
}

static bool is_boundary(enum hd_dpst_kind kind)
{
	return kind == HD_DPST_FINISH || kind == HD_DPST_ASYNC;
}

/* Is there a pool from @child down to @leaf that belongs to the team in which @child is? */
static bool is_in_pool(const struct hd_dpst *t, hd_dpst_id child, hd_dpst_id leaf)
{
	bool in = false;

	for (hd_dpst_id n = leaf;; n = t->nodes[n].parent) {
		in = !is_boundary(hd_dpst_kind(t, n)) && (in || hd_dpst_kind(t, n) == HD_DPST_POOL);
		if (n == child)
			return in;
	}
}

/* Units of a pool are nobody's, so they meet what is around them where the parts of threads meet. */
static uint32_t meeting_of_pool(const struct hd_dpst *t, hd_dpst_id lca)
{
	while (!is_boundary(hd_dpst_kind(t, lca)))
		lca = t->nodes[lca].parent;
	return hd_dpst_depth(t, lca) - (hd_dpst_kind(t, lca) == HD_DPST_ASYNC);
}

uint32_t hd_dpst_find_out(const struct hd_dpst *t, hd_dpst_id a, hd_dpst_id b)
{
	struct hd_dpst_meeting m = hd_dpst_meet(t, a, b);
	bool left = m.towards_a < m.towards_b;
	enum hd_dpst_kind kind = effective(t, left ? m.towards_a : m.towards_b, left ? a : b);

	bool apart = m.towards_a != m.towards_b;
	bool units = apart && hd_dpst_kind(t, m.towards_a) == HD_DPST_UNIT &&
		     hd_dpst_kind(t, m.towards_b) == HD_DPST_UNIT;
	bool tasks = apart && kind == HD_DPST_ASYNC;

	bool pooled = apart && t->pools &&
		      (is_in_pool(t, m.towards_a, a) || is_in_pool(t, m.towards_b, b));
	uint32_t depth = pooled || (units && hd_dpst_kind(t, m.lca) == HD_DPST_POOL)
				 ? meeting_of_pool(t, m.lca)
				 : hd_dpst_depth(t, m.lca);

	return depth << HD_DPST_WHY | (tasks ? HD_DPST_AS_TASKS : 0u) |
	       (tasks || units ? HD_DPST_AS_UNITS : 0u) | (pooled ? HD_DPST_AS_POOLED : 0u);
}

static uint32_t ask(struct hd_dpst *t, hd_dpst_id a, hd_dpst_id b)
{
	hd_dpst_id low = a < b ? a : b, high = a < b ? b : a;
	uint64_t both = (uint64_t)high << 32 | low;
	struct hd_dpst_answer *known = &t->cache[hd_hash_bits(both, t->cache_log)];

	t->queries++;
	if (known->a == (low ^ age(t)) && known->b == high)
		return known->depth_why;
	t->walks++;
	*known = (struct hd_dpst_answer){ low ^ age(t), high, hd_dpst_find_out(t, low, high) };
	return known->depth_why;
}

bool hd_dpst_parallel(struct hd_dpst *t, hd_dpst_id a, hd_dpst_id b)
{
	return a != b && (ask(t, a, b) & hd_dpst_reasons(t->own));
}

uint32_t hd_dpst_lca_depth(struct hd_dpst *t, hd_dpst_id a, hd_dpst_id b)
{
	return ask(t, a, b) >> HD_DPST_WHY;
}

bool hd_dpst_before(struct hd_dpst *t, hd_dpst_id a, hd_dpst_id b)
{
	struct hd_dpst_meeting m;

	if (a == b || (ask(t, a, b) & hd_dpst_reasons(t->own) & ~(uint32_t)HD_DPST_AS_POOLED))
		return false;
	m = hd_dpst_meet(t, a, b);
	return m.towards_a < m.towards_b;
}

hd_dpst_id hd_dpst_task(const struct hd_dpst *t, hd_dpst_id n)
{
	while (n != HD_DPST_ROOT && hd_dpst_kind(t, n) != HD_DPST_ASYNC)
		n = t->nodes[n].parent;
	return n;
}
