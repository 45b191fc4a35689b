/*
 * Wrong uses of the heap, told with where the block came from and where it was freed.
 */
#include "arena.h"
#include "heap_check.h"
#include "runtime/observe/findings.h"

/* What is done to the memory, as a verb. */
static const char *verb_of(enum hd_op op)
{
	switch (op) {
	case HD_OP_READ:
	case HD_OP_READ_RANGE:
	case HD_OP_ATOMIC_LOAD:
		return "reads";
	case HD_OP_WRITE:
	case HD_OP_WRITE_RANGE:
	case HD_OP_ATOMIC_STORE:
		return "writes";
	case HD_OP_ATOMIC_RMW:
	case HD_OP_ATOMIC_CAS_FAIL:
		return "changes";
	default:
		return "uses a synchronisation object";
	}
}

static void print_deed(char *out, size_t room, enum hd_op op, size_t len)
{
	if (len)
		hd_rt_print(out, room, "%s %zu byte%s", verb_of(op), len, len == 1 ? "" : "s");
	else
		hd_rt_print(out, room, "%s", verb_of(op));
}

static struct hd_heap_access by_me(enum hd_op op, uintptr_t a, size_t len)
{
	const struct fiber *me = hd_rt.cur;

	return (struct hd_heap_access){ .op = op,
					.addr = a,
					.thread = me->id,
					.pc = me->pc,
					.ctx = hd_rt_context(),
					.size = len < UINT32_MAX ? (uint32_t)len : UINT32_MAX };
}

/* The past of a block, after the access in @list; how many there are. */
static unsigned add_past(struct hd_heap_access *list, const struct hd_block *b)
{
	const struct hd_block_end *end = hd_rt_block_end(b);
	uint32_t size = b->size < UINT32_MAX ? (uint32_t)b->size : UINT32_MAX;
	unsigned n = 1;

	if (end)
		list[n++] = (struct hd_heap_access){ .op = HD_OP_FREE,
						     .addr = b->addr,
						     .size = size,
						     .thread = end->thread,
						     .pc = end->pc,
						     .ctx = end->ctx };
	list[n++] = (struct hd_heap_access){ .op = HD_OP_ALLOC,
					     .addr = b->addr,
					     .size = size,
					     .thread = b->thread,
					     .pc = b->pc,
					     .ctx = b->ctx };
	return n;
}

static const char *bytes(size_t n)
{
	return n == 1 ? "byte" : "bytes";
}

void hd_rt_heap_tell_access(uintptr_t a, size_t len, enum hd_op op)
{
	uintptr_t bad = hd_rt_heap_bad_in(a, len ? len : 1);
	const struct hd_block *b = bad ? hd_rt_block_near(bad) : NULL;
	bool reads = op == HD_OP_READ_RANGE, writes = op == HD_OP_WRITE_RANGE;
	struct hd_heap_access list[3] = { by_me(reads	 ? HD_OP_READ
						: writes ? HD_OP_WRITE
							 : op,
						a, len) };
	char text[256], deed[64];
	const char *what;

	if (!b)
		return;
	print_deed(deed, sizeof(deed), op, len);
	if (b->kept && bad - b->addr < b->size) {
		what = "use after free";
		hd_rt_print(text, sizeof(text),
			    "%s: T%u %s at offset %zu of a block of %zu %s that was freed", what,
			    hd_rt.cur->id, deed, bad - b->addr, b->size, bytes(b->size));
	} else if (bad < b->addr) {
		what = "access before a block";
		hd_rt_print(text, sizeof(text),
			    "%s: T%u %s %zu %s before the start of a block of %zu %s%s", what,
			    hd_rt.cur->id, deed, b->addr - bad, bytes(b->addr - bad), b->size,
			    bytes(b->size), b->kept ? " that was freed" : "");
	} else {
		what = "access past the end of a block";
		hd_rt_print(text, sizeof(text),
			    "%s: T%u %s at offset %zu, and the block has %zu %s%s", what,
			    hd_rt.cur->id, deed, a - b->addr, b->size, bytes(b->size),
			    b->kept ? " and was freed" : "");
	}
	hd_rt_memory_error(what, text, list, add_past(list, b));
}

void hd_rt_heap_tell_free(uintptr_t a, bool resize)
{
	const char *deed = resize ? "reallocates" : "frees";
	const struct hd_block *b = hd_rt_block_around(a);
	struct hd_heap_access list[3] = { by_me(HD_OP_FREE, a, 0) };
	char text[256];
	const char *what;
	unsigned n = 1;

	if (b && b->addr == a) {
		what = resize ? "realloc of a freed block" : "double free";
		hd_rt_print(text, sizeof(text),
			    "%s: T%u %s a block of %zu %s that was freed already", what,
			    hd_rt.cur->id, deed, b->size, bytes(b->size));
	} else if (b) {
		what = resize ? "realloc of an address that is not a block"
			      : "free of an address that is not a block";
		hd_rt_print(text, sizeof(text), "%s: T%u %s an address %s a block of %zu %s%s",
			    what, hd_rt.cur->id, deed, a - b->addr < b->size ? "inside" : "beside",
			    b->size, bytes(b->size), b->kept ? " that was freed" : "");
	} else {
		what = resize ? "realloc of an address that is not a block"
			      : "free of an address that is not a block";
		hd_rt_print(text, sizeof(text), "%s: T%u %s an address that no allocation returned",
			    what, hd_rt.cur->id, deed);
	}
	if (b)
		n = add_past(list, b);
	hd_rt_memory_error(what, text, list, n);
}
