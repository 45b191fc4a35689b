/*
 * A collector of our own, for programs that are started without the command line.
 */
#ifndef HD_RUNTIME_COLLECT_H
#define HD_RUNTIME_COLLECT_H

/* A ring that nobody collects yet; -1: there is no memory. */
int hd_rt_make_ring(void);
/* Start `heddle collect`; the ring's descriptor, or -1 if the command is not to be found. */
int hd_rt_collector_spawn(void);
/* Wait until it has stored and told everything. */
void hd_rt_collector_wait(void);

#endif
