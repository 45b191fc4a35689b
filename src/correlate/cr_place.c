#include "cr_place.h"

#include <pub_tool_aspacemgr.h>
#include <pub_tool_debuginfo.h>
#include <pub_tool_machine.h>
#include <pub_tool_oset.h>
#include <pub_tool_replacemalloc.h>
#include <pub_tool_tooliface.h>
#include <pub_tool_vki.h>

#include "cr_access.h"
#include "cr_call.h"
#include "cr_race.h"
#include "cr_result.h"
#include "cr_shadow.h"
#include "cr_unit.h"

Bool cr_is_stack(Addr a)
{
	Addr top = VG_(thread_get_stack_max)(cr_me->tid);
	Addr sp = VG_(get_SP)(cr_me->tid);

	/* The stack pointer may be a little old, and what is below it a red zone. */
	return a <= top && a + (1 << 16) >= sp && sp <= top;
}

/* Of the first thread's stack: what is there now was there before all others. */
static Bool is_first_stack(Addr a)
{
	Addr top = VG_(thread_get_stack_max)(1);

	return a <= top && top - a < (8u << 20);
}

Bool cr_is_shared(Addr a)
{
	const struct cr_block *b;

	if (cr_is_stack(a))
		return False;
	if (cr_me->number != 1 && is_first_stack(a))
		return True;
	b = cr_heap_near(a) ? cr_heap_block(a) : NULL;
	if (b)
		return b->thread != cr_me->number;
	return VG_(DebugInfo_sect_kind)(NULL, a) != Vg_SectUnknown;
}

UInt cr_value_at(Addr word)
{
	return VG_(am_is_valid_for_client)(word, 4, VKI_PROT_READ) ? *(const UInt *)word : 0;
}

Bool cr_is_constant(Addr a)
{
	const NSegment *seg = VG_(am_find_nsegment)(a);

	return seg && !seg->hasW;
}

Bool cr_is_own(Addr a)
{
	struct cr_chunk *chunk = cr_chunk_find(a);
	struct cr_sharing s;

	if (cr_is_stack(a))
		return True;
	if (chunk && chunk->history[cr_granule(a)]) {
		cr_history_sharing(chunk->history[cr_granule(a)], 0xff, &s);
		if (s.written_by_me && !s.written_by_others)
			return True;
	} else if (cr_me->number == 1 && !cr_options.from_start) {
		return True; /* made before there were others */
	}
	return cr_is_constant(a);
}

/* ---- code -------------------------------------------------------------------------- */

static const HChar *base_name(const HChar *path)
{
	const HChar *slash = VG_(strrchr)(path, '/');

	return slash ? slash + 1 : path;
}

static Bool begins(const HChar *s, const HChar *with)
{
	return !VG_(strncmp)(s, with, VG_(strlen)(with));
}

/* Functions of libc that work on memory of the program alone. */
static Bool is_memory_function(Addr pc)
{
	static const HChar *const words[] = { "mem",	"str",	 "stp",	  "wmem",   "wcs",
					      "bcopy",	"bcmp",	 "bzero", "rawmem", "index",
					      "rindex", "qsort", "msort", "bsearch" };
	const HChar *name;

	if (!VG_(get_fnname)(VG_(current_DiEpoch)(), pc, &name))
		return False;
	while (*name == '_')
		name++;
	if (begins(name, "memalign"))
		return False;
	for (UInt i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (begins(name, words[i]))
			return True;
	}
	return False;
}

enum cr_code cr_code_at(Addr pc)
{
	const HChar *path;

	if (!VG_(get_objname)(VG_(current_DiEpoch)(), pc, &path))
		return CR_CODE_FULL;
	path = base_name(path);
	if (begins(path, "vgpreload_heddle") && is_memory_function(pc)) /* cr_strings.c */
		return CR_CODE_FULL;
	if (begins(path, "vgpreload_") || begins(path, "ld-linux") || begins(path, "ld-2") ||
	    begins(path, "libpthread"))
		return CR_CODE_PLAIN;
	return cr_is_libc(pc) && !is_memory_function(pc) ? CR_CODE_PLAIN : CR_CODE_FULL;
}

Bool cr_is_libc(Addr pc)
{
	const HChar *path;

	if (!VG_(get_objname)(VG_(current_DiEpoch)(), pc, &path))
		return False;
	path = base_name(path);
	return begins(path, "libc.so") || begins(path, "libc-2") ||
	       (begins(path, "vgpreload_heddle") && is_memory_function(pc));
}

