/*
 * A lock-free stack (Treiber) with C11 atomics: two threads push and pop. Nodes
 * are named by index and the top carries a count, so that ABA cannot happen.
 *
 *   stack [OPERATIONS]      a thread; prints how many nodes are in the stack at the end
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NODES 1024u

static struct {
	_Atomic uint32_t next;
	uint64_t payload;
} node[NODES + 1]; /* from 1; 0 is none */

static _Atomic uint64_t top; /* count << 32 | node */
static size_t operations;

static void push(uint32_t n)
{
	uint64_t old = atomic_load_explicit(&top, memory_order_relaxed);

	do {
		atomic_store_explicit(&node[n].next, (uint32_t)old, memory_order_relaxed);
	} while (!atomic_compare_exchange_weak_explicit(&top, &old,
							((old >> 32) + 1) << 32 | n,
							memory_order_release,
							memory_order_relaxed));
}

static uint32_t pop(void)
{
	uint64_t old = atomic_load_explicit(&top, memory_order_acquire);
	uint32_t next;

	do {
		if (!(uint32_t)old)
			return 0;
		next = atomic_load_explicit(&node[(uint32_t)old].next, memory_order_relaxed);
	} while (!atomic_compare_exchange_weak_explicit(&top, &old,
							((old >> 32) + 1) << 32 | next,
							memory_order_acq_rel,
							memory_order_acquire));
	return (uint32_t)old;
}

static void *work(void *unused)
{
	(void)unused;
	for (size_t i = 0; i < operations; i++) {
		uint32_t n = pop();

		if (n) {
			node[n].payload++;
			push(n);
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t other;
	unsigned left = 0;

	operations = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
	for (uint32_t i = 1; i <= NODES; i++)
		push(i);
	pthread_create(&other, NULL, work, NULL);
	work(NULL);
	pthread_join(other, NULL);
	while (pop())
		left++;
	printf("%u\n", left);
	return 0;
}
