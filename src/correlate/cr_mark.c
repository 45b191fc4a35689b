#include "cr_mark.h"

#include <pub_tool_machine.h>
#include <libvex_guest_amd64.h>

#include "cr_label.h"
#include "cr_shadow.h"

#define STATE sizeof(VexGuestAMD64State)

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
	}
}
