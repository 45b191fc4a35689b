/*
 * A gcc plugin: the calls that -fsanitize=thread puts before accesses become tests in line.
 *
 * gcc's own pass decides what is instrumented; this one runs right behind it. A call
 * __tsan_readN(p) or __tsan_writeN(p) becomes
 *
 *   word = *(shadow + (p & window))
 *   if (word does not say that this thread did the same here at this time)
 *           heddle_inline_readN(p);        // cold
 *
 * so that an access that can tell nothing new costs a load, a comparison and a branch. What the
 * words mean is in src/runtime/abi/inline_check.h, which this must agree with; HD_INLINE_VERSION
 * is part of the names that it refers to, so that objects of another agreement do not link.
 *
 * Calls of functions and loops are counted in line, too: see "loops" below.
 */
#include "gcc-plugin.h"
#include "plugin-version.h"

#include "tree.h"
#include "gimple.h"
#include "gimple-iterator.h"
#include "tree-pass.h"
#include "context.h"
#include "basic-block.h"
#include "tree-cfg.h"
#include "cfghooks.h"
#include "cfganal.h"
#include "cfgloop.h"
#include "tree-ssa.h"
#include "ssa.h"
#include "gimple-expr.h"
#include "gimplify.h"
#include "gimplify-me.h"
#include "stringpool.h"
#include "attribs.h"
#include "dominance.h"
#include "fold-const.h"
#include "gimple-fold.h"
#include "tree-ssa-alias.h"
#include "tree-into-ssa.h"
#include "varasm.h"
#include "cfgloopmanip.h"
#include "tree-ssa-loop.h"
#include "tree-ssa-loop-manip.h"
#include "tree-ssa-loop-niter.h"
#include "tree-scalar-evolution.h"
#include "tree-cfgcleanup.h"
#include "diagnostic-core.h"
#include "asan.h"

#include "runtime/abi/inline_layout.h"

int plugin_is_GPL_compatible;

/* ---- what the runtime has -------------------------------------------------- */

static tree now_tags;	 /* thread-local: what words of this thread, now, look like */
static tree now_wrote;	 /* thread-local: it has written */
static tree where_base;	 /* thread-local: where the words are */
static tree where_window; /* thread-local: which bits of an address choose one */
static tree now_calls;	 /* thread-local: entries of all functions are to be told */
static tree slow_calls[2][4]; /* [write][log2 of the size] */
static tree leaf_calls[2][4]; /* the same in a function that was not told of */
static tree idle_calls[2][4]; /* [leaf]: of reads by whose value nothing is decided */
static tree now_budget; /* thread-local: work until the scheduler is asked */
static tree slow_loop, range_call;
static tree block_calls[2]; /* [write]: of structures that are copied as a whole */
static tree now_top;	/* thread-local: the shadow call stack */
static tree now_limit;	/* thread-local: where it has no room */
static tree slow_enter, slow_leave;

/* All of these: gcc collects what nobody refers to, also between two functions of a file. */
#define ROOT(trees)                                                                                \
	{                                                                                          \
		&(trees), sizeof(trees) / sizeof(tree), sizeof(tree), &gt_ggc_mx_tree_node,        \
		    &gt_pch_nx_tree_node                                                           \
	}
static const struct ggc_root_tab roots[] = {
    ROOT(now_tags),   ROOT(now_wrote),	ROOT(where_base), ROOT(where_window), ROOT(now_calls),
    ROOT(slow_calls), ROOT(leaf_calls), ROOT(idle_calls), ROOT(now_budget),   ROOT(slow_loop),
    ROOT(range_call), ROOT(block_calls), ROOT(now_top),	  ROOT(now_limit),    ROOT(slow_enter),
    ROOT(slow_leave), LAST_GGC_ROOT_TAB};
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

static void declare_runtime(void)
{
	tree one = build_function_type_list(void_type_node, ptr_type_node, NULL_TREE);
	tree two = build_function_type_list(void_type_node, ptr_type_node, ptr_type_node, NULL_TREE);

	if (now_tags)
		return;
	now_tags = thread_variable(HD_INLINE_NAME("tags"), long_unsigned_type_node, false);
	now_wrote = thread_variable(HD_INLINE_NAME("wrote"), unsigned_char_type_node, false);
	where_base = thread_variable(HD_INLINE_NAME("base"), long_unsigned_type_node, true);
	where_window = thread_variable(HD_INLINE_NAME("window"), long_unsigned_type_node, true);
	now_budget = thread_variable(HD_INLINE_NAME("budget"), integer_type_node, false);
	now_calls = thread_variable(HD_INLINE_NAME("calls"), unsigned_char_type_node, false);
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
}

