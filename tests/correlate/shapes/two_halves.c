/*
 * A long number is kept in two halves; it is read with the lock taken twice. GOOD: once.
 *
 * EXPECT: extended-race high low
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static uint32_t high, low = 0xfffffffeu;
static pthread_spinlock_t spin;

static void *count(void *arg)
{
	for (int i = 0; i < 4; i++) {
		pthread_spin_lock(&spin);
		if (++low == 0)
			high++;
		pthread_spin_unlock(&spin);
	}
	return arg;
}

static uint64_t value(void)
{
	uint64_t v;

	pthread_spin_lock(&spin);
	v = (uint64_t)high << 32;
#ifndef GOOD
	pthread_spin_unlock(&spin);
	pthread_spin_lock(&spin);
#endif
	v |= low;
	pthread_spin_unlock(&spin);
	return v;
}

static void *show(void *arg)
{
	for (int i = 0; i < 4; i++)
		printf("%llx\n", (unsigned long long)value());
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_spin_init(&spin, 0);
	pthread_create(&a, NULL, count, NULL);
	pthread_create(&b, NULL, show, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
