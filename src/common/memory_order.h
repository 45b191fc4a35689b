/*
 * Memory orders by what they consist of, so that "stronger" and "weaker" are sets that contain each other.
 */
#ifndef HD_COMMON_MEMORY_ORDER_H
#define HD_COMMON_MEMORY_ORDER_H

enum hd_order_part {
	HD_PART_ACQUIRES = 1,
	HD_PART_RELEASES = 2,
	HD_PART_ALL = 4, /* one order of all that have it */
	HD_PARTS_SEQ_CST = 7,
};

/* @order: __ATOMIC_* */
static inline unsigned hd_order_parts(int order)
{
	switch (order) {
	case __ATOMIC_RELAXED:
		return 0;
	case __ATOMIC_CONSUME:
	case __ATOMIC_ACQUIRE:
		return HD_PART_ACQUIRES;
	case __ATOMIC_RELEASE:
		return HD_PART_RELEASES;
	case __ATOMIC_ACQ_REL:
		return HD_PART_ACQUIRES | HD_PART_RELEASES;
	default:
		return HD_PARTS_SEQ_CST;
	}
}

static inline int hd_order_of_parts(unsigned parts)
{
	static const int orders[] = { __ATOMIC_RELAXED, __ATOMIC_ACQUIRE, __ATOMIC_RELEASE,
				      __ATOMIC_ACQ_REL };

	return parts & HD_PART_ALL ? __ATOMIC_SEQ_CST : orders[parts & 3];
}

/* "relaxed", as after memory_order_. */
static inline const char *hd_order_word(unsigned parts)
{
	static const char *const words[] = { "relaxed", "acquire", "release", "acq_rel" };

	return parts & HD_PART_ALL ? "seq_cst" : words[parts & 3];
}

#endif
