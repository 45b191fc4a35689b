/*
 * What has been told: each place tells a thing once.
 */
#ifndef HD_RUNTIME_TOLD_ONCE_H
#define HD_RUNTIME_TOLD_ONCE_H

#include <stdbool.h>
#include <stdint.h>

#define HD_TOLD_MAX 64u /* when so many have been told, no more are */

struct hd_told_once {
	struct {
		uintptr_t pc;
		uint64_t what;
	} told[HD_TOLD_MAX];
	unsigned n;
};

/* Has @what been told of @pc? If not, it has from now on. */
static inline bool hd_told_before(struct hd_told_once *t, uintptr_t pc, uint64_t what)
{
	for (unsigned i = 0; i < t->n; i++) {
		if (t->told[i].pc == pc && t->told[i].what == what)
			return true;
	}
	if (t->n == HD_TOLD_MAX)
		return true;
	t->told[t->n].pc = pc;
	t->told[t->n++].what = what;
	return false;
}

#endif
