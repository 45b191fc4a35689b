/*
 * hclib.h on top of our own constructs. What HClib leaves to the program's care (worker numbers) or
 * to its platform (places) is as simple as the interface allows.
 */
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "hclib.h"
#include "hclib_atomic.h"
#include "task.h"
#include "task_loops.h"

/* The functions themselves, not the macros that choose between generations of them. */
#undef hclib_launch
#undef hclib_async
#undef hclib_async_future
#undef hclib_forasync

/* ---- promises and futures ----------------------------------------------------- */

/* A task's or a finish's future of ours, with the promise around it that HClib promises. */
static hclib_future_t *wrap(struct hj_future *f)
{
	hclib_promise_t *p = malloc(sizeof(*p));

	*p = (hclib_promise_t){ .future.owner = p, .heddle_ = f };
	return &p->future;
}

static struct hj_future *inner(const hclib_future_t *f)
{
	return f ? f->owner->heddle_ : NULL;
}

/* What the program may look at itself follows when we are asked. */
static void *show(hclib_promise_t *p, void *value)
{
	p->datum = value;
	p->satisfied = 1;
	return value;
}

HD_EXPORT void hclib_promise_init(hclib_promise_t *p)
{
	hd_carrier_enter(HD_CALLER);
	*p = (hclib_promise_t){ .future.owner = p, .heddle_ = hj_promise_new() };
}

HD_EXPORT hclib_promise_t *hclib_promise_create(void)
{
	hd_carrier_enter(HD_CALLER);
	return wrap((struct hj_future *)hj_promise_new())->owner;
}

HD_EXPORT hclib_promise_t **hclib_promise_create_n(size_t n, int null_terminated)
{
	hclib_promise_t **list;

	hd_carrier_enter(HD_CALLER);
	list = calloc(n, sizeof(*list));
	for (size_t i = 0; list && i + (null_terminated ? 1 : 0) < n; i++)
		list[i] = hclib_promise_create();
	return list;
}

HD_EXPORT void hclib_promise_free(hclib_promise_t *p)
{
	hd_carrier_enter(HD_CALLER);
	if (!p)
		return;
	hj_future_free(p->heddle_);
	free(p);
}

HD_EXPORT void hclib_promise_free_n(hclib_promise_t **list, size_t n, int null_terminated)
{
	hd_carrier_enter(HD_CALLER);
	for (size_t i = 0; list && i + (null_terminated ? 1 : 0) < n; i++)
		hclib_promise_free(list[i]);
	free(list);
}

HD_EXPORT void hclib_promise_put(hclib_promise_t *p, void *datum)
{
	hd_carrier_enter(HD_CALLER);
	hj_promise_put(p->heddle_, datum);
	if (!p->satisfied)
		show(p, datum);
}

HD_EXPORT hclib_future_t *hclib_get_future_for_promise(hclib_promise_t *p)
{
	return &p->future;
}

HD_EXPORT void *hclib_future_wait(hclib_future_t *f)
{
	hd_carrier_enter(HD_CALLER);
	return show(f->owner, hj_future_get(inner(f)));
}

HD_EXPORT void *hclib_future_wait_and_get(hclib_future_t *f)
{
	hd_carrier_enter(HD_CALLER);
	return hclib_future_wait(f);
}

HD_EXPORT void *hclib_future_get(hclib_future_t *f)
{
	hd_strand *me = hd_carrier_enter(HD_CALLER);

	if (me && !hj_future_ready(inner(f))) {
		hd_carrier_misuse((uintptr_t)f->owner,
				  "hclib_future_get before the value is there");
		return NULL;
	}
	return hclib_future_wait(f);
}

HD_EXPORT int hclib_future_is_satisfied(hclib_future_t *f)
{
	hd_carrier_enter(HD_CALLER);
	return hj_future_ready(inner(f));
}

/* ---- launch, async, finish ------------------------------------------------------ */

HD_EXPORT void hclib_launch(async_fct_t fn, void *arg, const char **deps, int ndeps)
{
	hd_carrier_enter(HD_CALLER);
	hj_launch(fn, arg);
}

static void await(struct hd_task *t, hclib_future_t **futures, int n)
{
	struct hj_future **list;

	if (n <= 0)
		return;
	list = hd_carrier_alloc((size_t)n * sizeof(*list));
	for (int i = 0; i < n; i++)
		list[i] = inner(futures[i]);
	hd_task_await(t, list, (size_t)n);
	hd_carrier_free(list, (size_t)n * sizeof(*list));
}

