/*
 * Transfers lock both accounts, the payer's first. Two opposite transfers can each
 * hold one lock and wait for the other for ever. The report shows who holds what.
 *
 *   heddle cc deadlock.c -o deadlock
 *   for seed in $(seq 50); do heddle run -q --seed $seed -- ./deadlock || break; done
 */
#include <pthread.h>

struct account {
	pthread_mutex_t lock;
	long balance;
};

static struct account alice = { PTHREAD_MUTEX_INITIALIZER, 100 };
static struct account bob = { PTHREAD_MUTEX_INITIALIZER, 100 };

static void transfer(struct account *from, struct account *to, long amount)
{
	pthread_mutex_lock(&from->lock);
	pthread_mutex_lock(&to->lock);
	from->balance -= amount;
	to->balance += amount;
	pthread_mutex_unlock(&to->lock);
	pthread_mutex_unlock(&from->lock);
}

static void *alice_pays(void *unused)
{
	(void)unused;
	transfer(&alice, &bob, 10);
	return NULL;
}

static void *bob_pays(void *unused)
{
	(void)unused;
	transfer(&bob, &alice, 20);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, alice_pays, NULL);
	pthread_create(&b, NULL, bob_pays, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