/* ---- the test of an access ------------------------------------------------- */

struct hook {
	gimple *call;
	bool write;
	unsigned log;	/* of the size */
	unsigned block; /* of a structure: its bytes; else 0 */
};

/* More are left to a call. */
#define LONGEST_BLOCK 64

/* A structure that is read or written as a whole: of whole words, and not too many. */
static bool is_block(gimple *s, struct hook *h, bool write)
{
	tree size = gimple_call_arg(s, 1);

	if (!tree_fits_uhwi_p(size) || tree_to_uhwi(size) == 0 || tree_to_uhwi(size) > LONGEST_BLOCK ||
	    tree_to_uhwi(size) % 4)
		return false;
	h->write = write;
	h->block = tree_to_uhwi(size);
	return true;
}

/* Is @s a call of gcc's that becomes a test? */
static bool is_hook(gimple *s, struct hook *h)
{
	tree f = is_gimple_call(s) ? gimple_call_fndecl(s) : NULL_TREE;

	if (!f || !fndecl_built_in_p(f, BUILT_IN_NORMAL))
		return false;
	h->call = s;
	h->block = h->log = 0;
	switch (DECL_FUNCTION_CODE(f)) {
	case BUILT_IN_TSAN_READ_RANGE:
		return is_block(s, h, false);
	case BUILT_IN_TSAN_WRITE_RANGE:
		return is_block(s, h, true);
	case BUILT_IN_TSAN_READ1:
	case BUILT_IN_TSAN_READ2:
	case BUILT_IN_TSAN_READ4:
	case BUILT_IN_TSAN_READ8:
		h->write = false;
		h->log = DECL_FUNCTION_CODE(f) - BUILT_IN_TSAN_READ1;
		return true;
	case BUILT_IN_TSAN_WRITE1:
	case BUILT_IN_TSAN_WRITE2:
	case BUILT_IN_TSAN_WRITE4:
	case BUILT_IN_TSAN_WRITE8:
		h->write = true;
		h->log = DECL_FUNCTION_CODE(f) - BUILT_IN_TSAN_WRITE1;
		return true;
	default:
		return false;
	}
}

static tree number(tree type, unsigned HOST_WIDE_INT n)
{
	return build_int_cstu(type, n);
}

static tree load_variable(gimple_seq *seq, tree v)
{
	tree name = make_ssa_name(TYPE_MAIN_VARIANT(TREE_TYPE(v)));

	gimple_seq_add_stmt(seq, gimple_build_assign(name, v));
	return name;
}

static void store_variable(gimple_seq *seq, tree v, tree value)
{
	gimple_seq_add_stmt(seq, gimple_build_assign(v, value));
}

/* Where the shadow of @address is. */
static tree shadow_of(gimple_seq *seq, tree address, bool small)
{
	tree ul = long_unsigned_type_node, at;

	at = gimple_build(seq, BIT_AND_EXPR, ul, address, load_variable(seq, where_window));
	if (small)
		at = gimple_build(seq, BIT_AND_EXPR, ul, at, build_int_cst(ul, -4));
	return gimple_build(seq, PLUS_EXPR, ul, at, load_variable(seq, where_base));
}

/* The word (or two) of the shadow at @at + @offset, as an unsigned of @type. */
static tree load_word(gimple_seq *seq, tree at, unsigned offset, tree type)
{
	tree pointer = gimple_convert(seq, build_pointer_type(type), at);
	tree word = make_ssa_name(type);

	gimple_seq_add_stmt(seq, gimple_build_assign(word, build2(MEM_REF, type, pointer,
								   build_int_cst(TREE_TYPE(pointer), offset))));
	return word;
}

/* Zero if @word, of four or eight bytes, is what this thread would leave behind now. */
static tree differs(gimple_seq *seq, tree word, bool write)
{
	tree type = TREE_TYPE(word);
	bool two = TYPE_PRECISION(type) == 64;

	if (!write)
		word = gimple_build(seq, BIT_IOR_EXPR, type, word,
				    number(type, two ? HD_INLINE_WRITTEN * 0x100000001ull
						     : HD_INLINE_WRITTEN));
	return gimple_build(seq, BIT_XOR_EXPR, type, word,
			    gimple_convert(seq, type, load_variable(seq, now_tags)));
}