static void spawn(struct hd_task *me, generic_frame_ptr fn, void *arg, hclib_future_t **futures,
		  int n)
{
	struct hd_task *t = hd_task_to_call(me, fn, arg);

	if (t) {
		await(t, futures, n);
		hd_task_go(t);
	}
}

HD_EXPORT void hclib_async(generic_frame_ptr fn, void *arg, hclib_future_t **futures, const int n,
			   hclib_locale_t *locale)
{
	spawn(hd_task_enter(HD_CALLER, "hclib_async"), fn, arg, futures, n);
}

HD_EXPORT void hclib_async_nb(generic_frame_ptr fn, void *arg, hclib_locale_t *locale)
{
	spawn(hd_task_enter(HD_CALLER, "hclib_async_nb"), fn, arg, NULL, 0);
}

static hclib_future_t *spawn_future(struct hd_task *me, future_fct_t fn, void *arg, size_t copied,
				    hclib_future_t **futures, int n)
{
	struct hj_future *f;
	struct hd_task *t = hd_task_to_make(me, fn, arg, &f);

	if (t) {
		t->copied = copied;
		await(t, futures, n);
		hd_task_go(t);
	}
	return wrap(f);
}

HD_EXPORT hclib_future_t *hclib_async_future(future_fct_t fn, void *arg, hclib_future_t **futures,
					     const int n, hclib_locale_t *locale)
{
	return spawn_future(hd_task_enter(HD_CALLER, "hclib_async_future"), fn, arg, 0, futures, n);
}

/* ---- earlier releases ------------------------------------------------------------- */

static int length_of(hclib_future_t **list)
{
	int n = 0;

	while (list && list[n])
		n++;
	return n;
}

HD_EXPORT void hclib_launch_argv_(int *argc, char **argv, async_fct_t fn, void *arg)
{
	hd_carrier_enter(HD_CALLER);
	hj_launch(fn, arg);
}

HD_EXPORT void hclib_async_listed_(generic_frame_ptr fn, void *arg, hclib_future_t **futures,
				   void *phased, void *place, int property)
{
	spawn(hd_task_enter(HD_CALLER, "hclib_async"), fn, arg, futures, length_of(futures));
}

HD_EXPORT hclib_future_t *hclib_async_future_listed_(future_fct_t fn, void *arg,
						     hclib_future_t **futures, void *phased,
						     void *place, int property)
{
	return spawn_future(hd_task_enter(HD_CALLER, "hclib_async_future"), fn, arg, 0, futures,
			    length_of(futures));
}

int get_current_worker(void);

HD_EXPORT int get_current_worker(void)
{
	hd_carrier_enter(HD_CALLER);
	return hclib_get_current_worker();
}

/* ---- finish ------------------------------------------------------------------------ */

HD_EXPORT void hclib_start_finish(void)
{
	hd_carrier_enter(HD_CALLER);
	hj_finish_begin();
}

HD_EXPORT void hclib_end_finish(void)
{
	hd_carrier_enter(HD_CALLER);
	hj_finish_end();
}

HD_EXPORT hclib_future_t *hclib_end_finish_nonblocking(void)
{
	hd_carrier_enter(HD_CALLER);
	return wrap(hj_finish_end_future());
}

static void put_event(void *arg)
{
	hj_promise_put(arg, NULL);
}

HD_EXPORT void hclib_end_finish_nonblocking_helper(hclib_promise_t *event)
{
	struct hj_future *f;

	hd_carrier_enter(HD_CALLER);
	f = hj_finish_end_future();
	hj_async_await(put_event, event->heddle_, &f, 1);
}

HD_EXPORT void hclib_yield(hclib_locale_t *locale)
{
	hd_carrier_enter(HD_CALLER);
	hj_yield();
}

HD_EXPORT void hclib_get_curr_task_info(void (**fn)(void *), void **arg)
{
	const struct hd_task *me = hd_task_here(HD_CALLER);

	*fn = me ? me->fn : NULL;
	*arg = me ? me->arg : NULL;
}

HD_EXPORT void hclib_run_on_main_ctx(void (*fn)(void *), void *data)
{
	fn(data);
}

/* ---- loops ------------------------------------------------------------------------- */

static void step1(const struct hd_loop *loop, long i, long j, long k)
{
	((forasync1D_Fct_t)loop->fn)(loop->arg, (int)i);
}

