/*
 * HClib's C interface (Habanero C library, Rice University) on heddle's tasks: programs
 * written for it compile with `heddle cc` as they are and run under control. heddle/hj.h has
 * more constructs; both may be used in one program. docs/guide/tasks.md says what differs from HClib.
 */
#ifndef HCLIB_H_
#define HCLIB_H_

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NO_PROP	  0
#define NO_ARG	  NULL
#define NO_DATUM  NULL
#define NO_FUTURE NULL
#define NO_PHASER NULL
#define NO_ACCUM  NULL
#define ANY_PLACE NULL

#define ESCAPING_ASYNC ((int)0x2)
#define COMM_ASYNC     ((int)0x4)

typedef void (*generic_frame_ptr)(void *arg);
typedef void (*async_fct_t)(void *arg);
typedef void *(*future_fct_t)(void *arg);
typedef async_fct_t asyncFct_t;
typedef future_fct_t futureFct_t;

/* There is one place, and everything is there. */
typedef struct _hclib_locale_t {
	int id;
	unsigned type;
	void *metadata;
	const char *lbl;
} hclib_locale_t;

struct hclib_promise_st;

/* A promise has its future in it; hclib_promise_init makes one in memory of the program's own. */
typedef struct _hclib_future_t {
	struct hclib_promise_st *owner;
} hclib_future_t;

typedef struct hclib_promise_st {
	hclib_future_t future;
	volatile int satisfied;
	void *volatile datum;
	void *heddle_; /* the library's own */
} hclib_promise_t;

typedef struct _hclib_loop_domain_t {
	int low;
	int high;
	int stride;
	int tile; /* steps of one task; -1: as many as give each worker one task */
} hclib_loop_domain_t;
typedef hclib_loop_domain_t loop_domain_t;

typedef hclib_locale_t *(*loop_dist_func)(const int dim, const hclib_loop_domain_t *part,
					  const hclib_loop_domain_t *whole, const int mode);

/* ---- launch, async, finish ------------------------------------------------------ */

void hclib_launch(async_fct_t fct_ptr, void *arg, const char **deps, int ndeps);

void hclib_async(generic_frame_ptr fp, void *arg, hclib_future_t **futures, const int nfutures,
		 hclib_locale_t *locale);
void hclib_async_nb(generic_frame_ptr fp, void *arg, hclib_locale_t *locale);
hclib_future_t *hclib_async_future(future_fct_t fp, void *arg, hclib_future_t **futures,
				   const int nfutures, hclib_locale_t *locale);

void hclib_start_finish(void);
void hclib_end_finish(void);
hclib_future_t *hclib_end_finish_nonblocking(void);
void hclib_end_finish_nonblocking_helper(hclib_promise_t *event);

#define HCLIB_FINISH                                                                               \
	for (int hclib_once_ = (hclib_start_finish(), 1); hclib_once_;                             \
	     hclib_end_finish(), hclib_once_ = 0)

void hclib_yield(hclib_locale_t *locale);
void hclib_get_curr_task_info(void (**fp_out)(void *), void **args_out);
void hclib_run_on_main_ctx(void (*fp)(void *), void *data);

/* ---- promises and futures --------------------------------------------------------- */

hclib_promise_t *hclib_promise_create(void);
void hclib_promise_init(hclib_promise_t *promise);
hclib_promise_t **hclib_promise_create_n(size_t nb_promises, int null_terminated);
void hclib_promise_free(hclib_promise_t *promise);
void hclib_promise_free_n(hclib_promise_t **promises, size_t nb_promises, int null_terminated);
void hclib_promise_put(hclib_promise_t *promise, void *datum);
hclib_future_t *hclib_get_future_for_promise(hclib_promise_t *promise);
void *hclib_future_get(hclib_future_t *future); /* its value must be there */
void *hclib_future_wait(hclib_future_t *future);
void *hclib_future_wait_and_get(hclib_future_t *future);
int hclib_future_is_satisfied(hclib_future_t *future);

/* ---- loops ------------------------------------------------------------------------- */

typedef int forasync_mode_t;
#define FORASYNC_MODE_FLAT	0 /* a task for each tile */
#define FORASYNC_MODE_RECURSIVE 1 /* tasks that halve their part down to a tile */

typedef void (*forasync1D_Fct_t)(void *arg, int index);
typedef void (*forasync2D_Fct_t)(void *arg, int index_outer, int index_inner);
typedef void (*forasync3D_Fct_t)(void *arg, int index_outer, int index_mid, int index_inner);

