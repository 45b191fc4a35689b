/*
 * What the memory model of C11 lets a thread read, in its repaired form (RC11: Lahav, Vafeiadis, Kang,
 * Hur and Dreyer, PLDI 2017), with release sequences as in C++20.
 *
 * An execution is built operation by operation, each thread in program order. Every location has its
 * writes in modification order. A load is a choice among those that coherence and happens-before
 * leave, a store among places in modification order, a read-modify-write comes right after what it
 * reads. Whoever calls chooses. A graph is consistent, by the axioms, if and only if some sequence of
 * calls and choices builds it: nothing that was built before excludes it but the graph itself, so
 * the order in which threads run matters only where one reads what another wrote.
 *
 *   happens-before  vector clocks over the threads' own steps.
 *   coherence       a thread may not read, nor write, behind a write that it knows of: one that
 *                   happens before, or was read by something that does.
 *   seq_cst         the partial order psc of RC11 stays without a cycle. It is looked at only for
 *                   choices that come before another write; nothing else leads to something older.
 *   out of thin air does not exist: nothing is read that is not written yet.
 *
 * The same with other axioms is TSO, the store buffers of x86 (Owens, Sarkar and Sewell, TPHOLs 2009): program order but
 * from a write to a later read, reads-from between threads, modification order and from-read (what was read
 * comes before the writes after it) are together without a cycle. Locked instructions, fences and seq_cst
 * stores are in order with everything; other orders mean nothing (hd_weak_order()).
 *
 * Memory is bounded. When it is full the model is settled: the past happens before everything, and
 * each location has the last of its writes left. That allows less, never more; `settled` counts it.
 *
 * Nothing here depends on the rest of the runtime, allocates, or looks at the program's memory.
 */
#ifndef HD_RUNTIME_WEAK_MODEL_H
#define HD_RUNTIME_WEAK_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HD_WEAK_THREADS 32   /* that take part since the model was settled */
#define HD_WEAK_OBJECTS 128  /* locks and the like, the same */
#define HD_WEAK_BUCKETS 128  /* of locations */
#define HD_WEAK_BASE	(-1) /* the write that was there before all others */
#define HD_WEAK_NONE	(-2)

enum hd_weak_kind { HD_WEAK_READ = 1, HD_WEAK_WRITE = 2, HD_WEAK_RMW = 3, HD_WEAK_FENCE = 4 };

/* What happens before something: of each thread so many steps. */
struct hd_weak_clock {
	uint32_t of[HD_WEAK_THREADS];
};

/* Who wrote, for those who tell of it. */
struct hd_weak_where {
	uint32_t thread, ctx;
	uint32_t op; /* as the explorer counts them, from 1; 0: unknown */
	uintptr_t pc;
};

struct hd_weak_event {
	uint8_t kind, order; /* enum hd_weak_kind, __ATOMIC_* */
	uint8_t slot;
	int16_t loc;	  /* HD_WEAK_NONE: a fence */
	int16_t src;	  /* of a read: the write; HD_WEAK_BASE: the location's first */
	int16_t mo_next;  /* of a write: the one after it */
	int16_t earlier;  /* the event before it at its location */
	int16_t before;	  /* ... of its thread */
	int16_t pos;	  /* of a write: its place in modification order, from 1 */
	uint32_t step;	  /* its thread's own time */
	uint32_t apart;	  /* the thread's first step after it elsewhere; 0: none yet */
	uint32_t again;	  /* of a read: so often the same once more */
	uint32_t drained; /* TSO: the thread's step up to which its stores were out by then */
	uint64_t value;	  /* written */
	struct hd_weak_where where;
	struct hd_weak_clock clock;	/* what happens before it, and itself */
	struct hd_weak_clock elsewhere; /* the thread's clock after its last step elsewhere */
	struct hd_weak_clock gives;	/* of a write: what one learns that acquires it */
};

struct hd_weak_location {
	uint64_t addr;
	uint64_t base; /* the value of HD_WEAK_BASE */
	uint32_t size; /* 0: forgotten */
	int16_t first; /* after HD_WEAK_BASE in modification order */
	int16_t last_write, last;
	int16_t chain; /* the next of its bucket */
	struct hd_weak_where where;
};

