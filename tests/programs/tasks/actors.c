/*
 * Actors take one message at a time, in the order in which a sender sent them; a message is after what
 * was written before it was sent. A sieve: each actor keeps a prime and passes on what it does not
 * divide.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --seed 1..10
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..5
 * EXPECT: clean
 */
#include "../program.h"

#include <heddle/hj.h>

struct filter {
	int prime, last;
	hj_actor_t *next;
};

static int primes[16], nprimes, box;

static void sift(hj_actor_t *self, void *message, void *state)
{
	struct filter *f = state;
	int n = *(int *)message;

	assert(n > f->last || !n);
	f->last = n;
	if (!n) {
		if (f->next)
			hj_actor_send(f->next, message);
		hj_actor_exit(self);
	} else if (!f->prime) {
		f->prime = n;
		primes[nprimes++] = n;
	} else if (n % f->prime) {
		if (!f->next) {
			f->next = hj_actor_new(sift, calloc(1, sizeof(*f)));
			hj_actor_start(f->next);
		}
		hj_actor_send(f->next, message);
	}
}

static void once(hj_actor_t *self, void *message, void *state)
{
	assert(box == 5);
	*(int *)state = box;
	hj_actor_exit(self);
}

static void root(void *arg)
{
	static int numbers[30];
	hj_actor_t *first = hj_actor_new(sift, calloc(1, sizeof(struct filter))), *held;
	int got = 0;

	HJ_FINISH {
		hj_actor_start(first);
		for (int i = 0; i < 28; i++) {
			numbers[i] = i + 2;
			hj_actor_send(first, &numbers[i]);
		}
		hj_actor_send(first, &numbers[28]);
	}
	assert(nprimes == 10 && primes[9] == 29);
	assert(!hj_actor_send(first, &numbers[0]));
	hj_actor_free(first);

	HJ_FINISH {
		held = hj_actor_new(once, &got);
		hj_actor_pause(held);
		hj_actor_start(held);
		hj_actor_send(held, NULL);
		box = 5; /* it is paused: not before it is resumed */
		hj_actor_send(held, NULL);
		hj_actor_resume(held);
	}
	assert(got == 5);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
