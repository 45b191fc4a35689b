/*
 * Shared by the handover_*.c programs: a static variable is handed to another
 * thread and back through atomics. The other thread's part runs inside the
 * atomic's hook (tsan_stub.c), so there is one schedule and it is the one that
 * shows whether the compiler moved an access across the hand-over.
 *
 * The waiting functions are not inlined: that is where gcc went wrong.
 */
#ifndef HANDOVER_H
#define HANDOVER_H

#include <stdatomic.h>
#include <stdio.h>

/* Run @part once in every atomic operation from now on; NULL for never. */
void stub_other_thread(void (*part)(void));

#define NOINLINE __attribute__((noinline))

static int failures;

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);       \
			failures++;                                                                \
		}                                                                                  \
	} while (0)

#endif
