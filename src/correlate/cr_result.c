/*
 * The result: lines of words, numbers in hexadecimal where they are addresses.
 *
 *	heddle-correlate 1
 *	module BASE LENGTH PATH
 *	thread NUMBER CREATOR PC CTX
 *	ctx NUMBER PARENT PC
 *	block ADDRESS SIZE THREAD PC CTX
 *	finding KIND SET ADDRESS SIZE TIMES	KIND: race, ordered (by locks), released,
 *		repeated (by the same code), indexed, torn, locks; lockset (with --paper)
 *	access ROLE THREAD OP ADDRESS SIZE PC CTX	OP: read, write, atomic
 *	held ADDRESS SHARED KIND	of the access before it
 *	word SET ADDRESS SIZE THREADS WRITTEN	of a correlated set that a finding is in, or of any
 *		with --all-sets, 512 at most; THREADS is a set of bits
 *	stat NAME NUMBER
 *	end CODE
 */
#include "cr_result.h"

#include <pub_tool_aspacemgr.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_vki.h>

#include "cr_call.h"
#include "cr_elf.h"
#include "cr_gap.h"
#include "cr_label.h"
#include "cr_machine.h"
#include "cr_order.h"
#include "cr_race.h"
#include "cr_region.h"
#include "cr_shadow.h"
#include "cr_unit.h"

static VgFile *out;

/* ---- blocks that findings are in -------------------------------------------------------- */

#define PLACES_MAX 8192u

static struct cr_block *places;
static UInt nplaces, places_room;

/* Blocks that were freed not long ago. */
#define FREED 1024u
static struct cr_block freed[FREED];
static UInt nfreed;

void cr_result_freed(const struct cr_block *b)
{
	freed[nfreed++ % FREED] = *b;
}

static Bool was_freed(Addr a, struct cr_block *b)
{
	for (UInt i = 0; i < FREED && i < nfreed; i++) {
		*b = freed[(nfreed - 1 - i) % FREED];
		if (a - b->addr < b->size)
			return True;
	}
	return False;
}

void cr_result_place(Addr a)
{
	struct cr_block b;

	if (nplaces >= PLACES_MAX || (!cr_heap_find(a, &b) && !was_freed(a, &b)))
		return;
	for (UInt i = nplaces; i > 0; i--) {
		if (places[i - 1].addr == b.addr && places[i - 1].size == b.size)
			return;
	}
	if (nplaces == places_room) {
		places_room = places_room ? places_room * 2 : 64;
		places = VG_(realloc)("cr.places", places, places_room * sizeof(*places));
	}
	places[nplaces++] = b;
}

/* ---- what findings refer to ------------------------------------------------------------------- */

/* Words of a set, those with the lowest addresses: heddle looks at no more of them. */
#define WORDS_TOLD 512u

static UChar *used_sets;     /* by number */
static UShort *told_words;   /* of sets, by number: how many so far */
static UChar *used_contexts; /* by number */

static void use_set(Addr word)
{
	used_sets[cr_unit_set(word)] = 1;
}

static void use_context(UInt ctx)
{
	Addr pc;

	for (; ctx && !used_contexts[ctx]; cr_ctx_get(ctx, &ctx, &pc))
		used_contexts[ctx] = 1;
}

/* A unit that nobody came between is no finding. */
static Bool is_finding(const struct cr_torn *t)
{
	return (t->kind != CR_TORN_RELEASED || t->between.segment) && !t->alone && cr_torn_own(t);
}

static void find_used(void)
{
	UInt nsets = cr_options.paper ? cr_cset_most() : cr_unit_nodes();

	used_sets = VG_(calloc)("cr.result", nsets + 1, 1);
	told_words = VG_(calloc)("cr.result", nsets + 1, sizeof(*told_words));
	used_contexts = VG_(calloc)("cr.result", cr_ctx_count(), 1);
	for (const struct cr_race *r = cr_races; r; r = r->next) {
		use_set(r->addr);
		use_context(r->first.ctx);
		use_context(r->second.ctx);
	}
	for (const struct cr_torn *t = cr_torns; t; t = t->next) {
		if (!is_finding(t))
			continue;
		use_set(t->word);
		use_context(t->read.ctx);
		use_context(t->write.ctx);
		use_context(t->between.ctx);
	}
	for (const struct cr_gap *g = cr_gaps; g; g = g->next) {
		if (!cr_gap_torn(g))
			continue;
		use_set(g->first_word);
		use_context(g->first.ctx);
		use_context(g->last.ctx);
		use_context(g->between[0].ctx);
		use_context(g->between[1].ctx);
	}
	for (const struct cr_unprotected *f = cr_unprotected; f; f = f->next) {
		used_sets[cr_cset_now(f->set)] = 1;
		use_context(f->first.record.ctx);
		use_context(f->begin.record.ctx);
		use_context(f->end.record.ctx);
		use_context(f->second.record.ctx);
	}
	for (UInt i = 1; i <= cr_threads_count(); i++)
		use_context(cr_thread_origin(i)->ctx);
}

