/*
 * Annotations for programs under heddle.
 *
 * Programs that use them also build and run without heddle: the functions are
 * weak, and the macros call them only where they exist.
 */
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The code between the two calls is declared atomic: no other thread should come in between. */
void heddle_atomic_begin(void) __attribute__((weak));
void heddle_atomic_end(void) __attribute__((weak));

static inline void heddle_atomic_begin_if_present(void)
{
	if (heddle_atomic_begin)
		heddle_atomic_begin();
}

static inline void heddle_atomic_end_if_present(const int *unused)
{
	(void)unused;
	if (heddle_atomic_end)
		heddle_atomic_end();
}

/* HEDDLE_ATOMIC { ... } is an atomic block. It ends on every way out, also by break or return. */
#define HEDDLE_ATOMIC                                                                              \
	for (int heddle_once_ __attribute__((cleanup(heddle_atomic_end_if_present))) =             \
		     (heddle_atomic_begin_if_present(), 1);                                        \
	     heddle_once_; heddle_once_ = 0)

/*
 * The @size bytes at @ptr belong to group @group. Locations of one group belong together
 * as one variable: code that accesses several of them should be atomic.
 */
void heddle_atomic_group(const void *ptr, size_t size, unsigned group) __attribute__((weak));

#define HEDDLE_GROUP(ptr, size, group)                                                             \
	do {                                                                                       \
		if (heddle_atomic_group)                                                           \
			heddle_atomic_group(ptr, size, group);                                     \
	} while (0)

/*
 * HEDDLE_CHECK(variable) names data that is to be checked for races and atomicity, and
 * HEDDLE_CHECK_RANGE(ptr, size) any memory. Once a program has named some, `heddle run` and
 * `heddle check` leave out what they find about other data, and the report says so. --check-only
 * names data from outside.
 */
void heddle_check_data(const void *ptr, size_t size) __attribute__((weak));

#define HEDDLE_CHECK_RANGE(ptr, size)                                                              \
	do {                                                                                       \
		if (heddle_check_data)                                                             \
			heddle_check_data(ptr, size);                                              \
	} while (0)

#define HEDDLE_CHECK(variable) HEDDLE_CHECK_RANGE((const void *)&(variable), sizeof(variable))

/*
 * heddle_assume(condition): executions in which it does not hold are not of interest. The thread stops here for
 * good where it does not, and the others go on as far as they can; `heddle explore` counts such executions apart,
 * and a thread that waits for this one is no deadlock. Without heddle it does nothing.
 */
void heddle_assume_failed(void) __attribute__((weak));

#define heddle_assume(condition)                                                                   \
	do {                                                                                       \
		if (!(condition) && heddle_assume_failed)                                          \
			heddle_assume_failed();                                                    \
	} while (0)

#ifdef __cplusplus
}
#endif

#endif
