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

static void mark_memory(void)
{
	for (UWord i = 0; i < CR_CHUNKS; i++) {
		if (cr_chunks[i] == &cr_no_chunk)
			continue;
		for (UInt g = 0; g < CR_GRANULES; g++) {
			cr_label_mark(cr_chunks[i]->cell[g].label[0]);
			cr_label_mark(cr_chunks[i]->cell[g].label[1]);
		}
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
			cr_label_mark(t->branches[i].sum);
		}
	}
}
