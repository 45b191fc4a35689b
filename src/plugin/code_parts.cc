/*
 * Small pieces of code, and branches that are rarely taken.
 */
#include "plugin.hh"

namespace heddle {

tree number(tree type, unsigned HOST_WIDE_INT n)
{
	return build_int_cstu(type, n);
}

tree load_variable(gimple_seq *seq, tree v)
{
	tree name = make_ssa_name(TYPE_MAIN_VARIANT(TREE_TYPE(v)));

	gimple_seq_add_stmt(seq, gimple_build_assign(name, v));
	return name;
}

void store_variable(gimple_seq *seq, tree v, tree value)
{
	gimple_seq_add_stmt(seq, gimple_build_assign(v, value));
}

/* A block between @from and @to that does @what; the edge to it is for when @flag is. */
static void make_branch(basic_block from, basic_block to, gimple_seq what, int flag,
			profile_probability how_likely)
{
	basic_block bb = create_empty_bb(from);
	gimple_stmt_iterator at = gsi_start_bb(bb);
	edge e = make_edge(from, bb, flag);

	e->probability = how_likely;
	bb->count = from->count.apply_probability(how_likely);
	make_single_succ_edge(bb, to, EDGE_FALLTHRU);
	if (current_loops)
		add_bb_to_loop(bb, from->loop_father);
	if (dom_info_available_p(CDI_DOMINATORS))
		set_immediate_dominator(CDI_DOMINATORS, bb, from);
	gsi_insert_seq_after(&at, what, GSI_NEW_STMT);
}

/*
 * Behind @cond, before whatever follows it in its block: if so, which is unlikely, do @then, and if
 * not @otherwise, if there is one.
 */
void insert_unlikely(gcond *cond, gimple_seq then, gimple_seq otherwise)
{
	edge e = split_block(gimple_bb(cond), cond);
	basic_block test = e->src, rest = e->dest;

	make_branch(test, rest, then, EDGE_TRUE_VALUE, profile_probability::very_unlikely());
	if (otherwise) {
		remove_edge(e);
		make_branch(test, rest, otherwise, EDGE_FALSE_VALUE,
			    profile_probability::very_likely());
	} else {
		e->flags = EDGE_FALSE_VALUE;
		e->probability = profile_probability::very_likely();
	}
	if (dom_info_available_p(CDI_DOMINATORS))
		set_immediate_dominator(CDI_DOMINATORS, rest, test);
}

void locate(gimple_seq seq, location_t where)
{
	for (gimple_stmt_iterator i = gsi_start(seq); !gsi_end_p(i); gsi_next(&i))
		gimple_set_location(gsi_stmt(i), where);
}

void remove_call(gimple *s)
{
	gimple_stmt_iterator at = gsi_for_stmt(s);

	unlink_stmt_vdef(s);
	gsi_remove(&at, true);
	release_defs(s);
}

tree ask_builtin(gimple_seq *seq, gcall *call)
{
	tree value = make_ssa_name(ptr_type_node);

	gimple_call_set_lhs(call, value);
	gimple_seq_add_stmt(seq, call);
	return value;
}

/* Where the function returns to. */
tree return_address(gimple_seq *seq)
{
	return ask_builtin(seq, gimple_build_call(builtin_decl_implicit(BUILT_IN_RETURN_ADDRESS), 1,
						  integer_zero_node));
}

}
