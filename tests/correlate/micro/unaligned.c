/*
 * A value that lies across two granules. GOOD: they do not touch.
 *
 * EXPECT: race packed.value
 */
#include "../pair.h"

static volatile struct __attribute__((packed)) {
	char pad[5];
	int value;
	int other;
} packed;

static void a(void)
{
	packed.value = 1;
}

static void b(void)
{
#ifdef GOOD
	packed.other = 1;
#else
	packed.value = 2;
#endif
}
