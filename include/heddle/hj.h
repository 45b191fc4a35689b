/*
 * Tasks: the Habanero model for C, in heddle's library.
 *
 * A program of tasks is one call of hj_launch(). Inside it, hj_async() makes a task that may run
 * in parallel with its parent, and a finish waits for all tasks made in it, and in these, and
 * so on. docs/guide/tasks.md has every construct with an example.
 *
 * Every call is a function of the library, whatever carries the tasks out. Wrong use is
 * reported as a finding of kind "misuse", and the program continues as well as it can.
 */
#ifndef HEDDLE_HJ_H
#define HEDDLE_HJ_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void hj_fn(void *arg);
typedef void *hj_future_fn(void *arg);

/* ---- programs, tasks, finish ------------------------------------------------ */

/* Runs @fn as the root task, in a finish. Returns when every task has ended. */
void hj_launch(hj_fn *fn, void *arg);

/* Makes a task. hj_async_copy gives it a copy of the @size bytes at @arg. */
void hj_async(hj_fn *fn, void *arg);
void hj_async_copy(hj_fn *fn, const void *arg, size_t size);

/* The calling task's number: T2, T3, ... in reports. 0 outside of hj_launch. */
unsigned hj_task_number(void);
/* Lets another task run first, if one can. */
void hj_yield(void);

/* A finish. The task that began it ends it; the finish that was begun last ends first. */
void hj_finish_begin(void);
void hj_finish_end(void);
void hj_finish(hj_fn *fn, void *arg);

/* HJ_FINISH { ... }: leaving it by return, break or goto is misuse. */
struct hj_scope_ {
	int open;
};
struct hj_scope_ hj_finish_open_(void);
void hj_finish_close_(struct hj_scope_ *scope);
void hj_finish_left_(struct hj_scope_ *scope);
#define HJ_FINISH                                                                                  \
	for (struct hj_scope_ hj_scope_                                                            \
	     __attribute__((cleanup(hj_finish_left_))) = hj_finish_open_();                        \
	     hj_scope_.open; hj_finish_close_(&hj_scope_))

/*
 * C++: an exception that leaves a task is kept until its finish has waited for all tasks, and is thrown by the
 * end of the finish (or by hj_launch). Several are thrown together, as hj::exceptions.
 */
struct hj_thrown_ {
	struct hj_thrown_ *next;
};

/* ---- futures and promises ---------------------------------------------------- */

/* A future is the value of a task or of a promise; a promise is a value that any task may put. */
typedef struct hj_future hj_future_t;
typedef struct hj_promise hj_promise_t;

hj_future_t *hj_async_future(hj_future_fn *fn, void *arg);
/* Waits for the value. */
void *hj_future_get(hj_future_t *f);
/* Whether there is a value. The answer does not order anything: only getting the value does. */
bool hj_future_ready(hj_future_t *f);
void hj_future_free(hj_future_t *f);

hj_promise_t *hj_promise_new(void);
void hj_promise_put(hj_promise_t *p, void *value); /* once */
hj_future_t *hj_promise_future(hj_promise_t *p);
void hj_promise_free(hj_promise_t *p); /* the future too */

/* Tasks that begin when all @n futures have their values. */
void hj_async_await(hj_fn *fn, void *arg, hj_future_t *const *futures, size_t n);
hj_future_t *hj_async_future_await(hj_future_fn *fn, void *arg, hj_future_t *const *futures,
				   size_t n);

/* Ends the finish without waiting. The future has its value when all tasks in it have ended. */
hj_future_t *hj_finish_end_future(void);

/* ---- isolated ------------------------------------------------------------------ */

/*
 * Isolated blocks exclude each other. Two blocks on objects exclude each other only if they have an
 * object in common. A block may be inside another one that has at least its objects.
 */
void hj_isolated_begin(void);
void hj_isolated_begin_on(const void *const *objects, size_t n);
void hj_isolated_end(void);
void hj_isolated(hj_fn *fn, void *arg);

/*
 * HJ_ISOLATED { ... } and HJ_ISOLATED_ON(&a, &b) { ... }: end on every way out. Null pointers among
 * the objects count for nothing.
 */