Bool cr_is_program(Addr pc)
{
	static struct {
		Addr pc;
		Bool is;
	} known[1024]; /* libc and the loader stay where they are */
	UInt at = cr_hash(pc, 4) % 1024;

	if (known[at].pc != pc) {
		known[at].pc = pc;
		known[at].is = !cr_is_libc(pc) && cr_code_at(pc) == CR_CODE_FULL;
	}
	return known[at].is;
}

/* A compiler may make several of an array: "price.0", "price.1". */
static void cut_number(HChar *name)
{
	HChar *dot = VG_(strrchr)(name, '.');

	if (dot && VG_(isdigit)(dot[1]))
		*dot = 0;
}

Bool cr_are_variables(Addr a, Addr b)
{
	DiEpoch ep = VG_(current_DiEpoch)();
	const HChar *name;
	HChar *first, *second;
	PtrdiffT at;
	Bool differ;

	if (!VG_(get_datasym_and_offset)(ep, a, &name, &at))
		return False;
	first = VG_(strdup)("cr.name", name);
	cut_number(first);
	second = VG_(strdup)("cr.name",
			     VG_(get_datasym_and_offset)(ep, b, &name, &at) ? name : first);
	cut_number(second);
	differ = VG_(strcmp)(first, second) != 0;
	VG_(free)(first);
	VG_(free)(second);
	return differ;
}

static Bool find_same_line(DiEpoch ep, Addr a, Addr b)
{
	const HChar *file, *other, *dir;
	UInt x, y;

	return VG_(get_filename_linenum)(ep, a, &file, &dir, &x) &&
	       VG_(get_filename_linenum)(ep, b, &other, &dir, &y) && x == y &&
	       !VG_(strcmp)(file, other);
}

Bool cr_is_same_line(Addr a, Addr b)
{
	static struct {
		Addr a, b;
		UInt epoch; /* of what is loaded */
		Bool is;
	} known[1024];
	DiEpoch ep = VG_(current_DiEpoch)();
	UInt at = cr_hash(a, b) % 1024;

	if (a == b)
		return True;
	if (known[at].a != a || known[at].b != b || known[at].epoch != ep.n) {
		known[at].a = a;
		known[at].b = b;
		known[at].epoch = ep.n;
		known[at].is = find_same_line(ep, a, b);
	}
	return known[at].is;
}

Bool cr_in_object(Addr a, Addr object)
{
	struct cr_block b;
	Addr end = cr_heap_find(object, &b) ? b.addr + b.size : object + CR_OBJECT;

	return object && a >= object && a < end;
}

Bool cr_is_one_object(Addr a, Addr b)
{
	DiEpoch ep = VG_(current_DiEpoch)();
	struct cr_block x, y;
	const HChar *name;
	PtrdiffT first, second;

	if (cr_heap_find(a, &x))
		return cr_heap_find(b, &y) && x.addr == y.addr;
	return VG_(get_datasym_and_offset)(ep, a, &name, &first) &&
	       VG_(get_datasym_and_offset)(ep, b, &name, &second) && a - first == b - second;
}

Bool cr_is_header(Addr pc)
{
	const HChar *file, *dir;
	UInt line;

	return VG_(get_filename_linenum)(VG_(current_DiEpoch)(), pc, &file, &dir, &line) &&
	       begins(dir, "/usr/include/");
}

Bool cr_is_loader(Addr a)
{
	const HChar *name;

	return VG_(DebugInfo_sect_kind)(&name, a) != Vg_SectUnknown && name &&
	       begins(base_name(name), "ld-linux");
}

/* ---- the heap ----------------------------------------------------------------------- */

static OSet *blocks; /* struct cr_block by address */

static Word compare(const void *key, const void *elem)
{
	Addr a = *(const Addr *)key;
	const struct cr_block *b = elem;

	if (a < b->addr)
		return -1;
	return a < b->addr + (b->size ? b->size : 1) ? 0 : 1;
}

static Addr heap_low = ~(Addr)0, heap_high;

Bool cr_heap_near(Addr a)
{
	return a >= heap_low && a < heap_high;
}

/* Blocks that were asked for not long ago, by page. */
#define RECENT 64u
static struct cr_block *recent[RECENT];

struct cr_block *cr_heap_block(Addr a)
{
	struct cr_block **at = &recent[a >> 12 & (RECENT - 1)];