struct hd_weak_thread {
	uint32_t id, step, drained;
	int16_t last; /* its last event */
	int16_t at;   /* where its last steps were; HD_WEAK_NONE: nowhere */
	bool fenced;  /* it has a release fence behind it */
	struct hd_weak_clock clock, elsewhere;
	struct hd_weak_clock pending; /* what an acquire fence will bring */
	struct hd_weak_clock fence;   /* at the last release fence */
};

struct hd_weak_object {
	uint64_t key;
	struct hd_weak_clock clock;
};

struct hd_weak {
	struct hd_weak_event *events; /* room for so many, and as many locations: */
	struct hd_weak_location *locs;
	int16_t *scratch; /* three times as many */
	unsigned room, nevents, nlocs, nthreads, nobjects;
	unsigned nsc; /* events that are seq_cst */
	bool tso;
	uint64_t settled;
	int16_t buckets[HD_WEAK_BUCKETS];
	struct hd_weak_thread threads[HD_WEAK_THREADS];
	struct hd_weak_object objects[HD_WEAK_OBJECTS];
};

/* What a load, a compare-exchange or another read-modify-write may come to. */
struct hd_weak_want {
	enum hd_weak_kind kind; /* READ or RMW */
	int order;
	bool compares; /* writes only if it reads @expected, else it reads with fail_order */
	bool may_fail; /* ... or even then */
	int fail_order;
	uint64_t expected;
};
struct hd_weak_choice {
	int16_t write; /* an event, or HD_WEAK_BASE */
	bool fails;    /* it only reads */
};

void hd_weak_init(struct hd_weak *m, struct hd_weak_event *events, struct hd_weak_location *locs,
		  int16_t *scratch, unsigned room);
void hd_weak_settle(struct hd_weak *m);
/* What an order comes to: the same, but under TSO, where @kind says what instruction it is. */
int hd_weak_order(const struct hd_weak *m, enum hd_weak_kind kind, int order);

/*
 * A thread is about to do something: make room, if need be by settling. Its slot. Valid, as
 * everything else that is a number, until the next call.
 */
unsigned hd_weak_begin(struct hd_weak *m, uint32_t thread);

/*
 * The location of @size bytes at @addr, which hold @value: if that is not the last value known,
 * somebody has written it who is not ours, and all earlier writes are forgotten. HD_WEAK_NONE: its
 * bytes overlap those of another location.
 */
int hd_weak_location(struct hd_weak *m, uint64_t addr, uint32_t size, uint64_t value);
/* The memory is something else from now on. */
void hd_weak_forget(struct hd_weak *m, uint64_t addr, uint64_t len);

/* The choices, the newest write first, into @out; at most @max of them. */
unsigned hd_weak_readable(struct hd_weak *m, unsigned slot, int loc,
			  const struct hd_weak_want *want, struct hd_weak_choice *out,
			  unsigned max);
/* The same of a store: the writes that it may come right after. */
unsigned hd_weak_places(struct hd_weak *m, unsigned slot, int loc, int order, int16_t *out,
			unsigned max);
uint64_t hd_weak_value(const struct hd_weak *m, int loc, int write);
const struct hd_weak_where *hd_weak_writer(const struct hd_weak *m, int loc, int write);
/* The last in modification order. */
int hd_weak_newest(const struct hd_weak *m, int loc);

/* It happens: one of the choices. @src, @after: the write. */
void hd_weak_read(struct hd_weak *m, unsigned slot, int loc, int order, int src);
void hd_weak_write(struct hd_weak *m, unsigned slot, int loc, int order, int after, uint64_t value,
		   const struct hd_weak_where *where);
void hd_weak_rmw(struct hd_weak *m, unsigned slot, int loc, int order, int src, uint64_t value,
		 const struct hd_weak_where *where);
void hd_weak_fence(struct hd_weak *m, unsigned slot, int order);

/*
 * The thread does something elsewhere: a plain access, a call. It matters to psc, which tells steps at
 * one location from others.
 */
void hd_weak_apart(struct hd_weak *m, unsigned slot);
/* It gives what it knows to, or takes what others gave to, a lock or whatever @key stands for. */
void hd_weak_give(struct hd_weak *m, unsigned slot, uint64_t key);
void hd_weak_take(struct hd_weak *m, unsigned slot, uint64_t key);

/* A digest of the graph: equal for equal ones, in whatever order they were built. */
uint64_t hd_weak_digest(const struct hd_weak *m);

#endif
