/*
 * Small task programs, their runs, and what is true of them in all interleavings.
 */
#ifndef TEST_TASK_PROGRAMS_H
#define TEST_TASK_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/rng.h"
#include "trace/event.h"

#define TASKS_MAX  10
#define OPS_MAX	   31
#define ACCESS_MAX 40
#define VARS_MAX   4

enum task_op_kind {
	T_READ,
	T_WRITE,
	T_TAKE,
	T_GIVE,
	T_SET,	 /* a flag, under a lock */
	T_POLL,	 /* a flag, under the same lock, until it is set */
	T_ADD,	 /* to a counter, under that lock, and look at it no more */
	T_TALLY, /* that counter, until all that the program adds to it has been */
	T_SPAWN,
	T_FINISH,
	T_END_FINISH,
	T_PUT,
	T_GET,
};

struct task_op {
	uint8_t kind;
	uint8_t what;	/* variable, lock, task, scope, future or flag */
	uint8_t step;	/* of its task */
	uint8_t number; /* of an access, in the program */
};

struct small_task {
	struct task_op ops[OPS_MAX];
	int nops;
	int scope;   /* the finish around its creation; -1: none */
	int creator; /* -1: the first */
};

struct task_program {
	struct small_task tasks[TASKS_MAX];
	int ntasks, nvars, nscopes, naccesses;
	uint8_t access_task[ACCESS_MAX], access_op[ACCESS_MAX];
};

enum lock_shape { LOCKS_NONE, LOCKS_FLAT, LOCKS_NESTED, LOCKS_ANY };

struct task_shape {
	int tasks, vars, locks, futures, flags; /* at most */
	bool adds;				/* counters, too */
	int accesses;				/* of a step, at most */
	enum lock_shape shape;
};

void random_program(struct task_program *p, struct hd_rng *r, const struct task_shape *shape);

/*
 * One run in random order; 0: it came to a standstill. Only what polls read decides anything. Events carry pc = number of the access + 1
 * and addresses VAR_AT(x).
 */
#define VAR_AT(x)  (0x1000ull + 8ull * (x))
#define FLAG_AT(x) (0x2000ull + 8ull * (x))
size_t random_schedule(const struct task_program *p, struct hd_rng *r, struct hd_event *events,
		       size_t max);

/* All interleavings. */
struct truth {
	uint32_t torn, raced;			  /* variables, as bits */
	uint64_t triples[ACCESS_MAX][ACCESS_MAX]; /* [e1][f] -> e2, as bits */
	uint64_t races[ACCESS_MAX];
	size_t states;
};

/* False: too many states to look at. */
bool find_truth(const struct task_program *p, struct truth *t);

/*
 * Has some interleaving a cycle of two steps: one before the other on one variable, after it on
 * another? (False: too many states to look at.) And can these accesses happen in this order?
 */
bool find_cycle_truth(const struct task_program *p, bool *cycle);
bool order_is_possible(const struct task_program *p, const int *accesses, int n);

void print_program(const struct task_program *p);

/* A program from text: tasks separated by '|', e.g. "[s1 s2] x | Rx Wx | +a Wx -a"; see .c. */
void parse_program(struct task_program *p, const char *text);

#endif
