/*
 * Accesses to what HEDDLE_CHECK_ONLY, a regular expression, names: all others are left out of the program.
 *
 * An access has the names of the variable and of the types and fields on the way to it (`queue.items[i].next`), and
 * through a pointer those of what it points to and of the variable or field that the pointer was taken from. A
 * pointer that a function was given may point to a variable of this file that is named, unless its type or
 * gcc's analysis of pointers says otherwise.
 */
#include "plugin.hh"

#include <regex.h>

#include "alias.h"
#include "cgraph.h"

namespace heddle
{

/* Definitions of a pointer that are looked through. */
#define MOST_STEPS 24

static regex_t names;
static bool is_limited;

bool limit_names(const char *pattern)
{
	is_limited = pattern && *pattern;
	if (is_limited && regcomp(&names, pattern, REG_EXTENDED | REG_NOSUB)) {
		error("%<HEDDLE_CHECK_ONLY%> must be a regular expression, not %qs", pattern);
		is_limited = false;
	}
	return is_limited;
}

static bool matches(tree name)
{
	if (name && TREE_CODE(name) == TYPE_DECL)
		name = DECL_NAME(name);
	return name && TREE_CODE(name) == IDENTIFIER_NODE &&
	       !regexec(&names, IDENTIFIER_POINTER(name), 0, NULL, 0);
}

static bool is_named_decl(tree decl)
{
	return DECL_P(decl) && matches(DECL_NAME(decl));
}

/* By a typedef on the way to it, or its tag. */
static bool is_named_type(tree type)
{
	for (;;) {
		if (matches(TYPE_NAME(type)) || matches(TYPE_NAME(TYPE_MAIN_VARIANT(type))))
			return true;
		if (TREE_CODE(type) != ARRAY_TYPE)
			return false;
		type = TREE_TYPE(type);
	}
}

static bool is_named_pointer(tree pointer, unsigned *steps);

/* Something in memory, as the program writes it. */
static bool is_named_place(tree place, unsigned *steps)
{
	for (; handled_component_p(place); place = TREE_OPERAND(place, 0)) {
		if (is_named_type(TREE_TYPE(place)) ||
		    (TREE_CODE(place) == COMPONENT_REF && is_named_decl(TREE_OPERAND(place, 1))))
			return true;
	}
	if (is_named_type(TREE_TYPE(place)))
		return true;
	if (TREE_CODE(place) == MEM_REF || TREE_CODE(place) == TARGET_MEM_REF)
		return is_named_pointer(TREE_OPERAND(place, 0), steps);
	return is_named_decl(place);
}

/* What @pointer is loaded from, by its own name. */
static bool is_named_holder(tree place)
{
	while (TREE_CODE(place) == ARRAY_REF)
		place = TREE_OPERAND(place, 0);
	return TREE_CODE(place) == COMPONENT_REF ? is_named_decl(TREE_OPERAND(place, 1))
						 : is_named_decl(place);
}

static bool is_named_definition(gimple *s, unsigned *steps)
{
	if (gphi *phi = dyn_cast<gphi *>(s)) {
		for (unsigned i = 0; i < gimple_phi_num_args(phi); i++)
			if (is_named_pointer(gimple_phi_arg_def(phi, i), steps))
				return true;
		return false;
	}
	if (!is_gimple_assign(s))
		return false;
	if (gimple_assign_load_p(s))
		return is_named_holder(gimple_assign_rhs1(s));
	return is_named_pointer(gimple_assign_rhs1(s), steps);
}

static bool is_named_pointer(tree pointer, unsigned *steps)
{
	if (POINTER_TYPE_P(TREE_TYPE(pointer)) && is_named_type(TREE_TYPE(TREE_TYPE(pointer))))
		return true;
	if (TREE_CODE(pointer) == ADDR_EXPR)
		return is_named_place(TREE_OPERAND(pointer, 0), steps);
	if (TREE_CODE(pointer) != SSA_NAME || ++*steps > MOST_STEPS)
		return false;
	if (SSA_NAME_VAR(pointer) && is_named_decl(SSA_NAME_VAR(pointer)))
		return true;
	return is_named_definition(SSA_NAME_DEF_STMT(pointer), steps);
}

/* The place that @address is computed from a pointer to, as a whole; NULL: it is of a variable. */
static tree place_behind_pointer(tree address)
{
	gimple *s;

	if (TREE_CODE(address) == SSA_NAME) {
		s = SSA_NAME_DEF_STMT(address);
		if (is_gimple_assign(s) && gimple_assign_rhs_code(s) == ADDR_EXPR)
			address = gimple_assign_rhs1(s);
	}
	if (TREE_CODE(address) != ADDR_EXPR)
		return address;
	address = get_base_address(TREE_OPERAND(address, 0));
	return address && TREE_CODE(address) == MEM_REF ? address : NULL_TREE;
}

/* Was @pointer given to the function, or got from a call? */
static bool is_given(tree pointer, unsigned *steps)
{
	gimple *s;

	if (TREE_CODE(pointer) != SSA_NAME || ++*steps > MOST_STEPS)
		return TREE_CODE(pointer) == SSA_NAME;
	if (SSA_NAME_IS_DEFAULT_DEF(pointer))
		return true;
	s = SSA_NAME_DEF_STMT(pointer);
	if (gphi *phi = dyn_cast<gphi *>(s)) {
		for (unsigned i = 0; i < gimple_phi_num_args(phi); i++)
			if (is_given(gimple_phi_arg_def(phi, i), steps))
				return true;
		return false;
	}
	if (!is_gimple_assign(s))
		return true;
	if (!gimple_assign_load_p(s))
		return is_given(gimple_assign_rhs1(s), steps);
	/* Without optimisation parameters are in memory. */
	return TREE_CODE(gimple_assign_rhs1(s)) == PARM_DECL ||
	       (VAR_P(gimple_assign_rhs1(s)) && !is_global_var(gimple_assign_rhs1(s)));
}

static tree without_arrays(tree type)
{
	while (TREE_CODE(type) == ARRAY_TYPE)
		type = TREE_TYPE(type);
	return type;
}

/* May @address be that of @decl, or of a part of it? */
static bool may_be(tree address, tree decl)
{
	tree place = place_behind_pointer(address), pointer, type;
	alias_set_type mine, its;
	struct ptr_info_def *known;
	unsigned steps = 0;

	if (!place)
		return false;
	pointer = TREE_CODE(place) == MEM_REF ? TREE_OPERAND(place, 0) : place;
	type = TREE_CODE(place) == MEM_REF ? TREE_TYPE(place) : TREE_TYPE(TREE_TYPE(place));
	mine = get_alias_set(type);
	its = get_alias_set(without_arrays(TREE_TYPE(decl)));
	if (flag_strict_aliasing && mine && mine != its && !alias_set_subset_of(mine, its))
		return false;
	known = TREE_CODE(pointer) == SSA_NAME ? SSA_NAME_PTR_INFO(pointer) : NULL;
	return is_given(pointer, &steps) && (!known || pt_solution_includes(&known->pt, decl));
}

bool is_named_access(gimple *call)
{
	tree address = gimple_call_arg(call, 0);
	unsigned steps = 0;
	varpool_node *v;

	if (!is_limited || is_named_pointer(address, &steps))
		return true;
	FOR_EACH_VARIABLE(v)
	if (is_named_decl(v->decl) && may_be(address, v->decl))
		return true;
	return false;
}

} // namespace heddle
