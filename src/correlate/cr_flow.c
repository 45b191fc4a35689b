#include "cr_flow.h"

#include <pub_tool_aspacemgr.h>
#include <pub_tool_debuginfo.h>
#include <pub_tool_hashtable.h>

#include "cr_elf.h"
#include "cr_loop.h"
#include "cr_place.h"
#include "cr_postdom.h"
#include "cr_spin.h"
#include "cr_x86.h"

#define BIT_OF_WAY(way) (1u << (way)) /* 0: goes on behind the branch, 1: jumps */
#define ROUND_MAX	64u /* blocks of a loop for which it is looked what begins its next round */
#define FUNCTION_MAX	(1u << 18) /* bytes; larger functions have no control dependence */

/* Where blocks begin, in the order of addresses. */
struct block {
	Addr start, last;    /* last: address of its last instruction */
	struct cr_insn insn; /* that one */
	Bool entered;	     /* by a jump, or by falling into it */
	Bool join, inside;
	Bool others;	   /* it has a call, or an atomic instruction */
	Bool round_others; /* a loop's round begins here, and has some */
	Addr meet;	   /* of its branch */
	UInt mark;	   /* of the last search that came by */
	Addr sure;	   /* the block that comes after it whichever way it goes; 0: none */
	UInt spin;	   /* of enum cr_spin */
	UInt loop;	   /* the innermost that it is in: its head's number, from 1 */
	UInt loop_size;	   /* of that */
	Bool closes;	   /* its branch decides whether a loop goes on */
	Bool leaves;	   /* its branch decides whether the innermost one is left ... */
	UChar out;	   /* the ways that do: BIT_OF_WAY */
	Bool rounds;	   /* ... or whether its next round begins at once */
	UInt guarded;	   /* the block where that loop's rounds begin */
	Bool guards; /* its branch decides whether a small loop is entered or what follows it: */
	UChar past;  /* the ways that lead past it */
	Addr round_first, round_last; /* a loop's round begins here: where its code is */
	Addr early;		      /* looks whether to wait at all */
	Addr copy,
		copy_of; /* of one end of a round, with the loop's last test: where it begins; and the first one's address */
};

struct function {
	VgHashNode node; /* key: address of its first instruction */
	Addr end;
	struct block *blocks;
	UInt nblocks, room;
};

static VgHashTable *functions;

/* The start of the function around @pc, by its symbol or else by unwinding; 0: unknown. */
static Addr start_of(Addr pc)
{
	const HChar *name, *plus;
	UWord offset = 0;
	Addr start, end;

	if (!VG_(get_fnname_w_offset)(VG_(current_DiEpoch)(), pc, &name))
		return cr_elf_function(pc, &start, &end) ? start : 0;
	plus = VG_(strrchr)(name, '+');
	for (const HChar *c = plus ? plus + 1 : ""; *c; c++) {
		if (*c < '0' || *c > '9')
			return pc; /* "operator+": no offset */
		offset = offset * 10 + (UWord)(*c - '0');
	}
	return pc - offset;
}

/* ---- blocks --------------------------------------------------------------------------- */

static void add_start(Addr **starts, UInt *n, UInt *room, Addr a)
{
	if (*n == *room) {
		*room = *room ? *room * 2 : 64;
		*starts = VG_(realloc)("cr.flow", *starts, *room * sizeof(**starts));
	}
	(*starts)[(*n)++] = a;
}

static Int by_address(const void *a, const void *b)
{
	Addr x = *(const Addr *)a, y = *(const Addr *)b;

	return x < y ? -1 : x > y;
}

/* Go over the function once, collecting where blocks begin. Returns its end. */
static Addr sweep(Addr start, Addr limit, Addr **starts, UInt *n, UInt *room)
{
	Addr pc = start;

	add_start(starts, n, room, start);
	while (pc < limit) {
		struct cr_insn insn;

		if (!cr_x86_decode((const UChar *)pc, limit - pc, pc, &insn))
			break;
		pc += insn.length;
		if (insn.kind == CR_INSN_BRANCH || insn.kind == CR_INSN_JUMP)
			add_start(starts, n, room, insn.target);
		if (insn.kind != CR_INSN_OTHER)
			add_start(starts, n, room, pc);
	}
	return pc;
}

