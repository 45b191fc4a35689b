/*
 * What the tool leaves for the command: a text file, see cr_result.c for its form.
 */
#ifndef CR_RESULT_H
#define CR_RESULT_H

#include "cr_place.h"

/* Something was found at @a: remember now which block of the heap it is in. */
void cr_result_place(Addr a);
/* @b is given back. */
void cr_result_freed(const struct cr_block *b);
void cr_result_write(Int exit_code);

#endif