static void step2(const struct hd_loop *loop, long i, long j, long k)
{
	((forasync2D_Fct_t)loop->fn)(loop->arg, (int)i, (int)j);
}

static void step3(const struct hd_loop *loop, long i, long j, long k)
{
	((forasync3D_Fct_t)loop->fn)(loop->arg, (int)i, (int)j, (int)k);
}

static long tile_of(const hclib_loop_domain_t *d)
{
	long stride = d->stride > 0 ? d->stride : 1;
	long steps = d->high > d->low ? ((long)d->high - d->low + stride - 1) / stride : 0;
	long workers = hclib_get_num_workers();

	return d->tile > 0 ? d->tile : (steps + workers - 1) / workers;
}

static void run_loop(struct hd_task *me, void *fn, void *arg, int dim,
		     const hclib_loop_domain_t *domain, forasync_mode_t mode)
{
	static void (*const steps[])(const struct hd_loop *, long, long, long) = { step1, step2,
										   step3 };
	struct hd_loop loop = { .fn = fn, .arg = arg, .dim = (unsigned)dim };
	struct hj_range r[3];

	if (dim < 1 || dim > 3) {
		hd_carrier_misuse(0, "hclib_forasync with %d dimensions: there are 1, 2 and 3",
				  dim);
		return;
	}
	loop.step = steps[dim - 1];
	for (int d = 0; d < dim; d++)
		r[d] = (struct hj_range){ .low = domain[d].low,
					  .high = domain[d].high,
					  .stride = domain[d].stride,
					  .chunk = tile_of(&domain[d]) };
	hd_loop_run(me, &loop, r, mode == FORASYNC_MODE_RECURSIVE);
}

HD_EXPORT void hclib_forasync(void *fn, void *arg, int dim, hclib_loop_domain_t *domain,
			      forasync_mode_t mode)
{
	run_loop(hd_task_enter(HD_CALLER, "hclib_forasync"), fn, arg, dim, domain, mode);
}

struct late_loop {
	void *fn, *arg;
	int dim, mode;
	hclib_loop_domain_t domain[3];
};

static void run_late_loop(void *arg)
{
	struct late_loop *l = arg;

	run_loop(hd_carrier_enter(HD_CALLER)->task, l->fn, l->arg, l->dim, l->domain, l->mode);
}

/* A loop that awaits futures is made by a task that does. */
HD_EXPORT void hclib_forasync_listed_(void *fn, void *arg, hclib_future_t **futures, int dim,
				      const hclib_loop_domain_t *domain, int mode)
{
	struct hd_task *me = hd_task_enter(HD_CALLER, "hclib_forasync"), *t;
	struct late_loop *l;

	if (!me || !length_of(futures) || dim < 1 || dim > 3) {
		run_loop(me, fn, arg, dim, domain, mode);
		return;
	}
	t = hd_task_new(me);
	l = hd_carrier_alloc(sizeof(*l));
	*l = (struct late_loop){ .fn = fn, .arg = arg, .dim = dim, .mode = mode };
	for (int d = 0; d < dim; d++)
		l->domain[d] = domain[d];
	t->fn = run_late_loop;
	t->arg = l;
	t->copied = sizeof(*l);
	await(t, futures, length_of(futures));
	hd_task_go(t);
}

HD_EXPORT hclib_future_t *hclib_forasync_future(void *fn, void *arg, int dim,
						hclib_loop_domain_t *domain, forasync_mode_t mode)
{
	struct hd_task *me = hd_task_enter(HD_CALLER, "hclib_forasync_future");

	if (me)
		hd_finish_begin(me);
	run_loop(me, fn, arg, dim, domain, mode);
	return wrap(hj_finish_end_future());
}

#define MAX_DISTS 64u
static loop_dist_func dists[MAX_DISTS];
static unsigned ndists = 1; /* 0 is the default: anywhere */

HD_EXPORT unsigned hclib_register_dist_func(loop_dist_func fn)
{
	if (ndists == MAX_DISTS)
		return HCLIB_DEFAULT_LOOP_DIST;
	dists[ndists] = fn;
	return ndists++;
}

HD_EXPORT loop_dist_func hclib_lookup_dist_func(unsigned id)
{
	return id < ndists ? dists[id] : NULL;
}

/* ---- workers --------------------------------------------------------------------------- */

HD_EXPORT int hclib_num_workers(void)
{
	return hclib_get_num_workers();
}

HD_EXPORT void hclib_set_idle_callback(void (*fn)(unsigned, unsigned))
{
	/* Nobody is ever idle: somebody else runs, or the program is stuck. */
}