extern const char hj_isolated_last_; /* ends the list */
int hj_isolated_on_(const void *first, ...);
void hj_isolated_close_(const int *open);
#define HJ_ISOLATED HJ_ISOLATED_ON((const void *)0)
#define HJ_ISOLATED_ON(...)                                                                        \
	for (int hj_once_ __attribute__((cleanup(hj_isolated_close_))) =                           \
		     hj_isolated_on_(__VA_ARGS__, (const void *)&hj_isolated_last_);               \
	     hj_once_ == 1; hj_once_ = 2)

/* ---- phasers ------------------------------------------------------------------- */

typedef struct hj_phaser hj_phaser_t;

enum hj_mode {
	HJ_SIG = 1,
	HJ_WAIT = 2,
	HJ_SIG_WAIT = 3,
	HJ_SIG_WAIT_SINGLE = 7,
};

struct hj_phased {
	hj_phaser_t *phaser;
	enum hj_mode mode;
};

/* The task that makes it is registered, in @mode, until the end of the finish around it. */
hj_phaser_t *hj_phaser_new(enum hj_mode mode);
/* Signallers get at most @bound phases ahead of those that wait. */
hj_phaser_t *hj_phaser_new_bounded(enum hj_mode mode, unsigned bound);
void hj_phaser_free(hj_phaser_t *ph); /* when nobody is registered */

/* Makes a task that is registered from its start, in a mode that its parent has. */
void hj_async_phased(hj_fn *fn, void *arg, const struct hj_phased *on, size_t n);
#define HJ_PHASED(...)                                                                             \
	(const struct hj_phased[]){ __VA_ARGS__ },                                                 \
		sizeof((const struct hj_phased[]){ __VA_ARGS__ }) / sizeof(struct hj_phased)

/* Registers or leaves later. A task leaves all its phasers when it ends. */
void hj_phaser_register(hj_phaser_t *ph, enum hj_mode mode);
void hj_phaser_drop(hj_phaser_t *ph);

/* Goes to the next phase of every phaser of the task: signals all, then waits for all. */
void hj_next(void);
void hj_phaser_next(hj_phaser_t *ph);
/* The same in two steps. What the task does in between overlaps with the other tasks. */
void hj_phaser_signal(hj_phaser_t *ph);
void hj_phaser_wait(hj_phaser_t *ph);
/* As hj_next; between the phases one of the HJ_SIG_WAIT_SINGLE tasks runs @fn. */
void hj_next_single(hj_fn *fn, void *arg);
void hj_phaser_next_single(hj_phaser_t *ph, hj_fn *fn, void *arg);
/* The number of complete phases. */
unsigned long hj_phaser_phase(hj_phaser_t *ph);

/* ---- loops ----------------------------------------------------------------------- */

/* low, low + stride, ... below high; 0 for stride and chunk is 1. A task has up to chunk steps. */
struct hj_range {
	long low, high, stride, chunk;
};

typedef void hj_body1(long i, void *arg);
typedef void hj_body2(long i, long j, void *arg);
typedef void hj_body3(long i, long j, long k, void *arg);

/* forasync makes the tasks, forall also waits for them. @r: ranges, the outermost dimension first. */
void hj_forasync1(const struct hj_range *r, hj_body1 *fn, void *arg);
void hj_forasync2(const struct hj_range *r, hj_body2 *fn, void *arg);
void hj_forasync3(const struct hj_range *r, hj_body3 *fn, void *arg);
void hj_forall1(const struct hj_range *r, hj_body1 *fn, void *arg);
void hj_forall2(const struct hj_range *r, hj_body2 *fn, void *arg);
void hj_forall3(const struct hj_range *r, hj_body3 *fn, void *arg);
/* The same with a task for each item that @next gives, which says false when there are no more. */
typedef bool hj_next_item(void *iterator, void **item);
typedef void hj_body_item(void *item, void *arg);
void hj_forasync_items(hj_next_item *next, void *iterator, hj_body_item *fn, void *arg);
void hj_forall_items(hj_next_item *next, void *iterator, hj_body_item *fn, void *arg);
/* One task for each step, all registered on one phaser: hj_next() is a barrier among them. */
void hj_forall1_phased(const struct hj_range *r, hj_body1 *fn, void *arg);

