/*
 * Ctrl-C and its relatives: what runs comes to its end, and there is a report of what it has.
 */
#ifndef HD_COMMON_INTERRUPTS_H
#define HD_COMMON_INTERRUPTS_H

#include <signal.h>
#include <stdbool.h>

/*
 * From now on SIGINT, SIGTERM and SIGHUP only make hd_interrupted() true and the budget over; a
 * second one ends the process. hd_interrupts_give_back() undoes it.
 */
void hd_interrupts_take(void);
/* As if such a signal had come. Context: a signal handler, too. */
void hd_interrupts_raise(void);
void hd_interrupts_give_back(void);
bool hd_interrupted(void);
/* Hold them back while something is written that must not be left half done. */
void hd_interrupts_hold(sigset_t *before);
/* Whoever was interrupted has stopped, and what is done now is done to its end. */
void hd_interrupts_forget(void);

#endif
