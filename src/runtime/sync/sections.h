/*
 * Critical sections that the program does not have: the runtime takes a mutex for it at one place and
 * gives it back after another. So a remedy can be tried without changing the program.
 *
 * The option `hold` lists them as "LOCK,FROM,TO,UP;..." in hexadecimal: the address of a mutex of the
 * program's (0: one that only such sections know; odd, by one more: one in memory that the program was given, where it may be
 * in this run, or not: then nothing is held), two instructions, and how many calls above FROM
 * the function is that must not be left in between. Where TO is not reached, that is the end. Both
 * are scheduling points.
 */
#ifndef HD_RUNTIME_SECTIONS_H
#define HD_RUNTIME_SECTIONS_H

#include "runtime/rt.h"

extern unsigned hd_rt_nsections;

/* False: it is no such list. */
bool hd_rt_sections_read(const char *list);
/* At a scheduling point, before others run: a section that is over ends. */
void hd_rt_section_over(struct fiber *me);
/* After they have: a section begins, or ends with what comes now. */
void hd_rt_section_at(struct fiber *me);
/* The current fiber ends, or waits with the mutex: no section goes on over that. */
void hd_rt_section_leave(struct fiber *me);

/*
 * Waits that begin again, as in a loop that tests what is waited for. The option `again` lists them as
 * "WAIT,ADDR,SIZE,VALUE;..." in hexadecimal: an instruction that waits, and a variable of 1 to 8 bytes. While that has this
 * value, there is nothing to wake up for. False: it is no such list.
 */
bool hd_rt_waits_read(const char *list);
/* The current fiber has been woken: does it wait again? */
bool hd_rt_waits_again(const struct fiber *me);

#endif
