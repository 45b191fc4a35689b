/*
 * No hang is silent: a program that comes to no scheduling point is told of while it runs, with the
 * thread and the place, and again at growing intervals. What was told is kept for the report.
 *
 * One that waits for the world (input, a connection, a child) is at a scheduling point, and is let be.
 */
#ifndef HD_LAUNCH_WATCH_H
#define HD_LAUNCH_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/pulse.h"
#include "trace/ring.h"

/* What a watcher remembers between two looks; begins as zeros. */
struct hd_watched {
	uint64_t beats;
	pid_t pid;
	double since;	 /* the moment of the last sign of life; 0: none was seen */
	double cpu;	 /* seconds of processor that the process had used then */
	double patience; /* to tell of it when so many seconds have passed */
};

/* Look at @pid, a process under the runtime, a few times a second. */
void hd_watch_look(struct hd_watched *w, const struct hd_pulse *pulse, pid_t pid);

/* A thread that looks at whoever is attached to @ring. NULL: then nobody does. */
struct hd_watcher *hd_watch_start(const struct hd_ring *ring);
void hd_watch_stop(struct hd_watcher *w);

/* What was told in this process, as sentences for a report; NULL at the end. */
#define HD_WATCH_TOLD 8
const char *const *hd_watch_told(void);
/* The same of another process: it writes the last sentence to @text, and who reads that keeps it. */
void hd_watch_tell_to(char *text, size_t len);
void hd_watch_keep(const char *text);

#endif
