/*
 * A collector of our own, for programs that are started without the command line.
 */
#ifndef HD_RUNTIME_COLLECT_H
#define HD_RUNTIME_COLLECT_H

/* Start `heddle collect`; the ring's descriptor, or -1 if the command is not to be found. */
int hd_rt_collector_spawn(void);
/* Wait until it has stored and told everything. */
void hd_rt_collector_wait(void);

#endif