/* The test of a structure: of all its words. */
static tree test_of_block(gimple_seq *seq, const struct hook *h, tree address)
{
	tree ul = long_unsigned_type_node, at = shadow_of(seq, address, false), all = NULL_TREE;

	for (unsigned done = 0; done < h->block;) {
		bool two = h->block - done >= 8;
		tree part = load_word(seq, at, done, two ? ul : unsigned_type_node);

		part = gimple_convert(seq, ul, differs(seq, part, h->write));
		all = all ? gimple_build(seq, BIT_IOR_EXPR, ul, all, part) : part;
		done += two ? 8 : 4;
	}
	return all;
}

/*
 * Something that is zero if nobody needs to be told of the access. For four and eight bytes all
 * bits of the words must be there, but that reads do not care about those of writes; for one and
 * two those of their bytes.
 */
static tree test_of(gimple_seq *seq, const struct hook *h, tree p)
{
	tree ul = long_unsigned_type_node, u = unsigned_type_node;
	tree address = gimple_convert(seq, ul, p), word, tags, care;

	if (h->block)
		return test_of_block(seq, h, address);
	word = load_word(seq, shadow_of(seq, address, h->log < 2), 0, h->log == 3 ? ul : u);
	if (h->log >= 2)
		return differs(seq, word, h->write);
	tags = gimple_convert(seq, u, load_variable(seq, now_tags));
	care = gimple_convert(seq, u, gimple_build(seq, BIT_AND_EXPR, ul, address, number(ul, 3)));
	care = gimple_build(seq, LSHIFT_EXPR, u,
			    number(u, ((1u << (1u << h->log)) - 1)
				      << (h->write ? HD_INLINE_WRITTEN_SHIFT : 0)),
			    care);
	care = gimple_build(seq, BIT_IOR_EXPR, u, care, number(u, HD_INLINE_TIME));
	word = gimple_build(seq, BIT_XOR_EXPR, u, word, tags);
	return gimple_build(seq, BIT_AND_EXPR, u, word, care);
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
static void insert_unlikely(gcond *cond, gimple_seq then, gimple_seq otherwise = NULL)
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

static void locate(gimple_seq seq, location_t where)
{
	for (gimple_stmt_iterator i = gsi_start(seq); !gsi_end_p(i); gsi_next(&i))
		gimple_set_location(gsi_stmt(i), where);
}

static void remove_call(gimple *s)
{
	gimple_stmt_iterator at = gsi_for_stmt(s);

	unlink_stmt_vdef(s);
	gsi_remove(&at, true);
	release_defs(s);
}

static tree ask_builtin(gimple_seq *seq, gcall *call)
{
	tree value = make_ssa_name(ptr_type_node);

	gimple_call_set_lhs(call, value);
	gimple_seq_add_stmt(seq, call);
	return value;
}

/* Where the function returns to. */
static tree return_address(gimple_seq *seq)
{
	return ask_builtin(seq, gimple_build_call(builtin_decl_implicit(BUILT_IN_RETURN_ADDRESS), 1,
						  integer_zero_node));
}

/* ---- what is decided by the value of a read -------------------------------- */

/*
 * `sum += x` in a critical section reads what others wrote, and does the same whatever that was. A
 * read is *idle* if its value goes nowhere but, computed with, back to where it is from. What
 * a branch, a call, an address or other memory gets decides something, or may.
 */

/* Are these the same place? Without optimisation its address is loaded once for each access. */
static bool same_place(tree a, tree b, int depth)
{
	gimple *da, *db;

	if (operand_equal_p(a, b, 0))
		return true;
	if (!depth || TREE_CODE(a) != TREE_CODE(b))
		return false;
	if (TREE_CODE(a) == MEM_REF)
		return operand_equal_p(TREE_OPERAND(a, 1), TREE_OPERAND(b, 1), 0) &&
		       same_place(TREE_OPERAND(a, 0), TREE_OPERAND(b, 0), depth - 1);
	if (TREE_CODE(a) == COMPONENT_REF)
		return TREE_OPERAND(a, 1) == TREE_OPERAND(b, 1) &&
		       same_place(TREE_OPERAND(a, 0), TREE_OPERAND(b, 0), depth - 1);
	if (TREE_CODE(a) != SSA_NAME)
		return false;
	da = SSA_NAME_DEF_STMT(a);
	db = SSA_NAME_DEF_STMT(b);
	return gimple_assign_single_p(da) && gimple_assign_single_p(db) &&
	       same_place(gimple_assign_rhs1(da), gimple_assign_rhs1(db), depth - 1);
}

/* Does @use, of something that was made of the value at @place, decide nothing? */
static bool is_idle_use(gimple *use, tree name, tree place, vec<tree> *more)
{
	if (is_gimple_debug(use))
		return true;
	if (gimple_code(use) == GIMPLE_PHI) {
		more->safe_push(gimple_phi_result(use));
		return true;
	}
	if (!is_gimple_assign(use) || gimple_assign_load_p(use))
		return false;
	if (gimple_store_p(use))
		return gimple_assign_single_p(use) && gimple_assign_rhs1(use) == name &&
		       same_place(gimple_assign_lhs(use), place, 4);
	if (TREE_CODE(gimple_assign_lhs(use)) != SSA_NAME)
		return false;
	more->safe_push(gimple_assign_lhs(use));
	return true;
}

static bool is_idle_value(tree value, tree place)
{
	auto_vec<tree> names;

	names.safe_push(value);
	for (unsigned i = 0; i < names.length(); i++) {
		auto_vec<tree> more;
		imm_use_iterator uses;
		use_operand_p p;

		FOR_EACH_IMM_USE_FAST (p, uses, names[i]) {
			if (!is_idle_use(USE_STMT(p), names[i], place, &more))
				return false;
		}
		for (tree name : more) {
			if (!names.contains(name))
				names.safe_push(name);
		}
		if (names.length() > 16)
			return false;
	}
	return true;
}

/* gcc's call is right before the read. */
static bool is_idle(const struct hook *h)
{
	gimple_stmt_iterator i = gsi_for_stmt(h->call);
	gimple *s;

	do
		gsi_next(&i);
	while (!gsi_end_p(i) && is_gimple_debug(gsi_stmt(i)));
	s = gsi_end_p(i) ? NULL : gsi_stmt(i);
	return !h->write && !h->block && s && gimple_assign_load_p(s) &&
	       TREE_CODE(gimple_assign_lhs(s)) == SSA_NAME &&
	       is_idle_value(gimple_assign_lhs(s), gimple_assign_rhs1(s));
}

/* ---- tests instead of calls -------------------------------------------------- */

static tree slow_call_of(const struct hook *h, bool leaf)
{
	if (is_idle(h))
		return idle_calls[leaf][h->log];
	return leaf ? leaf_calls[h->write][h->log] : slow_calls[h->write][h->log];
}

/* What is done if the test does not match. */
static gimple_seq slow_path(const struct hook *h, bool leaf)
{
	tree p = gimple_call_arg(h->call, 0), back = NULL_TREE;
	gimple_seq seq = NULL;
	gcall *call;

	if (leaf)
		back = return_address(&seq);
	if (h->block)
		call = gimple_build_call(block_calls[h->write], 3, p,
					 number(long_unsigned_type_node, h->block),
					 leaf ? back : null_pointer_node);
	else if (leaf)
		call = gimple_build_call(slow_call_of(h, true), 2, p, back);
	else
		call = gimple_build_call(slow_call_of(h, false), 1, p);
	gimple_seq_add_stmt(&seq, call);
	return seq;
}

static void replace_hook(const struct hook *h, bool leaf)
{
	location_t where = gimple_location(h->call);
	gimple_stmt_iterator at = gsi_for_stmt(h->call);
	gimple_seq seq = NULL, slow = slow_path(h, leaf), told = NULL;
	tree test = test_of(&seq, h, gimple_call_arg(h->call, 0));
	gcond *cond;

	if (h->write)
		store_variable(&told, now_wrote, number(unsigned_char_type_node, 1));
	cond = gimple_build_cond(NE_EXPR, test, build_zero_cst(TREE_TYPE(test)), NULL_TREE, NULL_TREE);
	gimple_seq_add_stmt(&seq, cond);
	locate(seq, where);
	gsi_insert_seq_before(&at, seq, GSI_SAME_STMT);
	locate(slow, where);
	locate(told, where);
	insert_unlikely(cond, slow, told);
	remove_call(h->call);
}

/* ---- functions ------------------------------------------------------------------ */

static bool is_builtin(gimple *s, enum built_in_function which)
{
	tree f = gimple_call_fndecl(s);

	return f && fndecl_built_in_p(f, BUILT_IN_NORMAL) && DECL_FUNCTION_CODE(f) == which;
}

static bool is_entry_or_exit(gimple *s)
{
	return is_builtin(s, BUILT_IN_TSAN_FUNC_ENTRY) || is_builtin(s, BUILT_IN_TSAN_FUNC_EXIT);
}

/* Does @s leave the function for a while? What the compiler computes by itself does not. */
static bool calls_out(gimple *s)
{
	struct hook h;

	if (!is_gimple_call(s) || gimple_call_internal_p(s) || is_hook(s, &h) || is_entry_or_exit(s) ||
	    gimple_call_fndecl(s) == range_call || is_builtin(s, BUILT_IN_RETURN_ADDRESS))
		return false;
	return !(gimple_call_fndecl(s) && fndecl_built_in_p(gimple_call_fndecl(s), BUILT_IN_NORMAL) &&
		 (gimple_call_flags(s) & ECF_CONST));
}

/*
 * A function that calls nothing need not be told of, for nobody looks at the stack while it runs,
 * but for the slow paths of its own tests, which get to know where it returns to. Unless somebody
 * wants to know of all functions.
 */
static void enter_only_if_asked(const vec<gimple *> &entries)
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

static void enter_and_leave_in_line(const vec<gimple *> &entries)
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

/* ---- loops -------------------------------------------------------------------- */

/*
 * Nobody counts accesses that are left out, but virtual time passes with work, and a loop that waits
 * for another thread must let it run. So each round of a loop takes from a budget as many as there
 * are accesses in it, and each call of a function those outside of its loops. The budget is the
 * thread's. In a nest of loops that calls nothing it is kept in a register.
 */

/* Does anything in @l leave the function for a while, or leave the loop in an odd way? */
static bool is_left(class loop *l)
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

/*
 * A loop whose rounds can be counted before it begins. There are two of it: one without the tests of
 * accesses that a range before it stands for, and one with all of them, for runs that need each.
 */
struct counted {
	int first, second;  /* the numbers of the two loops */
	basic_block before; /* goes to where one of them is chosen */
	tree work;	    /* what all rounds together take */
};

static const counted *find_counted(const vec<counted> &list, class loop *l)
{
	for (const counted &c : list) {
		if (c.first == l->num || c.second == l->num)
			return &c;
	}
	return NULL;
}

static void count_loops(function *fun, const vec<hook> &hooks, const vec<counted> &counted_loops)
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

/* ---- ranges ------------------------------------------------------------------- */

/*
 * An inner loop that calls nothing and is left at one place, after a number of rounds that is known
 * before it begins: accesses of every round whose addresses are side by side are told of as a range
 * before the loop. Nothing orders threads in between, so it makes no difference when. What
 * is left of the loop is what the program has, and can be made to use vectors.
 */

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
};

