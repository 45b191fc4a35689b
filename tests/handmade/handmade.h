/*
 * What people make by hand from atomics: locks, barriers, rings. How they wait in their loops is
 * decided when they are built: -DWAIT_BY=BY_YIELD and so on.
 */
#ifndef HANDMADE_H
#define HANDMADE_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#define BY_YIELD 0
#define BY_SLEEP 1
#define BY_PAUSE 2
#define BY_SPIN  3

#if WAIT_BY == BY_YIELD
#define WAIT() sched_yield()
#elif WAIT_BY == BY_SLEEP
#define WAIT() usleep(100)
#elif WAIT_BY == BY_PAUSE
#define WAIT() __builtin_ia32_pause()
#else
#define WAIT() ((void)0)
#endif

#define MOST 4 /* threads */

/* A lock: there are two of each, so that they can be taken in the wrong order. */
struct lock_kind {
	const char *name;
	void (*lock)(int which, int thread);
	void (*unlock)(int which, int thread);
	int most; /* threads it is for; 0: any number */
};

struct barrier_kind {
	const char *name;
	void (*wait)(int thread, int n);
};

/* Something else: what each thread does, and the one that is left when all others have ended. */
struct other_kind {
	const char *name;
	void (*work)(int thread, int n, int rounds);
	void (*look)(int n, int rounds);
	int most;
};

extern const struct lock_kind spin_locks[], mutexes[], wrong_locks[];
extern const struct barrier_kind barriers[], wrong_barriers[];
extern const struct other_kind others[];
extern void start_locks(void);

#endif
