/*
 * Entries and exits of functions.
 */
#include "plugin.hh"

namespace heddle {

bool is_builtin(gimple *s, enum built_in_function which)
{
	tree f = gimple_call_fndecl(s);

	return f && fndecl_built_in_p(f, BUILT_IN_NORMAL) && DECL_FUNCTION_CODE(f) == which;
}

bool is_entry_or_exit(gimple *s)
{
	return is_builtin(s, BUILT_IN_TSAN_FUNC_ENTRY) || is_builtin(s, BUILT_IN_TSAN_FUNC_EXIT);
}

/* Does @s leave the function for a while? What the compiler computes by itself does not. */
bool calls_out(gimple *s)
{
	struct hook h;

	if (!is_gimple_call(s) || gimple_call_internal_p(s) || is_hook(s, &h) || is_entry_or_exit(s) ||
	    gimple_call_fndecl(s) == range_call || gimple_call_fndecl(s) == part_call ||
	    gimple_call_fndecl(s) == whole_call || is_builtin(s, BUILT_IN_RETURN_ADDRESS))
		return false;
	return !(gimple_call_fndecl(s) && fndecl_built_in_p(gimple_call_fndecl(s), BUILT_IN_NORMAL) &&
		 (gimple_call_flags(s) & ECF_CONST));
}

/*
 * A function that calls nothing need not be told of, for nobody looks at the stack while it runs,
 * but for the slow paths of its own tests, which get to know where it returns to. Unless somebody
 * wants to know of all functions.
 */
void enter_only_if_asked(const vec<gimple *> &entries)
{
	for (gimple *s : entries) {
		gimple_stmt_iterator at = gsi_for_stmt(s);
		gimple_seq seq = NULL, then = NULL;
		gimple *copy = gimple_copy(s);
		gcond *cond;

		cond = gimple_build_cond(NE_EXPR, load_variable(&seq, now_calls),
					 build_zero_cst(unsigned_char_type_node), NULL_TREE, NULL_TREE);
		gimple_seq_add_stmt(&seq, cond);
		locate(seq, gimple_location(s));
		gsi_insert_seq_before(&at, seq, GSI_SAME_STMT);
		gimple_set_vdef(copy, NULL_TREE);
		gimple_set_vuse(copy, NULL_TREE);
		gimple_seq_add_stmt(&then, copy);
		insert_unlikely(cond, then);
		remove_call(s);
	}
}

/*
 * Other functions put themselves on the shadow call stack: struct hd_call in
 * runtime/abi/fiber_calls.h.
 */

/* A word of the call at @call. */
static void store_in_call(gimple_seq *seq, tree call, int offset, tree value)
{
	tree word = long_unsigned_type_node;
	tree place = build_pointer_type_for_mode(word, ptr_mode, true);

	gimple_seq_add_stmt(seq, gimple_build_assign(build2(MEM_REF, word, gimple_convert(seq, place, call),
							    build_int_cst(place, offset)),
						     gimple_convert(seq, word, value)));
}

static tree stack_pointer(gimple_seq *seq)
{
	return ask_builtin(seq, gimple_build_call(builtin_decl_implicit(BUILT_IN_STACK_SAVE), 0));
}

/* 0: the function is to have none. */
static tree frame_pointer(gimple_seq *seq)
{
	if (flag_omit_frame_pointer && !cfun->calls_alloca)
		return build_zero_cst(ptr_type_node);
	return ask_builtin(seq, gimple_build_call(builtin_decl_implicit(BUILT_IN_FRAME_ADDRESS), 1,
						  integer_zero_node));
}

/* In the place of @s: if there is no room below @top, @slow, else @fast. */
static void replace_by_choice(gimple *s, gimple_seq before, tree top, gimple_seq slow, gimple_seq fast)
{
	gimple_stmt_iterator at = gsi_for_stmt(s);
	gcond *cond = gimple_build_cond(LE_EXPR, top, load_variable(&before, now_limit), NULL_TREE,
					NULL_TREE);

	gimple_seq_add_stmt(&before, cond);
	locate(before, gimple_location(s));
	locate(slow, gimple_location(s));
	locate(fast, gimple_location(s));
	gsi_insert_seq_before(&at, before, GSI_SAME_STMT);
	insert_unlikely(cond, slow, fast);
	remove_call(s);
}

/* Returns the top of the stack as the function finds it. */
static tree enter_in_line(gimple *s)
{
	gimple_seq seq = NULL, slow = NULL, fast = NULL;
	tree back = gimple_call_arg(s, 0), ul = long_unsigned_type_node;
	tree top = load_variable(&seq, now_top), below;

	below = gimple_build(&fast, MINUS_EXPR, ul, top, number(ul, HD_INLINE_CALL_SIZE));
	store_in_call(&fast, below, HD_INLINE_CALL_SP, stack_pointer(&fast));
	store_in_call(&fast, below, HD_INLINE_CALL_PC, back);
	store_in_call(&fast, below, HD_INLINE_CALL_FP, frame_pointer(&fast));
	store_in_call(&fast, below, HD_INLINE_CALL_REST, number(ul, 0));
	store_variable(&fast, now_top, below);
	gimple_seq_add_stmt(&slow, gimple_build_call(slow_enter, 1, back));
	replace_by_choice(s, seq, top, slow, fast);
	return top;
}

static void leave_in_line(gimple *s, tree top)
{
	gimple_seq seq = NULL, slow = NULL, fast = NULL;
	tree found = gimple_convert(&slow, ptr_type_node, top);

	gimple_seq_add_stmt(&slow, gimple_build_call(slow_leave, 1, found));
	store_variable(&fast, now_top, top);
	replace_by_choice(s, seq, top, slow, fast);
}

void enter_and_leave_in_line(const vec<gimple *> &entries)
{
	auto_vec<gimple *> exits;
	gimple *entry = NULL;
	tree top;

	for (gimple *s : entries) {
		if (is_builtin(s, BUILT_IN_TSAN_FUNC_EXIT))
			exits.safe_push(s);
		else if (!entry)
			entry = s;
		else
			return; /* not what gcc does */
	}
	if (!entry)
		return;
	top = enter_in_line(entry);
	for (gimple *s : exits)
		leave_in_line(s, top);
}

}