	if (!*at || a - (*at)->addr >= (*at)->size) {
		struct cr_block *b = VG_(OSetGen_Lookup)(blocks, &a);

		if (!b)
			return NULL;
		*at = b;
	}
	return *at;
}

static void forget_recent(const struct cr_block *b)
{
	for (UInt i = 0; i < RECENT; i++) {
		if (recent[i] == b)
			recent[i] = NULL;
	}
}

Bool cr_heap_find(Addr a, struct cr_block *out)
{
	const struct cr_block *b = cr_heap_near(a) ? cr_heap_block(a) : NULL;

	if (b)
		*out = *b;
	return b != NULL;
}

static void *take(SizeT align, SizeT size, Bool zero)
{
	void *p;
	struct cr_block *b;

	if ((SSizeT)size < 0)
		return NULL;
	p = VG_(cli_malloc)(align, size);
	if (!p)
		return NULL;
	if (zero)
		VG_(memset)(p, 0, size);
	cr_shadow_forget((Addr)p, VG_(cli_malloc_usable_size)(p));
	b = VG_(OSetGen_AllocNode)(blocks, sizeof(*b));
	*b = (struct cr_block){ .addr = (Addr)p,
				.size = size,
				.thread = cr_me->number,
				.pc = cr_call_pc(),
				.ctx = cr_call_above() };
	VG_(OSetGen_Insert)(blocks, b);
	if (b->addr < heap_low)
		heap_low = b->addr;
	if (b->addr + size + 1 > heap_high)
		heap_high = b->addr + size + 1;
	return p;
}

/* To give memory back is to write all of it; large blocks count by their beginning. */
static void give(ThreadId tid, void *p)
{
	Addr a = (Addr)p;
	struct cr_block *b = p ? VG_(OSetGen_Lookup)(blocks, &a) : NULL;
	SizeT size;

	if (!b || b->addr != a)
		return;
	size = b->size;
	cr_range(a, size < 4096 ? size : 4096, True, cr_call_pc());
	cr_result_freed(b);
	cr_unit_freed(a, size);
	forget_recent(b);
	b = VG_(OSetGen_Remove)(blocks, &a);
	VG_(OSetGen_FreeNode)(blocks, b);
	/* Its history stays until the memory is given out again: others may still use it. */
	VG_(cli_free)(p);
}

static void *on_malloc(ThreadId tid, SizeT n)
{
	return take(VG_(clo_alignment), n, False);
}

static void *on_new_aligned(ThreadId tid, SizeT n, SizeT align)
{
	return take(align, n, False);
}

static void *on_memalign(ThreadId tid, SizeT align, SizeT n)
{
	return take(align, n, False);
}

static void *on_calloc(ThreadId tid, SizeT n, SizeT each)
{
	if (each && n > (SizeT)-1 / each)
		return NULL;
	return take(VG_(clo_alignment), n * each, True);
}

static void on_delete_aligned(ThreadId tid, void *p, SizeT align)
{
	give(tid, p);
}

static void *on_realloc(ThreadId tid, void *p, SizeT n)
{
	Addr a = (Addr)p;
	struct cr_block *b = p ? VG_(OSetGen_Lookup)(blocks, &a) : NULL;
	void *new;

	if (!p)
		return take(VG_(clo_alignment), n, False);
	if (!n) {
		give(tid, p);
		return NULL;
	}
	if (!b || b->addr != a)
		return NULL;
	new = take(VG_(clo_alignment), n, False);
	if (new) {
		b = VG_(OSetGen_Lookup)(blocks, &a);
		VG_(memcpy)(new, p, b->size < n ? b->size : n);
		give(tid, p);
	}
	return new;
}

static SizeT on_usable_size(ThreadId tid, void *p)
{
	Addr a = (Addr)p;
	const struct cr_block *b = p ? VG_(OSetGen_Lookup)(blocks, &a) : NULL;

	return b && b->addr == a ? b->size : 0;
}

void cr_heap_init(void)
{
	blocks = VG_(OSetGen_Create)(0, compare, VG_(malloc), "cr.blocks", VG_(free));
	VG_(needs_malloc_replacement)
	(on_malloc, on_malloc, on_new_aligned, on_malloc, on_new_aligned, on_memalign, on_calloc,
	 give, give, on_delete_aligned, give, on_delete_aligned, on_realloc, on_usable_size, 0);
}
