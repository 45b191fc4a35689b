/*
 * What happens in loops that only wait (cr_spin.h), with --flag-loops: their reads do not race, and
 * where the loop is left the writes of others to what its last round has read are before.
 */
#ifndef CR_WAIT_H
#define CR_WAIT_H

#include "cr.h"

/* A read in such a loop; returns the label of what is there. */
VG_REGPARM(2) UWord cr_on_wait_read(UWord a, UWord at);
/* A round begins, and the loop is left. */
VG_REGPARM(1) void cr_on_wait_round(UWord pc);
VG_REGPARM(1) void cr_on_wait_end(UWord pc);

#endif
