/*
 * A stack whose pop compares only the head: it may be the same again, over other nodes.
 *
 * FAILS: assertion
 * CAUSE: head
 * REMEDY: a new lock
 */
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stddef.h>

struct n {
	struct n *_Atomic next;
	int id;
	atomic_int out;
};
static struct n a = { .id = 1 }, b = { .id = 2 }, c = { .id = 3 };
#ifdef FIXED
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#define LOCK()	 pthread_mutex_lock(&m)
#define UNLOCK() pthread_mutex_unlock(&m)
#else
#define LOCK()	 ((void)0)
#define UNLOCK() ((void)0)
#endif
static struct n *_Atomic head;

static void push(struct n *x)
{
	LOCK();
	struct n *h = atomic_load(&head);
	do
		atomic_store(&x->next, h);
	while (!atomic_compare_exchange_strong(&head, &h, x));
	UNLOCK();
}

static struct n *pop(void)
{
	LOCK();
	struct n *h = atomic_load(&head);
	while (h && !atomic_compare_exchange_strong(&head, &h, atomic_load(&h->next)))
		;
	UNLOCK();
	return h;
}

static void *one(void *x)
{
	struct n *p = pop();
	if (p)
		assert(atomic_fetch_add(&p->out, 1) == 0);
	return x;
}

static void *two(void *x)
{
	struct n *p = pop();
	struct n *q = pop();
	if (q)
		assert(atomic_fetch_add(&q->out, 1) == 0);
	if (p)
		push(p);
	return x;
}

int main(void)
{
	pthread_t s, t;
	push(&c);
	push(&b);
	push(&a);
	pthread_create(&s, 0, one, 0);
	pthread_create(&t, 0, two, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	struct n *p;
	while ((p = pop()))
		assert(atomic_fetch_add(&p->out, 1) == 0);
	return 0;
}
