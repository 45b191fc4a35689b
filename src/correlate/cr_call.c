#include "cr_call.h"

#include "cr_claim.h"
#include "cr_flow.h"
#include "cr_handover.h"
#include "cr_place.h"
#include "cr_label.h"
#include "cr_mark.h"
#include "cr_gap.h"
#include "cr_unit.h"
#include "cr_update.h"

#define FRAMES_MAX   4096u /* deeper calls are one */
#define BRANCHES_MAX 4096u
#define CALLERS_MAX  12u
#define CONTEXTS_MAX (1u << 22) /* more are told without their stack */

struct ctx {
	UInt parent;
	Addr pc;
};

static struct ctx *contexts;
static UInt ncontexts = 1, contexts_room;
static UInt *ctx_table, ctx_mask;

static void contexts_grow(void)
{
	contexts_room = contexts_room ? contexts_room * 2 : 4096;
	contexts = VG_(realloc)("cr.contexts", contexts, contexts_room * sizeof(*contexts));
	ctx_mask = contexts_room * 2 - 1;
	VG_(free)(ctx_table);
	ctx_table = VG_(calloc)("cr.contexts", ctx_mask + 1, sizeof(UInt));
	for (UInt id = 1; id < ncontexts; id++) {
		UInt i = cr_hash(contexts[id].parent, contexts[id].pc) & ctx_mask;

		while (ctx_table[i])
			i = (i + 1) & ctx_mask;
		ctx_table[i] = id;
	}
}

static UInt ctx_of(UInt parent, Addr pc)
{
	UInt i;

	if (ncontexts >= contexts_room) {
		if (ncontexts >= CONTEXTS_MAX)
			return 0;
		contexts_grow();
	}
	for (i = cr_hash(parent, pc) & ctx_mask; ctx_table[i]; i = (i + 1) & ctx_mask) {
		const struct ctx *c = &contexts[ctx_table[i]];

		if (c->parent == parent && c->pc == pc)
			return ctx_table[i];
	}
	contexts[ncontexts] = (struct ctx){ parent, pc };
	ctx_table[i] = ncontexts;
	return ncontexts++;
}

UInt cr_ctx_count(void)
{
	return ncontexts;
}

void cr_ctx_get(UInt ctx, UInt *parent, Addr *pc)
{
	*parent = contexts[ctx].parent;
	*pc = contexts[ctx].pc;
}

/* Most calls do nothing that is remembered, so contexts are made when they are asked for. */
static UInt make_contexts(struct cr_thread *t)
{
	UInt k = t->nframes, ctx;

	while (k && t->frames[k - 1].ctx == CR_CTX_UNASKED)
		k--;
	ctx = k ? t->frames[k - 1].ctx : 0;
	for (; k < t->nframes; k++)
		ctx = t->frames[k].ctx = ctx_of(ctx, t->frames[k].pc);
	return ctx;
}

static UInt context_of(struct cr_thread *t)
{
	UInt ctx = t->nframes ? t->frames[t->nframes - 1].ctx : 0;

	return ctx != CR_CTX_UNASKED ? ctx : make_contexts(t);
}

UInt cr_call_ctx(void)
{
	return context_of(cr_me);
}

/* Wrappers of the thread library are called by the program itself. */
Addr cr_call_pc(void)
{
	return cr_call_ctx() ? contexts[cr_call_ctx()].pc : 0;
}

UInt cr_call_above(void)
{
	return cr_call_ctx() ? contexts[cr_call_ctx()].parent : 0;
}

/* ---- frames ------------------------------------------------------------------------ */

/* The running function's branches, after calls came or went. */
void cr_call_resume(void)
{
	struct cr_thread *t = cr_me;
	UInt base = t->nframes ? t->frames[t->nframes - 1].branches : 0;

	cr_open_branches = t->nbranches - base;
	cr_control = cr_open_branches ? t->branches[t->nbranches - 1].sum : 0;
}