/* ---- actors ---------------------------------------------------------------------- */

typedef struct hj_actor hj_actor_t;
typedef void hj_actor_fn(hj_actor_t *self, void *message, void *state);

/* @process is called for one message at a time, in the order of their arrival. */
hj_actor_t *hj_actor_new(hj_actor_fn *process, void *state);
/* The actor becomes a task of the caller's finish, which then waits until the actor exits. */
void hj_actor_start(hj_actor_t *a);
/* Returns false if the actor has exited; the message is then lost. Works before the start. */
bool hj_actor_send(hj_actor_t *a, void *message);
/* The actor exits after its current message, or at once if it has none. */
void hj_actor_exit(hj_actor_t *a);
void hj_actor_pause(hj_actor_t *a); /* messages wait until ... */
void hj_actor_resume(hj_actor_t *a);
void hj_actor_free(hj_actor_t *a); /* before its start or after its exit */

/* ---- accumulators ---------------------------------------------------------------- */

typedef struct hj_accum hj_accum_t;

enum hj_op { HJ_SUM, HJ_PROD, HJ_MIN, HJ_MAX };

/* Belongs to the caller's innermost finish. Tasks in it put; its end makes the value. */
hj_accum_t *hj_accum_new(enum hj_op op); /* of long */
hj_accum_t *hj_accum_new_double(enum hj_op op);
hj_accum_t *hj_accum_new_fn(long (*combine)(long a, long b), long identity);
void hj_accum_put(hj_accum_t *a, long value);
void hj_accum_put_double(hj_accum_t *a, double value);
/* The value after the end of its finish; before that, the identity. */
long hj_accum_get(hj_accum_t *a);
double hj_accum_get_double(hj_accum_t *a);
void hj_accum_free(hj_accum_t *a);

/* ---- permission regions ---------------------------------------------------------- */

/*
 * A region says what a task reads or writes between two calls. Regions exclude nobody. It is a
 * finding if two tasks have regions of the same object at the same time, one of them to write. A
 * region is of an object, of one element of an array, or of elements from..to-1. Each element is an
 * object of its own, and the array as a whole is another.
 */
void hj_acquire_r(const void *object);
void hj_acquire_w(const void *object);
void hj_release_r(const void *object);
void hj_release_w(const void *object);
void hj_acquire_r_at(const void *array, size_t i);
void hj_acquire_w_at(const void *array, size_t i);
void hj_release_r_at(const void *array, size_t i);
void hj_release_w_at(const void *array, size_t i);
void hj_acquire_r_range(const void *array, size_t from, size_t to);
void hj_acquire_w_range(const void *array, size_t from, size_t to);
void hj_release_r_range(const void *array, size_t from, size_t to);
void hj_release_w_range(const void *array, size_t from, size_t to);

/* -DHJ_NO_REGIONS builds the program without regions. */
#ifdef HJ_NO_REGIONS
#define hj_acquire_r(object)		    ((void)(object))
#define hj_acquire_w(object)		    ((void)(object))
#define hj_release_r(object)		    ((void)(object))
#define hj_release_w(object)		    ((void)(object))
#define hj_acquire_r_at(array, i)	    ((void)(array), (void)(i))
#define hj_acquire_w_at(array, i)	    ((void)(array), (void)(i))
#define hj_release_r_at(array, i)	    ((void)(array), (void)(i))
#define hj_release_w_at(array, i)	    ((void)(array), (void)(i))
#define hj_acquire_r_range(array, from, to) ((void)(array), (void)(from), (void)(to))
#define hj_acquire_w_range(array, from, to) ((void)(array), (void)(from), (void)(to))
#define hj_release_r_range(array, from, to) ((void)(array), (void)(from), (void)(to))
#define hj_release_w_range(array, from, to) ((void)(array), (void)(from), (void)(to))
#endif

#ifdef __cplusplus
}
#include <heddle/hj_exceptions.h>
#endif

#endif
