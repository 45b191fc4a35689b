#include "block_order.h"

#include "common/array.h"

bool hd_order_init(struct hd_order *o)
{
	*o = (struct hd_order){ .nopen = 1 };
	return hd_slab_init(&o->nodes, sizeof(struct hd_order_node)) && hd_paths_init(&o->paths);
}

void hd_order_free(struct hd_order *o)
{
	for (uint32_t i = 1; i < o->nodes.used; i++)
		hd_vc_free(&hd_order_at(o, i)->before);
	for (uint32_t i = 1; i < o->nopen; i++)
		free(o->open[i].nodes);
	free(o->open);
	hd_slab_free(&o->nodes);
	hd_paths_free(&o->paths);
}

bool hd_order_failed(const struct hd_order *o)
{
	return o->failed || o->nodes.failed || o->paths.pool.failed;
}

static inline uint32_t path_from(const struct hd_order_node *n, uint32_t slot)
{
	return hd_vc_get(&n->before, slot);
}

/* ---- the nodes that an open block comes before ---------------------------- */

/* Forget nodes that no longer have @slot in their set, and doubles. */
static void tidy(struct hd_order *o, uint32_t slot)
{
	struct hd_open_block *b = &o->open[slot];
	uint32_t kept = 0;

	o->stamp++;
	for (uint32_t i = 0; i < b->nnodes; i++) {
		struct hd_order_node *n = hd_order_at(o, b->nodes[i]);

		if (!path_from(n, slot) || n->stamp == o->stamp)
			continue;
		n->stamp = o->stamp;
		b->nodes[kept++] = b->nodes[i];
	}
	b->nnodes = kept;
}

static void subscribe(struct hd_order *o, uint32_t slot, hd_node node)
{
	struct hd_open_block *b = &o->open[slot];

	/* Twice as many as needed at most: so a long block does not remember all that ever was. */
	if (b->nnodes == b->cap && b->nnodes > 2 * b->members)
		tidy(o, slot);
	if (!HD_ROOM(b->nodes, b->cap, b->nnodes + 1)) {
		o->failed = true;
		return;
	}
	b->nodes[b->nnodes++] = node;
}

/* Put the block at @slot into @node's set; @path becomes the node's. */
static void include(struct hd_order *o, hd_node node, uint32_t slot, uint32_t path)
{
	struct hd_order_node *n = hd_order_at(o, node);

	if (!hd_vc_set(&n->before, slot, path)) {
		o->failed = true;
		hd_path_drop(&o->paths, path);
		return;
	}
	n->members++;
	o->open[slot].members++;
	subscribe(o, slot, node);
}

static void exclude(struct hd_order *o, hd_node node, uint32_t slot)
{
	struct hd_order_node *n = hd_order_at(o, node);
	uint32_t path = path_from(n, slot);

	if (!path)
		return;
	n->before.at[slot] = 0;
	n->members--;
	o->open[slot].members--;
	hd_path_drop(&o->paths, path);
}

/* ---- nodes ------------------------------------------------------------------ */

static hd_node new_node(struct hd_order *o)
{
	hd_node i = hd_slab_new(&o->nodes);
	struct hd_order_node *n = hd_order_at(o, i);

	n->refs = 1;
	n->slot = 0;
	n->members = 0;
	hd_vc_clear(&n->before);
	return i;
}

void hd_order_drop(struct hd_order *o, hd_node node)
{
	struct hd_order_node *n = hd_order_at(o, node);

	if (!node || --n->refs)
		return;
	for (uint32_t slot = 1; slot < n->before.len && n->members; slot++)
		exclude(o, node, slot);
	hd_vc_clear(&n->before);
	hd_slab_drop(&o->nodes, node);
}

/* ---- blocks ----------------------------------------------------------------- */

/* The lowest free place, so that clocks stay short. */
static uint32_t free_place(struct hd_order *o)
{
	uint32_t slot = 1;

	while (slot < o->nopen && o->open[slot].node)
		slot++;
	if (slot == o->nopen) {
		if (!HD_ROOM(o->open, o->cap, o->nopen + 1)) {
			o->failed = true;
			return 0;
		}
		o->open[o->nopen++] = (struct hd_open_block){ 0 };
	}
	return slot;
}

/*
 * @into, an open block, comes after the open block at @via, by @path: so whatever comes
 * before that one comes before @into.
 */
static void include_all_before(struct hd_order *o, hd_node into, uint32_t via, uint32_t path)
{
	struct hd_order_node *through = hd_order_at(o, o->open[via].node);

	for (uint32_t slot = 1; slot < through->before.len; slot++) {
		uint32_t first = path_from(through, slot);

		if (first && !path_from(hd_order_at(o, into), slot))
			include(o, into, slot, hd_path_join(&o->paths, first, path));
	}
}

hd_node hd_order_begin(struct hd_order *o, hd_node previous, uint64_t index)
{
	uint32_t slot = free_place(o);
	hd_node node = slot ? new_node(o) : 0;
	struct hd_order_node *before = hd_order_at(o, previous);

	if (!node)
		return 0;
	o->open[slot].node = node;
	o->open[slot].begin = index;
	hd_order_at(o, node)->slot = slot;
	for (uint32_t i = 1; hd_order_matters(o, previous) && i < before->before.len; i++) {
		uint32_t path = path_from(before, i);

		if (!path)
			continue;
		if (!path_from(hd_order_at(o, node), i))
			include(o, node, i, hd_path_keep(&o->paths, path));
		include_all_before(o, node, i, path);
	}
	include(o, node, slot, HD_PATH_SELF);
	o->blocks++;
	return node;
}