static UInt block_at(const struct function *f, Addr start)
{
	UInt low = 0, high = f->nblocks;

	while (low < high) {
		UInt mid = (low + high) / 2;

		if (f->blocks[mid].start < start)
			low = mid + 1;
		else
			high = mid;
	}
	return low < f->nblocks && f->blocks[low].start == start ? low : CR_NO_NODE;
}

/* The block around @pc. */
static struct block *block_around(const struct function *f, Addr pc)
{
	UInt low = 0, high = f->nblocks;

	while (low < high) {
		UInt mid = (low + high) / 2;

		if (f->blocks[mid].start <= pc)
			low = mid + 1;
		else
			high = mid;
	}
	return low && pc < f->blocks[low - 1].last + f->blocks[low - 1].insn.length
		       ? &f->blocks[low - 1]
		       : NULL;
}

static void make_blocks(struct function *f, const Addr *starts, UInt n)
{
	f->blocks = VG_(calloc)("cr.flow", n + 1, sizeof(*f->blocks));
	for (UInt i = 0; i < n; i++) {
		struct block *b = &f->blocks[f->nblocks];
		Addr pc = starts[i], stop = i + 1 < n ? starts[i + 1] : f->end;

		/* Of equal ones the last knows where the next block begins. */
		if (pc < f->node.key || pc >= f->end || pc == stop)
			continue;
		b->start = pc;
		while (pc < stop && cr_x86_decode((const UChar *)pc, f->end - pc, pc, &b->insn)) {
			b->last = pc;
			b->others |= b->insn.others;
			pc += b->insn.length;
			if (b->insn.kind != CR_INSN_OTHER)
				break;
		}
		if (b->last)
			f->nblocks++;
	}
}

static Addr after(const struct block *b)
{
	return b->last + b->insn.length;
}

/* ---- the graph ----------------------------------------------------------------------------- */

struct edges {
	UInt *from, *to, n, room;
};

static void add_edge(struct edges *e, UInt from, UInt to)
{
	if (e->n == e->room) {
		e->room = e->room ? e->room * 2 : 64;
		e->from = VG_(realloc)("cr.flow", e->from, e->room * sizeof(UInt));
		e->to = VG_(realloc)("cr.flow", e->to, e->room * sizeof(UInt));
	}
	e->from[e->n] = from;
	e->to[e->n++] = to;
}

static void go_to(struct function *f, struct edges *e, UInt from, Addr target)
{
	UInt to = block_at(f, target);

	/* What is not in the function is another: a call without return to here. */
	add_edge(e, from, to == CR_NO_NODE ? f->nblocks : to);
	if (to != CR_NO_NODE)
		f->blocks[to].entered = True;
}

/* Does the function end with the call in @b, which does not return, as one that throws? */
static Bool is_last_call(const struct function *f, const struct block *b)
{
	return b->others && b->insn.kind == CR_INSN_OTHER && block_at(f, after(b)) == CR_NO_NODE;
}

/* gcc moves to another place what it does not expect to be executed, such as where something is thrown. */
static Bool is_cold(const struct function *f, Addr a)
{
	const HChar *name;

	return block_at(f, a) == CR_NO_NODE && VG_(get_fnname)(VG_(current_DiEpoch)(), a, &name) &&
	       VG_(strstr)(name, ".cold");
}

