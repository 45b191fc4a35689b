/*
 * An access as an event: of up to 8 bytes, or of a range.
 */
#ifndef HD_RUNTIME_ACCESS_EVENT_H
#define HD_RUNTIME_ACCESS_EVENT_H

#include "trace/event.h"

static inline void hd_event_set_access(struct hd_event *ev, uint64_t len, bool write)
{
	if (__builtin_expect(len <= 8, 1)) {
		ev->op = write ? HD_OP_WRITE : HD_OP_READ;
		ev->size = (uint32_t)len;
	} else {
		ev->op = write ? HD_OP_WRITE_RANGE : HD_OP_READ_RANGE;
		ev->value = len;
	}
}

#endif
