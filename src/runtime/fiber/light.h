/*
 * Light fibers: threads of the trace and the scheduler that are made by the million.
 *
 * A donor costs a kernel thread and a stack, so a light fiber borrows one when it first runs and
 * gives it back when it ends. Until then it is a record. What it stands for (a task) is the
 * business of the folder on top; here it is a thread that nobody can join by handle.
 *
 * Thread-local variables of the program are as a new thread finds them: when a donor is lent again,
 * the initial image is copied over them (of modules loaded at the start; others keep what they had).
 */
#ifndef HD_RUNTIME_LIGHT_H
#define HD_RUNTIME_LIGHT_H

#include "runtime/rt.h"

/*
 * So many that have not run yet are enough: then whoever makes more waits until half of them have.
 * So many donors in use are too many for the machine: then no new one is begun while an old one
 * can go on, and if none can, the youngest is, which keeps the number to the depth of nesting.
 */
#define HD_BARE_MAX   256u
#define HD_BODIES_MAX 1024u

/*
 * A new light fiber, which will run @start(@arg) and at its very end @ended. It is known to
 * the scheduler; the caller says when it can run, by hd_rt_light_ready().
 */
struct fiber *hd_rt_light_new(void *(*start)(void *), void *arg, void (*ended)(struct fiber *f));
void hd_rt_light_ready(struct fiber *f);
/* The same, but the caller says with hd_rt_add_runnable and hd_rt_hold when it may begin. */
void hd_rt_light_on_call(struct fiber *f);
/*
 * A host of the caller's own, for fibers with own_host: its thread-local variables stay as they are.
 * @stack 0: as large as other threads'.
 */
struct fiber *hd_rt_light_host(size_t stack);
void hd_rt_light_give_host(struct fiber *host); /* to the pool */
/* Bytes of thread-local variables below the thread pointer; of these, where libc's own are (errno, tables of letters). */
size_t hd_rt_tls_size(void);
struct hd_tls_part {
	ptrdiff_t at; /* from the thread pointer */
	size_t size;
};
extern struct hd_tls_part hd_rt_tls_of_libc;
/* Wait if there are too many that have not run; a scheduling point's worth of caution applies. */
void hd_rt_light_throttle(void);

/* For the scheduler: @f is about to run for the first time. */
void hd_rt_light_embody(struct fiber *f);
/* Its end: the donor goes back. */
void hd_rt_light_return(struct fiber *f);

static inline bool hd_rt_light_crowded(void)
{
	return hd_rt.nbodies >= HD_BODIES_MAX && hd_rt.nbare;
}
/* Who may run when it is crowded; NULL: nobody can. */
struct fiber *hd_rt_light_choose(void);

/* In a forked child the donors do not exist. */
void hd_rt_light_after_fork_child(void);

#endif
