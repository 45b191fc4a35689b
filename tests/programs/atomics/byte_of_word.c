/*
 * A lock word that is taken as a whole and given back by its second byte, as queued spin locks do it: the
 * word that is taken next has that byte, so what was done under the lock comes before.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --analyze --seed 1..5
 * EXPECT: clean
 * RUN: run --model c11 --seed 1..5
 * EXPECT: clean
 */
#include "../program.h"

static union {
	uint32_t word;
	uint8_t bytes[4];
} lock;
static int data;

static void take(void)
{
	uint32_t none;

	do
		none = 0;
	while (!__atomic_compare_exchange_n(&lock.word, &none, 0x100, 0, __ATOMIC_ACQUIRE,
					    __ATOMIC_RELAXED));
}

static void give_back(void)
{
	__atomic_store_n(&lock.bytes[1], 0, __ATOMIC_RELEASE);
}

static void *count(void *arg)
{
	take();
	data++;
	give_back();
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, count, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(data == 2);
	return 0;
}
