/*
 * What is not a lock and not a barrier: who shares, who hands over, who looks again.
 */
#include "handmade.h"

#include <assert.h>
#include <stdint.h>

/* ---- readers and writers: -1 a writer, else the number of readers ------------------------- */

static atomic_int users;
static int shared, shared_twice;

static void rw_work(int thread, int n, int rounds)
{
	(void)n;
	for (int i = 0; i < rounds; i++) {
		int now = 0;

		if (thread == 0) {
			while (!atomic_compare_exchange_strong(&users, &now, -1)) {
				now = 0;
				WAIT();
			}
			shared++;
			shared_twice += 2;
			atomic_store(&users, 0);
			continue;
		}
		for (;;) {
			now = atomic_load(&users);
			if (now >= 0 && atomic_compare_exchange_strong(&users, &now, now + 1))
				break;
			WAIT();
		}
		assert(shared_twice == 2 * shared);
		atomic_fetch_sub(&users, 1);
	}
}

static void rw_look(int n, int rounds)
{
	(void)n;
	assert(shared == rounds && shared_twice == 2 * rounds);
}

/* ---- a sequence lock: odd while it is written -------------------------------- */

static atomic_uint sequence;
static atomic_int first, second;

static void seq_work(int thread, int n, int rounds)
{
	(void)n;
	for (int i = 0; i < rounds; i++) {
		unsigned before;
		int a, b;

		if (thread == 0) {
			atomic_fetch_add(&sequence, 1);
			atomic_store(&first, i + 1);
			atomic_store(&second, i + 1);
			atomic_fetch_add(&sequence, 1);
			continue;
		}
		do {
			while ((before = atomic_load(&sequence)) & 1)
				WAIT();
			a = atomic_load(&first);
			b = atomic_load(&second);
		} while (atomic_load(&sequence) != before);
		assert(a == b);
	}
}

static void seq_look(int n, int rounds)
{
	(void)n;
	assert(first == rounds && second == rounds);
}

/* ---- a ring from one to one -------------------------------------------------- */

#define SLOTS 2

static int ring[SLOTS];
static atomic_uint head, tail;

static void spsc_work(int thread, int n, int rounds)
{
	(void)n;
	for (unsigned i = 0; i < (unsigned)rounds + 1; i++) {
		if (thread == 0) {
			while (i - atomic_load_explicit(&head, memory_order_acquire) == SLOTS)
				WAIT();
			ring[i % SLOTS] = (int)i;
			atomic_store_explicit(&tail, i + 1, memory_order_release);
		} else {
			while (atomic_load_explicit(&tail, memory_order_acquire) == i)
				WAIT();
			assert(ring[i % SLOTS] == (int)i);
			atomic_store_explicit(&head, i + 1, memory_order_release);
		}
	}
}

/* ---- a ring from many to many (Vyukov): a number in each slot says whose turn it is --- */

static struct {
	atomic_uint turn;
	int value;
} cells[SLOTS];
static atomic_uint put_at, get_at;
static atomic_int put_sum, got_sum;

static void mpmc_put(int value)
{
	unsigned at = atomic_load_explicit(&put_at, memory_order_relaxed);

	for (;;) {
		/* Cells begin at 0 here, so that a cell's turn is counted from its number. */
		unsigned turn = atomic_load_explicit(&cells[at % SLOTS].turn, memory_order_acquire);
		int late = (int)(turn + at % SLOTS - at);

		if (late == 0) {
			if (atomic_compare_exchange_weak(&put_at, &at, at + 1))
				break;
		} else {
			if (late < 0)
				WAIT();
			at = atomic_load_explicit(&put_at, memory_order_relaxed);
		}
	}
	cells[at % SLOTS].value = value;
	atomic_store_explicit(&cells[at % SLOTS].turn, at + 1 - at % SLOTS, memory_order_release);
}

static int mpmc_get(void)
{
	unsigned at = atomic_load_explicit(&get_at, memory_order_relaxed);
	int value;

	for (;;) {
		unsigned turn = atomic_load_explicit(&cells[at % SLOTS].turn, memory_order_acquire);
		int late = (int)(turn + at % SLOTS - (at + 1));

		if (late == 0) {
			if (atomic_compare_exchange_weak(&get_at, &at, at + 1))
				break;
		} else {
			if (late < 0)
				WAIT();
			at = atomic_load_explicit(&get_at, memory_order_relaxed);
		}
	}
	value = cells[at % SLOTS].value;
	atomic_store_explicit(&cells[at % SLOTS].turn, at + SLOTS - at % SLOTS,
			      memory_order_release);
	return value;
}