UInt cr_call_decisions(UInt up, const struct cr_branch **first)
{
	const struct cr_thread *t = cr_me;
	UInt end = t->nbranches, from;

	if (up > t->nframes)
		return 0;
	if (up)
		end = t->frames[t->nframes - up].branches;
	from = up < t->nframes ? t->frames[t->nframes - up - 1].branches : 0;
	*first = &t->branches[from];
	return end - from;
}

/* Functions of a library that is made of headers, such as the containers of C++, are no calls of the program's own. */
static Bool is_library(Addr pc)
{
	static struct {
		Addr pc;
		Bool is;
	} known[1024];
	UInt at = cr_hash(pc, 6) % 1024;

	if (known[at].pc != pc) {
		known[at].pc = pc;
		known[at].is = cr_is_header(pc);
	}
	return known[at].is;
}

UInt cr_call_callers(void)
{
	UInt up = 0;

	for (UInt own = 0; own < CR_CALLERS && up < CALLERS_MAX && up < cr_me->nframes; up++)
		own += !is_library(cr_me->frames[cr_me->nframes - 1 - up].pc - 1);
	return up;
}

cr_label cr_call_outer(void)
{
	const struct cr_branch *first;
	cr_label all = 0;

	for (UInt up = 1, callers = cr_call_callers(); up <= callers; up++) {
		UInt n = cr_call_decisions(up, &first);

		if (n && !cr_label_idle(first[n - 1].sum))
			all = cr_label_union(all, first[n - 1].sum);
	}
	return all;
}

static void pop_frame(struct cr_thread *t)
{
	t->nframes--;
	t->nbranches = t->frames[t->nframes].branches;
}

static struct cr_frame *push_frame(struct cr_thread *t)
{
	struct cr_frame *f;

	if (t->nframes == t->frames_room) {
		t->frames_room = t->frames_room ? t->frames_room * 2 : 64;
		t->frames =
			VG_(realloc)("cr.frames", t->frames, t->frames_room * sizeof(*t->frames));
	}
	f = &t->frames[t->nframes++];
	f->branches = t->nbranches;
	return f;
}

VG_REGPARM(2) void cr_on_call(UWord sp, UWord return_to)
{
	struct cr_thread *t = cr_me;
	struct cr_frame *f;

	/* What a longjmp or an exception has left. */
	while (t->nframes && t->frames[t->nframes - 1].sp && t->frames[t->nframes - 1].sp <= sp)
		pop_frame(t);
	if (t->nframes >= FRAMES_MAX)
		return;
	f = push_frame(t);
	f->sp = sp;
	f->pc = return_to;
	f->ctx = CR_CTX_UNASKED;
	f->serial = t->calls;
	f->made = f->made_left = 0;
	f->looked = 0;
	cr_open_branches = 0;
	cr_control = 0;
}

VG_REGPARM(2) void cr_on_full_call(UWord sp, UWord return_to)
{
	cr_me->calls++;
	if (cr_me->nframes)
		cr_me->frames[cr_me->nframes - 1].made++;
	cr_on_call(sp, return_to);
}

/* The same calls come again and again. Did the running thread make one with these labels not long ago? */
static Bool were_passed(UWord first, UWord next, UWord last)
{
	static struct passed {
		UWord first, next, last;
		ULong collections;
		UInt thread;
	} passed[1024];
	struct passed *at = &passed[cr_hash(first ^ last, next) % 1024];

	if (at->first == first && at->next == next && at->last == last &&
	    at->collections == cr_label_stats.collections && at->thread == cr_me->number)
		return True;
	*at = (struct passed){ first, next, last, cr_label_stats.collections, cr_me->number };
	return False;
}

VG_REGPARM(3) void cr_on_arguments(UWord first, UWord next, UWord last)
{
	const UWord pair[3] = { first, next, last };
	cr_label used[6];
	UInt n = 0;

	if (were_passed(first, next, last))
		return;
	for (UInt i = 0; i < 6; i++) {
		cr_label l = (cr_label)(pair[i / 2] >> (i % 2 ? 0 : 32));

		if (l && !cr_label_idle(l))
			used[n++] = l;
	}
	for (UInt i = 0; i < n; i++) {
		for (UInt k = i + 1; k < n; k++)
			cr_gap_passed(used[i], used[k]);
	}
}

