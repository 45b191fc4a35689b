/*
 * The memory that the explorer shares with the program: a request on one side, what the
 * execution did on the other.
 *
 * The program stops before main and serves: for each request it, or a copy that has
 * waited in the middle of an execution, makes a copy of itself, which executes and writes
 * the answer; when the copy has ended, the turn is the explorer's again. So only one side writes
 * at a time.
 */
#ifndef HD_TRACE_EXECUTION_SHARED_H
#define HD_TRACE_EXECUTION_SHARED_H

#include "common/hash.h"
#include "common/pulse.h"
#include "execution.h"

#define HD_X_NODES     (1u << 18)
#define HD_X_OPS       (1u << 21)
#define HD_X_THREADS   (1u << 22)
#define HD_X_ASLEEP    4096u
#define HD_X_EXACT     (1u << 24)
#define HD_X_DONORS    128u
#define HD_X_FRUITLESS 65536u
#define HD_X_LOOPS     4096u
#define HD_X_VARS      16u /* a power of two */
#define HD_X_VALUES    6u
#define HD_X_CHAIN     6u
#define HD_X_ANSWERS   2048u
#define HD_X_OBSERVED  4096u
#define HD_X_QUIT      UINT32_MAX

/* What a thread of the program is made with. */
struct hd_xdonor {
	uint64_t stack, guard;
};

/* A variable that is looked at just before it is changed (runtime/explore/one_step.h), and what it has been. */
struct hd_xvar {
	uint64_t addr;
	uint32_t size, n;
	uint64_t values[HD_X_VALUES];
};

/*
 * What is known about loops that wait (runtime/explore/await.h). A lesson is an odd number, which stands for
 * a look in vain, or twice a place in `loops`, or one of those that are told of below.
 */
struct hd_xwaits {
	uint32_t n;			    /* lessons */
	uint64_t sum;			    /* tells sets of them apart */
	uint64_t fruitless[HD_X_FRUITLESS]; /* hash table; 0: unused */
	uint64_t loops[HD_X_LOOPS / 64];    /* a bit for each place, by hash */
	bool apart;			    /* no two operations are one step */
	uint64_t
		stacks; /* bit n: others write to the stack of a thread whose number is n modulo 64 */
	uint32_t nvars;
	struct hd_xvar vars[HD_X_VARS];
};

/*
 * Of variables: another one of 2^@log bytes; a value of the one at @place, below 2^48; and that there is no room for
 * more. Of stacks: others write to that of a thread. With any of these, what was explored before holds no more.
 */
#define HD_X_LESSON_VAR	  (UINT64_C(1) << 61)
#define HD_X_LESSON_VALUE (UINT64_C(1) << 62)
#define HD_X_LESSON_APART (UINT64_C(1) << 63)
#define HD_X_VALUE_LARGE  ((UINT64_C(1) << 48) - 1)

static inline uint64_t hd_x_lesson_var(uint64_t addr, unsigned log)
{
	return HD_X_LESSON_VAR | addr << 4 | (uint64_t)log << 1;
}

#define HD_X_STACK 8u /* beside HD_X_LESSON_VAR: no variable */

static inline uint64_t hd_x_lesson_stack(uint32_t thread)
{
	return HD_X_LESSON_VAR | (uint64_t)thread << 4 | HD_X_STACK;
}

static inline uint64_t hd_x_lesson_value(uint32_t place, uint64_t value)
{
	return HD_X_LESSON_VALUE | (uint64_t)place << 52 |
	       (value < HD_X_VALUE_LARGE ? value : HD_X_VALUE_LARGE) << 1;
}

static inline bool hd_x_lesson_is_anew(uint64_t lesson)
{
	return !(lesson & 1) && lesson >= HD_X_LESSON_VAR;
}

static inline bool hd_x_any_anew(const uint64_t *lessons, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (hd_x_lesson_is_anew(lessons[i]))
			return true;
	}
	return false;
}

