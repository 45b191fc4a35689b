/*
 * What is printed together: values and texts that one call of printf or its like is given. The format says which arguments there
 * are, and which of them are texts.
 */
#ifndef CR_FORMAT_H
#define CR_FORMAT_H

#include "cr.h"

/* Does such a function of libc begin at @pc? The number of its argument that is the format, from 1. */
UInt cr_format_of(Addr pc);

/* It begins: @sp is the stack pointer, and @format_at that number, as the size in a cr_at(); then the values of its arguments in registers. */
VG_REGPARM(2) void cr_on_format(UWord sp, UWord format);
void cr_on_printed(UWord first, UWord second, UWord third, UWord fourth, UWord fifth, UWord sixth);

#endif
