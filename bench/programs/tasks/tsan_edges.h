/*
 * What ThreadSanitizer has to be told of tasks (-DTSAN): the library is not instrumented, so what
 * tasks hand over to each other is announced here. To all tasks at once, which costs what
 * the exact edges would cost and hides some races; for a comparison of speed that will do.
 */
#ifndef TSAN_EDGES_H
#define TSAN_EDGES_H

#include <alloca.h>
#include <heddle/hj.h>
#include <string.h>

#ifdef TSAN
void __tsan_acquire(void *addr);
void __tsan_release(void *addr);
#else
#define __tsan_acquire(addr) ((void)(addr))
#define __tsan_release(addr) ((void)(addr))
#endif

static char tasks_made, tasks_ended;

struct announced {
	hj_fn *fn;
	hj_body1 *body;
	void *arg;
	_Alignas(16) char copy[];
};

static inline void announced_task(void *arg)
{
	struct announced *a = arg;

	__tsan_acquire(&tasks_made);
	a->fn(a->copy);
	__tsan_release(&tasks_ended);
}

static inline void announced_body(long i, void *arg)
{
	struct announced *a = arg;

	__tsan_acquire(&tasks_made);
	a->body(i, a->arg);
	__tsan_release(&tasks_ended);
}

static inline void async_announced(hj_fn *fn, void *arg, size_t size)
{
	struct announced *a = alloca(sizeof(*a) + size);

	a->fn = fn;
	memcpy(a->copy, arg, size);
	__tsan_release(&tasks_made);
	hj_async_copy(announced_task, a, sizeof(*a) + size);
}

static inline void for_blocks_announced(const struct hj_range *r, hj_body1 *fn, void *arg)
{
	struct announced a = { .body = fn, .arg = arg };

	__tsan_release(&tasks_made);
	hj_forall1(r, announced_body, &a);
	__tsan_acquire(&tasks_ended);
}

#ifdef TSAN
#define ANNOUNCED true
#else
#define ANNOUNCED false
#endif

#endif
