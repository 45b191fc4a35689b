/*
 * One half of a program in two files (left_out_main.c): it counts without a lock, and lets others
 * know by an atomic that something is ready.
 */
#include <stdatomic.h>

int calls;
static _Atomic int ready;

void count_call(void)
{
	calls++;
}

void make_ready(void)
{
	atomic_store_explicit(&ready, 1, memory_order_release);
}

int is_ready(void)
{
	return atomic_load_explicit(&ready, memory_order_acquire);
}
