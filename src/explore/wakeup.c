#include "wakeup.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* Room doubles at powers of two, so that no sequence has to know how much it has. */
static bool make_room(void **items, size_t have, size_t more, size_t size)
{
	size_t room = 1;
	void *p;

	while (room < have)
		room *= 2;
	if (*items && have + more <= room)
		return true;
	while (room < have + more)
		room *= 2;
	p = realloc(*items, room * size);
	if (p)
		*items = p;
	return p != NULL;
}

bool hd_xsequence_add(struct hd_xsequence *s, uint32_t thread, const struct hd_xop *ops, size_t n)
{
	void *steps = s->steps, *all = s->ops;
	bool ok = make_room(&steps, s->n, 1, sizeof(*s->steps));

	s->steps = steps;
	ok = ok && make_room(&all, s->nops, n, sizeof(*s->ops));
	s->ops = all;
	if (!ok)
		return false;
	s->steps[s->n++] = (struct hd_xstep){ thread, (uint32_t)s->nops, (uint32_t)n };
	if (n)
		memcpy(s->ops + s->nops, ops, n * sizeof(*ops));
	s->nops += n;
	return true;
}

void hd_xsequence_free(struct hd_xsequence *s)
{
	free(s->steps);
	free(s->ops);
	*s = (struct hd_xsequence){ 0 };
}

bool hd_xwakeup_insert(struct hd_xwakeup *w, size_t at, const struct hd_xsequence *s)
{
	if (!HD_ROOM(w->list, w->cap, w->n + 1))
		return false;
	memmove(w->list + at + 1, w->list + at, (w->n - at) * sizeof(*s));
	w->list[at] = *s;
	w->n++;
	return true;
}

bool hd_xwakeup_descend(struct hd_xwakeup *w, uint32_t thread, struct hd_xwakeup *to)
{
	size_t left = 0;

	for (size_t i = 0; i < w->n; i++) {
		struct hd_xsequence *s = &w->list[i];
		struct hd_xsequence rest = *s;

		if (hd_xsequence_step(s, 0)->thread != thread) {
			w->list[left++] = *s;
			continue;
		}
		rest.from++;
		if (!hd_xsequence_length(&rest))
			hd_xsequence_free(&rest);
		else if (!hd_xwakeup_insert(to, to->n, &rest)) {
			memmove(w->list + left, s, (w->n - i) * sizeof(*s));
			w->n -= i - left;
			return false;
		}
	}
	w->n = left;
	return true;
}

bool hd_xwakeup_begins(const struct hd_xwakeup *w, uint32_t thread)
{
	for (size_t i = 0; i < w->n; i++) {
		if (hd_xsequence_step(&w->list[i], 0)->thread == thread)
			return true;
	}
	return false;
}

void hd_xwakeup_free(struct hd_xwakeup *w)
{
	for (size_t i = 0; i < w->n; i++)
		hd_xsequence_free(&w->list[i]);
	free(w->list);
	*w = (struct hd_xwakeup){ 0 };
}
