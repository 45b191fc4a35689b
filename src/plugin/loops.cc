/*
 * Nobody counts accesses that are left out, but virtual time passes with work, and a loop that waits
 * for another thread must let it run. So each round of a loop takes from a budget as many as there
 * are accesses in it, and each call of a function those outside of its loops. The budget is the
 * thread's. In a nest of loops that calls nothing it is kept in a register.
 */
#include "plugin.hh"

namespace heddle {

/* Does anything in @l leave the function for a while, or leave the loop in an odd way? */
bool is_left(class loop *l)
{
	basic_block *body = get_loop_body(l);
	bool found = false;
	edge_iterator ei;
	edge e;

	for (unsigned i = 0; i < l->num_nodes && !found; i++) {
		for (gimple_stmt_iterator s = gsi_start_bb(body[i]); !gsi_end_p(s); gsi_next(&s))
			found |= calls_out(gsi_stmt(s));
		FOR_EACH_EDGE (e, ei, body[i]->succs)
			found |= (e->flags & EDGE_COMPLEX) != 0;
	}
	free(body);
	return found;
}

/*
 * At the end of @bb, which goes one way: @work is taken. @kept: a register that has the budget;
 * NULL_TREE: it is where it is.
 */
static void count_work(basic_block bb, tree kept, tree work)
{
	gimple_stmt_iterator at = gsi_last_bb(bb);
	tree type = integer_type_node, left = kept;
	gimple_seq seq = NULL, slow = NULL;
	gcond *cond;

	if (kept) {
		gimple_seq_add_stmt(&seq, gimple_build_assign(kept, MINUS_EXPR, kept, work));
		store_variable(&slow, now_budget, kept);
	} else {
		left = gimple_build(&seq, MINUS_EXPR, type, load_variable(&seq, now_budget), work);
		store_variable(&seq, now_budget, left);
	}
	cond = gimple_build_cond(LT_EXPR, left, build_zero_cst(type), NULL_TREE, NULL_TREE);
	gimple_seq_add_stmt(&seq, cond);
	gimple_seq_add_stmt(&slow, gimple_build_call(slow_loop, 0));
	if (kept)
		gimple_seq_add_stmt(&slow, gimple_build_assign(kept, now_budget));
	if (!gsi_end_p(at))
		locate(seq, gimple_location(gsi_stmt(at))), locate(slow, gimple_location(gsi_stmt(at)));
	gsi_insert_seq_after(&at, seq, GSI_NEW_STMT);
	insert_unlikely(cond, slow);
}

/* The outermost loop around @l that calls nothing; NULL: @l does. */
static class loop *quiet_nest(class loop *l, const auto_vec<bool> &calls)
{
	if (l->num == 0 || calls[l->num])
		return NULL;
	while (loop_outer(l)->num != 0 && !calls[loop_outer(l)->num])
		l = loop_outer(l);
	return l;
}

/* @l, the outermost of a nest, brings the budget with it and leaves it behind. */
static tree keep_budget(class loop *l)
{
	tree kept = create_tmp_reg(integer_type_node, "budget");
	auto_vec<edge> exits = get_loop_exit_edges(l);

	gsi_insert_on_edge(loop_preheader_edge(l), gimple_build_assign(kept, now_budget));
	for (edge e : exits)
		gsi_insert_on_edge(e, gimple_build_assign(now_budget, kept));
	return kept;
}

/* What is done once in each call of the function. */
static void count_call(function *fun, int work)
{
	edge e = single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fun));
	gimple_seq seq = NULL;

	if (!work)
		return;
	store_variable(&seq, now_budget,
		       gimple_build(&seq, PLUS_EXPR, integer_type_node,
				    load_variable(&seq, now_budget),
				    build_int_cst(integer_type_node, -work)));
	gsi_insert_seq_on_edge(e, seq);
}

static const counted *find_counted(const vec<counted> &list, class loop *l)
{
	for (const counted &c : list) {
		if (c.first == l->num || c.second == l->num)
			return &c;
	}
	return NULL;
}

void count_loops(function *fun, const vec<hook> &hooks, const vec<counted> &counted_loops)
{
	auto_vec<int> work;
	auto_vec<bool> calls;
	auto_vec<tree> kept;
	unsigned n = number_of_loops(fun);

	work.safe_grow_cleared(n);
	calls.safe_grow_cleared(n);
	kept.safe_grow_cleared(n);
	for (const hook &h : hooks)
		work[gimple_bb(h.call)->loop_father->num] += !h.block; /* nor do calls of them count */
	for (auto l : loops_list(fun, 0))
		calls[l->num] = is_left(l);
	for (auto l : loops_list(fun, 0)) {
		class loop *nest = quiet_nest(l, calls);

		if (find_counted(counted_loops, l) || !l->latch) /* several, or none to be found */
			continue;
		if (nest && !kept[nest->num])
			kept[nest->num] = keep_budget(nest);
		count_work(l->latch, nest ? kept[nest->num] : NULL_TREE,
			   build_int_cst(integer_type_node, MAX(1, work[l->num])));
	}
	for (const counted &c : counted_loops) {
		class loop *nest = quiet_nest(c.before->loop_father, calls);

		count_work(c.before, nest ? kept[nest->num] : NULL_TREE, c.work);
	}
	count_call(fun, work[0]);
	gsi_commit_edge_inserts();
}

}
