/*
 * Memory that goes from one thread to another through a lock: the one writes it, then a pointer
 * to it under a lock; the other reads the pointer under the lock, and from then on it is
 * its own. Locks do not order threads here, since they could be taken in another order; but
 * in another order the pointer would not have been there. The same holds for what is done
 * after a decision by a flag that others set under a lock.
 */
#ifndef CR_HANDOVER_H
#define CR_HANDOVER_H

#include "cr_label.h"
#include "cr_race.h"

/* The running thread reads the eight bytes at @a, of which @s is known. */
void cr_hand_over(Addr a, const struct cr_sharing *s);

/* The running thread reads what @s says that others wrote under a lock: perhaps a flag. */
void cr_flag_read(const struct cr_sharing *s);

/*
 * The running thread decides by @label. Flags and counts in it that others wrote under a lock
 * say that what they did before has happened.
 */
void cr_flag_seen(cr_label label);

/* The same where a loop goes on or ends by that (cr_flow_waits()). */
void cr_flag_waited(cr_label label);

/* Was what others did at @a until @epoch done when the running thread got the block around it? */
Bool cr_handed_block(Addr a, ULong epoch);

/* Is @r, by another thread at @a, before what the running thread does there now? */
Bool cr_handed_over(Addr a, const struct cr_record *r);

#endif
