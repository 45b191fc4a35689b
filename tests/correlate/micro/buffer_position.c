/*
 * A writer fills a buffer and then says under a lock up to where; the reader copies that much in
 * many small steps. In the end the writer changes what it had given away. GOOD: it does not.
 *
 * EXPECT: race buffer
 */
#include "../pair.h"

#include <string.h>

#define SIZE 4096
#define STEP 256

static char buffer[SIZE], copy[SIZE];
static size_t filled, done;
static volatile size_t limit = 100;

static void a(void)
{
	for (size_t i = 0; i < SIZE; i += STEP) {
		memset(buffer + i, (int)i, STEP);
		LOCK(m);
		filled = i + STEP;
		UNLOCK(m);
	}
#ifndef GOOD
	memset(buffer, 1, STEP);
#endif
}

/* As much as there is and as will go; what was copied is where the next one begins. */
__attribute__((noinline)) static size_t step(size_t *from, size_t to, char *out, size_t room)
{
	size_t n = to - *from;

	if (n > room)
		n = room;
	if (n > 0)
		memcpy(out, buffer + *from, n);
	*from += n;
	return n;
}

static void b(void)
{
	while (done < SIZE) {
		LOCK(m);
		step(&done, filled, copy + done, limit);
		UNLOCK(m);
		sched_yield();
	}
}
