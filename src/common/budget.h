/*
 * When a command has to come to its end: one deadline, one limit of memory and one interrupt for
 * everything that it does, whoever does it.
 *
 * What takes long asks hd_budget_over() now and then, stops when that is so, and leaves what it has.
 * What is done for the report goes on until hd_budget_late(), so that all ends within two seconds.
 */
#ifndef HD_COMMON_BUDGET_H
#define HD_COMMON_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

enum hd_stop { HD_STOP_NO, HD_STOP_INTERRUPTED, HD_STOP_TIME, HD_STOP_MEMORY };

/* Begin anew. From now on: @seconds (0: no limit) and @bytes of memory for this process (0: half of what is free). */
void hd_budget_set(double seconds, uint64_t bytes);

/* The time (hd_now) at which it ends; 0: there is none. */
double hd_budget_until(void);
uint64_t hd_budget_bytes(void);

/*
 * Why everything has to stop, if it has. What was once so remains so. Who asks and is told so leaves
 * something out; see hd_budget_told().
 *
 * Cost: a look at the clock; memory is looked at every twentieth of a second.
 */
enum hd_stop hd_budget_stop(void);

static inline bool hd_budget_over(void)
{
	return hd_budget_stop() != HD_STOP_NO;
}

/* It is over, and so is the time for putting together what there is. */
bool hd_budget_late(void);
/* Until when the program may be run for the report, if that is known already; else 0. */
double hd_budget_last(void);

/* Why something was left out; HD_STOP_NO: nothing was, though it may be over by now. */
enum hd_stop hd_budget_told(void);

/*
 * What only keeps a command from taking long, when it would go on with little gain: so many seconds. Tests that compare what
 * is done have more (HEDDLE_UNHURRIED): the load of the machine is not to decide.
 */
double hd_budget_share(double seconds);

/* Memory that is needed besides this process's own: @bytes of it were found to be in use. */
void hd_budget_uses(uint64_t bytes);

/* Somebody wants an end. Context: a signal handler, too. */
void hd_budget_interrupt(void);

/* The interrupt was meant for the program, which has ended by itself: go on. */
void hd_budget_obeyed(void);

/* "time", "memory", "interrupted"; NULL: it has not stopped. */
const char *hd_stop_word(enum hd_stop why);

#endif