/* ---- places ------------------------------------------------------------------------------ */

static hclib_locale_t here = { .lbl = "sysmem" };

HD_EXPORT int hclib_get_num_locales(void)
{
	return 1;
}

HD_EXPORT hclib_locale_t *hclib_get_closest_locale(void)
{
	return &here;
}

HD_EXPORT hclib_locale_t *hclib_get_all_locales(void)
{
	return &here;
}

HD_EXPORT hclib_locale_t *hclib_get_master_place(void)
{
	return &here;
}

static hclib_future_t *at_once(void *value)
{
	struct hj_future *f = hd_future_new(NULL);

	hd_future_put(f, value);
	return wrap(f);
}

HD_EXPORT hclib_future_t *hclib_allocate_at(size_t n, hclib_locale_t *locale)
{
	hd_carrier_enter(HD_CALLER);
	return at_once(malloc(n));
}

HD_EXPORT hclib_future_t *hclib_reallocate_at(void *p, size_t n, hclib_locale_t *locale)
{
	hd_carrier_enter(HD_CALLER);
	return at_once(realloc(p, n));
}

HD_EXPORT hclib_future_t *hclib_memset_at(void *p, int byte, size_t n, hclib_locale_t *locale)
{
	hd_carrier_enter(HD_CALLER);
	return at_once(memset(p, byte, n));
}

HD_EXPORT void hclib_free_at(void *p, hclib_locale_t *locale)
{
	hd_carrier_enter(HD_CALLER);
	free(p);
}

struct copy {
	void *dst, *src;
	size_t n;
	struct hj_future *from;
};

static void *do_copy(void *arg)
{
	const struct copy *c = arg;

	memcpy(c->dst, c->from ? hj_future_get(c->from) : c->src, c->n);
	return c->dst;
}

HD_EXPORT hclib_future_t *hclib_async_copy(hclib_locale_t *dst_locale, void *dst,
					   hclib_locale_t *src_locale, void *src, size_t n,
					   hclib_future_t **futures, const int nfutures)
{
	struct hd_task *me = hd_task_enter(HD_CALLER, "hclib_async_copy");
	bool by_future = src == HCLIB_ASYNC_COPY_USE_FUTURE_AS_SRC && nfutures > 0;
	struct copy *c = hd_carrier_alloc(sizeof(*c));

	*c = (struct copy){
		.dst = dst, .src = src, .n = n, .from = by_future ? inner(futures[0]) : NULL
	};
	return spawn_future(me, do_copy, c, sizeof(*c), futures, nfutures);
}

/* ---- hclib_atomic.h ---------------------------------------------------------------------- */

HD_EXPORT void hclib_atomic_init(hclib_atomic_t *atomic, const size_t size, atomic_init_func init,
				 void *user_data)
{
	hd_carrier_enter(HD_CALLER);
	*atomic = (hclib_atomic_t){
		.vals = malloc(size), .nthreads = 1, .val_size = size, .padded_val_size = size
	};
	if (init)
		init(atomic->vals, user_data);
}

HD_EXPORT hclib_atomic_t *hclib_atomic_create(const size_t size, atomic_init_func init,
					      void *user_data)
{
	hclib_atomic_t *atomic;

	hd_carrier_enter(HD_CALLER);
	atomic = malloc(sizeof(*atomic));
	hclib_atomic_init(atomic, size, init, user_data);
	return atomic;
}

HD_EXPORT void hclib_atomic_update(hclib_atomic_t *atomic, atomic_update_func f, void *user_data)
{
	const void *object = atomic->vals;

	hd_carrier_enter(HD_CALLER);
	hj_isolated_begin_on(&object, 1);
	f(atomic->vals, user_data);
	hj_isolated_end();
}

HD_EXPORT void *hclib_atomic_gather(hclib_atomic_t *atomic, atomic_gather_func f, void *user_data)
{
	return atomic->vals;
}

/* ---- the rest ------------------------------------------------------------------------------ */

HD_EXPORT unsigned long long hclib_current_time_ns(void)
{
	hd_carrier_enter(HD_CALLER);
	return hd_now_ns();
}

HD_EXPORT unsigned long long hclib_current_time_ms(void)
{
	hd_carrier_enter(HD_CALLER);
	return hclib_current_time_ns() / 1000000;
}

HD_EXPORT void hclib_print_runtime_stats(FILE *fp)
{
}
