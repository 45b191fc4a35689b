#include "kept_events.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

void hd_kept_events_drop(struct hd_kept_events *k)
{
	for (size_t i = 0; i < k->n; i++)
		free(k->batches[i].events);
	free(k->batches);
	*k = (struct hd_kept_events){ 0 };
}

void hd_kept_events_add(struct hd_kept_events *k, const struct hd_event *events, size_t n)
{
	size_t bytes = n * sizeof(*events);
	struct hd_event *copy = bytes <= k->max - k->bytes ? malloc(bytes) : NULL;

	if (!copy || !HD_ROOM(k->batches, k->room, k->n + 1)) {
		free(copy);
		hd_kept_events_drop(k);
		return;
	}
	memcpy(copy, events, bytes);
	k->batches[k->n++] = (struct hd_kept_batch){ copy, n };
	k->next = k->n;
	k->bytes += bytes;
}
