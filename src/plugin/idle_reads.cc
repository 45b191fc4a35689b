/*
 * `sum += x` in a critical section reads what others wrote, and does the same whatever that was. A
 * read is *idle* if its value goes nowhere but, computed with, back to where it is from. What
 * a branch, a call, an address or other memory gets decides something, or may.
 */
#include "plugin.hh"

namespace heddle {

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
bool is_idle(const struct hook *h)
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

}