/* What is left by throwing something does not count: it is not where the ways of a decision meet. */
static void direct_edges(struct function *f, struct edges *e)
{
	for (UInt i = 0; i < f->nblocks; i++) {
		const struct block *b = &f->blocks[i];

		if ((b->insn.kind == CR_INSN_BRANCH || b->insn.kind == CR_INSN_JUMP) &&
		    !is_cold(f, b->insn.target))
			go_to(f, e, i, b->insn.target);
		if ((b->insn.kind == CR_INSN_BRANCH || b->insn.kind == CR_INSN_OTHER) &&
		    !is_last_call(f, b))
			go_to(f, e, i, after(b));
		if (b->insn.kind == CR_INSN_END)
			add_edge(e, i, f->nblocks);
	}
}

/* An indirect jump goes to what nothing else leads to: the cases of a switch. */
static void indirect_edges(struct function *f, struct edges *e)
{
	for (UInt i = 0; i < f->nblocks; i++) {
		UInt before = e->n;

		if (f->blocks[i].insn.kind != CR_INSN_INDIRECT)
			continue;
		for (UInt k = 1; k < f->nblocks; k++) {
			if (!f->blocks[k].entered)
				add_edge(e, i, k);
		}
		if (e->n == before)
			add_edge(e, i, f->nblocks);
	}
}

/* What is between the ways' beginnings and where they meet depends on the decision. */
static void depend(struct function *f, const UInt *ipdom, const struct edges *e)
{
	for (UInt i = 0; i < e->n; i++) {
		UInt from = e->from[i], n = e->to[i];

		if (f->blocks[from].insn.kind != CR_INSN_BRANCH)
			continue;
		while (n != CR_NO_NODE && n < f->nblocks && n != ipdom[from] &&
		       !(f->blocks[n].inside && f->blocks[n].mark == from + 1)) {
			f->blocks[n].inside = True;
			f->blocks[n].mark = from + 1;
			n = ipdom[n];
		}
	}
}

static void meet_points(struct function *f, const UInt *ipdom)
{
	for (UInt i = 0; i < f->nblocks; i++) {
		struct block *b = &f->blocks[i];

		if (ipdom[i] < f->nblocks)
			b->sure = f->blocks[ipdom[i]].start;
		if (b->insn.kind != CR_INSN_BRANCH || !b->sure)
			continue;
		b->meet = b->sure;
		f->blocks[ipdom[i]].join = True;
	}
}

static void find_waiting(struct function *f, const struct cr_graph *g)
{
	struct cr_spin_block *b = VG_(malloc)("cr.flow", f->nblocks * sizeof(*b));

	for (UInt i = 0; i < f->nblocks; i++)
		b[i] = (struct cr_spin_block){ f->blocks[i].start, f->blocks[i].last,
					       &f->blocks[i].spin, &f->blocks[i].early };
	cr_spin_find(g, b);
	VG_(free)(b);
}

static Bool begins_in(const struct function *f, const UInt *body, UInt n, Addr a)
{
	for (UInt i = 0; i < n; i++) {
		if (f->blocks[body[i]].start == a)
			return True;
	}
	return False;
}

/* Does a way of the branch of @b go out of the loop? */
static Bool goes_out(const struct function *f, const UInt *body, UInt n, const struct block *b)
{
	return b->insn.kind == CR_INSN_BRANCH && !(begins_in(f, body, n, b->insn.target) &&
						   begins_in(f, body, n, b->last + b->insn.length));
}

/* Does @a lead to @head, at once or by a block without a branch? */
static Bool leads_to(const struct function *f, Addr a, Addr head)
{
	const struct block *b = a == head ? NULL : block_around(f, a);

	return a == head || (b && b->start == a &&
			     ((b->insn.kind == CR_INSN_JUMP && b->insn.target == head) ||
			      (b->insn.kind != CR_INSN_BRANCH && after(b) == head)));
}

