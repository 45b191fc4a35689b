#include "cr_mark.h"

#include <stddef.h>

#include <pub_tool_machine.h>
#include <libvex_guest_amd64.h>

#include "cr_label.h"
#include "cr_shadow.h"

#define STATE	 sizeof(VexGuestAMD64State)
#define RETURNED ((Int)offsetof(VexGuestAMD64State, guest_RAX))

static void mark_registers(const struct cr_thread *t)
{
	static ULong shadow[STATE / 8];

	VG_(get_shadow_regs_area)(t->tid, (UChar *)shadow, 1, 0, STATE);
	for (UInt i = 0; i < STATE / 8; i++) {
		if (shadow[i] & CR_TAG)
			cr_label_mark((cr_label)shadow[i]);
	}
}

void cr_registers_unlabel(ThreadId tid)
{
	static UChar zeros[STATE];

	VG_(set_shadow_regs_area)(tid, 1, 0, STATE, zeros);
}

cr_label cr_returned(void)
{
	ULong shadow;

	VG_(get_shadow_regs_area)(cr_me->tid, (UChar *)&shadow, 1, RETURNED, sizeof(shadow));
	return shadow & CR_TAG ? (cr_label)shadow : 0;
}

void cr_return(cr_label label)
{
	ULong shadow = label;

	VG_(set_shadow_regs_area)(cr_me->tid, 1, RETURNED, sizeof(shadow), (const UChar *)&shadow);
}

/* They are still there, or were pushed on the stack. */
void cr_registers_kept(ThreadId tid, Addr sp, void (*take)(cr_label label))
{
	static const Int offset[] = {
		offsetof(VexGuestAMD64State, guest_RBX), offsetof(VexGuestAMD64State, guest_RBP),
		offsetof(VexGuestAMD64State, guest_R12), offsetof(VexGuestAMD64State, guest_R13),
		offsetof(VexGuestAMD64State, guest_R14), offsetof(VexGuestAMD64State, guest_R15),
	};
	const UInt n = sizeof(offset) / sizeof(*offset);

	for (UInt i = 0; i < n; i++) {
		const struct cr_chunk *c = cr_chunk_find(sp - 8 * (i + 1));
		ULong shadow;

		VG_(get_shadow_regs_area)(tid, (UChar *)&shadow, 1, offset[i], sizeof(shadow));
		if (shadow & CR_TAG)
			take((cr_label)shadow);
		if (c)
			take(c->cell[cr_granule(sp - 8 * (i + 1))].label[0]);
	}
}

static void mark_chunk(const struct cr_chunk *c)
{
	cr_label before = 0;

	for (UInt g = 0; g < CR_GRANULES; g++) {
		for (UInt i = 0; i < 2; i++) {
			cr_label l = c->cell[g].label[i];

			if (l && l != before)
				cr_label_mark(l);
			before = l;
		}
	}
}

static void mark_memory(void)
{
	for (UWord i = 0; i < CR_CHUNKS; i++) {
		if (cr_chunks[i] != &cr_no_chunk)
			mark_chunk(cr_chunks[i]);
	}
}

void cr_mark_labels(void)
{
	UInt cursor = 0;
	struct cr_thread *t;

	mark_memory();
	while ((t = cr_thread_next(&cursor))) {
		mark_registers(t);
		for (UInt i = 0; i < t->nbranches; i++) {
			cr_label_mark(t->branches[i].label);
			cr_label_mark(t->branches[i].closing);
			cr_label_mark(t->branches[i].sum);
		}
		for (UInt i = 0; i < t->nframes; i++)
			cr_label_mark(t->frames[i].looked);
	}
}
