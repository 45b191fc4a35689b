/*
 * How somebody outside sees that a program under the runtime goes on: a few words in memory that the
 * two share. The runtime writes them at every scheduling point; the command looks now and then.
 */
#ifndef HD_PULSE_H
#define HD_PULSE_H

#include <stdint.h>

struct hd_pulse {
	uint64_t beats;	 /* raised at scheduling points, and when a thread has made many accesses */
	uint64_t pc;	 /* the last place that the running thread was seen at; 0: none yet */
	uint32_t thread; /* the number of the one that runs; 0: the runtime is not in charge */
	uint32_t live;	 /* threads that have not ended */
	uint32_t waiting; /* for the world, or for whoever takes its events */
};

#endif
