/*
 * The test in the place of gcc's call before an access.
 */
#include "plugin.hh"

namespace heddle {

/* More are left to a call. */
#define LONGEST_BLOCK 64

/*
 * A structure that is read or written as a whole: of whole words, and not too many; or something that
 * may be at an odd address.
 */
static bool is_block(gimple *s, struct hook *h, bool write)
{
	tree size = gimple_call_arg(s, 1);

	if (!tree_fits_uhwi_p(size) || tree_to_uhwi(size) == 0 || tree_to_uhwi(size) > LONGEST_BLOCK ||
	    (tree_to_uhwi(size) % 4 && tree_to_uhwi(size) != 2))
		return false;
	h->write = write;
	h->block = tree_to_uhwi(size);
	return true;
}

/* gcc tells of such sizes as a range only if they may be at an odd address. */
static bool may_be_odd(const struct hook *h)
{
	return h->block == 2 || h->block == 4 || h->block == 8 || h->block == 16;
}

/* Is @s a call of gcc's that becomes a test? */
bool is_hook(gimple *s, struct hook *h)
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

/* Of the bits of two words, the first and the last of what is at @address: those that matter. */
static tree care_at(gimple_seq *seq, const struct hook *h, tree address)
{
	tree ul = long_unsigned_type_node, row, care = make_ssa_name(ul);

	row = gimple_build(seq, BIT_AND_EXPR, ul, address, number(ul, 3));
	row = gimple_build(seq, BIT_IOR_EXPR, ul, row,
			   number(ul, HD_INLINE_CARE_ROW(h->block == 2, h->write)));
	gimple_seq_add_stmt(seq, gimple_build_assign(care, build4(ARRAY_REF, ul, where_care, row,
								  NULL_TREE, NULL_TREE)));
	return care;
}

/* The test of what may be at an odd address: of some bytes of the first and the last word, and all between. */
static tree test_of_odd(gimple_seq *seq, const struct hook *h, tree address)
{
	tree ul = long_unsigned_type_node, at = shadow_of(seq, address, true), ends, all;
	unsigned last = h->block < 4 ? 4 : h->block;

	if (last == 4) {
		ends = load_word(seq, at, 0, ul);
	} else {
		ends = gimple_convert(seq, ul, load_word(seq, at, last, unsigned_type_node));
		ends = gimple_build(seq, LSHIFT_EXPR, ul, ends, number(unsigned_type_node, 32));
		ends = gimple_build(seq, BIT_IOR_EXPR, ul, ends,
				    gimple_convert(seq, ul,
						   load_word(seq, at, 0, unsigned_type_node)));
	}
	all = gimple_build(seq, BIT_XOR_EXPR, ul, ends, load_variable(seq, now_tags));
	all = gimple_build(seq, BIT_AND_EXPR, ul, all, care_at(seq, h, address));
	for (unsigned done = 4; done < last;) {
		bool two = last - done >= 8;
		tree part = load_word(seq, at, done, two ? ul : unsigned_type_node);

		part = gimple_convert(seq, ul, differs(seq, part, h->write));
		all = gimple_build(seq, BIT_IOR_EXPR, ul, all, part);
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
		return may_be_odd(h) ? test_of_odd(seq, h, address) : test_of_block(seq, h, address);
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

void replace_hook(const struct hook *h, bool leaf)
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

void collect_hooks(basic_block bb, vec<hook> *hooks)
{
	struct hook h;

	for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
		if (is_hook(gsi_stmt(i), &h))
			hooks->safe_push(h);
	}
}

}
