/*
 * What programs ask and set: the functions of omp.h about threads, teams, levels and schedules.
 */
#include "omp_rt.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/clock.h"
#include "omp_iteration.h"

/* The calling task's control variables; a thread that is not ours has those of the start. */
static struct omp_icv *icv_of(uintptr_t caller)
{
	static struct omp_icv start;
	struct omp_task *me = hd_omp_enter(caller);

	if (me)
		return &me->icv;
	if (!start.nthreads)
		hd_omp_icv_init(&start);
	return &start;
}

/* ---- threads ------------------------------------------------------------------------------- */

int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_num_procs(void);
int omp_in_parallel(void);
int omp_in_final(void);
int omp_get_thread_limit(void);
void omp_set_num_threads(int n);

HD_EXPORT int omp_get_thread_num(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (!me)
		return 0;
	hd_omp_thread_matters(me);
	return (int)me->thread->num;
}

HD_EXPORT int omp_get_num_threads(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	return me ? (int)me->team->n : 1;
}

HD_EXPORT int omp_get_max_threads(void)
{
	return (int)icv_of(HD_CALLER)->nthreads;
}

/* As many as a team has threads: results must not depend on the machine. */
HD_EXPORT int omp_get_num_procs(void)
{
	struct omp_icv start;

	hd_omp_enter(HD_CALLER);
	hd_omp_icv_init(&start);
	return (int)start.nthreads;
}

HD_EXPORT int omp_in_parallel(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	return me && me->team->active_level > 0;
}

HD_EXPORT int omp_in_final(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	return me && me->final;
}

HD_EXPORT int omp_get_thread_limit(void)
{
	unsigned n = icv_of(HD_CALLER)->thread_limit;

	return n ? (int)n : INT_MAX;
}

HD_EXPORT void omp_set_num_threads(int n)
{
	struct omp_icv *icv = icv_of(HD_CALLER);

	icv->nthreads = n > 0 ? (unsigned)n : 1;
	icv->threads_set = true;
}

/* ---- levels ----------------------------------------------------------------------------------- */

int omp_get_level(void);
int omp_get_active_level(void);
int omp_get_ancestor_thread_num(int level);
int omp_get_team_size(int level);
int omp_get_max_active_levels(void);
int omp_get_supported_active_levels(void);
void omp_set_max_active_levels(int n);
int omp_get_nested(void);
void omp_set_nested(int on);
int omp_get_dynamic(void);
void omp_set_dynamic(int on);
int omp_get_cancellation(void);

HD_EXPORT int omp_get_level(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	return me ? (int)me->team->level : 0;
}

HD_EXPORT int omp_get_active_level(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	return me ? (int)me->team->active_level : 0;
}

/* The thread, at nesting @level, that @me is below; NULL: there is no such level. */
static struct omp_thread *ancestor(struct omp_task *me, int level)
{
	struct omp_thread *th = me->thread;

	if (level < 0 || level > (int)th->team->level)
		return NULL;
	while ((int)th->team->level > level)
		th = th->team->master;
	return th;
}

HD_EXPORT int omp_get_ancestor_thread_num(int level)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);
	struct omp_thread *th = me ? ancestor(me, level) : NULL;

	if (me)
		hd_omp_thread_matters(me);
	return th ? (int)th->num : me || level ? -1 : 0;
}

HD_EXPORT int omp_get_team_size(int level)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);
	struct omp_thread *th = me ? ancestor(me, level) : NULL;

	return th ? (int)th->team->n : me || level ? -1 : 1;
}

HD_EXPORT int omp_get_max_active_levels(void)
{
	return icv_of(HD_CALLER)->max_active;
}

HD_EXPORT int omp_get_supported_active_levels(void)
{
	return 255;
}

HD_EXPORT void omp_set_max_active_levels(int n)
{
	struct omp_icv *icv = icv_of(HD_CALLER);

	if (n < 0)
		return;
	icv->max_active = n < 255 ? n : 255;
	icv->levels_set = true;
}

HD_EXPORT int omp_get_nested(void)
{
	return icv_of(HD_CALLER)->max_active > 1;
}

HD_EXPORT void omp_set_nested(int on)
{
	struct omp_icv *icv = icv_of(HD_CALLER);

	icv->max_active = on ? 255 : 1;
	icv->levels_set = true;
}

HD_EXPORT int omp_get_dynamic(void)
{
	return icv_of(HD_CALLER)->dyn;
}

HD_EXPORT void omp_set_dynamic(int on)
{
	icv_of(HD_CALLER)->dyn = on;
}

HD_EXPORT int omp_get_cancellation(void)
{
	return hd_omp_cancellation();
}

/* ---- schedules ---------------------------------------------------------------------------------- */

void omp_set_schedule(unsigned kind, int chunk);
void omp_get_schedule(unsigned *kind, int *chunk);

