/*
 * What the preloaded library tells the tool: one client request for each thing that
 * happens in the thread library. Arguments are in the comments.
 */
#ifndef CR_REQUESTS_H
#define CR_REQUESTS_H

#include <valgrind.h>

enum cr_request {
	CR_REQ_LOCKED = VG_USERREQ_TOOL_BASE('H', 'D'), /* lock, shared?, kind */
	CR_REQ_UNLOCK,         /* lock; before it is given back */
	CR_REQ_LOCK_DESTROY,   /* lock */
	CR_REQ_CREATED,        /* pthread_t of the new thread */
	CR_REQ_BEGIN,          /* pthread_self(), by the new thread itself */
	CR_REQ_JOINED,         /* pthread_t */
	CR_REQ_RELEASE,        /* object: what was done before it ... */
	CR_REQ_ACQUIRE,        /* object: ... happens before what follows this */
	CR_REQ_COND_PRE,       /* condition variable, lock; the lock is given back */
	CR_REQ_COND_POST,      /* condition variable, lock, was it signalled? */
	CR_REQ_BARRIER_INIT,   /* barrier, count */
	CR_REQ_BARRIER_ENTER,  /* barrier */
	CR_REQ_BARRIER_LEAVE,  /* barrier */
	CR_REQ_REST,           /* the thread sleeps, or lets others run */
	CR_REQ_LABEL,          /* address; for tests: the sources of the word there */
	CR_REQ_SAME_LABEL,     /* two addresses; for tests: have their words a source in common? */
};

/* Kinds of locks, in the order of enum hd_lock_mode. */
enum cr_lock_kind { CR_MUTEX, CR_RWLOCK, CR_SPIN };

#endif
