/*
 * What an address is: of a stack, of constants, of a block of the heap; and whose code.
 */
#ifndef CR_PLACE_H
#define CR_PLACE_H

#include "cr.h"

/* Of the running thread's stack? */
Bool cr_is_stack(Addr a);
/* Static data, or memory that another thread has allocated: others can know it. */
Bool cr_is_shared(Addr a);
/* Can nobody write it? */
Bool cr_is_constant(Addr a);
/* Is what is there the thread's own doing, or constant? */
Bool cr_is_own(Addr a);

/* How accesses of code are treated. */
enum cr_code {
	CR_CODE_FULL, /* everything */
	/* Labels only: the loader, our own library, and libc but for its functions on memory. */
	CR_CODE_PLAIN,
};

enum cr_code cr_code_at(Addr pc);
Bool cr_is_libc(Addr pc);
/* Is it the program's own, or a library's that is neither libc nor ours? Quick. */
Bool cr_is_program(Addr pc);
/* Are there instructions of one line of the source at @a and @b, as far as is known? */
Bool cr_is_same_line(Addr a, Addr b);
/* Are these words of two variables that have names of their own? Parts of one that end in numbers have not. */
Bool cr_are_variables(Addr a, Addr b);
/* Is @a in the loader's memory? Its locks are none of the program's. */
Bool cr_is_loader(Addr a);

/* ---- the heap --------------------------------------------------------------------- */

#define CR_TAKERS 4u

struct cr_block {
	Addr addr;
	SizeT size;
	UInt thread; /* number */
	Addr pc;
	UInt ctx;
	struct {
		UInt thread; /* that got it from another (cr_handover.h) */
		ULong until; /* epoch up to which it knows what others did there */
	} taker[CR_TAKERS];
};

void cr_heap_init(void);
/* The block around @a, False if there is none. */
Bool cr_heap_find(Addr a, struct cr_block *out);
struct cr_block *cr_heap_block(Addr a);
/* Could there be a block at @a? */
Bool cr_heap_near(Addr a);

#define CR_OBJECT 256u /* bytes of an object that is in no block of the heap */

/* Is @a in the object at @object: in its block, or in its first bytes? */
Bool cr_in_object(Addr a, Addr object);
/* What is there, 0 if nothing can be read. */
UInt cr_value_at(Addr word);

/* Was the code written in one of the system's headers? */
Bool cr_is_header(Addr pc);

/* Are both in one block of the heap, or in one variable? */
Bool cr_is_one_object(Addr a, Addr b);

#endif
