/*
 * Memory for the runtime itself, from its own address range, so that the
 * program's addresses are the same whatever is recorded.
 */
#ifndef HD_RUNTIME_ARENA_H
#define HD_RUNTIME_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed memory, 16-byte aligned. Ends the process with a sentence when there is none. */
void *hd_rt_alloc(size_t size);
/* The same with whatever is in it: large blocks are then not touched before they are used. */
void *hd_rt_alloc_used(size_t size);
/* Give back what hd_rt_alloc(size) gave; reused for equal sizes. */
void hd_rt_free(void *p, size_t size);
/* @old_size bytes grown to @new_size, contents kept, new part zeroed. */
void *hd_rt_grow(void *p, size_t old_size, size_t new_size);
/* Room for one more than @n in @items, which have it for @cap: @first, later twice as much. */
#define HD_RT_ROOM(items, cap, n, first)                                                           \
	do {                                                                                       \
		if ((n) == (cap))                                                                  \
			(items) = hd_rt_double(items, sizeof(*(items)), &(cap), first);            \
	} while (0)
void *hd_rt_double(void *items, size_t size, uint32_t *cap, uint32_t first);
/*
 * Mappings that an execution makes are noted in @kept, and stay: the next execution in this
 * process, which begins with an arena as it was, gets them again. NULL: no more.
 */
struct hd_arena_kept {
	uint32_t n;
	struct hd_arena_map {
		uintptr_t at;
		size_t size;
	} each[64];
};
void hd_arena_keep(struct hd_arena_kept *kept);
/* How much address space it takes, reserved and used. */
size_t hd_rt_arena_size(void);
/* A mapping of the runtime that is not from the arena. */
void hd_rt_claim(const void *p, size_t size);
/* Is the runtime's own memory, or some of it, there? Nobody else may have it. */
bool hd_rt_is_claimed(const void *p, size_t len);
/* Address space without memory until touched; NULL if refused. */
void *hd_rt_reserve(size_t size);

/* Copy, fill and measure without calling the interposed functions. */
void hd_rt_copy(void *to, const void *from, size_t n);
void hd_rt_fill(void *p, int byte, size_t n);
size_t hd_rt_strlen(const char *s);
int hd_rt_strcmp(const char *a, const char *b);
/* snprintf, libc's own. */
int hd_rt_print(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