/* The block at @slot ends: @node, which comes after it, takes over what comes before it. */
static void inherit(struct hd_order *o, hd_node node, uint32_t slot)
{
	struct hd_order_node *n = hd_order_at(o, node);
	struct hd_order_node *block = hd_order_at(o, o->open[slot].node);
	uint32_t path = path_from(n, slot);

	for (uint32_t i = 1; i < block->before.len; i++) {
		uint32_t first = path_from(block, i);

		if (first && i != slot && !path_from(n, i))
			include(o, node, i, hd_path_join(&o->paths, first, path));
	}
	exclude(o, node, slot);
}

void hd_order_end(struct hd_order *o, hd_node block)
{
	struct hd_order_node *n = hd_order_at(o, block);
	uint32_t slot = n->slot;
	struct hd_open_block *b = &o->open[slot];

	if (!slot)
		return;
	for (uint32_t i = 0; i < b->nnodes; i++) {
		if (b->nodes[i] != block && path_from(hd_order_at(o, b->nodes[i]), slot))
			inherit(o, b->nodes[i], slot);
	}
	exclude(o, block, slot);
	n->slot = 0;
	b->node = 0;
	b->nnodes = 0;
	o->blocks--;
	if (b->cap > 1024) {
		free(b->nodes);
		b->nodes = NULL;
		b->cap = 0;
	}
	while (o->nopen > 1 && !o->open[o->nopen - 1].node)
		free(o->open[--o->nopen].nodes);
}

/* ---- one thing after the other ----------------------------------------------- */

/* The path from the open block at @own to @source, if it comes before it; else 0. */
static uint32_t path_back(struct hd_order *o, uint32_t own, const struct hd_order_node *into,
			  const struct hd_order_node *source)
{
	if (path_from(source, own))
		return hd_path_keep(&o->paths, path_from(source, own));
	/*
	 * What reached an open block after the source's last event is known only there. The
	 * blocks already before @into need no look: one that @into came before was found then.
	 */
	for (uint32_t i = 1; i < source->before.len; i++) {
		uint32_t rest = path_from(source, i), first;

		if (!rest || path_from(into, i))
			continue;
		first = path_from(hd_order_at(o, o->open[i].node), own);
		if (first)
			return hd_path_join(&o->paths, first, rest);
	}
	return 0;
}

/* The open block @block has new ones before it: so have the open blocks after it. */
static void pass_on(struct hd_order *o, hd_node block)
{
	uint32_t slot = hd_order_at(o, block)->slot;

	for (uint32_t i = 1; i < o->nopen; i++) {
		hd_node later = o->open[i].node;
		uint32_t path =
			later && later != block ? path_from(hd_order_at(o, later), slot) : 0;

		if (path)
			include_all_before(o, later, slot, path);
	}
}

/* Does @source's set hold something that @into's lacks? */
static bool has_news(const struct hd_order_node *into, const struct hd_order_node *source)
{
	for (uint32_t i = 1; i < source->before.len; i++) {
		if (source->before.at[i] && !path_from(into, i))
			return true;
	}
	return false;
}

static void include_source(struct hd_order *o, hd_node into, hd_node source,
			   const struct hd_seen *from, const struct hd_seen *to)
{
	struct hd_order_node *s = hd_order_at(o, source);

	for (uint32_t i = 1; i < s->before.len; i++) {
		uint32_t path = path_from(s, i);

		if (!path || path_from(hd_order_at(o, into), i))
			continue;
		path = hd_path_add(&o->paths, path, from, to);
		include(o, into, i, hd_path_keep(&o->paths, path));
		if (hd_order_is_open(o, into))
			include_all_before(o, into, i, path);
		hd_path_drop(&o->paths, path);
	}
}

/* A node like @node that nobody else knows. */
static hd_node copy_of(struct hd_order *o, hd_node node)
{
	hd_node copy = new_node(o);
	struct hd_order_node *n = hd_order_at(o, node);

	for (uint32_t i = 1; node && i < n->before.len; i++) {
		if (path_from(n, i))
			include(o, copy, i, hd_path_keep(&o->paths, path_from(n, i)));
	}
	return copy;
}

uint32_t hd_order_after(struct hd_order *o, hd_node *into, hd_node source,
			const struct hd_seen *from, const struct hd_seen *to)
{
	struct hd_order_node *n = hd_order_at(o, *into), *s = hd_order_at(o, source);
	uint32_t path;

	if (*into == source || !hd_order_matters(o, source))
		return 0;
	if (hd_order_is_open(o, *into)) {
		path = path_back(o, n->slot, n, s);
		if (path || !has_news(n, s))
			return path;
		include_source(o, *into, source, from, to);
		pass_on(o, *into);
		return 0;
	}
	if (*into && !has_news(n, s))
		return 0;
	if (!*into || n->refs > 1) {
		hd_node copy = copy_of(o, *into);

		hd_order_drop(o, *into);
		*into = copy;
	}
	include_source(o, *into, source, from, to);
	return 0;
}