/* ---- the parts ------------------------------------------------------------------------------ */

static void put_modules(void)
{
	static Addr starts[4096];
	Int n = VG_(am_get_segment_starts)(SkFileC, starts, 4096);

	for (Int i = 0; i < n; i++) {
		const NSegment *seg = VG_(am_find_nsegment)(starts[i]);
		const HChar *path = seg ? VG_(am_get_filename)(seg) : NULL;
		Addr end;

		if (!path || seg->offset || path[0] != '/')
			continue;
		end = seg->end + 1;
		for (Int k = i + 1; k < n; k++) {
			const NSegment *more = VG_(am_find_nsegment)(starts[k]);
			const HChar *other = more ? VG_(am_get_filename)(more) : NULL;

			if (!other || VG_(strcmp)(other, path))
				break;
			end = more->end + 1;
		}
		/* Some of the memory that follows may be the file's own: what starts as zeros. */
		if (cr_elf_end(starts[i]) > end)
			end = cr_elf_end(starts[i]);
		VG_(fprintf)(out, "module %lx %lx %s\n", starts[i], end - starts[i], path);
	}
}

static void put_threads(void)
{
	for (UInt i = 1; i <= cr_threads_count(); i++) {
		const struct cr_thread_origin *o = cr_thread_origin(i);

		VG_(fprintf)(out, "thread %u %u %lx %u\n", i, o->creator, o->pc, o->ctx);
	}
}

/* Contexts are numbered so that parents come first. */
static void put_contexts(void)
{
	for (UInt i = 1; i < cr_ctx_count(); i++) {
		UInt parent;
		Addr pc;

		if (!used_contexts[i])
			continue;
		cr_ctx_get(i, &parent, &pc);
		VG_(fprintf)(out, "ctx %u %u %lx\n", i, parent, pc);
	}
}

static void put_access(const HChar *role, Addr a, UInt size, const struct cr_record *r)
{
	const struct cr_segment *s = cr_segment(r->segment);
	struct cr_lock_use use[CR_HELD];
	UInt n = cr_lockset_get(s->lockset, use, CR_HELD), ctx = r->ctx, parent;
	Addr pc = 0;

	/* What free() and the kernel do is done where they are called. */
	if (ctx)
		cr_ctx_get(ctx, &parent, &pc);
	if (pc == cr_at_pc(r->at))
		ctx = parent;

	VG_(fprintf)(out, "access %s %u %s %lx %u %lx %u\n", role, s->number,
		     r->kind & CR_ATOMIC ? "atomic" : r->kind & CR_WRITE ? "write" : "read", a,
		     size, cr_at_pc(r->at), ctx);
	for (UInt i = 0; i < n; i++)
		VG_(fprintf)(out, "held %lx %d %u\n", use[i].lock, use[i].shared, use[i].kind);
}

static void put_races(void)
{
	for (const struct cr_race *r = cr_races; r; r = r->next) {
		VG_(fprintf)(out, "finding %s %u %lx %u %u\n", r->ordered ? "ordered" : "race",
			     cr_unit_set(r->addr), r->addr, r->size, r->times + 1);
		put_access("first", r->addr, r->size, &r->first);
		put_access("second", r->addr, r->size, &r->second);
	}
}

static void put_torn(void)
{
	for (const struct cr_torn *t = cr_torns; t; t = t->next) {
		if (!is_finding(t))
			continue;
		VG_(fprintf)(out, "finding %s %u %lx 4 %u\n",
			     t->kind == CR_TORN_LOCKS ? "locks" :
			     t->indexed ? "indexed" : t->same_code ? "repeated" : "released",
			     cr_unit_set(t->word), t->word, t->times);
		put_access("begin", t->other ? t->other : t->word, 4, &t->read);
		if (t->between.segment)
			put_access("between", t->word, 4, &t->between);
		put_access("end", t->word, 4, &t->write);
	}
}

static void put_gaps(void)
{
	for (const struct cr_gap *g = cr_gaps; g; g = g->next) {
		if (!cr_gap_torn(g))
			continue;
		VG_(fprintf)(out, "finding torn %u %lx 4 %u\n", cr_unit_set(g->last_word),
			     g->last_word, g->times);
		put_access("begin", g->first_word, 4, &g->first);
		put_access("between", g->first_word, 4, &g->between[0]);
		put_access("between", g->last_word, 4, &g->between[1]);
		put_access("end", g->last_word, 4, &g->last);
	}
}

