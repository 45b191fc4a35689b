/*
 * Copies and comparisons of memory that gcc knows as functions of the C library.
 *
 * gcc writes many of them out, some in assignments, which its pass of instrumentation sees, and the rest only when
 * it makes machine code, where nobody sees the accesses. -fno-builtin-memcpy and the like do not help where a
 * program, a C++ header or _FORTIFY_SOURCE calls them as __builtin_memcpy. So what is left of them
 * behind that pass becomes a call like any other, of libheddle's function, which knows what it touches.
 *
 * The other way round, a copy of a few bytes that is a call like any other, as -fno-builtin-memcpy makes it, becomes
 * an assignment as long as gcc has not instrumented the function: that is how programs read numbers at odd addresses.
 */
#include "plugin.hh"

namespace heddle {

/* Longer copies are calls in any case. */
#define LONGEST_ASSIGNMENT 16

tree library_calls[END_BUILTINS];

/* How many of its first arguments are pointers to memory that it touches; 0: it is none of those. */
static unsigned pointers_of(tree f)
{
	switch (DECL_FUNCTION_CODE(f)) {
	case BUILT_IN_MEMSET:
	case BUILT_IN_MEMSET_CHK:
	case BUILT_IN_MEMCHR:
	case BUILT_IN_STRLEN:
	case BUILT_IN_STRNLEN:
	case BUILT_IN_STRCHR:
	case BUILT_IN_STRRCHR:
		return 1;
	case BUILT_IN_MEMCPY:
	case BUILT_IN_MEMCPY_CHK:
	case BUILT_IN_MEMMOVE:
	case BUILT_IN_MEMMOVE_CHK:
	case BUILT_IN_MEMPCPY:
	case BUILT_IN_MEMPCPY_CHK:
	case BUILT_IN_MEMCMP:
	case BUILT_IN_MEMCMP_EQ:
	case BUILT_IN_STRCPY:
	case BUILT_IN_STRCPY_CHK:
	case BUILT_IN_STPCPY:
	case BUILT_IN_STPCPY_CHK:
	case BUILT_IN_STRNCPY:
	case BUILT_IN_STRNCPY_CHK:
	case BUILT_IN_STRCAT:
	case BUILT_IN_STRCAT_CHK:
	case BUILT_IN_STRNCAT:
	case BUILT_IN_STRNCAT_CHK:
	case BUILT_IN_STRCMP:
	case BUILT_IN_STRCMP_EQ:
	case BUILT_IN_STRNCMP:
	case BUILT_IN_STRNCMP_EQ:
		return 2;
	default:
		return 0;
	}
}

static const char *name_of(tree f)
{
	const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(f));

	switch (DECL_FUNCTION_CODE(f)) { /* gcc's own, where only equality counts */
	case BUILT_IN_MEMCMP_EQ:
		return "memcmp";
	case BUILT_IN_STRCMP_EQ:
		return "strcmp";
	case BUILT_IN_STRNCMP_EQ:
		return "strncmp";
	default:
		return name[0] == '*' ? name + 1 : name;
	}
}

/* A function of the same name of which gcc knows nothing. */
static tree unknown_function(tree f)
{
	tree *known = &library_calls[DECL_FUNCTION_CODE(f)];

	if (!*known) {
		*known = build_fn_decl(name_of(f), TREE_TYPE(f));
		TREE_NOTHROW(*known) = 1;
	}
	return *known;
}

/* Memory that is known to nobody else, which gcc does not instrument either? */
static bool is_own(tree pointer)
{
	tree base;

	if (TREE_CODE(pointer) != ADDR_EXPR)
		return false;
	base = get_base_address(TREE_OPERAND(pointer, 0));
	if (!base || !DECL_P(base))
		return false;
	if (VAR_P(base) && TREE_READONLY(base) && is_global_var(base))
		return true;
	return !is_global_var(base) && optimize && !pt_solution_includes(&cfun->gimple_df->escaped, base);
}

static bool touches_what_others_know(gcall *call, unsigned pointers)
{
	for (unsigned i = 0; i < pointers && i < gimple_call_num_args(call); i++) {
		tree pointer = gimple_call_arg(call, i);

		if (TREE_CODE(pointer) == ADDR_EXPR && TREE_CODE(TREE_OPERAND(pointer, 0)) == STRING_CST)
			continue;
		if (!is_own(pointer))
			return true;
	}
	return false;
}

void call_the_library(function *fun)
{
	basic_block bb;

	FOR_EACH_BB_FN (bb, fun) {
		for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
			gcall *call = dyn_cast<gcall *>(gsi_stmt(i));
			tree f = call ? gimple_call_fndecl(call) : NULL_TREE, ours;

			if (!f || !fndecl_built_in_p(f, BUILT_IN_NORMAL) ||
			    !touches_what_others_know(call, pointers_of(f)))
				continue;
			ours = unknown_function(f);
			gimple_call_set_fndecl(call, ours);
			gimple_call_set_fntype(call, TREE_TYPE(ours));
			update_stmt(call);
		}
	}
}

/* ---- before gcc instruments ------------------------------------------------- */

/* The function that gcc knows under the name of @f, of those that copy a given number of bytes. */
static tree known_copy(tree f)
{
	const char *name = DECL_NAME(f) ? IDENTIFIER_POINTER(DECL_NAME(f)) : "";

	if (!DECL_EXTERNAL(f) || !TREE_PUBLIC(f) || fndecl_built_in_p(f) || !DECL_FILE_SCOPE_P(f))
		return NULL_TREE;
	if (strcmp(name, "memcpy") == 0)
		return builtin_decl_explicit(BUILT_IN_MEMCPY);
	if (strcmp(name, "memmove") == 0)
		return builtin_decl_explicit(BUILT_IN_MEMMOVE);
	if (strcmp(name, "memset") == 0)
		return builtin_decl_explicit(BUILT_IN_MEMSET);
	return NULL_TREE;
}

static bool is_short(gcall *call)
{
	tree size = gimple_call_num_args(call) == 3 ? gimple_call_arg(call, 2) : NULL_TREE;

	return size && tree_fits_uhwi_p(size) && tree_to_uhwi(size) <= LONGEST_ASSIGNMENT;
}

void assign_short_copies(function *fun)
{
	basic_block bb;

	FOR_EACH_BB_FN (bb, fun) {
		for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
			gcall *call = dyn_cast<gcall *>(gsi_stmt(i));
			tree f = call ? gimple_call_fndecl(call) : NULL_TREE;
			tree known = f && is_short(call) ? known_copy(f) : NULL_TREE;

			if (!known || !gimple_builtin_call_types_compatible_p(call, known))
				continue;
			gimple_call_set_fndecl(call, known);
			if (fold_stmt(&i))
				update_stmt(gsi_stmt(i));
			else
				gimple_call_set_fndecl(call, f);
		}
	}
}

}