void cr_call_rests(void)
{
	for (UInt i = 0; i + 1 < cr_me->nframes; i++) {
		if (cr_me->frames[i].made)
			cr_me->frames[i].made--;
	}
}

/*
 * A function that has looked for something and returns what it had before, for it did not find it: that is made by what it
 * decided by, although nothing was written then.
 */
static void return_looked(cr_label looked)
{
	if (looked && cr_label_own(cr_returned()))
		cr_return(cr_label_union(cr_returned(), looked));
}

VG_REGPARM(1) void cr_on_return(UWord sp)
{
	struct cr_thread *t = cr_me;
	cr_label looked = 0;

	while (t->nframes && t->frames[t->nframes - 1].sp && t->frames[t->nframes - 1].sp < sp) {
		looked = t->frames[t->nframes - 1].looked;
		pop_frame(t);
	}
	return_looked(looked);
	cr_call_resume();
}

/* A handler may run on another stack: below it, stack pointers are not compared. */
void cr_signal_begin(ThreadId tid)
{
	struct cr_thread *t = cr_thread_of(tid);
	UInt ctx;

	if (!t || t->nframes >= FRAMES_MAX)
		return;
	ctx = context_of(t);
	*push_frame(t) = (struct cr_frame){ .sp = 0, .ctx = ctx, .branches = t->nbranches };
	if (t == cr_me)
		cr_call_resume();
}

void cr_signal_end(ThreadId tid)
{
	struct cr_thread *t = cr_thread_of(tid);

	while (t && t->nframes) {
		Bool last = t->frames[t->nframes - 1].sp == 0;

		pop_frame(t);
		if (last)
			break;
	}
	if (t && t == cr_me)
		cr_call_resume();
}

/* ---- branches ---------------------------------------------------------------------- */

/*
 * A decision is made anew, after @now: "while (!x) wait". What was read for it before, of the
 * same variables, counts no more, even for values that were made in between.
 */
static void decide_anew(cr_label before, cr_label now)
{
	static struct {
		cr_label before, now;
		ULong collections;
	} done[256];
	UInt at = (before * 31 + now) % 256;

	if (done[at].before == before && done[at].now == now &&
	    done[at].collections == cr_label_stats.collections)
		return;
	done[at].before = before;
	done[at].now = now;
	done[at].collections = cr_label_stats.collections;
	for (UInt i = 0; i < cr_label_count(before); i++) {
		struct cr_source *old = cr_label_get(before, i);

		for (UInt k = 0; k < cr_label_count(now); k++) {
			const struct cr_source *new = cr_label_get(now, k);

			if (new->word == old->word &&new->epoch > old->epoch)
				old->flags |= CR_SRC_CONSUMED;
		}
	}
}

/*
 * What was read in this critical section and decided that the thread waits has done so, and is no reason for
 * what comes after: "while (!a && b) wait" does not look at b again if there is an a.
 */
void cr_call_waits(void)
{
	UInt top = cr_me->nframes ? cr_me->frames[cr_me->nframes - 1].branches : 0;
	UInt up = cr_me->nframes > CR_LOCK_CALLS ? cr_me->nframes - 1 - CR_LOCK_CALLS : 0;
	ULong since = cr_held_oldest();

	for (UInt i = cr_me->nframes ? cr_me->frames[up].branches : 0; i < top; i++) {
		cr_label label = cr_me->branches[i].label;

		/* One without locks was not read in a critical section. */
		for (UInt k = 0; !cr_label_idle(label) && k < cr_label_count(label); k++) {
			struct cr_source *s = cr_label_get(label, k);

			if (s->since == since)
				s->flags |= CR_SRC_CONSUMED;
		}
	}
}

/*
 * The open decision that one at @join in @loop is another part of: one of the last, which meet there, too.
 * A look before a loop and those in it are two, but the later makes the earlier one anew.
 */
