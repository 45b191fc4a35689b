/*
 * --algorithm paper, the detection half: computational units with the locks that they hold throughout, and
 * correlated sets with candidate locks and the state machine of the paper's Fig. 11.
 *
 * Units and sets are merged as in a union-find; everybody who has the number of one has to ask for what it is
 * now. It is there to be compared with: nothing is forgotten, so it is for short runs.
 */
#ifndef CR_MACHINE_H
#define CR_MACHINE_H

#include "cr_record.h"

/* An access, and the word that it was to. */
struct cr_touched {
	Addr word;
	struct cr_record record; /* segment 0: none */
};

/* ---- lock vectors --------------------------------------------------------------------- */

/*
 * The running thread's lock vector as of now, a number that grows with time. The paper counts how often each
 * lock was taken and given back; that a lock is held at two times and was not given back in between is to say that it is held at
 * both by the same acquisition. So a vector keeps the locks that are held, each with its acquisition.
 */
UInt cr_vector_now(void);

/* ---- units ---------------------------------------------------------------------------- */

/* A new one, without a shared part; 0: there are too many. */
UInt cr_cu_begin(void);
/* What @unit has become part of. */
UInt cr_cu_now(UInt unit);
Bool cr_cu_closed(UInt unit);
void cr_cu_close(UInt unit);
/* Both are one from now on. Neither is closed. */
UInt cr_cu_merge(UInt a, UInt b);
/* The shared part of @unit reaches from vector @first to @last at least. */
void cr_cu_extend(UInt unit, UInt first, UInt last, const struct cr_touched *begin, Bool write);

/* ---- sets ----------------------------------------------------------------------------- */

UInt cr_cset_begin(void);
UInt cr_cset_now(UInt set);
UInt cr_cset_merge(UInt a, UInt b);
UInt cr_cset_most(void); /* numbers are below this */

/* Unit @unit accesses a shared word of @set, which it has written if @wrote. */
void cr_cset_access(UInt set, UInt unit, const struct cr_touched *now, Bool wrote);
/* Two units were merged, which changes the locks of the whole. */
void cr_cset_refine(UInt set, UInt unit);

/* ---- what was found ---------------------------------------------------------------------- */

struct cr_unprotected {
	struct cr_unprotected *next;
	UInt set;
	struct cr_touched first, second; /* of two threads */
	struct cr_touched begin, end;	 /* of a unit that holds no lock throughout, though it has some; or none */
};

extern struct cr_unprotected *cr_unprotected;

/* Segments that are of use. */
void cr_machine_segments(void (*mark)(UInt segment));

#endif