static void collect_hooks(basic_block bb, vec<hook> *hooks)
{
	struct hook h;

	for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
		if (is_hook(gsi_stmt(i), &h))
			hooks->safe_push(h);
	}
}

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
	basic_block *body = get_loop_body(c->l);
	edge exit = single_exit(c->l);
	auto_vec<hook> hooks;

	for (unsigned i = 0; i < c->l->num_nodes; i++) {
		unsigned before = hooks.length();

		collect_hooks(body[i], &hooks);
		for (unsigned h = before; h < hooks.length(); h++)
			c->work += !hooks[h].block;
		if (!dominated_by_p(CDI_DOMINATORS, exit->src, body[i]))
			hooks.truncate(before); /* not in every round */
	}
	free(body);
	for (const hook &h : hooks) {
		struct affine_iv iv;

		if (!h.block &&
		    simple_iv(c->l, c->l, gimple_call_arg(h.call, 0), &iv, true) &&
		    is_close(iv.step, 1 << h.log))
			add_range(c, {h, iv.base, tree_to_shwi(iv.step), NULL});
	}
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

/* Not taken: somebody wants to see each access. */
static tree leaves_out(basic_block bb)
{
	gimple_stmt_iterator at = gsi_last_bb(bb);
	gimple_seq seq = NULL;
	tree tags = load_variable(&seq, now_tags);

	gsi_insert_seq_after(&at, seq, GSI_NEW_STMT);
	return build2(NE_EXPR, boolean_type_node, tags,
		      build_int_cst(long_unsigned_type_node, -1)); /* HD_INLINE_NEVER */
}