static inline struct hd_xvar *hd_xwaits_var(struct hd_xwaits *w, uint64_t addr, uint32_t size)
{
	for (uint32_t i = 0; i < w->nvars; i++) {
		if (w->vars[i].addr == addr && w->vars[i].size == size)
			return &w->vars[i];
	}
	return NULL;
}

/* One too many stands for all that follow. */
static inline bool hd_xvar_has(const struct hd_xvar *v, uint64_t value)
{
	for (uint32_t i = 0; i < v->n && v->n <= HD_X_VALUES; i++) {
		if (v->values[i] == value)
			return true;
	}
	return v->n > HD_X_VALUES;
}

static inline void hd_xwaits_add_anew(struct hd_xwaits *w, uint64_t lesson)
{
	uint64_t rest = lesson & (HD_X_LESSON_VAR - 1);
	struct hd_xvar *v = &w->vars[rest >> 52 & (HD_X_VARS - 1)];

	if (lesson & HD_X_LESSON_APART) {
		w->apart = true;
	} else if (lesson & HD_X_LESSON_VALUE) {
		uint64_t value = rest >> 1 & HD_X_VALUE_LARGE;

		if (v->n < HD_X_VALUES && value != HD_X_VALUE_LARGE)
			v->values[v->n++] = value;
		else
			v->n = HD_X_VALUES + 1;
	} else if (lesson & HD_X_STACK) {
		w->stacks |= UINT64_C(1) << (rest >> 4 & 63);
	} else if (w->nvars < HD_X_VARS) {
		w->vars[w->nvars++] =
			(struct hd_xvar){ .addr = rest >> 4, .size = 1u << (rest >> 1 & 3) };
	}
}

static inline uint64_t *hd_xwaits_slot(struct hd_xwaits *w, uint64_t lesson)
{
	uint64_t i = hd_hash_place(lesson, HD_X_FRUITLESS - 1);

	while (w->fruitless[i] && w->fruitless[i] != lesson)
		i = (i + 1) & (HD_X_FRUITLESS - 1);
	return &w->fruitless[i];
}

static inline bool hd_xwaits_has(struct hd_xwaits *w, uint64_t lesson)
{
	if (lesson & 1)
		return *hd_xwaits_slot(w, lesson);
	if (hd_x_lesson_is_anew(lesson))
		return false; /* who tells of it knows */
	return w->loops[lesson / 128] >> lesson / 2 % 64 & 1;
}

/* There is room for HD_X_FRUITLESS / 2. */
static inline void hd_xwaits_add(struct hd_xwaits *w, uint64_t lesson)
{
	w->n++;
	w->sum += hd_hash_all(lesson + 1);
	if (lesson & 1)
		*hd_xwaits_slot(w, lesson) = lesson;
	else if (hd_x_lesson_is_anew(lesson))
		hd_xwaits_add_anew(w, lesson);
	else
		w->loops[lesson / 128] |= UINT64_C(1) << lesson / 2 % 64;
}

struct hd_xshared {
	uint32_t asked;	       /* futex: number of the request; HD_X_QUIT: there are no more */
	uint32_t answered;     /* futex: number of the request that was answered */
	int32_t pid;	       /* of the copy that is executing; 0: none */
	struct hd_pulse pulse; /* its */

	/* The program's own. */
	uint32_t probing;    /* an execution only to see what executions need */
	uint32_t once;	     /* a process can execute only once: see runtime/explore/repeat.h */
	uint32_t overlooked; /* which has found an error of its own */
	uint32_t ndonors;
	struct hd_xdonor donors[HD_X_DONORS];

