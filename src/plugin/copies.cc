/*
 * Copies of structures are one statement, and gcc tells of its write before its read. A trace has the value of a write
 * that is there when the next thing happens: so the write is told of last, and a copy of a word is made in two
 * steps, each right behind the call that tells of it.
 */
#include "plugin.hh"

#include "builtins.h"
#include "tree-eh.h"

namespace heddle {

/* What gcc tells of a copy. */
struct told {
	gimple *read, *write; /* NULL: nothing */
	unsigned reads;
	bool write_last;
};

static struct told told_of(gimple_stmt_iterator i)
{
	struct told t = {};
	bool write;

	for (gsi_prev(&i); !gsi_end_p(i) && !t.write; gsi_prev(&i)) {
		gimple *s = gsi_stmt(i);

		if (is_access(s, &write)) {
			(write ? t.write : t.read) = s;
			t.write_last = write && !t.reads;
			t.reads += !write;
		} else if (!is_gimple_debug(s) && (!is_gimple_assign(s) || gimple_vuse(s))) {
			break;
		}
	}
	return t;
}

/* A word that stands for the structure @ref, whose address is what @call tells of; NULL_TREE: that is not so simple. */
static tree word_at(tree word, tree ref, gimple *call)
{
	tree type = build_aligned_type(word, MIN(get_object_alignment(ref), TYPE_ALIGN(word)));
	tree address = unshare_expr(gimple_call_arg(call, 0)), at;

	at = fold_build2(MEM_REF, type, address, build_int_cst(ptr_type_node, 0));
	return TREE_CODE(at) == MEM_REF && is_gimple_mem_ref_addr(TREE_OPERAND(at, 0)) ? at : NULL_TREE;
}

/* Is @copy one of a word, and nothing special? Its type. */
static tree word_of(function *fun, gimple *copy)
{
	tree type = TREE_TYPE(gimple_assign_lhs(copy)), size = TYPE_SIZE(type);
	unsigned HOST_WIDE_INT bits = size && tree_fits_uhwi_p(size) ? tree_to_uhwi(size) : 0;

	if (!AGGREGATE_TYPE_P(type) || gimple_has_volatile_ops(copy) ||
	    stmt_could_throw_p(fun, copy) || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
		return NULL_TREE;
	return build_nonstandard_integer_type(bits, 1);
}

static void move_before(gimple *call, gimple_stmt_iterator *to)
{
	gimple_stmt_iterator from = gsi_for_stmt(call);

	gsi_move_before(&from, to);
}

/* Load it behind the one call, store it behind the other. */
static bool copy_by_word(gimple_stmt_iterator *copy, const struct told *t, tree word)
{
	gimple *s = gsi_stmt(*copy), *load;
	tree from = word_at(word, gimple_assign_rhs1(s), t->read), value = make_ssa_name(word);
	tree to = word_at(word, gimple_assign_lhs(s), t->write);

	if (!from || !to)
		return false;
	load = gimple_build_assign(value, from);
	gimple_set_location(load, gimple_location(s));
	gsi_insert_before(copy, load, GSI_SAME_STMT);
	move_before(t->write, copy);
	gimple_assign_set_lhs(s, to);
	gimple_assign_set_rhs1(s, value);
	update_stmt(s);
	return true;
}

static void mend_copy(function *fun, gimple_stmt_iterator *copy)
{
	struct told t = told_of(*copy);
	tree word = word_of(fun, gsi_stmt(*copy));

	if (!t.read || !t.write)
		return;
	if (!(word && t.reads == 1 && copy_by_word(copy, &t, word)) && !t.write_last)
		move_before(t.write, copy);
}

void mend_copies(function *fun)
{
	basic_block bb;

	FOR_EACH_BB_FN (bb, fun)
		for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i))
			if (gimple_assign_load_p(gsi_stmt(i)) && gimple_store_p(gsi_stmt(i)))
				mend_copy(fun, &i);
}

}
