/*
 * Two locks, each with a variable of its own, and one thread that takes both in a row.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

struct account {
	pthread_mutex_t lock;
	int balance;
};

static struct account accounts[2] = {{PTHREAD_MUTEX_INITIALIZER, 0},
				     {PTHREAD_MUTEX_INITIALIZER, 0}};

static void *add(void *arg)
{
	struct account *account = arg;

	pthread_mutex_lock(&account->lock);
	account->balance += 10;
	pthread_mutex_unlock(&account->lock);
	return NULL;
}

int main(void)
{
	pthread_t a = start(add, &accounts[0]), b = start(add, &accounts[1]);

	add(&accounts[0]);
	add(&accounts[1]);
	finish(a);
	finish(b);
	return accounts[0].balance + accounts[1].balance - 40;
}
