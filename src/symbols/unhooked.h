/*
 * Code without hooks: what heddle does not see into. That is what was compiled by something else than
 * `heddle cc` and is part of the program all the same: object files that were linked into it, and
 * libraries whose functions it calls.
 *
 * A function has hooks if it calls one of them. Where there is debug information it says how a file was
 * compiled; where there is none, a function without hooks counts if it calls anything or touches memory
 * that is not on its stack: compilers leave the hooks out of those that do neither.
 */
#ifndef HD_SYM_UNHOOKED_H
#define HD_SYM_UNHOOKED_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

struct hd_unhooked {
	char **names; /* "function (file.c)", "libz.so.1" */
	size_t n, cap;
	size_t more; /* functions that are not named, because there are so many */
	char **left_out; /* files whose accesses were left out when they were compiled; behind a byte 1: but some */
	size_t nleft_out, left_out_cap;
};

/*
 * Look through the @n modules at @paths, of which the first is the program. Libraries of the system itself (libc,
 * libm, libstdc++ and so on) do not count, nor do those that nobody with hooks calls.
 */
enum hd_err hd_unhooked_find(const char *const *paths, size_t n, struct hd_unhooked *u);
void hd_unhooked_free(struct hd_unhooked *u);

#endif