	/* The request. */
	uint32_t nprefix, nwakeup, nsleepers, nsleep_ops;
	uint32_t max_nodes;
	uint32_t match, bounded, preemptions, by_graph, rounds, together;
	uint64_t await_bits; /* the request's awaited */
	struct hd_xwaits waits;
	/* What this request has taught besides, each time that it was made. */
	uint32_t nlearnt;
	uint64_t learnt[HD_X_LEARNT];
	/*
	 * An execution only to see what a thread would have come to, had it found another value in a look
	 * (runtime/explore/await.h): which look, and the value.
	 */
	struct hd_xsupposed {
		enum { HD_X_SUPPOSE_NO, HD_X_SUPPOSE_SOON, HD_X_SUPPOSED, HD_X_SUPPOSE_NEXT } now;
		uint32_t thread, size;
		uint64_t addr, state;
		/* What the look finds, and those after it, as long as there are such looks at this variable. */
		uint64_t values[HD_X_CHAIN];
		uint32_t n, at;
		/* The answer to be filled in (runtime/explore/one_step.h), from 1; 0: what comes of it is a lesson. */
		uint32_t answer;
		uint32_t
			order; /* that the look must have at least, and it must change nothing; 0: it may */
	} supposed;
	/* What came of that for this request, each time that it was made. */
	uint32_t nanswers;
	struct hd_xanswer {
		uint64_t question;
		uint64_t state;	   /* where it led; 0: that is not known */
		uint64_t pc, with; /* before another look at the variable; else 0 */
	} answers[HD_X_ANSWERS];
	uint64_t random;
	uint32_t pct_depth;
	uint64_t pct_length;
	uint32_t prefix[HD_X_NODES];
	uint32_t wakeup[HD_X_OPS];
	struct hd_xsleeper sleepers[HD_X_ASLEEP];
	struct hd_xop sleep_ops[HD_X_OPS];

	/* The answer. */
	int32_t status; /* as waitpid(2) has it */
	uint32_t end;	/* enum hd_xend */
	uint32_t nnodes, nops, nthreads, npending, nfaults, nchoices, nexact;
	uint32_t uses; /* enum hd_xuse */
	uint32_t assumed;
	uint32_t nobserved;
	unsigned char observed[HD_X_OBSERVED]; /* variables at the end, one after the other */
	uint64_t graph;
	uint64_t awaited;
	struct hd_xfault faults[HD_X_FAULTS];
	struct hd_xnode nodes[HD_X_NODES];
	struct hd_xop ops[HD_X_OPS];
	uint32_t threads[HD_X_THREADS];
	/* Decisions as a schedule has them: also those where all but one would only have to wait. */
	uint32_t choices[HD_X_THREADS];
	uint64_t exact[HD_X_EXACT]; /* states in full, if they are wanted */
};

/*
 * States that are known, for executions to stop in: all that the explorer has met, as far as
 * there is room. One writes, any number read.
 */
#define HD_X_KNOWN (1u << 22)

struct hd_xknown {
	uint32_t n;
	struct hd_xknown_state {
		uint64_t key; /* 0: unused */
		uint32_t spent;
	} slots[HD_X_KNOWN];
};

static inline struct hd_xknown_state *hd_xknown_slot(struct hd_xknown *k, uint64_t key)
{
	uint32_t i = hd_hash_place(key, HD_X_KNOWN - 1);
	uint64_t at;

	while ((at = __atomic_load_n(&k->slots[i].key, __ATOMIC_ACQUIRE)) && at != key)
		i = (i + 1) & (HD_X_KNOWN - 1);
	return &k->slots[i];
}

static inline void hd_xknown_add(struct hd_xknown *k, uint64_t key, uint32_t spent)
{
	struct hd_xknown_state *s = hd_xknown_slot(k, key);

	if (s->key && spent >= s->spent)
		return;
	if (!s->key && k->n == HD_X_KNOWN / 2)
		return;
	k->n += !s->key;
	__atomic_store_n(&s->spent, spent, __ATOMIC_RELAXED);
	__atomic_store_n(&s->key, key, __ATOMIC_RELEASE); /* partner: hd_xknown_slot */
}

static inline bool hd_xknown_has(struct hd_xknown *k, uint64_t key, uint32_t spent)
{
	const struct hd_xknown_state *s = hd_xknown_slot(k, key);

	return s->key && __atomic_load_n(&s->spent, __ATOMIC_RELAXED) <= spent;
}

#endif
