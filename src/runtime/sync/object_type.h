/*
 * What an object that synchronises was made as, or first used as. It is kept in the object itself, in two
 * bytes that glibc has no use for in any of the types, so that copies, static initialisers and cleared
 * memory mean what they mean natively. Spin locks have no room for it, and nothing is put into conditions.
 */
#ifndef HD_RUNTIME_OBJECT_TYPE_H
#define HD_RUNTIME_OBJECT_TYPE_H

#include <pthread.h>
#include <semaphore.h>

#include "runtime/rt.h"

enum hd_object_type {
	HD_OBJECT_NEW = 0,
	HD_OBJECT_MUTEX = 0x6d4d,
	HD_OBJECT_RWLOCK,
	HD_OBJECT_SEM,
	HD_OBJECT_BARRIER,
	HD_OBJECT_COND, /* never in an object */
};

#define HD_OBJECT_AT 22 /* lock elision of a mutex, which is not in use; else padding */
_Static_assert(sizeof(pthread_mutex_t) > HD_OBJECT_AT + 1 && sizeof(sem_t) > HD_OBJECT_AT + 1 &&
		       sizeof(pthread_barrier_t) > HD_OBJECT_AT + 1,
	       "there is room");

static inline uint16_t *hd_rt_object_type(void *object)
{
	return (uint16_t *)((char *)object + HD_OBJECT_AT);
}

/* Tell of the use of @object as what it is not. */
void hd_rt_wrong_type(void *object, enum hd_object_type as, const char *call);

/* The current thread does @call to @object as if it were of type @as. */
static inline void hd_rt_used_as(void *object, enum hd_object_type as, const char *call)
{
	uint16_t *type = hd_rt_object_type(object);

	if (likely(*type == as))
		return;
	if (*type == HD_OBJECT_NEW && as != HD_OBJECT_COND)
		*type = (uint16_t)as;
	else
		hd_rt_wrong_type(object, as, call);
}

/* It is initialised as @as, or (HD_OBJECT_NEW) destroyed. */
static inline void hd_rt_made_as(void *object, enum hd_object_type as)
{
	*hd_rt_object_type(object) = (uint16_t)as;
}

#endif
