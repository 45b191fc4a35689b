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
#define HD_X_OBSERVED  4096u
#define HD_X_QUIT      UINT32_MAX

/* What a thread of the program is made with. */
struct hd_xdonor {
	uint64_t stack, guard;
};

/*
 * What is known about loops that wait (runtime/explore/await.h). A lesson is an odd number, which stands for
 * a look in vain, or twice a place in `loops`.
 */
struct hd_xwaits {
	uint32_t n;			    /* lessons */
	uint64_t sum;			    /* tells sets of them apart */
	uint64_t fruitless[HD_X_FRUITLESS]; /* hash table; 0: unused */
	uint64_t loops[HD_X_LOOPS / 64];    /* a bit for each place, by hash */
};

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
	return w->loops[lesson / 128] >> lesson / 2 % 64 & 1;
}

/* There is room for HD_X_FRUITLESS / 2. */
static inline void hd_xwaits_add(struct hd_xwaits *w, uint64_t lesson)
{
	w->n++;
	w->sum += hd_hash_all(lesson + 1);
	if (lesson & 1)
		*hd_xwaits_slot(w, lesson) = lesson;
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
	uint32_t match, bounded, preemptions, by_graph, rounds;
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
		enum { HD_X_SUPPOSE_NO, HD_X_SUPPOSE_SOON, HD_X_SUPPOSED } now;
		uint32_t thread, size;
		uint64_t addr, state, value;
	} supposed;
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