/* Is @a where some way out of the loop goes? clang puts a jump to there behind the loop. */
static Bool is_exit(const struct function *f, const UInt *body, UInt n, Addr a)
{
	for (UInt i = 0; i < n && !begins_in(f, body, n, a); i++) {
		const struct block *b = &f->blocks[body[i]];

		if (b->insn.kind == CR_INSN_BRANCH &&
		    ((!begins_in(f, body, n, b->insn.target) && leads_to(f, b->insn.target, a)) ||
		     (!begins_in(f, body, n, after(b)) && leads_to(f, after(b), a))))
			return True;
	}
	return False;
}

/* Compilers test before a loop whether to enter it, one condition after the other, and in it at its end whether to go on. */
static void find_guards(struct function *f, const UInt *body, UInt n)
{
	Addr head = f->blocks[body[0]].start;

	for (UInt i = f->nblocks; i > 0; i--) {
		struct block *b = &f->blocks[i - 1];
		const struct block *next = i < f->nblocks ? b + 1 : NULL;
		Bool enters;

		if (b->insn.kind != CR_INSN_BRANCH)
			continue;
		enters = leads_to(f, b->insn.target, head) && is_exit(f, body, n, after(b));
		if (enters ||
		    (next && next->start == after(b) && next->guards &&
		     is_exit(f, body, n, b->insn.target)) ||
		    (leads_to(f, after(b), head) && is_exit(f, body, n, b->insn.target))) {
			b->guards = True;
			b->guarded = body[0];
			b->past = enters ? BIT_OF_WAY(0) : BIT_OF_WAY(1);
		}
	}
}

static Bool is_outside(const struct function *f, Addr a, UInt mark)
{
	UInt i = block_at(f, a);

	return i == CR_NO_NODE || f->blocks[i].mark != mark;
}

/* The ways of the branch of @b that lead out of the blocks with @mark. */
static UChar ways_out(const struct function *f, const struct block *b, UInt mark)
{
	if (b->insn.kind != CR_INSN_BRANCH)
		return 0;
	return (is_outside(f, after(b), mark) ? BIT_OF_WAY(0) : 0) |
	       (is_outside(f, b->insn.target, mark) ? BIT_OF_WAY(1) : 0);
}

/* Do the ways of the branch of @b meet outside of the blocks with @mark? */
static Bool meets_outside(const struct function *f, const struct block *b, UInt mark)
{
	UInt meet = b->meet ? block_at(f, b->meet) : CR_NO_NODE;

	return b->insn.kind == CR_INSN_BRANCH &&
	       (meet == CR_NO_NODE || f->blocks[meet].mark != mark);
}

/* The number of the block at @a in the loop; @n: it is in none of them. */
static UInt place_in(const struct function *f, const UInt *body, UInt n, Addr a)
{
	UInt i = 0;

	while (i < n && f->blocks[body[i]].start != a)
		i++;
	return i;
}

/*
 * Does a way of the branch of @b lead to the next round before it comes to where the two meet? Of two loops with one head the
 * inner one is left by such a branch.
 */
static Bool comes_round(const struct function *f, const UInt *body, UInt n, const struct block *b)
{
	ULong seen = 0;
	UInt todo[2 * ROUND_MAX + 2], left = 0, at;

	todo[left++] = place_in(f, body, n, after(b));
	todo[left++] = place_in(f, body, n, b->insn.target);
	while (left) {
		const struct block *now;

		at = todo[--left];
		if (!at)
			return True;
		if (at == n || seen >> at & 1 || f->blocks[body[at]].start == b->meet)
			continue;
		seen |= 1ull << at;
		now = &f->blocks[body[at]];
		if (now->insn.kind == CR_INSN_OTHER || now->insn.kind == CR_INSN_BRANCH)
			todo[left++] = place_in(f, body, n, after(now));
		if (now->insn.kind == CR_INSN_JUMP || now->insn.kind == CR_INSN_BRANCH)
			todo[left++] = place_in(f, body, n, now->insn.target);
	}
	return False;
}

/* Is what begins at @a left by a call that does not return, such as one that throws? */
static Bool is_dead_end(const struct function *f, Addr a)
{
	const struct block *b = block_around(f, a);

	return b && b->start == a && is_last_call(f, b);
}

