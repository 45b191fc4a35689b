/*
 * target: there is no device but the host, as the specification allows. Data is shared, so
 * mappings do nothing; a target region runs as a thread with nothing around it, and with nowait as
 * a task.
 */
#include "omp_rt.h"

#include <stdlib.h>

#include "omp_league.h"

enum { MAP_KIND = 0xff, MAP_FIRSTPRIVATE = 12 };
enum { TARGET_NOWAIT = 1, TARGET_EXIT_DATA = 2 };

static const char *const counted =
	"OpenMP target regions ran on the host: nothing is known of a device";

/* Private copies of what is firstprivate, in @room; 0 bytes: only say how many are needed. */
static size_t privatize(char *room, size_t n, void **addrs, const size_t *sizes,
			const unsigned short *kinds)
{
	size_t used = 0;

	for (size_t i = 0; kinds && i < n; i++) {
		size_t align = (size_t)1 << (kinds[i] >> 8);

		if ((kinds[i] & MAP_KIND) != MAP_FIRSTPRIVATE)
			continue;
		used = (used + align - 1) & ~(align - 1);
		if (room) {
			hd_rt_copy(room + used, addrs[i], sizes[i]);
			addrs[i] = room + used;
		}
		used += sizes[i];
	}
	return used;
}

/* ---- as a task ---------------------------------------------------------------------------------- */

/* The arguments of such a task; private data comes behind them, so that all of it ends with the task. */
struct deferred {
	void (*fn)(void *);
	size_t n;
	const size_t *sizes;
	const unsigned short *kinds;
	void *addrs[];
};

static void privatize_args(void *args, void *arg)
{
	struct deferred *d = args;
	uintptr_t room = (uintptr_t)(d->addrs + d->n);

	privatize((char *)((room + 63) & ~(uintptr_t)63), d->n, d->addrs, d->sizes, d->kinds);
}

static void run_deferred(void *arg)
{
	struct deferred *d = arg;

	if (d->fn)
		hd_omp_alone(hd_rt.cur->omp, HD_IN_TARGET, d->fn, d->addrs, 0, 1, 0);
}

static void defer(struct omp_task *me, void (*fn)(void *), size_t n, void **addrs,
		  const size_t *sizes, const unsigned short *kinds, void **depend)
{
	size_t head = sizeof(struct deferred) + n * sizeof(void *);
	size_t room = privatize(NULL, n, addrs, sizes, kinds) + 64;
	struct deferred *d = hd_rt_alloc(head + room);
	struct omp_new_task what = { .fn = run_deferred,
				     .data = d,
				     .size = (long)(head + room),
				     .align = 8,
				     .if_clause = true,
				     .construct = HD_IN_TARGET,
				     .flags = depend ? OMP_TASK_DEPEND : 0,
				     .depend = depend };

	*d = (struct deferred){ .fn = fn, .n = n, .sizes = sizes, .kinds = kinds };
	hd_rt_copy(d->addrs, addrs, n * sizeof(void *));
	hd_omp_task(me, &what, privatize_args, NULL);
	hd_rt_free(d, head + room);
}

void GOMP_target_ext(int device, void (*fn)(void *), size_t n, void **addrs, size_t *sizes,
		     unsigned short *kinds, unsigned flags, void **depend, void **args);
void GOMP_target(int device, void (*fn)(void *), const void *unused, size_t n, void **addrs,
		 size_t *sizes, unsigned char *kinds);
void GOMP_target_data(int device, const void *unused, size_t n, void **addrs, size_t *sizes,
		      unsigned char *kinds);
void GOMP_target_data_ext(int device, size_t n, void **addrs, size_t *sizes, unsigned short *kinds);
void GOMP_target_end_data(void);
void GOMP_target_update(int device, const void *unused, size_t n, void **addrs, size_t *sizes,
			unsigned char *kinds);
void GOMP_target_update_ext(int device, size_t n, void **addrs, size_t *sizes,
			    unsigned short *kinds, unsigned flags, void **depend);
void GOMP_target_enter_exit_data(int device, size_t n, void **addrs, size_t *sizes,
				 unsigned short *kinds, unsigned flags, void **depend);

HD_EXPORT void GOMP_target_ext(int device, void (*fn)(void *), size_t n, void **addrs,
			       size_t *sizes, unsigned short *kinds, unsigned flags, void **depend,
			       void **args)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);
	char *room = __builtin_alloca(privatize(NULL, n, addrs, sizes, kinds) + 64);

	if (!me) {
		privatize(room, n, addrs, sizes, kinds);
		fn(addrs);
		return;
	}
	hd_rt_drop(counted);
	if (flags & TARGET_NOWAIT) {
		defer(me, fn, n, addrs, sizes, kinds, depend);
		return;
	}
	hd_rt_point();
	if (depend)
		hd_omp_depend_wait(me, depend);
	privatize((char *)(((uintptr_t)room + 63) & ~(uintptr_t)63), n, addrs, sizes, kinds);
	hd_omp_alone(me, HD_IN_TARGET, fn, addrs, 0, 1, 0);
}

HD_EXPORT void GOMP_target(int device, void (*fn)(void *), const void *unused, size_t n,
			   void **addrs, size_t *sizes, unsigned char *kinds)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (!me) {
		fn(addrs);
		return;
	}
	hd_rt_drop(counted);
	hd_rt_point();
	hd_omp_alone(me, HD_IN_TARGET, fn, addrs, 0, 1, 0);
}

