/*
 * Translation: the program's code, with what carries labels and looks at accesses.
 */
#ifndef CR_INSTR_H
#define CR_INSTR_H

#include <pub_tool_tooliface.h>

#include "cr.h"

IRSB *cr_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
		    const VexGuestExtents *extents, const VexArchInfo *arch, IRType guest_word,
		    IRType host_word);

#endif