/* ... and not only by throwing something? */
static Bool is_left(const struct function *f, const UInt *body, UInt n, const struct block *b)
{
	return goes_out(f, body, n, b) && !is_dead_end(f, b->insn.target) &&
	       !is_dead_end(f, after(b));
}

/* The branch that leaves the loop on a way that begins at @a, before its next round; NULL: none, or several. */
static struct block *only_exit(const struct function *f, const UInt *body, UInt n, Addr a)
{
	UInt todo[2 * ROUND_MAX + 2], left = 0, at;
	struct block *exit = NULL;
	ULong seen = 0;

	todo[left++] = place_in(f, body, n, a);
	while (left) {
		struct block *now;

		at = todo[--left];
		if (!at || at == n || seen >> at & 1)
			continue;
		seen |= 1ull << at;
		now = &f->blocks[body[at]];
		if (is_left(f, body, n, now)) {
			if (exit)
				return NULL;
			exit = now;
		}
		if (now->insn.kind == CR_INSN_OTHER || now->insn.kind == CR_INSN_BRANCH)
			todo[left++] = place_in(f, body, n, after(now));
		if (now->insn.kind == CR_INSN_JUMP || now->insn.kind == CR_INSN_BRANCH)
			todo[left++] = place_in(f, body, n, now->insn.target);
	}
	return exit;
}

/* Where the code in the line of the branch of @b begins, in its block. */
static Addr line_begins(const struct function *f, const struct block *b)
{
	Addr begins = b->last;
	struct cr_insn insn;

	for (Addr pc = b->start, from = 0;
	     pc < b->last && cr_x86_decode((const UChar *)pc, f->end - pc, pc, &insn);
	     pc += insn.length) {
		from = !cr_is_same_line(pc, b->last) ? 0 : from ? from : pc;
		begins = from ? from : b->last;
	}
	return begins;
}

/* The ways of the branch of @b meet where @one and @other leave the loop, as at one place. */
static Bool meet_there(const struct function *f, struct block *b, struct block *one,
		       struct block *other)
{
	Addr a = one->copy ? one->copy : line_begins(f, one);
	Addr c = other->copy ? other->copy : line_begins(f, other);

	if ((one->copy || other->copy) && one->copy_of != other->copy_of)
		return False;
	if (!one->copy)
		one->copy_of = other->copy_of = a;
	one->copy = a;
	other->copy = c;
	b->meet = one->copy_of;
	return True;
}

/*
 * A compiler may put the end of a round, with the test whether there is another, behind each of the ways of an if. Then this does
 * not decide whether the loop is left, and the ways meet where these ends begin.
 */
static Bool has_copied_ends(struct function *f, const UInt *body, UInt n, struct block *b)
{
	struct block *one, *other;

	if (n > ROUND_MAX || b->insn.kind != CR_INSN_BRANCH || goes_out(f, body, n, b))
		return False;
	one = only_exit(f, body, n, after(b));
	other = only_exit(f, body, n, b->insn.target);
	return one && other && one != other && cr_is_same_line(one->last, other->last) &&
	       meet_there(f, b, one, other);
}

/* A loop: where its rounds begin, and which branches decide whether there is another. */
static void on_loop(void *arg, const UInt *body, UInt n)
{
	struct function *f = arg;
	struct block *head = &f->blocks[body[0]];
	UInt mark = f->nblocks + 1 + body[0];

	for (UInt i = 0; i < n; i++) {
		head->round_others |= f->blocks[body[i]].others;
		f->blocks[body[i]].mark = mark;
	}
	if (n <= CR_LOOP_SMALL && head->round_others)
		find_guards(f, body, n);
	head->closes |= goes_out(f, body, n, head);
	head->round_first = head->start;
	for (UInt i = 0; i < n; i++) {
		struct block *b = &f->blocks[body[i]];
		Addr after = b->last + b->insn.length;

		if (!b->loop || n < b->loop_size) {
			b->loop = body[0] + 1;
			b->loop_size = n;
			b->leaves = meets_outside(f, b, mark) && !has_copied_ends(f, body, n, b);
			b->out = ways_out(f, b, mark);
			b->rounds = b->insn.kind == CR_INSN_BRANCH && n <= ROUND_MAX &&
				    comes_round(f, body, n, b);
		}
		if (b->start < head->round_first)
			head->round_first = b->start;
		if (b->last > head->round_last)
			head->round_last = b->last;
		if (b->insn.kind == CR_INSN_BRANCH &&
		    (b->insn.target == head->start || after == head->start))
			b->closes = True;
	}
}

