/*
 * What translated code calls when its own quick test of an access does not suffice.
 */
#ifndef CR_ACCESS_H
#define CR_ACCESS_H

#include "cr.h"

/*
 * An access of cr_at_size(@at) bytes at @a. A read returns the label of what is there; a
 * write is given that of what will be. "Plain" ones only carry labels: code of the loader
 * and the insides of libc, whose own locks cannot be seen.
 */
VG_REGPARM(2) UWord cr_on_read(UWord a, UWord at);
VG_REGPARM(2) UWord cr_on_read_known(UWord a, UWord at); /* the stack: no new sources */
VG_REGPARM(2) UWord cr_on_read_new(UWord a, UWord at);	 /* what has no label begins a unit */
/* The upper half of @label is that of an index in the address. */
VG_REGPARM(3) void cr_on_write(UWord a, UWord at, UWord label);
/* The label of what is written, without what decided that; as far as it is known. */
extern cr_label cr_written_data;
/* @label again, if what is at @a is part of a table that nobody has written since there are several threads. */
VG_REGPARM(2) UWord cr_on_lookup(UWord a, UWord label);
VG_REGPARM(2) UWord cr_on_plain_read(UWord a, UWord at);
VG_REGPARM(3) void cr_on_plain_write(UWord a, UWord at, UWord label);
/* A locked instruction reads and writes. */
VG_REGPARM(2) UWord cr_on_atomic(UWord a, UWord at);

/* Two words are written together, through one pointer. */
VG_REGPARM(2) void cr_on_together(UWord first, UWord second);

/* The bytes of an access of @size bytes at @a that are in the granule at @g. */
UChar cr_mask_in(Addr g, Addr a, UInt size);

/* The kernel, or free(), on behalf of the running thread. */
void cr_range(Addr a, SizeT len, Bool write, Addr pc);

/* Labels have a new life: forget those of bytes. */
void cr_parts_forget(void);

#endif
