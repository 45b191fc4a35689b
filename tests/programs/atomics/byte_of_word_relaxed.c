/*
 * The twin of byte_of_word.c that gives the lock back without releasing anything: who takes it next does not
 * come after, and nobody who counts does.
 *
 * RUN: run --seed 1..20
 * EXPECT: race data @count @count
 * RUN: run --analyze --seed 1..5
 * EXPECT: race data @count @count
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
	__atomic_store_n(&lock.bytes[1], 0, __ATOMIC_RELAXED);
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
