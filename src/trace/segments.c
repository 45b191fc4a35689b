#include "segments.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/map.h"

struct counting {
	struct hd_segments *out;
	size_t room;
};

/* Only if it is not the newest. */
static bool add_read(struct counting *c, const struct hd_event *ev)
{
	struct hd_segments *s = c->out;
	uint32_t kth = (uint32_t)ev->value - 1;

	if (!kth || ev->value2 >> HD_SEGMENT_KTH || kth >> (32 - HD_SEGMENT_KTH))
		return true;
	if (!HD_ROOM(s->list, c->room, s->n + 1))
		return false;
	s->list[s->n++] = (struct hd_segment){ ev->thread | HD_SEGMENT_READ,
					       (uint32_t)ev->value2 | kth << HD_SEGMENT_KTH };
	return true;
}

static bool add(struct counting *c, const struct hd_event *ev)
{
	struct hd_segments *s = c->out;
	uint32_t thread = (uint32_t)ev->value;
	struct hd_segment *last = s->n ? &s->list[s->n - 1] : NULL;

	if (ev->arg & HD_CHOICE_READ)
		return add_read(c, ev);
	if (ev->arg & HD_CHOICE_WAKE)
		thread |= HD_SEGMENT_WAKE;
	else if (ev->arg & HD_CHOICE_TIME)
		thread |= HD_SEGMENT_TIME;
	if ((ev->arg & HD_CHOICE_COULD_GO_ON) && (uint32_t)ev->value != ev->thread)
		s->preemptions++;
	if (ev->arg & HD_CHOICE_WIDE)
		thread |= HD_SEGMENT_WIDE;
	if (last && last->thread == thread && last->count < UINT32_MAX &&
	    !(thread & (HD_SEGMENT_WAKE | HD_SEGMENT_TIME))) {
		last->count++;
		return true;
	}
	if (!HD_ROOM(s->list, c->room, s->n + 1))
		return false;
	s->list[s->n++] = (struct hd_segment){ thread, 1 };
	return true;
}

enum hd_err hd_schedule_segments(struct hd_trace *t, struct hd_segments *out, struct hd_errbuf *eb)
{
	struct counting c = { .out = out };
	const struct hd_event *ev;
	enum hd_err err;
	size_t n;

	*out = (struct hd_segments){ 0 };
	hd_trace_rewind(t);
	while ((err = hd_trace_next(t, &ev, &n, eb)) == HD_OK && n) {
		for (size_t i = 0; i < n; i++) {
			if (ev[i].op == HD_OP_CHOICE && !add(&c, &ev[i])) {
				hd_segments_free(out);
				return hd_fail(eb, HD_ERR_NOMEM, "out of memory for a schedule");
			}
		}
	}
	hd_trace_rewind(t);
	if (err == HD_ERR_TRUNCATED)
		err = HD_OK;
	if (err)
		hd_segments_free(out);
	return err;
}

void hd_segments_free(struct hd_segments *s)
{
	free(s->list);
	*s = (struct hd_segments){ 0 };
}
