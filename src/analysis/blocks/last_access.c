#include "last_access.h"

#include "common/hash.h"

#define PAGE_SHIFT 10
#define PAGE_SIZE  (1ull << PAGE_SHIFT)
#define GRANULES   (PAGE_SIZE / 8)
#define CACHE	   256u
#define RENEWALS   4096u

struct object {
	uint32_t next;
	uint32_t list;
	uint64_t addr, round;
	enum hd_object kind;
};

struct page {
	uint32_t chain; /* in the hash table */
	uint32_t objects;
	uint32_t whole;	  /* records of accesses that covered all of it */
	uint32_t touched; /* granules that have had records since all were cleared */
	uint64_t number;
	uint32_t granule[GRANULES];
};

struct hd_last {
	struct hd_order *order;
	struct hd_slab records, pages, objects;
	uint32_t *buckets, mask;
	struct page *cache[CACHE];
	/* When a page was last forgotten, in part or whole, plus 1; pages may share one, which says
	 * "later" for some. */
	uint64_t renewed[RENEWALS], renewed_any;
	bool failed;
};

struct access {
	struct hd_last *l;
	const struct hd_seen *seen;
	const hd_node *node;
	bool write;
	hd_conflict_fn *conflict;
	void *arg;
	struct hd_seen over; /* the latest of an open block that this conflicts with */
};

struct hd_last *hd_last_new(struct hd_order *order)
{
	struct hd_last *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->order = order;
	l->mask = 255;
	l->buckets = calloc(l->mask + 1, sizeof(*l->buckets));
	if (!l->buckets || !hd_slab_init(&l->records, sizeof(struct hd_record)) ||
	    !hd_slab_init(&l->pages, sizeof(struct page)) ||
	    !hd_slab_init(&l->objects, sizeof(struct object))) {
		hd_last_free(l);
		return NULL;
	}
	return l;
}

void hd_last_free(struct hd_last *l)
{
	if (!l)
		return;
	hd_slab_free(&l->records);
	hd_slab_free(&l->pages);
	hd_slab_free(&l->objects);
	free(l->buckets);
	free(l);
}

bool hd_last_failed(const struct hd_last *l)
{
	return l->failed || l->records.failed || l->pages.failed || l->objects.failed;
}

uint64_t hd_last_records(const struct hd_last *l)
{
	return l->records.live;
}

static struct hd_record *record_at(const struct hd_last *l, uint32_t i)
{
	return hd_slab_at(&l->records, i);
}

/* ---- pages -------------------------------------------------------------------- */

static uint32_t bucket_of(const struct hd_last *l, uint64_t number)
{
	return hd_hash_place(number, l->mask);
}

static void more_buckets(struct hd_last *l)
{
	uint32_t mask = 2 * l->mask + 1, old = l->mask;
	uint32_t *buckets = calloc((size_t)mask + 1, sizeof(*buckets)), *from = l->buckets;

	if (!buckets)
		return; /* slower, not wrong */
	l->mask = mask;
	l->buckets = buckets;
	for (uint32_t b = 0; b <= old; b++) {
		for (uint32_t i = from[b]; i;) {
			struct page *p = hd_slab_at(&l->pages, i);
			uint32_t next = p->chain, *to = &buckets[bucket_of(l, p->number)];

			p->chain = *to;
			*to = i;
			i = next;
		}
	}
	free(from);
}

static struct page *find_page(struct hd_last *l, uint64_t number)
{
	struct page **cached = &l->cache[number % CACHE];

	if (*cached && (*cached)->number == number)
		return *cached;
	for (uint32_t i = l->buckets[bucket_of(l, number)]; i;) {
		struct page *p = hd_slab_at(&l->pages, i);

		if (p->number == number)
			return *cached = p;
		i = p->chain;
	}
	return NULL;
}

static struct page *make_page(struct hd_last *l, uint64_t number)
{
	struct page *p = find_page(l, number);
	uint32_t i, *bucket;

	if (p)
		return p;
	if (l->pages.live > l->mask)
		more_buckets(l);
	i = hd_slab_new(&l->pages);
	if (!i)
		return NULL;
	p = hd_slab_at(&l->pages, i);
	bucket = &l->buckets[bucket_of(l, number)];
	*p = (struct page){ .number = number, .chain = *bucket };
	*bucket = i;
	return l->cache[number % CACHE] = p;
}

/* ---- lists of records ----------------------------------------------------------- */

static void drop_record(struct hd_last *l, uint32_t *link)
{
	uint32_t i = *link;
	struct hd_record *r = record_at(l, i);

	*link = r->next;
	hd_order_drop(l->order, r->node);
	hd_path_drop(&l->order->paths, r->over);
	hd_slab_drop(&l->records, i);
}