/* Everybody puts and gets as often, so that nobody waits for ever. */
static void mpmc_work(int thread, int n, int rounds)
{
	(void)n;
	for (int i = 0; i < rounds; i++) {
		mpmc_put(thread + 1);
		atomic_fetch_add(&put_sum, thread + 1);
		atomic_fetch_add(&got_sum, mpmc_get());
	}
}

static void mpmc_look(int n, int rounds)
{
	(void)n;
	(void)rounds;
	assert(put_sum == got_sum);
}

/* ---- a stack (Treiber) of nodes from a pool; a count beside the number keeps old heads apart --- */

static struct {
	atomic_uint next; /* number of a node plus one */
	int value;
} nodes[MOST];
static _Atomic(uint64_t) top;
static atomic_int pushed;

static void push(unsigned node)
{
	uint64_t old = atomic_load(&top), new;

	do {
		atomic_store(&nodes[node].next, (unsigned)old);
		new = ((old >> 32) + 1) << 32 | (node + 1);
	} while (!atomic_compare_exchange_weak(&top, &old, new));
}

static unsigned pop(void)
{
	uint64_t old = atomic_load(&top), new;

	for (;;) {
		if (!(unsigned)old) {
			WAIT();
			old = atomic_load(&top);
			continue;
		}
		new = ((old >> 32) + 1) << 32 | atomic_load(&nodes[(unsigned)old - 1].next);
		if (atomic_compare_exchange_weak(&top, &old, new))
			return (unsigned)old - 1;
	}
}

/* One node for all but one: they wait for each other. */
static void stack_work(int thread, int n, int rounds)
{
	if (thread < n - 1)
		push((unsigned)thread);
	for (int i = 0; i < rounds; i++) {
		unsigned node = pop();

		nodes[node].value++;
		atomic_fetch_add(&pushed, 1);
		push(node);
	}
}

static void stack_look(int n, int rounds)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += nodes[i].value;
	assert(sum == n * rounds && pushed == sum);
}

/* ---- a flag that goes to and fro --------------------------------------------- */

static atomic_int full;
static int parcel;

static void flag_work(int thread, int n, int rounds)
{
	(void)n;
	for (int i = 0; i < rounds; i++) {
		if (thread == 0) {
			while (atomic_load_explicit(&full, memory_order_acquire))
				WAIT();
			parcel = i + 1;
			atomic_store_explicit(&full, 1, memory_order_release);
		} else {
			while (!atomic_load_explicit(&full, memory_order_acquire))
				WAIT();
			assert(parcel == i + 1);
			atomic_store_explicit(&full, 0, memory_order_release);
		}
	}
}

/* ---- an event count: look, note the count, look again, wait for another count --- */

static atomic_int epoch, stock;

static bool take_one(void)
{
	int there = atomic_load(&stock);

	return there > 0 && atomic_compare_exchange_strong(&stock, &there, there - 1);
}

static void event_work(int thread, int n, int rounds)
{
	for (int i = 0; i < rounds * (thread ? 1 : n - 1); i++) {
		int noted;

		if (thread == 0) {
			atomic_fetch_add(&stock, 1);
			atomic_fetch_add(&epoch, 1);
			continue;
		}
		while (noted = atomic_load(&epoch), !take_one()) {
			while (atomic_load(&epoch) == noted && atomic_load(&stock) == 0)
				WAIT();
		}
	}
}

static void event_look(int n, int rounds)
{
	assert(stock == 0 && epoch == rounds * (n - 1));
}

const struct other_kind others[] = {
	{ "reader-writer", rw_work, rw_look, 0 },
	{ "seqlock", seq_work, seq_look, 0 },
	{ "one-to-one-ring", spsc_work, 0, 2 },
	{ "many-to-many-ring", mpmc_work, mpmc_look, 0 },
	{ "treiber-stack", stack_work, stack_look, 0 },
	{ "flag", flag_work, 0, 2 },
	{ "event-count", event_work, event_look, 0 },
	{ 0 },
};