static void find_flow(struct function *f)
{
	struct edges e = { 0 };
	struct cr_graph g;
	UInt *ipdom, *work;

	direct_edges(f, &e);
	indirect_edges(f, &e);
	g = (struct cr_graph){ .nodes = f->nblocks, .edges = e.n, .from = e.from, .to = e.to };
	ipdom = VG_(malloc)("cr.flow", (f->nblocks + 1) * sizeof(*ipdom));
	work = VG_(malloc)("cr.flow", cr_postdom_work(&g) * sizeof(*work));
	cr_postdom(&g, ipdom, work);
	depend(f, ipdom, &e);
	meet_points(f, ipdom);
	cr_loop_find(&g, on_loop, f);
	if (cr_options.flag_loops)
		find_waiting(f, &g);
	VG_(free)(ipdom);
	VG_(free)(work);
	VG_(free)(e.from);
	VG_(free)(e.to);
}

/* Where the function that starts at @start surely has ended. */
static Addr limit_of(Addr start)
{
	const NSegment *seg = VG_(am_find_nsegment)(start);
	Addr limit = start + FUNCTION_MAX, low = start + 1;

	if (!seg)
		return start;
	if (limit > seg->end + 1)
		limit = seg->end + 1;
	/* Symbols have sizes: the end is where another, or none, begins. */
	while (low < limit) {
		Addr mid = low + (limit - low) / 2;

		if (start_of(mid) == start)
			low = mid + 1;
		else
			limit = mid;
	}
	return limit;
}

static struct function *make_function(Addr start)
{
	struct function *f = VG_(calloc)("cr.flow", 1, sizeof(*f));
	Addr *starts = NULL;
	UInt n = 0, room = 0;

	f->node.key = start;
	f->end = sweep(start, limit_of(start), &starts, &n, &room);
	VG_(ssort)(starts, n, sizeof(*starts), by_address);
	make_blocks(f, starts, n);
	VG_(free)(starts);
	if (f->nblocks)
		find_flow(f);
	VG_(HT_add_node)(functions, f);
	return f;
}

static const struct function *last;

static void free_function(void *node)
{
	struct function *f = node;

	VG_(free)(f->blocks);
	VG_(free)(f);
}

void cr_flow_forget(void)
{
	cr_elf_forget();
	if (functions)
		VG_(HT_destruct)(functions, free_function);
	functions = NULL;
	last = NULL;
}

static const struct function *function_of(Addr pc)
{
	struct function *f;
	Addr start;

	if (last && pc >= last->node.key && pc < last->end)
		return last;
	start = start_of(pc);
	if (!start)
		return NULL;
	if (!functions)
		functions = VG_(HT_construct)("cr.flow");
	f = VG_(HT_lookup)(functions, start);
	if (!f)
		f = make_function(start);
	last = f;
	return f;
}

/* ---- questions ---------------------------------------------------------------------------------- */

Bool cr_flow_branch(Addr pc, Addr *join, UInt *loop, Bool *closes)
{
	const struct function *f = function_of(pc);
	const struct block *b = f ? block_around(f, pc) : NULL;

	if (!b || b->last != pc || b->insn.kind != CR_INSN_BRANCH)
		return False;
	*join = b->meet;
	*closes = b->closes;
	*loop = b->loop & 0x7fff;
	return True;
}