static void drop_list(struct hd_last *l, uint32_t *list)
{
	while (*list)
		drop_record(l, list);
}

/* Drop what no cycle can go through any more. */
static void clean(struct hd_last *l, uint32_t *list)
{
	while (*list) {
		if (hd_order_matters(l->order, record_at(l, *list)->node))
			list = &record_at(l, *list)->next;
		else
			drop_record(l, list);
	}
}

/* Give the access the records of @list that it conflicts with. */
static void find_conflicts(struct access *a, uint32_t *list, uint8_t mask)
{
	struct hd_last *l = a->l;

	clean(l, list);
	for (uint32_t i = *list; i;) {
		const struct hd_record *r = record_at(l, i);

		i = r->next;
		if (!(r->mask & mask) || !(r->write || a->write) ||
		    r->seen.event.thread == a->seen->event.thread)
			continue;
		if (hd_order_is_open(l->order, r->node))
			a->over = r->seen;
		a->conflict(a->arg, r);
	}
}

/* Does a record of the access's own node say the same or more? */
static bool is_known(const struct access *a, uint32_t list, uint8_t mask)
{
	while (list) {
		const struct hd_record *r = record_at(a->l, list);

		if (r->node == *a->node && r->write >= a->write && (r->mask & mask) == mask &&
		    r->seen.event.thread == a->seen->event.thread)
			return true;
		list = r->next;
	}
	return false;
}

/* Take out of @list what an access to @mask makes old: all before a write, else own reads. */
static void supersede(struct hd_last *l, uint32_t *list, uint8_t mask, bool write, uint32_t thread)
{
	while (*list) {
		struct hd_record *r = record_at(l, *list);

		if (write || (!r->write && r->seen.event.thread == thread))
			r->mask &= (uint8_t)~mask;
		if (r->mask)
			list = &r->next;
		else
			drop_record(l, list);
	}
}

static struct hd_record *put_record(struct hd_last *l, uint32_t *list, const struct hd_seen *seen,
				    hd_node node)
{
	uint32_t i = hd_slab_new(&l->records);
	struct hd_record *r = record_at(l, i);

	if (!i)
		return NULL;
	*r = (struct hd_record){
		.next = *list, .node = hd_order_keep(l->order, node), .mask = 0xff, .seen = *seen
	};
	*list = i;
	return r;
}

static void remember(struct access *a, uint32_t *list, uint8_t mask)
{
	struct hd_last *l = a->l;
	static const struct hd_seen none;
	struct hd_record *r;

	supersede(l, list, mask, a->write, a->seen->event.thread);
	if (!hd_order_matters(l->order, *a->node))
		return;
	r = put_record(l, list, a->seen, *a->node);
	if (!r)
		return;
	r->mask = mask;
	r->write = a->write;
	if (a->over.event.op)
		r->over = hd_path_add(&l->order->paths, HD_PATH_SELF, &a->over, &none);
}

/* ---- memory --------------------------------------------------------------------- */

static void look_in_granule(struct access *a, uint64_t granule, uint8_t mask)
{
	struct page *p = find_page(a->l, granule / GRANULES);
	uint32_t *list = p ? &p->granule[granule % GRANULES] : NULL;

	if (!p)
		return;
	if (*list) {
		find_conflicts(a, list, mask);
		p->touched -= !*list;
	}
	if (p->whole)
		find_conflicts(a, &p->whole, mask);
}

static void look_in_page(struct access *a, uint64_t number)
{
	struct page *p = find_page(a->l, number);

	if (!p)
		return;
	for (unsigned i = 0; p->touched && i < GRANULES; i++) {
		if (p->granule[i]) {
			find_conflicts(a, &p->granule[i], 0xff);
			p->touched -= !p->granule[i];
		}
	}
	find_conflicts(a, &p->whole, 0xff);
}

/* The page to remember the access in; NULL: nothing to remember and nothing to take out. */
static struct page *page_for(struct access *a, uint64_t number)
{
	struct page *p = find_page(a->l, number);

	return p || !hd_order_matters(a->l->order, *a->node) ? p : make_page(a->l, number);
}

static void keep_in_granule(struct access *a, uint64_t granule, uint8_t mask)
{
	struct page *p = page_for(a, granule / GRANULES);
	uint32_t *list = p ? &p->granule[granule % GRANULES] : NULL;
	bool had;

	if (!p || is_known(a, *list, mask) || is_known(a, p->whole, mask))
		return;
	had = *list != 0;
	remember(a, list, mask);
	p->touched += (*list != 0) - had;
}

