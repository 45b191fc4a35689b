/*
 * Atomic operations with other orders than the program asks for, to find out which it needs (--suggest-orders).
 *
 * The option lists places, "401136+7,401150-1,4011a2!7": at the call that returns there an order gets parts (+),
 * is left with no more than parts (-), or a fence comes before it (!). Place 0 stands for all of them.
 */
#ifndef HD_RUNTIME_WEAK_ORDERS_H
#define HD_RUNTIME_WEAK_ORDERS_H

#include <stdbool.h>
#include <stdint.h>

/* Is there any such place? */
extern bool hd_rt_orders_change;

/* False: it is no such list. */
bool hd_rt_orders_read(const char *list);
/* What an operation's order comes to at @pc, that of a failing compare-exchange if @fails. */
int hd_rt_order_at(uintptr_t pc, int order, bool fails);
/* The order of a fence that comes before it; __ATOMIC_RELAXED: none does. */
int hd_rt_fence_at(uintptr_t pc);

#endif
