/*
 * Objects that order threads: condition variables, semaphores, barriers, atomic variables. Each has
 * the clock of what was released to it.
 */
#include "cr_thread.h"

#include <pub_tool_hashtable.h>

#include "cr_order.h"
#include "cr_shadow.h"

struct order {
	VgHashNode node; /* key: address */
	UInt *clock;
	UInt room;       /* of the clock; what is beyond it is 0 */
	struct cr_past past;
	/* A barrier. */
	UInt count, inside;
	UInt *next; /* CR_SLOTS, of those that are in; becomes the clock when all are */
	struct cr_past next_past;
};

static VgHashTable *orders;
struct cr_order_stats cr_order_stats;

static struct order *order_of(Addr object, Bool make)
{
	struct order *o;

	if (!orders)
		orders = VG_(HT_construct)("cr.orders");
	o = VG_(HT_lookup)(orders, object);
	if (o || !make)
		return o;
	o = VG_(calloc)("cr.order", 1, sizeof(*o));
	o->node.key = object;
	VG_(HT_add_node)(orders, o);
	if (object < CR_TOP)
		cr_chunk_of(object)->flags[cr_granule(object)] |= CR_HAS_ORDER;
	if (++cr_order_stats.live > cr_order_stats.most)
		cr_order_stats.most = cr_order_stats.live;
	return o;
}

static void drop(Addr object)
{
	struct order *o = VG_(HT_remove)(orders, object);

	if (!o)
		return;
	VG_(free)(o->clock);
	VG_(free)(o->next);
	cr_past_drop(&o->past);
	cr_past_drop(&o->next_past);
	VG_(free)(o);
	cr_order_stats.live--;
}

void cr_order_forget(Addr granule)
{
	drop(granule);
	drop(granule + 4);
}

static void clock_reach(struct order *o, UInt n)
{
	UInt room = (n + 7) & ~7u;

	if (o->room >= n)
		return;
	o->clock = VG_(realloc)("cr.order", o->clock, room * sizeof(UInt));
	VG_(memset)(o->clock + o->room, 0, (room - o->room) * sizeof(UInt));
	o->room = room;
}

static void clock_join(UInt *into, const UInt *from, UInt n)
{
	for (UInt i = 0; i < n; i++) {
		if (from[i] > into[i])
			into[i] = from[i];
	}
}

void cr_release(Addr object)
{
	struct order *o = order_of(object, True);

	clock_reach(o, cr_thread_slots());
	clock_join(o->clock, cr_me->clock, cr_thread_slots());
	cr_thread_past(&o->past, cr_me);
	cr_step();
}

Bool cr_acquires(Addr object)
{
	const struct order *o = order_of(object, False);

	for (UInt i = 0; o && i < o->room; i++) {
		if (o->clock[i] > cr_me->clock[i])
			return True;
	}
	return False;
}

void cr_acquire(Addr object)
{
	const struct order *o;

	if (!cr_acquires(object))
		return;
	o = order_of(object, False);
	clock_join(cr_me->clock, o->clock, o->room);
	cr_past_join_all(&cr_me->past, &o->past);
	cr_thread_learnt();
}

void cr_barrier_init(Addr barrier, UInt count)
{
	struct order *o = order_of(barrier, True);

	o->count = count;
	o->inside = 0;
	if (!o->next)
		o->next = VG_(malloc)("cr.order", CR_SLOTS * sizeof(UInt));
	VG_(memset)(o->next, 0, CR_SLOTS * sizeof(UInt));
	VG_(free)(o->clock);
	o->clock = NULL;
	o->room = 0;
	cr_past_drop(&o->past);
	cr_past_drop(&o->next_past);
}

void cr_barrier_enter(Addr barrier)
{
	struct order *o = order_of(barrier, True);

	if (!o->next)
		cr_barrier_init(barrier, 0);
	clock_join(o->next, cr_me->clock, cr_thread_slots());
	cr_thread_past(&o->next_past, cr_me);
	cr_step();
	o->inside++;
	if (o->count && o->inside < o->count)
		return;
	/* The last one: those of this round leave with what all of them brought. */
	clock_reach(o, cr_thread_slots());
	VG_(memcpy)(o->clock, o->next, o->room * sizeof(UInt));
	VG_(memset)(o->next, 0, CR_SLOTS * sizeof(UInt));
	cr_past_drop(&o->past);
	o->past = o->next_past;
	o->next_past = (struct cr_past){ 0 };
	o->inside = 0;
}

void cr_barrier_leave(Addr barrier)
{
	cr_acquire(barrier);
}
