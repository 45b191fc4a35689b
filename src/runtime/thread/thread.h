#ifndef HD_RUNTIME_THREAD_H
#define HD_RUNTIME_THREAD_H

#include "runtime/rt.h"

extern char *hd_rt_main_stack;
extern size_t hd_rt_main_stack_size;

void hd_rt_thread_adopt_main(struct fiber *f);
/* Into the list of all; into the index by handle, once it has one. */
void hd_rt_thread_list(struct fiber *f);
void hd_rt_thread_index(struct fiber *f);
/* Where a fiber starts: runs f->start and ends it. */
void hd_rt_thread_entry(void);
/* By the program's handle; NULL: there is no such thread (any more). */
struct fiber *hd_rt_thread_find(pthread_t pt);
/* By its number; NULL: the same. */
struct fiber *hd_rt_fiber_by_id(uint32_t id);
/* What gettid() returns in @f, and whose it is; NULL: it has ended, or there is none. */
pid_t hd_rt_tid(const struct fiber *f);
struct fiber *hd_rt_thread_by_tid(pid_t tid);
/* @f has learnt on which thread it runs: what it does may depend on that. */
static inline void hd_rt_thread_matters(struct fiber *f)
{
	if (unlikely(f->tls.on_thread != NULL))
		f->tls.on_thread(f, true);
}
/* Nobody will ask for @f again: end its donor, free it. */
void hd_rt_thread_forget(struct fiber *f);
/* Start a thread; the caller is its creator. Both pthread_create and thrd_create. */
int hd_rt_thread_create(pthread_t *out, const pthread_attr_t *attr, void *(*start)(void *),
			void *arg);
/* Wait for @pt to end; deadline HD_NEVER for ever, 0 not at all. */
int hd_rt_thread_join(pthread_t pt, void **ret, uint64_t deadline);

/* thread_exit.c: leave the current thread with @ret, running its cleanups. */
void hd_rt_thread_exit(void *ret) __attribute__((noreturn));
/* The start routine has returned or been unwound: destructors, then the end. */
void hd_rt_thread_end(void) __attribute__((noreturn));

/* tsd.c */
void hd_rt_tsd_destroy(struct fiber *f);

/* locks held: held.c */
void hd_rt_held_add(uintptr_t addr, uint16_t mode);
/* False: the current fiber does not hold it. */
bool hd_rt_held_remove(uintptr_t addr);
struct hd_held *hd_rt_held_find(struct fiber *f, uintptr_t addr);
/* The locks that @f holds, in the order in which it took them: the first (@after NULL), the next; NULL: no more. */
static inline struct hd_held *hd_rt_held_next(const struct fiber *f, struct hd_held *after)
{
	struct hd_held *h = after ? after + 1 : f->locks.held;

	while (h < f->locks.held + f->locks.used && !h->addr)
		h++;
	return h < f->locks.held + f->locks.used ? h : NULL;
}
void hd_rt_held_forget(struct fiber *f);
/* Tell @take of the locks that the current fiber holds, as if it took them now. */
void hd_rt_held_each(void (*take)(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2,
				  uint32_t size, uint16_t mode));
/* mutex.c: @owner (a thread number) no longer holds @addr. */
void hd_rt_disown(int owner, uintptr_t addr);
/* mutex.c: a fiber ended; its robust mutexes go to the next who asks. */
void hd_rt_robust_release(struct fiber *f);

#endif
