/*
 * Primes by a chain of actors: each keeps the first number it gets and passes on those that it
 * does not divide. Workers then check a table of them in two phases.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include <heddle/hj.h>

#define LIMIT 60
#define WORKERS 3

struct filter {
	long prime;
	hj_actor_t *next;
};

static int is_prime[LIMIT];
static int found[WORKERS], total;

static void sift(hj_actor_t *self, void *message, void *state)
{
	struct filter *f = state;
	long n = (long)message;

	if (n && !f->prime) {
		f->prime = n;
		hj_acquire_w_at(is_prime, (size_t)n);
		is_prime[n] = 1;
		hj_release_w_at(is_prime, (size_t)n);
	} else if (n && n % f->prime) {
		if (!f->next) {
			f->next = hj_actor_new(sift, calloc(1, sizeof(*f)));
			hj_actor_start(f->next);
		}
		hj_actor_send(f->next, message);
	} else if (!n) {
		if (f->next)
			hj_actor_send(f->next, message);
		free(f);
		hj_actor_exit(self);
	}
}

static void add_up(void *arg)
{
	for (int i = 0; i < WORKERS; i++)
		total += found[i];
}

static void look(long worker, void *arg)
{
	hj_acquire_r_range(is_prime, 0, LIMIT);
	for (int i = (int)worker; i < LIMIT; i += WORKERS)
		found[worker] += is_prime[i];
	hj_release_r_range(is_prime, 0, LIMIT);
	hj_next_single(add_up, NULL);
	assert(total >= found[worker]);
}

static void root(void *arg)
{
	HJ_FINISH {
		hj_actor_t *first = hj_actor_new(sift, calloc(1, sizeof(struct filter)));

		hj_actor_start(first);
		for (long n = 2; n < LIMIT; n++)
			hj_actor_send(first, (void *)n);
		hj_actor_send(first, NULL);
	}
	hj_forall1_phased(&(struct hj_range){ .high = WORKERS }, look, NULL);
	printf("primes below %d: %d\n", LIMIT, total);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
