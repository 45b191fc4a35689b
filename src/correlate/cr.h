/*
 * heddle correlate, the Valgrind tool: what its parts share.
 *
 * This folder is a program of its own, statically linked with Valgrind's core and therefore
 * under the GPL (LICENSE here); nothing of it is linked into anything else of heddle. The
 * command `heddle correlate` starts it and reads the text that it leaves (cr_result.c).
 *
 * Ground rules: there is no libc, only Valgrind's VG_(...). Valgrind runs one thread of the
 * program at a time, so nothing here needs locks. Helpers are called from the middle of
 * translated code: they must not print on their own or run the collector of labels.
 */
#ifndef CR_H
#define CR_H

#include <pub_tool_basics.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_threadstate.h>

#define CR_SLOTS 1024u         /* clock slots: 10 bits of an epoch's tag */
#define CR_TOP (1ull << 37)    /* the core keeps the program below this address */

/* A set of sources (cr_label.h): 0 is the empty one, others have this bit. */
typedef UInt cr_label;
#define CR_TAG 0x80000000u

/* Where something happened: the address after the instruction, and the size of the access. */
static inline ULong cr_at(Addr next_pc, UInt size)
{
	return (ULong)next_pc << 8 | size;
}

static inline Addr cr_at_pc(ULong at)
{
	return (Addr)(at >> 8);
}

/* Or'ed to the size. */
#define CR_AT_CONSTANT 0x80u /* what is written is the same whatever was read before */
#define CR_AT_DECIDED  0x40u /* under a decision: cr_control belongs to its label */

static inline UInt cr_at_size(ULong at)
{
	return (UInt)(at & 0x3f);
}

struct cr_options {
	Bool address_deps; /* the address of an access is a dependence as well */
	Bool flag_loops;   /* loops that only wait order threads */
	Bool from_start;   /* look at accesses before there is a second thread, too */
	Bool dump_labels;  /* client requests may ask for labels: for tests */
	Bool paper;        /* units, sets and detection as in the paper (cr_region.h), not ours */
	Bool all_sets;     /* the result has correlated sets that no finding is in, too */
	const HChar *result;
};

extern struct cr_options cr_options;

/*
 * Is there more than one thread, or was there? Before, nothing can be torn and nothing races: code
 * is translated without labels and looks at no accesses; it is translated anew when a second
 * thread comes. What happened before is before all that every thread does.
 */
extern Bool cr_watching;

/* A hash of two words, for the many small tables. */
static inline UInt cr_hash(ULong a, ULong b)
{
	ULong h = (a + 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;

	h ^= b * 0xc4ceb9fe1a85ec53ull + (h >> 29);
	h *= 0xff51afd7ed558ccdull;
	return (UInt)(h >> 32);
}

#endif
