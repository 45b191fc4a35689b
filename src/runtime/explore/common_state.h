/*
 * State of libc's and of the process that threads share and that lies outside of the program's memory: who
 * uses it does so in an order with everybody.
 */
#ifndef HD_RUNTIME_COMMON_STATE_H
#define HD_RUNTIME_COMMON_STATE_H

#include <stdint.h>

enum hd_common {
	HD_COMMON_RANDOM,   /* of rand and random */
	HD_COMMON_RANDOM48, /* of drand48 and relatives */
	HD_COMMON_MASK,	    /* umask */
	HD_COMMON_PRIORITY,
	HD_COMMON_AT_EXIT,
	HD_COMMON_NUMBERS,    /* which descriptors are free, for dup and pipe */
	HD_COMMON_SEMAPHORES, /* names of sem_open */
	HD_COMMON_N
};

/* The current fiber uses it now, in the step that it is in; then the same with a step of its own. */
void hd_rt_common_touch(enum hd_common what);
void hd_rt_common_point(enum hd_common what);

/* The same of an object at @addr, which is not the address that other operations name it by. */
void hd_rt_common_touch_at(uintptr_t addr);
void hd_rt_common_point_at(uintptr_t addr);

/* A scheduling point, if this is for the explorer. */
void hd_rt_common_soon(void);

/* The current fiber uses what is at @addr: if another one has, there is no proof. And it is gone. */
void hd_rt_common_use_alone(uintptr_t addr);
void hd_rt_common_forget(uintptr_t addr);

/* Position and flags of a descriptor, and what a file has in it. Output of the program is not meant. */
void hd_rt_common_file(int fd);
void hd_rt_common_flags(int fd);

/* The current fiber changes what others use without being asked: no proof, unless it is alone. */
void hd_rt_common_change(void);

#endif
