/*
 * An access, as histories and findings have it.
 */
#ifndef CR_RECORD_H
#define CR_RECORD_H

#include "cr.h"

enum cr_access {
	CR_READ = 0,
	CR_WRITE = 1,
	CR_ATOMIC = 2, /* or'ed */
	CR_WAITS = 4,  /* or'ed: a read in a loop that waits for it (cr_wait.h) */
};

struct cr_record {
	UInt next;    /* number, 0: none */
	UInt segment;
	UInt ctx;
	UChar mask;   /* bytes of the granule */
	UChar kind;   /* enum cr_access */
	ULong at;
	ULong epoch;  /* of the thread then: numbers grow over all threads */
};

#endif