static void split_loop(const candidate &c, bool leaf, vec<counted> *list)
{
	basic_block before = split_edge(loop_preheader_edge(c.l)), at;
	tree rounds = number_of_rounds(before, c.rounds);
	tree work = total_work(before, rounds, c.work);
	/* In a block of its own: while the work is taken, others may run. */
	tree cond = leaves_out(split_edge(single_succ_edge(before)));
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

static void split_loops(function *fun, bool leaf, vec<counted> *list)
{
	auto_vec<candidate *> found;

	rewrite_into_loop_closed_ssa(NULL, TODO_update_ssa);
	scev_initialize();
	for (auto l : loops_list(fun, LI_ONLY_INNERMOST)) {
		candidate c = {l, NULL_TREE, 0, {}};

		if (!is_counted(l, &c.rounds))
			continue;
		find_ranges(&c);
		if (c.ranges.is_empty())
			continue;
		found.safe_push(new candidate{l, c.rounds, c.work, {}});
		for (const affine &a : c.ranges)
			found.last()->ranges.safe_push(a);
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

static bool tell_ranges; /* HEDDLE_INLINE=tests: without, to measure what they gain */

/* ---- the pass --------------------------------------------------------------- */

static const pass_data inline_pass = {
    GIMPLE_PASS, "heddle", OPTGROUP_NONE, TV_NONE, PROP_ssa | PROP_cfg, 0, 0, 0, TODO_update_ssa};

struct inline_checks : gimple_opt_pass {
	bool optimising;

	inline_checks(gcc::context *c, bool when_optimising)
	    : gimple_opt_pass(inline_pass, c), optimising(when_optimising)
	{
	}

	bool gate(function *) override
	{
		return sanitize_flags_p(SANITIZE_THREAD) && optimising == (optimize > 0);
	}

	unsigned execute(function *fun) override
	{
		auto_vec<hook> hooks;
		auto_vec<counted> counted_loops;
		auto_vec<gimple *> entries;
		bool leaf = true;
		basic_block bb;

		declare_runtime();
		FOR_EACH_BB_FN (bb, fun) {
			for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
				if (is_gimple_call(gsi_stmt(i)) && is_entry_or_exit(gsi_stmt(i)))
					entries.safe_push(gsi_stmt(i));
				leaf = leaf && !calls_out(gsi_stmt(i));
			}
		}
		loop_optimizer_init(LOOPS_NORMAL | LOOPS_HAVE_RECORDED_EXITS);
		if (optimising && tell_ranges && number_of_loops(fun) > 1)
			split_loops(fun, leaf, &counted_loops);
		FOR_EACH_BB_FN (bb, fun)
			collect_hooks(bb, &hooks);
		count_loops(fun, hooks, counted_loops);
		for (const hook &each : hooks)
			replace_hook(&each, leaf);
		if (leaf)
			enter_only_if_asked(entries);
		else
			enter_and_leave_in_line(entries);
		loop_optimizer_finalize();
		mark_virtual_operands_for_renaming(fun);
		return 0;
	}
};

static void register_behind(const char *plugin, const char *pass, bool when_optimising)
{
	struct register_pass_info i;

	i.pass = new inline_checks(g, when_optimising);
	i.reference_pass_name = pass;
	i.ref_pass_instance_number = 1;
	i.pos_op = PASS_POS_INSERT_AFTER;
	register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, NULL, &i);
}

int plugin_init(struct plugin_name_args *args, struct plugin_gcc_version *version)
{
	const char *wanted = getenv("HEDDLE_INLINE");

	if (!plugin_default_version_check(version, &gcc_version)) {
		inform(UNKNOWN_LOCATION,
		       "the plugin of heddle was built for another gcc %s; every access is a call, "
		       "which is slower",
		       gcc_version.basever);
		return 0;
	}
	tell_ranges = !wanted || strcmp(wanted, "tests") != 0;
	register_callback(args->base_name, PLUGIN_REGISTER_GGC_ROOTS, NULL, (void *)roots);
	register_behind(args->base_name, "tsan", true);
	register_behind(args->base_name, "tsan0", false);
	return 0;
}
