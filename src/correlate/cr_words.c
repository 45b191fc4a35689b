/* Correlated sets: words that units had in common (cr_unit.h). */
#include "cr_unit.h"

#define WORDS_MAX   (1u << 22) /* in sets; what comes later is in none */
#define NODES_SPARE (1u << 14) /* that are of no use, before it is worth to look for them */

struct word {
	ULong number : 35; /* its address by four: below CR_TOP; 0: no entry */
	ULong node : 29;
};

static struct word *words; /* open addressing */
static UInt nwords, words_mask;
static UInt *parent; /* of nodes: a forest */
static UInt nnodes = 1, nodes_room, most_nodes;
ULong cr_words_forgotten; /* so far */

static Addr addr_of(const struct word *w)
{
	return (Addr)w->number << 2;
}

/* Where to look for the word at @a: those of a line of memory are next to each other. */
static UInt place_of(Addr a)
{
	return (cr_hash(a >> 6, 0) << 4 | (a >> 2 & 15)) & words_mask;
}

static UInt find(UInt n)
{
	while (parent[n] != n) {
		parent[n] = parent[parent[n]];
		n = parent[n];
	}
	return n;
}

static void words_grow(void)
{
	UInt old_room = words ? words_mask + 1 : 0;
	struct word *old = words;

	words_mask = old_room ? old_room * 2 - 1 : 4095;
	words = VG_(calloc)("cr.words", words_mask + 1, sizeof(*words));
	for (UInt i = 0; i < old_room; i++) {
		UInt k = place_of(addr_of(&old[i]));

		if (!old[i].number)
			continue;
		while (words[k].number)
			k = (k + 1) & words_mask;
		words[k] = old[i];
	}
	VG_(free)(old);
}

/* Its entry, or the empty one where it would be. */
static struct word *word_at(Addr a)
{
	UInt i = place_of(a);

	while (words[i].number && words[i].number != a >> 2)
		i = (i + 1) & words_mask;
	return &words[i];
}

/* A new number for a set of one. */
static UInt node_new(void)
{
	if (nnodes >= nodes_room) {
		nodes_room = nodes_room ? nodes_room * 2 : 4096;
		parent = VG_(realloc)("cr.nodes", parent, nodes_room * sizeof(*parent));
	}
	parent[nnodes] = nnodes;
	if (nnodes > most_nodes)
		most_nodes = nnodes;
	return nnodes++;
}

/*
 * Words that are alone in their set, because memory of others was given back, and numbers that no
 * word has: every now and then the rest is put into new tables.
 */
static void compact(void)
{
	UInt room = words_mask + 1, old_nodes = nnodes;
	struct word *old = words;
	UInt *old_parent = parent, *members;

	members = VG_(calloc)("cr.nodes", nnodes, sizeof(*members));
	for (UInt i = 0; i < room; i++) {
		if (old[i].number) {
			old[i].node = find(old[i].node);
			members[old[i].node]++;
		}
	}
	words = VG_(calloc)("cr.words", room, sizeof(*words));
	parent = NULL;
	nnodes = 1;
	nwords = nodes_room = 0;
	VG_(memset)(old_parent, 0, old_nodes * sizeof(*old_parent)); /* now: the new number */
	for (UInt i = 0; i < room; i++) {
		UInt n = old[i].node;

		if (!old[i].number || members[n] < 2)
			continue;
		if (!old_parent[n])
			old_parent[n] = node_new();
		*word_at(addr_of(&old[i])) = (struct word){ old[i].number, old_parent[n] };
		nwords++;
	}
	VG_(free)(old);
	VG_(free)(old_parent);
	VG_(free)(members);
}

/* The node of the word at @a; 0: it has none and gets none. */
static UInt node_of(Addr a, Bool make)
{
	struct word *w;

	a &= ~(Addr)3;
	if (!words) {
		if (!make)
			return 0;
		words_grow();
	}
	w = word_at(a);
	if (w->number || !make || nwords >= WORDS_MAX || a >= CR_TOP)
		return w->number ? w->node : 0;
	*w = (struct word){ a >> 2, node_new() };
	cr_chunk_of(a)->flags[cr_granule(a)] |= CR_HAS_SET;
	nwords++;
	return nnodes - 1;
}

/* Before new words come: room for them, and none that are of no use. */
static void make_room(void)
{
	if (nnodes > 2 * nwords + NODES_SPARE || nwords * 2 + 4 > words_mask) {
		if (words)
			compact();
		if (nwords * 3 > words_mask)
			words_grow();
	}
}

void cr_unit_same(Addr a, Addr b)
{
	UInt x, y;

	make_room();
	x = node_of(a, True);
	y = node_of(b, True);
	if (x && y)
		parent[find(x)] = find(y);
}

UInt cr_unit_set(Addr a)
{
	UInt n = node_of(a, False);

	return n ? find(n) : 0;
}

/* What is there from now on is another variable, in a set of its own. */
void cr_unit_forget(Addr granule)
{
	for (Addr w = granule; w < granule + 8; w += 4) {
		struct word *word = words ? word_at(w) : NULL;

		if (word && word->number) {
			word->node = node_new();
			cr_words_forgotten++;
		}
	}
}

void cr_unit_each(void (*take)(void *arg, Addr word, UInt set), void *arg)
{
	for (UWord n = 0; words && n < CR_CHUNKS; n++) {
		const struct cr_chunk *c = cr_chunks[n];

		if (c == &cr_no_chunk)
			continue;
		for (Addr a = n << CR_CHUNK_BITS; a < (n + 1) << CR_CHUNK_BITS; a += 4) {
			UInt node = c->flags[cr_granule(a)] & CR_HAS_SET ? node_of(a, False) : 0;

			if (node)
				take(arg, a, find(node));
		}
	}
}

UInt cr_unit_nodes(void)
{
	return most_nodes;
}