static void keep_in_page(struct access *a, uint64_t number)
{
	struct page *p = page_for(a, number);

	for (unsigned i = 0; a->write && p && p->touched && i < GRANULES; i++) {
		p->touched -= p->granule[i] != 0;
		drop_list(a->l, &p->granule[i]);
	}
	if (p && !is_known(a, p->whole, 0xff))
		remember(a, &p->whole, 0xff);
}

/* The bytes @from .. @to - 1 of a granule, 0 <= from < to <= 8. */
static uint8_t bytes_mask(unsigned from, unsigned to)
{
	return (uint8_t)((0xffu << from) & (0xffu >> (8 - to)));
}

static uint64_t end_of(uint64_t addr, uint64_t len)
{
	return len > UINT64_MAX - addr ? UINT64_MAX : addr + len;
}

/* Look for conflicts in all that the access covers, or remember it there. */
static void walk(struct access *a, uint64_t addr, uint64_t end, bool look)
{
	while (addr < end) {
		uint64_t left = end - addr;
		unsigned from = addr % 8, to = left < 8 - from ? from + (unsigned)left : 8;

		if (addr % PAGE_SIZE == 0 && left >= PAGE_SIZE) {
			(look ? look_in_page : keep_in_page)(a, addr >> PAGE_SHIFT);
			addr += PAGE_SIZE;
		} else {
			(look ? look_in_granule : keep_in_granule)(a, addr / 8,
								   bytes_mask(from, to));
			addr += to - from;
		}
	}
}

void hd_last_access(struct hd_last *l, uint64_t addr, uint64_t len, bool write,
		    const struct hd_seen *seen, const hd_node *node, hd_conflict_fn *conflict,
		    void *arg)
{
	struct access a = {
		.l = l, .seen = seen, .node = node, .write = write, .conflict = conflict, .arg = arg
	};
	uint64_t end = end_of(addr, len < HD_RANGE_MAX ? len : HD_RANGE_MAX);

	/* First all conflicts: what is remembered must know of those in its last byte too. */
	walk(&a, addr, end, true);
	walk(&a, addr, end, false);
}

/* ---- objects ---------------------------------------------------------------------- */

static uint32_t *find_object(struct hd_last *l, struct page *p, uint64_t addr, enum hd_object kind)
{
	for (uint32_t *link = &p->objects; *link;) {
		struct object *o = hd_slab_at(&l->objects, *link);

		if (o->addr == addr && o->kind == kind)
			return link;
		link = &o->next;
	}
	return NULL;
}

static struct object *make_object(struct hd_last *l, uint64_t addr, enum hd_object kind)
{
	struct page *p = make_page(l, addr >> PAGE_SHIFT);
	uint32_t *link = p ? find_object(l, p, addr, kind) : NULL, i;
	struct object *o;

	if (link || !p)
		return link ? hd_slab_at(&l->objects, *link) : NULL;
	i = hd_slab_new(&l->objects);
	if (!i)
		return NULL;
	o = hd_slab_at(&l->objects, i);
	*o = (struct object){ .addr = addr, .kind = kind, .next = p->objects };
	p->objects = i;
	return o;
}

static void drop_object(struct hd_last *l, uint32_t *link)
{
	uint32_t i = *link;
	struct object *o = hd_slab_at(&l->objects, i);

	drop_list(l, &o->list);
	*link = o->next;
	hd_slab_drop(&l->objects, i);
}

void hd_last_signal(struct hd_last *l, uint64_t addr, enum hd_object kind, bool exclusive,
		    uint64_t round, const struct hd_seen *seen, hd_node node)
{
	struct page *p = find_page(l, addr >> PAGE_SHIFT);
	struct hd_record *r;
	struct object *o;

	if (!hd_order_matters(l->order, node) && (!p || !find_object(l, p, addr, kind)))
		return;
	o = make_object(l, addr, kind);
	if (!o)
		return;
	if (o->round != round)
		drop_list(l, &o->list);
	o->round = round;
	clean(l, &o->list);
	supersede(l, &o->list, 0xff, exclusive, seen->event.thread);
	if (!hd_order_matters(l->order, node))
		return;
	r = put_record(l, &o->list, seen, node);
	if (r)
		r->write = exclusive;
}