/* ---- data --------------------------------------------------------------------------------------------- */

/* Nothing is moved, but what it depends on comes first; with nowait it is a task that does nothing. */
static void move_data(uintptr_t caller, unsigned flags, void **depend)
{
	struct omp_task *me = hd_omp_enter(caller);

	if (!me || !depend)
		return;
	if (flags & TARGET_NOWAIT)
		defer(me, NULL, 0, NULL, NULL, NULL, depend);
	else
		hd_omp_depend_wait(me, depend);
}

HD_EXPORT void GOMP_target_data(int device, const void *unused, size_t n, void **addrs,
				size_t *sizes, unsigned char *kinds)
{
}

HD_EXPORT void GOMP_target_data_ext(int device, size_t n, void **addrs, size_t *sizes,
				    unsigned short *kinds)
{
}

HD_EXPORT void GOMP_target_end_data(void)
{
}

HD_EXPORT void GOMP_target_update(int device, const void *unused, size_t n, void **addrs,
				  size_t *sizes, unsigned char *kinds)
{
}

HD_EXPORT void GOMP_target_update_ext(int device, size_t n, void **addrs, size_t *sizes,
				      unsigned short *kinds, unsigned flags, void **depend)
{
	move_data(HD_CALLER, flags, depend);
}

HD_EXPORT void GOMP_target_enter_exit_data(int device, size_t n, void **addrs, size_t *sizes,
					   unsigned short *kinds, unsigned flags, void **depend)
{
	move_data(HD_CALLER, flags, depend);
}

/* ---- devices --------------------------------------------------------------------------------------------- */

int omp_get_num_devices(void);
int omp_get_initial_device(void);
int omp_get_device_num(void);
int omp_is_initial_device(void);
int omp_get_default_device(void);
void omp_set_default_device(int n);
void *omp_target_alloc(size_t size, int device);
void omp_target_free(void *p, int device);
int omp_target_is_present(const void *p, int device);
int omp_target_memcpy(void *to, const void *from, size_t n, size_t to_at, size_t from_at,
		      int to_device, int from_device);
int omp_target_memcpy_rect(void *to, const void *from, size_t size, int ndims, const size_t *volume,
			   const size_t *to_at, const size_t *from_at, const size_t *to_dims,
			   const size_t *from_dims, int to_device, int from_device);
int omp_target_associate_ptr(const void *host, const void *dev, size_t size, size_t at, int device);
int omp_target_disassociate_ptr(const void *p, int device);

HD_EXPORT int omp_get_num_devices(void)
{
	return 0;
}

HD_EXPORT int omp_get_initial_device(void)
{
	return 0;
}

HD_EXPORT int omp_get_device_num(void)
{
	return 0;
}

HD_EXPORT int omp_is_initial_device(void)
{
	return 1;
}

HD_EXPORT int omp_get_default_device(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	return me ? me->icv.default_device : 0;
}

HD_EXPORT void omp_set_default_device(int n)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (me)
		me->icv.default_device = n;
}

HD_EXPORT void *omp_target_alloc(size_t size, int device)
{
	hd_omp_enter(HD_CALLER);
	return malloc(size);
}

HD_EXPORT void omp_target_free(void *p, int device)
{
	hd_omp_enter(HD_CALLER);
	free(p);
}

HD_EXPORT int omp_target_is_present(const void *p, int device)
{
	return 1;
}

HD_EXPORT int omp_target_memcpy(void *to, const void *from, size_t n, size_t to_at, size_t from_at,
				int to_device, int from_device)
{
	if (hd_omp_enter(HD_CALLER)) {
		hd_rt_range((const char *)from + from_at, n, false);
		hd_rt_range((char *)to + to_at, n, true);
	}
	hd_rt_copy((char *)to + to_at, (const char *)from + from_at, n);
	return 0;
}

HD_EXPORT int omp_target_memcpy_rect(void *to, const void *from, size_t size, int ndims,
				     const size_t *volume, const size_t *to_at,
				     const size_t *from_at, const size_t *to_dims,
				     const size_t *from_dims, int to_device, int from_device)
{
	size_t to_step = size, from_step = size;

	hd_omp_enter(HD_CALLER);
	if (!to && !from)
		return 64; /* dimensions that are supported */
	if (ndims == 1)
		return omp_target_memcpy(to, from, size * volume[0], size * to_at[0],
					 size * from_at[0], to_device, from_device);
	for (int i = 1; i < ndims; i++) {
		to_step *= to_dims[i];
		from_step *= from_dims[i];
	}
	for (size_t k = 0; k < volume[0]; k++)
		omp_target_memcpy_rect((char *)to + (to_at[0] + k) * to_step,
				       (const char *)from + (from_at[0] + k) * from_step, size,
				       ndims - 1, volume + 1, to_at + 1, from_at + 1, to_dims + 1,
				       from_dims + 1, to_device, from_device);
	return 0;
}

HD_EXPORT int omp_target_associate_ptr(const void *host, const void *dev, size_t size, size_t at,
				       int device)
{
	return 22; /* EINVAL: the host's memory needs no association */
}

HD_EXPORT int omp_target_disassociate_ptr(const void *p, int device)
{
	return 22;
}
