/*
 * An inner loop that calls nothing and is left at one place, after a number of rounds that is known
 * before it begins: accesses of every round whose addresses are side by side are told of as a range
 * before the loop. Nothing orders threads in between, so it makes no difference when. What
 * is left of the loop is what the program has, and can be made to use vectors.
 */
#include "plugin.hh"

namespace heddle {

struct affine {
	hook h;
	tree base;
	HOST_WIDE_INT step; /* 0, or as many bytes as the access has, up or down */
	gimple *read;	    /* of the same bytes, before each write; NULL: none */
};

struct candidate {
	class loop *l;
	tree rounds; /* less one */
	int work;    /* of a round */
	auto_vec<affine> ranges;
	auto_vec<affine> parts; /* all accesses in their order, if a range stands for each; else none */
};

/* Loops with more accesses are not recorded as a whole: as in abi_loops.c. */
#define MOST_PARTS 16

/* Is it a loop as said above? */
static bool is_counted(class loop *l, tree *rounds)
{
	edge exit = l->inner ? NULL : single_exit(l);
	class tree_niter_desc n;

	if (!exit || !l->latch || is_left(l) || (exit->flags & EDGE_COMPLEX) ||
	    !can_duplicate_loop_p(l) || !number_of_iterations_exit(l, exit, &n, false) ||
	    !n.niter || !integer_zerop(n.may_be_zero) ||
	    !integer_onep(n.assumptions))
		return false;
	*rounds = n.niter;
	return true;
}

/* Do accesses of @size bytes that are @step apart lie side by side, or on each other? */
static bool is_close(tree step, HOST_WIDE_INT size)
{
	return tree_fits_shwi_p(step) &&
	       (tree_to_shwi(step) == 0 || tree_to_shwi(step) == size || tree_to_shwi(step) == -size);
}

static bool is_same_line(gimple *a, gimple *b)
{
	expanded_location x = expand_location(gimple_location(a)), y = expand_location(gimple_location(b));

	return x.line == y.line && x.file && y.file && !strcmp(x.file, y.file) &&
	       LOCATION_BLOCK(gimple_location(a)) == LOCATION_BLOCK(gimple_location(b));
}

/* What is read and then written, as by `a[i] += x`, is one range. */
static void add_range(candidate *c, const affine &a)
{
	for (affine &other : c->ranges) {
		if (a.h.write && !other.h.write && other.h.log == a.h.log && other.step == a.step &&
		    operand_equal_p(other.base, a.base, 0) && is_same_line(other.h.call, a.h.call) &&
		    gimple_bb(other.h.call) == gimple_bb(a.h.call)) {
			other.read = other.h.call;
			other.h = a.h;
			return;
		}
	}
	c->ranges.safe_push(a);
}

static void find_ranges(candidate *c)
{
	basic_block *body = get_loop_body_in_dom_order(c->l);
	edge exit = single_exit(c->l);
	auto_vec<hook> hooks;
	bool whole = true;

	for (unsigned i = 0; i < c->l->num_nodes; i++) {
		unsigned before = hooks.length();

		collect_hooks(body[i], &hooks);
		for (unsigned h = before; h < hooks.length(); h++)
			c->work += !hooks[h].block;
		if (!dominated_by_p(CDI_DOMINATORS, exit->src, body[i])) {
			whole = whole && hooks.length() == before;
			hooks.truncate(before); /* not in every round */
		}
	}
	free(body);
	for (const hook &h : hooks) {
		struct affine_iv iv;

		if (!h.block &&
		    simple_iv(c->l, c->l, gimple_call_arg(h.call, 0), &iv, true) &&
		    is_close(iv.step, 1 << h.log)) {
			add_range(c, {h, iv.base, tree_to_shwi(iv.step), NULL});
			c->parts.safe_push({h, iv.base, tree_to_shwi(iv.step), NULL});
		}
	}
	if (!whole || c->parts.length() != hooks.length() || hooks.length() > MOST_PARTS)
		c->parts.truncate(0);
}

static tree computed(gimple_seq *seq, tree expression)
{
	gimple_seq part = NULL;
	tree value = force_gimple_operand(unshare_expr(expression), &part, true, NULL_TREE);

	gimple_seq_add_seq(seq, part);
	return value;
}

/* Before the loop, in @bb: what @a stands for. */
static void tell_range(basic_block bb, const affine &a, tree rounds, bool leaf)
{
	gimple_stmt_iterator at = gsi_last_bb(bb);
	gimple_seq seq = NULL;
	tree base = gimple_convert(&seq, ptr_type_node, computed(&seq, a.base));
	tree step = build_int_cst(long_integer_type_node, a.step), back;

	back = leaf ? return_address(&seq) : null_pointer_node;
	gimple_seq_add_stmt(
	    &seq, gimple_build_call(range_call, 5, base, step, rounds,
				    number(unsigned_type_node,
					   (1u << a.h.log) | (a.read ? 512 : a.h.write ? 256 : 0)),
				    back));
	locate(seq, gimple_location(a.h.call));
	gsi_insert_seq_after(&at, seq, GSI_NEW_STMT);
}

/* All rounds' work, at the end of @bb: at most what an int can hold. */
static tree total_work(basic_block bb, tree rounds, int work)
{
	gimple_stmt_iterator at = gsi_last_bb(bb);
	tree ul = long_unsigned_type_node, total;
	gimple_seq seq = NULL;

	total = gimple_build(&seq, MIN_EXPR, ul, rounds, number(ul, 1u << 20));
	total = gimple_build(&seq, MULT_EXPR, ul, total, number(ul, MIN(MAX(work, 1), 1000)));
	total = gimple_convert(&seq, integer_type_node, total);
	gsi_insert_seq_after(&at, seq, GSI_NEW_STMT);
	return total;
}

/* The number of rounds, at the end of @bb. */
static tree number_of_rounds(basic_block bb, tree latch_rounds)
{
	gimple_stmt_iterator at = gsi_last_bb(bb);
	tree ul = long_unsigned_type_node, rounds;
	gimple_seq seq = NULL;

	rounds = gimple_build(&seq, PLUS_EXPR, ul,
			      gimple_convert(&seq, ul, computed(&seq, latch_rounds)), number(ul, 1));
	gsi_insert_seq_after(&at, seq, GSI_NEW_STMT);
	return rounds;
}

/* Not taken: somebody wants to see each access, or in their order. */
static tree leaves_out(basic_block bb)
{
	gimple_stmt_iterator at = gsi_last_bb(bb);
	gimple_seq seq = NULL;
	tree ranges = load_variable(&seq, now_ranges);

	gsi_insert_seq_after(&at, seq, GSI_NEW_STMT);
	return build2(NE_EXPR, boolean_type_node, ranges, build_zero_cst(unsigned_char_type_node));
}

/* Of @a, to be recorded with all of its loop. */
static void tell_part(gimple_seq *seq, const affine &a)
{
	gimple_seq part = NULL;
	tree base = gimple_convert(&part, ptr_type_node, computed(&part, a.base));

	gimple_seq_add_stmt(
	    &part, gimple_build_call(part_call, 3, base, build_int_cst(long_integer_type_node, a.step),
				     number(unsigned_type_node, (1u << a.h.log) | (a.h.write ? 256 : 0))));
	locate(part, gimple_location(a.h.call));
	gimple_seq_add_seq(seq, part);
}

/* The same, but that the runtime is asked if somebody does: the loop as a whole may be enough. */
static tree leaves_out_or_whole(basic_block bb, const candidate &c, tree rounds, bool leaf)
{
	gimple_stmt_iterator at = gsi_last_bb(bb);
	tree said = make_ssa_name(integer_type_node), result = make_ssa_name(integer_type_node);
	gimple_seq seq = NULL, ask = NULL;
	basic_block asking;
	gcall *call;
	gcond *cond;
	gphi *phi;

	cond = gimple_build_cond(EQ_EXPR, load_variable(&seq, now_ranges),
				 build_zero_cst(unsigned_char_type_node), NULL_TREE, NULL_TREE);
	gimple_seq_add_stmt(&seq, cond);
	gsi_insert_seq_after(&at, seq, GSI_NEW_STMT);
	for (const affine &a : c.parts)
		tell_part(&ask, a);
	call = gimple_build_call(whole_call, 3, rounds, number(unsigned_type_node, c.parts.length()),
				 leaf ? return_address(&ask) : null_pointer_node);
	gimple_call_set_lhs(call, said);
	gimple_seq_add_stmt(&ask, call);
	insert_unlikely(cond, ask);
	asking = gimple_bb(call);
	phi = create_phi_node(result, single_succ(asking));
	add_phi_arg(phi, said, single_succ_edge(asking), UNKNOWN_LOCATION);
	add_phi_arg(phi, integer_one_node, find_edge(gimple_bb(cond), single_succ(asking)),
		    UNKNOWN_LOCATION);
	return build2(NE_EXPR, boolean_type_node, result, integer_zero_node);
}

static void split_loop(const candidate &c, bool leaf, vec<counted> *list)
{
	basic_block before = split_edge(loop_preheader_edge(c.l)), at;
	tree rounds = number_of_rounds(before, c.rounds);
	tree work = total_work(before, rounds, c.work);
	/* In a block of its own: while the work is taken, others may run. */
	basic_block choice = split_edge(single_succ_edge(before));
	tree cond = c.parts.is_empty() ? leaves_out(choice)
				       : leaves_out_or_whole(choice, c, rounds, leaf);
	profile_probability likely = profile_probability::likely();
	class loop *other;

	other = loop_version(c.l, cond, &at, likely, likely.invert(), likely, likely.invert(), true);
	if (!other)
		return;
	list->safe_push({c.l->num, other->num, before, work});
	at = split_edge(loop_preheader_edge(c.l));
	for (const affine &a : c.ranges) {
		tell_range(at, a, rounds, leaf);
		remove_call(a.h.call);
		if (a.read)
			remove_call(a.read);
	}
}

void split_loops(function *fun, bool leaf, vec<counted> *list)
{
	auto_vec<candidate *> found;

	rewrite_into_loop_closed_ssa(NULL, TODO_update_ssa);
	scev_initialize();
	for (auto l : loops_list(fun, LI_ONLY_INNERMOST)) {
		candidate c = {l, NULL_TREE, 0, {}, {}};

		if (!is_counted(l, &c.rounds))
			continue;
		find_ranges(&c);
		if (c.ranges.is_empty())
			continue;
		found.safe_push(new candidate{l, c.rounds, c.work, {}, {}});
		for (const affine &a : c.ranges)
			found.last()->ranges.safe_push(a);
		for (const affine &a : c.parts)
			found.last()->parts.safe_push(a);
	}
	scev_finalize();
	initialize_original_copy_tables();
	for (candidate *c : found) {
		split_loop(*c, leaf, list);
		delete c;
	}
	free_original_copy_tables();
	if (!found.is_empty())
		update_ssa(TODO_update_ssa);
}

}