Bool cr_flow_leaves(Addr pc)
{
	const struct function *f = function_of(pc);
	const struct block *b = f ? block_around(f, pc) : NULL;

	return b && b->leaves;
}

Bool cr_flow_ends_round(Addr pc)
{
	const struct function *f = function_of(pc);
	const struct block *b = f ? block_around(f, pc) : NULL;

	return b && (b->leaves || b->rounds || b->guards);
}

Bool cr_flow_waits(Addr pc)
{
	const struct function *f = function_of(pc);
	const struct block *b = f ? block_around(f, pc) : NULL;

	return b && (b->guards || (cr_flow_leaves(pc) && f->blocks[b->loop - 1].round_others));
}

Bool cr_flow_goes_out(Addr pc, UInt way)
{
	const struct function *f = function_of(pc);
	const struct block *b = f ? block_around(f, pc) : NULL;
	UChar ways = b ? b->guards ? b->past : b->out : 0;

	/* Where it goes on in another part of the loop either way, both may lead out. */
	return !ways || ways & BIT_OF_WAY(way);
}

Addr cr_flow_waits_in(Addr pc)
{
	const struct function *f = function_of(pc);
	const struct block *b = f ? block_around(f, pc) : NULL;

	if (!b || !(b->guards || b->loop))
		return 0;
	return f->blocks[b->guards ? b->guarded : b->loop - 1].round_first;
}

void cr_flow_joins(Addr pc, Addr join[2])
{
	const struct function *f = function_of(pc);
	const struct block *b = f ? block_around(f, pc) : NULL;

	join[0] = b && b->start == pc && b->join ? pc : 0;
	join[1] = b && b->copy == pc ? b->copy_of : 0;
}

Bool cr_flow_inside(Addr pc)
{
	const struct function *f = function_of(pc);
	const struct block *b = f ? block_around(f, pc) : NULL;

	return b && b->inside;
}

Bool cr_flow_jumps_to(Addr pc, Addr target)
{
	const struct function *f = function_of(pc);
	const struct block *b = f ? block_around(f, pc) : NULL;

	return b && b->last == pc && b->insn.target == target;
}

/* Where it is sure to come after @b, if nothing is thrown. */
static Addr sure_after(const struct function *f, const struct block *b)
{
	if (b->insn.kind == CR_INSN_BRANCH && is_dead_end(f, b->insn.target))
		return after(b);
	if (b->insn.kind == CR_INSN_BRANCH && is_dead_end(f, after(b)))
		return b->insn.target;
	return b->sure;
}

Bool cr_flow_decides(Addr branch, UInt way, Addr pc)
{
	const struct function *f = function_of(pc);
	const struct block *b = f ? block_around(f, branch) : NULL, *wanted;
	Addr meet, a;

	if (!b || b->last != branch || b->insn.kind != CR_INSN_BRANCH)
		return False;
	meet = b->meet;
	wanted = block_around(f, pc);
	for (a = way ? b->insn.target : after(b); a && a != meet; a = sure_after(f, b)) {
		b = block_around(f, a);
		if (!b || b == wanted)
			return b != NULL;
	}
	return False;
}

UInt cr_flow_spin(Addr pc)
{
	const struct function *f = function_of(pc);
	const struct block *b = f ? block_around(f, pc) : NULL;

	if (!b)
		return 0;
	return (b->start == pc ? b->spin : b->spin & CR_SPIN_IN) |
	       (b->early == pc ? CR_SPIN_IN : 0);
}

Bool cr_flow_round(Addr pc, Addr *first, Addr *end)
{
	const struct function *f = function_of(pc);
	const struct block *b = f ? block_around(f, pc) : NULL;

	if (!b || b->start != pc || !b->round_last)
		return False;
	*first = b->round_first;
	*end = b->round_last;
	return True;
}
