/*
 * What ELF files say of themselves in memory: where they end, and where their functions are.
 *
 * Programs as they are delivered have no symbols for most of their functions; what tells
 * their limits is the table for unwinding, which is loaded with the code.
 */
#ifndef CR_ELF_H
#define CR_ELF_H

#include "cr.h"

/* The end of the file whose first page is at @base, with what starts as zeros; 0: no ELF file. */
Addr cr_elf_end(Addr base);

/* The function around @pc by the table for unwinding; False: none is known. */
Bool cr_elf_function(Addr pc, Addr *start, Addr *end);

/* Files were unmapped. */
void cr_elf_forget(void);

#endif