static struct cr_branch *part_of(Addr join, UInt loop, cr_label label)
{
	struct cr_branch *b = &cr_me->branches[cr_me->nbranches], *part = NULL;

	for (UInt i = 1; i <= cr_open_branches && b[-1].join == join; i++) {
		b--;
		if (!cr_label_idle(b->label) && b->label != label)
			decide_anew(b->label, label);
		if (!part && b->loop == loop)
			part = b;
	}
	return part;
}

static struct cr_branch *push_branch(struct cr_thread *t)
{
	if (t->nbranches >= BRANCHES_MAX)
		return NULL;
	if (t->nbranches == t->branches_room) {
		t->branches_room = t->branches_room ? t->branches_room * 2 : 64;
		t->branches = VG_(realloc)("cr.branches", t->branches,
					   t->branches_room * sizeof(*t->branches));
	}
	cr_open_branches++;
	return &t->branches[t->nbranches++];
}

/* Sums, from @b on. */
static void sum_up(struct cr_branch *b)
{
	struct cr_branch *end = &cr_me->branches[cr_me->nbranches];
	cr_label around = b > end - cr_open_branches ? b[-1].sum : 0;

	for (; b < end; b++) {
		b->sum = cr_label_union(around, b->label);
		around = b->sum;
	}
	cr_control = around;
}

/* Loops decide by the same again and again: what that tells is told once in an epoch. */
static Bool was_told(cr_label label, Addr pc, UInt way)
{
	static struct told {
		Addr pc;
		ULong epoch, state; /* of gaps, torn units and labels then */
		cr_label label;
		UInt ways;
	} told[1024];
	struct told *at = &told[(pc ^ pc >> 10) % 1024];
	ULong state = cr_gap_changes + cr_torn_changes + cr_label_stats.collections;

	if (at->pc != pc || at->label != label || at->epoch != cr_me->epoch || at->state != state)
		*at = (struct told){ pc, cr_me->epoch, state, label, 0 };
	if (at->ways >> way & 1)
		return True;
	at->ways |= 1u << way;
	return False;
}

/*
 * Loops of which a round was made with a lock that was never given back: whatever they look for, they do not wait for others to
 * write it.
 */
static struct loop {
	Addr first;
	UInt thread, releases;
	ULong call; /* by its number */
	Bool holds;
} loops[1024];

static struct loop *loop_at(Addr first)
{
	return &loops[cr_hash(first, 5) % 1024];
}

static void note_round(Addr first)
{
	struct loop now = { first, cr_me->number, cr_me->releases,
			    cr_me->nframes ? cr_me->frames[cr_me->nframes - 1].serial : 0, False };
	struct loop *l = loop_at(first);

	now.holds = l->first == first &&
		    (l->holds || (cr_me->nheld && l->thread == now.thread && l->call == now.call &&
				  l->releases == now.releases));
	*l = now;
}

static Bool may_wait(Addr pc)
{
	Addr first = cr_flow_waits_in(pc);
	const struct loop *l = loop_at(first);

	return l->first != first || !l->holds;
}

/* What a decision at @pc by @label tells of other threads and of this one. */
static void tell(cr_label label, Addr pc, UInt ways, Bool waits)
{
	UInt way = ways & 1;
	Bool orders = (ways & CR_WAY_ORDERING) != 0;

	cr_flag_seen(label);
	cr_claim_decided(label);
	if (waits && cr_flow_goes_out(pc, way) && may_wait(pc))
		cr_flag_waited(label);
	if (cr_me->lockset) {
		if (cr_is_program(pc) && !orders)
			cr_unit_decided(label);
		cr_update_decided(label);
	}
	if (cr_label_count(label) > 1)
		cr_gap_decided(label, pc, orders, (ways & CR_WAY_CONSTANT) != 0);
}

/* The first decision by a read, if it is made by nothing else. */
static void note_first(cr_label label, Addr pc, UInt way)
{
	struct cr_source *s = cr_label_count(label) == 1 ? cr_label_get(label, 0) : NULL;

	if (s && !s->decides_at) {
		s->decides_at = pc;
		s->way = way;
	}
}

