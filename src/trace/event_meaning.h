/*
 * What events mean, as the last columns of events.def say it: what they order, what they conflict
 * with, whether plans have them, how states digest them.
 *
 * Whoever treats events differently asks here and has a case for each answer, without `default:`
 * (these files make -Wswitch-enum an error). So an event that is added to the list has its meaning
 * everywhere at once, and one that means something new does not compile until all have thought of it.
 */
#ifndef HD_TRACE_EVENT_MEANING_H
#define HD_TRACE_EVENT_MEANING_H

#include <stdbool.h>

#include "event.h"

/* What an event is about. */
enum hd_about {
	HD_ABOUT_NOTHING, /* there is no such event */
	HD_ABOUT_THREAD,  /* the thread itself */
	HD_ABOUT_CHILD,	  /* a thread that it makes or waits for */
	HD_ABOUT_MEMORY,  /* an access */
	HD_ABOUT_HEAP,	  /* a block of memory */
	HD_ABOUT_LOCK,
	HD_ABOUT_COND,
	HD_ABOUT_BARRIER,
	HD_ABOUT_SEM,
	HD_ABOUT_ONCE,
	HD_ABOUT_MARK, /* an order that somebody told us of */
	HD_ABOUT_FUTURE,
	HD_ABOUT_PHASER,
	HD_ABOUT_ATOMIC,
	HD_ABOUT_FENCE,
	HD_ABOUT_CODE,	  /* functions, atomic blocks, groups of locations */
	HD_ABOUT_TASK,	  /* enum hd_task_op */
	HD_ABOUT_TEAM,	  /* of OpenMP: enum hd_team_op */
	HD_ABOUT_RUN,	  /* enum hd_run_op */
	HD_ABOUT_FINDING, /* enum hd_finding_op */
};

/* What it does to the order of events, together with what it is about. */
enum hd_way {
	HD_WAY_NONE,
	HD_WAY_GIVES,  /* what came before it is before whoever takes */
	HD_WAY_TAKES,  /* what comes after it is after whoever gave */
	HD_WAY_RENEWS, /* what was there is gone */
};

/* What it touches: if another event touches the same, they may not be swapped. */
enum hd_touch {
	HD_TOUCH_NONE,
	HD_TOUCH_READ, /* memory; swaps with others that read it */
	HD_TOUCH_WRITE,
	HD_TOUCH_LOCK, /* the lock; shared ones swap */
	HD_TOUCH_UNLOCK,
	HD_TOUCH_TRY, /* a lock that was not to be had */
	HD_TOUCH_FORK,
	HD_TOUCH_JOIN,
	HD_TOUCH_OBJECT, /* the object; swaps with nothing that touches it */
	HD_TOUCH_LOOK,	 /* the object; swaps with others that look */
	HD_TOUCH_PERMIT, /* as OBJECT; who was let go need not find it again */
	HD_TOUCH_PHASE,	 /* as OBJECT, but barriers of teams tell themselves what they order */
};

/* Do plans have it? */
enum hd_planned {
	HD_PLANNED_NO,
	HD_PLANNED_YES,
	/* Threads may do more or fewer of them when others run at other times. */
	HD_PLANNED_MAYBE,
};

/* How the digest of a state takes it in. */
enum hd_digest {
	HD_DIGEST_NONE,	   /* not at all */
	HD_DIGEST_VALUE,   /* what happened, with which value */
	HD_DIGEST_ACCESS,  /* by what is in memory */
	HD_DIGEST_STORE,   /* the same; the value follows from the past */
	HD_DIGEST_SWAP,	   /* the same; the value that it found says what others did */
	HD_DIGEST_PERMITS, /* how much a semaphore has */
	HD_DIGEST_ONCE,
	HD_DIGEST_LOCK,
	HD_DIGEST_PHASE,
	HD_DIGEST_FREE,
	HD_DIGEST_END, /* of a thread */
};

struct hd_op_meaning {
	uint8_t about, way, touches, planned, digest;
};

static const struct hd_op_meaning hd_op_meanings[HD_OP_LIMIT] = {
#define HD_EVENT(num, name, word, a, v, v2, g, about, way, touches, plan, digest)                  \
	[num] = { HD_ABOUT_##about, HD_WAY_##way, HD_TOUCH_##touches, HD_PLANNED_##plan,           \
		  HD_DIGEST_##digest },
#include "events.def"
};

static inline enum hd_about hd_op_about(unsigned op)
{
	return op < HD_OP_LIMIT ? (enum hd_about)hd_op_meanings[op].about : HD_ABOUT_NOTHING;
}

static inline enum hd_way hd_op_way(unsigned op)
{
	return op < HD_OP_LIMIT ? (enum hd_way)hd_op_meanings[op].way : HD_WAY_NONE;
}

static inline enum hd_touch hd_op_touches(unsigned op)
{
	return op < HD_OP_LIMIT ? (enum hd_touch)hd_op_meanings[op].touches : HD_TOUCH_NONE;
}

static inline enum hd_digest hd_op_digest(unsigned op)
{
	return op < HD_OP_LIMIT ? (enum hd_digest)hd_op_meanings[op].digest : HD_DIGEST_NONE;
}

/*
 * Is the event part of plans? Each thread's entries in a plan are all its planned events from its
 * start, in program order, up to some position.
 */
static inline bool hd_op_is_planned(unsigned op)
{
	return op < HD_OP_LIMIT && hd_op_meanings[op].planned != HD_PLANNED_NO;
}

/*
 * Planned events that a thread may do more or fewer of when others run at other times: libc
 * allocates a buffer for whoever prints first. One too many or too few is not a divergence.
 */
static inline bool hd_op_is_soft(unsigned op)
{
	return op < HD_OP_LIMIT && hd_op_meanings[op].planned == HD_PLANNED_MAYBE;
}

/* Does it access memory, plainly or atomically? One that reads and writes is a write. */
static inline bool hd_op_is_read(unsigned op)
{
	return hd_op_touches(op) == HD_TOUCH_READ;
}

static inline bool hd_op_is_write(unsigned op)
{
	return hd_op_touches(op) == HD_TOUCH_WRITE;
}

static inline bool hd_op_is_access(unsigned op)
{
	return hd_op_is_read(op) || hd_op_is_write(op);
}

/* Is it an access to so many bytes as its value says? Others access as many as their size says. */
static inline bool hd_op_is_range(unsigned op)
{
	return op == HD_OP_READ_RANGE || op == HD_OP_WRITE_RANGE;
}

/* The bytes that an access is to. */
static inline uint64_t hd_access_length(const struct hd_event *ev)
{
	return hd_op_is_range(ev->op) ? ev->value : ev->size;
}

/* ---- the events of one kind alone ---------------------------------------------------- */

#define HD_EVENT(...)
#define HD_TASK_EVENT(num, name, ...) HD_TASK_OP_##name = (num),
enum hd_task_op {
#include "events.def"
};

#define HD_EVENT(...)
#define HD_TEAM_EVENT(num, name, ...) HD_TEAM_OP_##name = (num),
enum hd_team_op {
#include "events.def"
};

#define HD_EVENT(...)
#define HD_RUN_EVENT(num, name, ...) HD_RUN_OP_##name = (num),
enum hd_run_op {
#include "events.def"
};

#define HD_EVENT(...)
#define HD_FINDING_EVENT(num, name, ...) HD_FINDING_OP_##name = (num),
enum hd_finding_op {
#include "events.def"
};

#endif
