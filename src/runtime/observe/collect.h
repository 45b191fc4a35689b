/*
 * A collector of our own, for programs that are started without the command line.
 */
#ifndef HD_RUNTIME_COLLECT_H
#define HD_RUNTIME_COLLECT_H

#include <stdbool.h>

/* A ring that nobody collects yet; -1: there is no memory. */
int hd_rt_make_ring(void);
/* Before the program opens anything: which standard descriptors has it? */
void hd_rt_collector_foresee(void);
/* Start `heddle collect`; the ring's descriptor, or -1 if the command is not to be found. */
int hd_rt_collector_spawn(void);
/* Wait until it has stored and told everything. */
void hd_rt_collector_wait(void);
/*
 * The status of a program that nobody started for us, and that ends by itself: where findings were
 * told it is `exitcode`, unless that is 0. Does not return then.
 */
void hd_rt_end_judged(bool flush);

#endif