static void put_touched(const HChar *role, const struct cr_touched *t)
{
	put_access(role, t->word, cr_at_size(t->record.at) < 8 ? 4 : 8, &t->record);
}

/* With --paper. */
static void put_unprotected(void)
{
	for (const struct cr_unprotected *f = cr_unprotected; f; f = f->next) {
		VG_(fprintf)(out, "finding lockset %u %lx 4 1\n", cr_cset_now(f->set),
			     f->second.word);
		put_touched("first", &f->first);
		put_touched("second", &f->second);
		if (!f->end.record.segment)
			continue;
		put_touched("begin", &f->begin);
		put_touched("end", &f->end);
	}
}

/* ---- words of sets ------------------------------------------------------------------------------ */

/* Who accessed a word, as a set of bits; where in the four bytes it begins, and whether it was written. */
struct told_word {
	Addr addr;
	UInt set, size;
	ULong threads;
	Bool written;
};

static struct told_word *words;
static UInt nwords, words_room;

static struct told_word describe(Addr word, UInt set)
{
	struct told_word t = { .set = set, .size = 4 };
	struct cr_chunk *c = cr_chunk_find(word);
	UInt first = 3;

	for (UInt n = c ? c->history[cr_granule(word)] : 0; n; n = cr_record(n)->next) {
		const struct cr_record *r = cr_record(n);

		if (!(r->mask >> (word & 4) & 0xf))
			continue;
		while (first && r->mask >> (word & 4) & ((1u << first) - 1))
			first--;
		t.threads |= 1ull << (cr_segment(r->segment)->number % 64);
		t.written |= (r->kind & CR_WRITE) != 0;
		if (r->mask == 0xff && cr_at_size(r->at) >= 8)
			t.size = 8;
	}
	t.addr = word + first;
	return t;
}

static Bool is_wanted(UInt set)
{
	return (cr_options.all_sets || used_sets[set]) && told_words[set] < WORDS_TOLD;
}

static void add_word(struct told_word t)
{
	if (nwords == words_room) {
		words_room = words_room ? words_room * 2 : 1024;
		words = VG_(realloc)("cr.result", words, words_room * sizeof(*words));
	}
	words[nwords++] = t;
	told_words[t.set]++;
	cr_result_place(t.addr);
}

static void take_word(void *arg, Addr word, UInt set)
{
	struct told_word t;

	if (!is_wanted(set))
		return;
	t = describe(word, set);
	if (t.threads)
		add_word(t);
}

/* With --paper. */
static void take_region_word(Addr word, UInt set, ULong threads, Bool written)
{
	if (is_wanted(set))
		add_word((struct told_word){ .addr = word, .size = 4, .set = set,
					     .threads = threads, .written = written });
}

static void put_words(void)
{
	for (UInt i = 0; i < nwords; i++)
		VG_(fprintf)(out, "word %u %lx %u %llx %d\n", words[i].set, words[i].addr,
			     words[i].size, words[i].threads, words[i].written);
}

/* ---- all of it ---------------------------------------------------------------------------------- */

static void put_blocks(void)
{
	for (UInt i = 0; i < nplaces; i++)
		VG_(fprintf)(out, "block %lx %lx %u %lx %u\n", places[i].addr, places[i].size,
			     places[i].thread, places[i].pc, places[i].ctx);
}

void cr_result_write(Int code)
{
	if (!cr_options.result)
		return;
	out = VG_(fopen)(cr_options.result, VKI_O_WRONLY | VKI_O_CREAT | VKI_O_TRUNC, 0600);
	if (!out) {
		VG_(umsg)("correlate: %s cannot be written\n", cr_options.result);
		return;
	}
	VG_(fprintf)(out, "heddle-correlate 1\n");
	find_used();
	cr_unit_each(take_word, NULL);
	cr_region_each(take_region_word);
	for (UInt i = 0; i < nplaces; i++)
		use_context(places[i].ctx);
	put_modules();
	put_contexts();
	put_threads();
	put_blocks();
	put_races();
	put_torn();
	put_gaps();
	put_unprotected();
	put_words();
	VG_(fprintf)(out, "stat sources %llu\nstat unions %llu\nstat collections %llu\n",
		     cr_label_stats.sources, cr_label_stats.unions, cr_label_stats.collections);
	VG_(fprintf)(out, "stat segments %llu\nstat most-segments %u\nstat most-labels %u\n"
			  "stat most-records %u\nstat most-nodes %u\nstat most-orders %u\n",
		     cr_segment_stats.made, cr_segment_stats.most, cr_label_stats.most,
		     cr_race_records(), cr_unit_nodes(), cr_order_stats.most);
	VG_(fprintf)(out, "end %d\n", code);
	VG_(fclose)(out);
}
