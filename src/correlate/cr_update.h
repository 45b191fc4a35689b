/*
 * Updates in two parts: one word is written in a critical section, another in the next, and no data
 * ties them. Two things say that they belong together. The writer does nothing but that: the same
 * function leaves the one section and enters the other with nothing in between, and does not come
 * back to the first word. And another thread reads both in
 * one critical section and makes one value, or one decision, of them.
 *
 * Two counts of what happened (each adds a constant to what was there) are never such an update: started and
 * finished, hits and misses may differ at any time. Adding the same data to two words is one, and so is
 * taking from one what is added to the other.
 *
 * An entry that is written where an index says, and the index that is advanced in the next section, are one
 * operation as well, whoever reads it: another thread that does the same in between uses the same entry.
 *
 * Data that is published by a flag is none: {data = 5} {ready = 1}, read by {if (ready) use(data)}.
 * A reader between the two would not look at the data.
 */
#ifndef CR_UPDATE_H
#define CR_UPDATE_H

#include "cr_label.h"
#include "cr_race.h"

/* The running thread has taken its first lock, or is about to give back its last one. */
void cr_update_enter(void);
void cr_update_leave(void);

/* It writes @word, with a lock held and a value of @label. */
void cr_update_write(Addr word, cr_label label, const struct cr_record *write);
/* It writes, with a lock held, an entry of an array; the index has @label. */
void cr_update_entry(Addr entry, cr_label index);
/* It decides by @label with a lock held. */
void cr_update_decided(cr_label label);
Bool cr_update_has_decided(Addr word);
/*
 * Has it replaced what it read as @s by another constant, in the critical section before? That may be the sign for others to go on.
 * NULL: no.
 */
const struct cr_written *cr_update_given(const struct cr_source *s);
/* It has made something of both, which it read in one critical section; @printed: or handed both to one function. */
void cr_update_joined(const struct cr_source *s, const struct cr_source *t, Bool printed);
/* Did another thread replace both in one critical section? */
Bool cr_update_is_state(Addr a, Addr b);
/* The memory has a new life. */
void cr_update_forget(Addr granule);
/* A number that changes with it. */
UInt cr_life(Addr a);

void cr_update_segments(void (*mark)(UInt segment));

#endif
