/*
 * Claims: flags that a thread has looked at and set, or set blindly, and has not written since, such as busy = 1. What it does
 * meanwhile nobody comes between who has decided by such a flag that it is not as it was left then: that is after it was given back.
 */
#ifndef CR_CLAIM_H
#define CR_CLAIM_H

#include "cr_label.h"
#include "cr_section.h"

/* The running thread writes @word under a lock: does it claim something by that, or give it back? */
void cr_claim_write(Addr word, Bool claims);
/* It leaves a critical section: this is how it has left its flags. */
void cr_claim_leave(void);
/* Its claims of earlier critical sections. */
void cr_claims_now(struct cr_claims *out);
/* ... of what may be flags at all, and without @but. */
struct cr_claims cr_claims_among(const struct cr_claims *all, Addr but);
/* May what is there be a flag that claims something? */
Bool cr_is_flag(Addr word);

/* It has decided by @label. */
void cr_claim_decided(cr_label label);
/* Has it decided by one of the flags, which was not as the claim has left it? */
Bool cr_claim_over(const struct cr_claims *c);

#endif
