/*
 * Members that are filled in together belong together although their values are independent;
 * the counters of packets in and out do not.
 *
 * EXPECT: none
 * GROUP: +0..4 +4..8
 * NOGROUP: traffic.in traffic.out
 */
#include "../pair.h"

#include <stdlib.h>

struct object {
	int a, b;
	struct object *next;
};

struct counters {
	long in, out;
};

static struct object *list_head;
static struct counters traffic;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_list(void)
{
	for (int i = 0; i < 8; i++) {
		struct object *o = calloc(1, sizeof(*o));

		o->next = list_head;
		list_head = o;
	}
}

__attribute__((noinline)) static struct object *dequeue_and_fill(int p, int q)
{
	struct object *head;

	LOCK(m);
	head = list_head;
	head->a = p;
	head->b = q;
	list_head = head->next;
	UNLOCK(m);
	return head;
}

static void put_back(struct object *o)
{
	LOCK(m);
	o->next = list_head;
	list_head = o;
	UNLOCK(m);
}

static void received(int bytes)
{
	LOCK(n);
	traffic.in += bytes;
	UNLOCK(n);
}

static void sent(int bytes)
{
	LOCK(n);
	traffic.out += bytes;
	UNLOCK(n);
}

static void a(void)
{
	pthread_once(&once, make_list);
	for (int i = 0; i < 4; i++) {
		put_back(dequeue_and_fill(i, 7 * i + 1));
		received(i);
	}
}

static void b(void)
{
	pthread_once(&once, make_list);
	for (int i = 0; i < 4; i++) {
		put_back(dequeue_and_fill(3 - i, i * i));
		sent(2 * i);
	}
}