void hd_last_await(struct hd_last *l, uint64_t addr, enum hd_object kind, bool exclusive_only,
		   uint64_t round, uint32_t thread, const struct hd_seen *seen,
		   hd_conflict_fn *conflict, void *arg)
{
	struct page *p = find_page(l, addr >> PAGE_SHIFT);
	uint32_t *link = p ? find_object(l, p, addr, kind) : NULL;
	struct object *o = link ? hd_slab_at(&l->objects, *link) : NULL;

	if (!o || o->round != round)
		return;
	clean(l, &o->list);
	for (uint32_t i = o->list; i;) {
		const struct hd_record *r = record_at(l, i);

		i = r->next;
		if (r->seen.event.thread != seen->event.thread && (r->write || !exclusive_only) &&
		    (!thread || r->seen.event.thread == thread))
			conflict(arg, r);
	}
}

/* ---- memory that begins or ends ------------------------------------------------------ */

/* Forget @addr .. @end - 1, which lies in @p. */
static void forget_in_page(struct hd_last *l, struct page *p, uint64_t addr, uint64_t end)
{
	for (uint32_t *link = &p->objects; *link;) {
		struct object *o = hd_slab_at(&l->objects, *link);

		if (o->addr >= addr && o->addr < end)
			drop_object(l, link);
		else
			link = &o->next;
	}
	/* Of a page that is partly freed, what covered all of it goes too: a miss at worst. */
	drop_list(l, &p->whole);
	while (p->touched && addr < end) {
		uint64_t left = end - addr;
		unsigned from = addr % 8, to = left < 8 - from ? from + (unsigned)left : 8;
		uint32_t *list = &p->granule[addr / 8 % GRANULES];
		bool had = *list != 0;

		supersede(l, list, bytes_mask(from, to), true, 0);
		p->touched -= had && !*list;
		addr += to - from;
	}
}

static void drop_page(struct hd_last *l, uint32_t *link)
{
	uint32_t i = *link;
	struct page *p = hd_slab_at(&l->pages, i);

	if (l->cache[p->number % CACHE] == p)
		l->cache[p->number % CACHE] = NULL;
	*link = p->chain;
	hd_slab_drop(&l->pages, i);
}

/* The part of the range that lies in the page at @link; an emptied page is given back. */
static bool forget_page(struct hd_last *l, uint32_t *link, uint64_t addr, uint64_t end)
{
	struct page *p = hd_slab_at(&l->pages, *link);
	uint64_t start = p->number << PAGE_SHIFT, stop = end_of(start, PAGE_SIZE);

	if (start >= end || stop <= addr)
		return false;
	forget_in_page(l, p, addr > start ? addr : start, end < stop ? end : stop);
	if (p->touched || p->objects)
		return false;
	drop_page(l, link);
	return true;
}

static void forget_in_bucket(struct hd_last *l, uint32_t b, uint64_t addr, uint64_t end)
{
	for (uint32_t *link = &l->buckets[b]; *link;) {
		if (!forget_page(l, link, addr, end))
			link = &((struct page *)hd_slab_at(&l->pages, *link))->chain;
	}
}

static void note_renewal(struct hd_last *l, uint64_t first, uint64_t last, uint64_t index)
{
	if (last - first >= RENEWALS)
		l->renewed_any = index + 1;
	else
		for (uint64_t number = first; number <= last; number++)
			l->renewed[number % RENEWALS] = index + 1;
}

bool hd_last_renewed(const struct hd_last *l, uint64_t addr, uint64_t len, uint64_t index)
{
	uint64_t first = addr >> PAGE_SHIFT, last = (end_of(addr, len) - 1) >> PAGE_SHIFT;

	if (l->renewed_any > index || last - first >= RENEWALS)
		return true;
	for (uint64_t number = first; number <= last; number++) {
		if (l->renewed[number % RENEWALS] > index)
			return true;
	}
	return false;
}

void hd_last_forget(struct hd_last *l, uint64_t addr, uint64_t len, uint64_t index)
{
	uint64_t end = end_of(addr, len), first = addr >> PAGE_SHIFT, last;

	if (!len || !l->pages.live)
		return;
	last = (end - 1) >> PAGE_SHIFT;
	note_renewal(l, first, last, index);
	if (last - first > l->mask) {
		for (uint32_t b = 0; b <= l->mask; b++)
			forget_in_bucket(l, b, addr, end);
		return;
	}
	for (uint64_t number = first; number <= last; number++)
		forget_in_bucket(l, bucket_of(l, number), addr, end);
}

void hd_last_forget_object(struct hd_last *l, uint64_t addr, enum hd_object kind)
{
	struct page *p = find_page(l, addr >> PAGE_SHIFT);
	uint32_t *link = p ? find_object(l, p, addr, kind) : NULL;

	if (link)
		drop_object(l, link);
}