void hclib_forasync(void *forasync_fct, void *argv, int dim, hclib_loop_domain_t *domain,
		    forasync_mode_t mode);
hclib_future_t *hclib_forasync_future(void *forasync_fct, void *argv, int dim,
				      hclib_loop_domain_t *domain, forasync_mode_t mode);

#define HCLIB_DEFAULT_LOOP_DIST 0
unsigned hclib_register_dist_func(loop_dist_func func);
loop_dist_func hclib_lookup_dist_func(unsigned id);

/*
 * Programs of HClib's earlier releases: hclib_launch(fn, arg) and (&argc, argv, fn, arg); lists of
 * futures that end with NULL instead of a length; phasers, places and properties as arguments, of which
 * only absent ones have a meaning here.
 */
void hclib_launch_argv_(int *argc, char **argv, async_fct_t fct_ptr, void *arg);
void hclib_async_listed_(generic_frame_ptr fp, void *arg, hclib_future_t **futures, void *phased,
			 void *place, int property);
hclib_future_t *hclib_async_future_listed_(future_fct_t fp, void *arg, hclib_future_t **futures,
					   void *phased, void *place, int property);
void hclib_forasync_listed_(void *forasync_fct, void *argv, hclib_future_t **futures, int dim,
			    const hclib_loop_domain_t *domain, int mode);

#ifndef __cplusplus
#define HCLIB_SEVENTH_(a, b, c, d, e, f, seventh, ...) seventh
#define hclib_launch_2_(fn, arg)		       hclib_launch(fn, arg, NULL, 0)
#define hclib_launch_4_(a, b, c, d)                                                                \
	_Generic((a), int * : hclib_launch_argv_, default : hclib_launch)(a, b, c, d)
#define hclib_launch(...)                                                                          \
	HCLIB_SEVENTH_(__VA_ARGS__, 0, 0, hclib_launch_4_, 0, hclib_launch_2_, 0, 0)(__VA_ARGS__)
#define hclib_async(...)                                                                           \
	HCLIB_SEVENTH_(__VA_ARGS__, hclib_async_listed_, hclib_async, 0, 0, 0, 0)(__VA_ARGS__)
#define hclib_async_future(...)                                                                    \
	HCLIB_SEVENTH_(__VA_ARGS__, hclib_async_future_listed_, hclib_async_future, 0, 0, 0, 0)    \
	(__VA_ARGS__)
#define hclib_forasync(...)                                                                        \
	HCLIB_SEVENTH_(__VA_ARGS__, hclib_forasync_listed_, hclib_forasync, 0, 0, 0, 0)(__VA_ARGS__)
#endif

/* ---- workers and places ---------------------------------------------------------------- */

int hclib_get_num_workers(void); /* HCLIB_WORKERS, else 8 */
int hclib_num_workers(void);
int hclib_get_current_worker(void);
size_t hclib_current_worker_backlog(void);
void hclib_set_idle_callback(void (*idle_callback)(unsigned, unsigned));

int hclib_get_num_locales(void);
hclib_locale_t *hclib_get_closest_locale(void);
hclib_locale_t *hclib_get_all_locales(void);
hclib_locale_t *hclib_get_master_place(void);

hclib_future_t *hclib_allocate_at(size_t nbytes, hclib_locale_t *locale);
hclib_future_t *hclib_reallocate_at(void *ptr, size_t new_nbytes, hclib_locale_t *locale);
hclib_future_t *hclib_memset_at(void *ptr, int pattern, size_t nbytes, hclib_locale_t *locale);
void hclib_free_at(void *ptr, hclib_locale_t *locale);
/* As src of hclib_async_copy: the value of its only future. */
#define HCLIB_ASYNC_COPY_USE_FUTURE_AS_SRC ((void *)0x1)
hclib_future_t *hclib_async_copy(hclib_locale_t *dst_locale, void *dst, hclib_locale_t *src_locale,
				 void *src, size_t nbytes, hclib_future_t **futures,
				 const int nfutures);

/* ---- the rest ----------------------------------------------------------------------------- */

unsigned long long hclib_current_time_ns(void);
unsigned long long hclib_current_time_ms(void);
void hclib_print_runtime_stats(FILE *fp);

#ifdef __cplusplus
}
#endif

#endif
