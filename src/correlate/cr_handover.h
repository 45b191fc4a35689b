/*
 * Memory that goes from one thread to another through a lock: the one writes it, then a pointer
 * to it under a lock; the other reads the pointer under the lock, and from then on it is
 * its own. Locks do not order threads here, since they could be taken in another order; but
 * in another order the pointer would not have been there. The same holds for what is done
 * only if a flag was seen that others set under a lock.
 */
#ifndef CR_HANDOVER_H
#define CR_HANDOVER_H

#include "cr_race.h"

/* The running thread reads the eight bytes at @a, of which @s is known. */
void cr_hand_over(Addr a, const struct cr_sharing *s);

/* Is what others did at @a up to @epoch before what the running thread does there now? */
Bool cr_handed_over(Addr a, ULong epoch);

#endif
