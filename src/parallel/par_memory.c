/*
 * Small objects for tasks, from lists that each thread has for itself.
 *
 * A thread that frees more than it allocates (a thief) hands a list over to all when it has become
 * long; what is large comes from the arena.
 */
#include "par.h"

#include "runtime/spin_lock.h"

#define STEP	64u
#define CLASSES 9u /* up to 512 bytes, with 0 unused */
#define LONG	512u
#define CHUNK	(64u << 10)

struct item {
	struct item *next;
	struct item *list; /* of the first item of a list that was handed over: the next such */
};

struct own {
	struct item *items[CLASSES];
	unsigned counts[CLASSES];
};

static __thread struct own own __attribute__((tls_model("initial-exec")));
static struct item *shared[CLASSES];
static int lock;

static HD_NOINLINE void refill(unsigned c)
{
	size_t size = (size_t)c * STEP;
	char *chunk;

	hd_spin_lock(&lock);
	if (shared[c]) {
		own.items[c] = shared[c];
		own.counts[c] = LONG;
		shared[c] = shared[c]->list;
		hd_spin_unlock(&lock);
		return;
	}
	chunk = hd_rt_alloc(CHUNK);
	hd_spin_unlock(&lock);
	for (size_t at = 0; at + size <= CHUNK; at += size) {
		struct item *i = (struct item *)(chunk + at);

		i->next = own.items[c];
		own.items[c] = i;
		own.counts[c]++;
	}
}

void *hd_par_alloc(size_t size)
{
	unsigned c = (unsigned)((size + STEP - 1) / STEP);
	struct item *i;

	if (unlikely(c >= CLASSES)) {
		void *p;

		hd_spin_lock(&lock);
		p = hd_rt_alloc(size);
		hd_spin_unlock(&lock);
		return p;
	}
	c += !c;
	if (unlikely(!own.items[c]))
		refill(c);
	i = own.items[c];
	own.items[c] = i->next;
	own.counts[c]--;
	for (uint64_t *p = (uint64_t *)i, *end = p + c * STEP / 8; p < end; p++)
		*p = 0;
	return i;
}

static void hand_over(unsigned c)
{
	struct item *first = own.items[c], *last = first;

	for (unsigned n = 1; n < LONG; n++)
		last = last->next;
	own.items[c] = last->next;
	own.counts[c] -= LONG;
	last->next = NULL;
	hd_spin_lock(&lock);
	first->list = shared[c];
	shared[c] = first;
	hd_spin_unlock(&lock);
}

void hd_par_free(void *p, size_t size)
{
	unsigned c = (unsigned)((size + STEP - 1) / STEP);
	struct item *i = p;

	if (!p)
		return;
	if (unlikely(c >= CLASSES)) {
		hd_spin_lock(&lock);
		hd_rt_free(p, size);
		hd_spin_unlock(&lock);
		return;
	}
	c += !c;
	i->next = own.items[c];
	own.items[c] = i;
	if (unlikely(++own.counts[c] >= 2 * LONG))
		hand_over(c);
}
