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

/* There are millions of them. */
struct cr_record {
	UInt next;	 /* number, 0: none */
	UInt segment;
	ULong at : 48;	 /* addresses are below CR_TOP */
	ULong mask : 8;	 /* bytes of the granule */
	ULong kind : 8;	 /* enum cr_access */
	ULong epoch : 38; /* of the thread then: numbers grow over all threads; as many bits as in tags */
	ULong ctx : 26;
};

#endif
