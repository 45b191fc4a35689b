/*
 * What instrumented code refers to: variables and functions of libheddle.
 */
#include "plugin.hh"

namespace heddle {

tree now_tags;
tree now_wrote;
tree where_base;
tree where_window;
tree where_care;
tree now_calls;
tree now_ranges;
tree slow_calls[2][4];
tree leaf_calls[2][4];
tree idle_calls[2][4];
tree now_budget;
tree slow_loop, range_call;
tree part_call, whole_call;
tree block_calls[2];
tree now_top;
tree now_limit;
tree slow_enter, slow_leave;

/* All of these: gcc collects what nobody refers to, also between two functions of a file. */
#define ROOT(trees)                                                                                \
	{                                                                                          \
		&(trees), sizeof(trees) / sizeof(tree), sizeof(tree), &gt_ggc_mx_tree_node,        \
		    &gt_pch_nx_tree_node                                                           \
	}
const struct ggc_root_tab roots[] = {
    ROOT(now_tags),   ROOT(now_wrote),	ROOT(where_base), ROOT(where_window), ROOT(now_calls), ROOT(now_ranges),
    ROOT(slow_calls), ROOT(leaf_calls), ROOT(idle_calls), ROOT(now_budget),   ROOT(slow_loop),
    ROOT(range_call), ROOT(block_calls), ROOT(now_top),	  ROOT(now_limit),    ROOT(slow_enter),
    ROOT(slow_leave), ROOT(part_call),	ROOT(whole_call),  ROOT(where_care),  ROOT(library_calls), LAST_GGC_ROOT_TAB};
#undef ROOT

/* A thread-local variable of libheddle. @constant: it does not change while a function runs. */
static tree thread_variable(const char *name, tree type, bool constant)
{
	tree v = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier(name), type);

	TREE_PUBLIC(v) = 1;
	DECL_EXTERNAL(v) = 1;
	DECL_ARTIFICIAL(v) = 1;
	TREE_USED(v) = 1;
	TREE_READONLY(v) = constant;
	set_decl_tls_model(v, TLS_MODEL_INITIAL_EXEC);
	return v;
}

/* A function of libheddle that is rarely called. */
static tree slow_function(const char *name, tree type)
{
	tree f = build_fn_decl(name, type);

	DECL_ATTRIBUTES(f) =
	    tree_cons(get_identifier("cold"), NULL_TREE,
		      tree_cons(get_identifier("noplt"), NULL_TREE, NULL_TREE));
	TREE_NOTHROW(f) = 1;
	return f;
}

static tree access_function(const char *kind, bool write, unsigned log, tree type)
{
	char name[64];

	snprintf(name, sizeof(name), HD_INLINE_NAME("%s%s%u"), kind, write ? "write" : "read", 1u << log);
	return slow_function(name, type);
}

void declare_runtime(void)
{
	tree one = build_function_type_list(void_type_node, ptr_type_node, NULL_TREE);
	tree two = build_function_type_list(void_type_node, ptr_type_node, ptr_type_node, NULL_TREE);

	if (now_tags)
		return;
	now_tags = thread_variable(HD_INLINE_NAME("tags"), long_unsigned_type_node, false);
	now_wrote = thread_variable(HD_INLINE_NAME("wrote"), unsigned_char_type_node, false);
	where_base = thread_variable(HD_INLINE_NAME("base"), long_unsigned_type_node, true);
	where_window = thread_variable(HD_INLINE_NAME("window"), long_unsigned_type_node, true);
	where_care = thread_variable(HD_INLINE_NAME("care"),
				     build_array_type_nelts(long_unsigned_type_node, HD_INLINE_CARES), true);
	now_budget = thread_variable(HD_INLINE_NAME("budget"), integer_type_node, false);
	now_calls = thread_variable(HD_INLINE_NAME("calls"), unsigned_char_type_node, false);
	now_ranges = thread_variable(HD_INLINE_NAME("ranges"), unsigned_char_type_node, false);
	now_top = thread_variable(HD_INLINE_NAME("top"), long_unsigned_type_node, false);
	now_limit = thread_variable(HD_INLINE_NAME("limit"), long_unsigned_type_node, false);
	slow_enter = slow_function(HD_INLINE_NAME("enter"), one);
	slow_leave = slow_function(HD_INLINE_NAME("leave"), one);
	for (unsigned log = 0; log < 4; log++) {
		for (unsigned write = 0; write < 2; write++) {
			slow_calls[write][log] = access_function("", write, log, one);
			leaf_calls[write][log] = access_function("leaf_", write, log, two);
		}
		idle_calls[0][log] = access_function("idle_", false, log, one);
		idle_calls[1][log] = access_function("leaf_idle_", false, log, two);
	}
	for (unsigned write = 0; write < 2; write++)
		block_calls[write] = slow_function(
		    write ? HD_INLINE_NAME("block_write") : HD_INLINE_NAME("block_read"),
		    build_function_type_list(void_type_node, ptr_type_node, long_unsigned_type_node,
					     ptr_type_node, NULL_TREE));
	slow_loop = slow_function(HD_INLINE_NAME("loop"),
				  build_function_type_list(void_type_node, NULL_TREE));
	range_call = slow_function(
	    HD_INLINE_NAME("range"),
	    build_function_type_list(void_type_node, ptr_type_node, long_integer_type_node,
				     long_unsigned_type_node, unsigned_type_node, ptr_type_node,
				     NULL_TREE));
	part_call = slow_function(
	    HD_INLINE_NAME("part"),
	    build_function_type_list(void_type_node, ptr_type_node, long_integer_type_node,
				     unsigned_type_node, NULL_TREE));
	whole_call = slow_function(
	    HD_INLINE_NAME("whole"),
	    build_function_type_list(integer_type_node, long_unsigned_type_node, unsigned_type_node,
				     ptr_type_node, NULL_TREE));
}

}