HD_EXPORT void omp_set_schedule(unsigned kind, int chunk)
{
	struct omp_icv *icv = icv_of(HD_CALLER);
	unsigned sched = kind & ~OMP_MONOTONIC;

	if (sched < OMP_STATIC || sched > OMP_AUTO)
		return;
	icv->sched = kind;
	icv->chunk = chunk > 0 ? chunk : sched == OMP_STATIC ? 0 : 1;
}

HD_EXPORT void omp_get_schedule(unsigned *kind, int *chunk)
{
	const struct omp_icv *icv = icv_of(HD_CALLER);

	*kind = icv->sched;
	*chunk = icv->chunk;
}

/* ---- time ------------------------------------------------------------------------------------------ */

double omp_get_wtime(void);
double omp_get_wtick(void);

HD_EXPORT double omp_get_wtime(void)
{
	hd_omp_enter(HD_CALLER);
	return hd_now();
}

HD_EXPORT double omp_get_wtick(void)
{
	return 1e-9;
}

/* ---- places and affinity: there is one processor -------------------------------------------------- */

int omp_get_proc_bind(void);
int omp_get_num_places(void);
int omp_get_place_num(void);
int omp_get_place_num_procs(int place);
void omp_get_place_proc_ids(int place, int *ids);
int omp_get_partition_num_places(void);
void omp_get_partition_place_nums(int *places);
void omp_set_affinity_format(const char *format);
size_t omp_get_affinity_format(char *buf, size_t size);
size_t omp_capture_affinity(char *buf, size_t size, const char *format);
void omp_display_affinity(const char *format);
void omp_display_env(int verbose);
int omp_get_max_task_priority(void);
int omp_pause_resource(int kind, int device);
int omp_pause_resource_all(int kind);

HD_EXPORT int omp_get_proc_bind(void)
{
	return icv_of(HD_CALLER)->bind;
}

HD_EXPORT int omp_get_num_places(void)
{
	return 0;
}

HD_EXPORT int omp_get_place_num(void)
{
	return -1;
}

HD_EXPORT int omp_get_place_num_procs(int place)
{
	return 0;
}

HD_EXPORT void omp_get_place_proc_ids(int place, int *ids)
{
}

HD_EXPORT int omp_get_partition_num_places(void)
{
	return 0;
}

HD_EXPORT void omp_get_partition_place_nums(int *places)
{
}

static char affinity_format[128] = "level %L thread %i";

HD_EXPORT void omp_set_affinity_format(const char *format)
{
	hd_rt_print(affinity_format, sizeof(affinity_format), "%s", format);
}

HD_EXPORT size_t omp_get_affinity_format(char *buf, size_t size)
{
	return (size_t)hd_rt_print(buf, size, "%s", affinity_format);
}

HD_EXPORT size_t omp_capture_affinity(char *buf, size_t size, const char *format)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	return (size_t)hd_rt_print(buf, size, "level %u thread %u", me ? me->team->level : 0,
				   me ? me->thread->num : 0);
}

HD_EXPORT void omp_display_affinity(const char *format)
{
	char line[128];

	hd_omp_enter(HD_CALLER);
	omp_capture_affinity(line, sizeof(line), format);
	fprintf(stderr, "%s\n", line);
}

HD_EXPORT void omp_display_env(int verbose)
{
	struct omp_icv icv;

	hd_omp_icv_init(&icv);
	fprintf(stderr,
		"OPENMP DISPLAY ENVIRONMENT BEGIN\n  _OPENMP = '201511'\n"
		"  OMP_NUM_THREADS = '%u'\n  OMP_MAX_ACTIVE_LEVELS = '%d'\n"
		"  OMP_CANCELLATION = '%s'\nOPENMP DISPLAY ENVIRONMENT END\n",
		icv.nthreads, icv.max_active, hd_omp_cancellation() ? "TRUE" : "FALSE");
}

HD_EXPORT int omp_get_max_task_priority(void)
{
	return 0;
}

HD_EXPORT int omp_pause_resource(int kind, int device)
{
	return 0;
}

HD_EXPORT int omp_pause_resource_all(int kind)
{
	return 0;
}

/* ---- #pragma omp error at(execution) ------------------------------------------------------------- */

void GOMP_warning(const char *text, size_t len);
void GOMP_error(const char *text, size_t len) __attribute__((noreturn));

static void say(const char *what, const char *text, size_t len)
{
	if (!text)
		fprintf(stderr, "OpenMP %s directive encountered\n", what);
	else
		fprintf(stderr, "OpenMP %s directive encountered: %.*s\n", what,
			len == (size_t)-1 ? (int)hd_rt_strlen(text) : (int)len, text);
}

HD_EXPORT void GOMP_warning(const char *text, size_t len)
{
	hd_omp_enter(HD_CALLER);
	say("warning", text, len);
}

HD_EXPORT void GOMP_error(const char *text, size_t len)
{
	hd_omp_enter(HD_CALLER);
	say("error", text, len);
	exit(1);
}