/* The open decision at @pc, if it was made by the same @label. */
static struct cr_branch *decided_before(Addr join, UInt loop, cr_label label, Addr pc)
{
	struct cr_branch *b = &cr_me->branches[cr_me->nbranches];

	for (UInt i = 1; i <= cr_open_branches && b[-1].join == join; i++) {
		b--;
		if (b->loop == loop)
			return b->pc == pc && b->label == label ? b : NULL;
	}
	return NULL;
}

static void look(struct cr_frame *f, cr_label label)
{
	f->looked = f->looked_in == cr_me->nsections ? cr_label_union(f->looked, label) : label;
	f->looked_in = cr_me->nsections;
}

static struct cr_branch *decide(Addr join, UWord labelled, UWord where)
{
	cr_label label = (cr_label)labelled;
	UInt way = (UInt)(labelled >> 32) & 1;
	Addr pc = where << 16 >> 16;
	UInt loop = (UInt)(where >> 48 & 0x7fff);
	struct cr_branch *b = cr_open_branches ? &cr_me->branches[cr_me->nbranches - 1] : NULL;
	Bool news;

	/* The same as the last time, by the same data: nothing changes. */
	if (b && b->label == label && b->pc == pc && b->join == join && b->loop == loop &&
	    !cr_me->nflags && b->way == way) {
		b->again = True;
		return b;
	}
	if (cr_me->nframes && !cr_label_own(label))
		look(&cr_me->frames[cr_me->nframes - 1], label);
	news = !cr_label_idle(label) && !was_told(label, pc, way);
	if (!news && !cr_me->nflags) {
		b = decided_before(join, loop, label, pc);
		if (b) {
			b->again = True;
			b->way = way;
			return b;
		}
	}
	b = part_of(join, loop, label);
	if (news) {
		note_first(label, pc, way);
		cr_unit_went(label, pc, way); /* before it counts as waiting for what it sees */
	}
	if (cr_me->nflags)
		cr_flag_seen(label);
	if (news)
		tell(label, pc, (UInt)(labelled >> 32), where >> 63);
	if (b && b->pc == pc && b->label == label) {
		b->again = True;
		b->way = way;
		return b;
	}
	if (b) {
		if (b->pc != pc && !cr_label_idle(label) && cr_is_program(pc))
			cr_gap_nested(b->label, label);
		/* A condition has another part; or a loop comes round, and is decided anew. */
		b->again = False;
		b->label = b->pc == pc ? label : cr_label_prefer(label, b->label);
		b->way = b->pc == pc ? way : b->way;
	} else {
		b = push_branch(cr_me);
		if (!b)
			return NULL;
		*b = (struct cr_branch){
			.join = join, .pc = pc, .loop = loop, .label = label, .way = way
		};
	}
	sum_up(b);
	return b;
}

VG_REGPARM(3) void cr_on_branch(UWord join, UWord label, UWord pc)
{
	decide(join, label, pc);
}

VG_REGPARM(3) void cr_on_closing(UWord join, UWord label, UWord pc)
{
	struct cr_branch *b = decide(join, label, pc);

	if (b)
		b->closing = cr_label_union(b->closing, (cr_label)label);
}

VG_REGPARM(2) void cr_on_round(UWord first, UWord last)
{
	struct cr_branch *b = &cr_me->branches[cr_me->nbranches - cr_open_branches];

	note_round(first);
	for (UInt i = 0; i < cr_open_branches; i++) {
		if (b[i].pc >= first && b[i].pc <= last) {
			b[i].label = b[i].closing;
			b[i].closing = 0;
		}
	}
	sum_up(b);
}

VG_REGPARM(1) void cr_on_join(UWord pc)
{
	struct cr_thread *t = cr_me;
	UInt n = cr_open_branches;

	/* Branches inside one that ends here have ended, too. */
	for (UInt i = 1; i <= n; i++) {
		if (t->branches[t->nbranches - i].join != pc)
			continue;
		t->nbranches -= i;
		n -= i;
		i = 0;
	}
	if (n != cr_open_branches)
		cr_call_resume();
}
