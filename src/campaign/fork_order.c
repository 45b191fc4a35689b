#include "fork_order.h"

#include <stdlib.h>

#include "common/array.h"

/* Threads whose next event comes after one that was marked, by forks and joins. */
struct after {
	bool *by_thread;
	size_t n;
};

struct looking {
	const uint64_t *event;	    /* e1, f, e2 */
	struct after first, second; /* after e1, after f */
	bool fixed, failed;
};

static bool is_after(const struct after *a, uint32_t thread)
{
	return thread < a->n && a->by_thread[thread];
}

static bool mark(struct after *a, uint32_t thread)
{
	if (!HD_ROOM_ZEROED(a->by_thread, a->n, thread + 1u))
		return false;
	a->by_thread[thread] = true;
	return true;
}

static bool pass_on(struct after *a, const struct hd_event *ev)
{
	uint32_t other = (uint32_t)ev->value;

	if (ev->op == HD_OP_FORK && is_after(a, ev->thread))
		return mark(a, other);
	if (ev->op == HD_OP_JOIN && is_after(a, other))
		return mark(a, ev->thread);
	return true;
}

static bool see(void *arg, const struct hd_event *ev, uint64_t index)
{
	struct looking *l = arg;
	bool ok = pass_on(&l->first, ev) && pass_on(&l->second, ev);

	if (index == l->event[0])
		ok = ok && mark(&l->first, ev->thread);
	else if (index == l->event[1] && is_after(&l->first, ev->thread))
		ok = ok && mark(&l->second, ev->thread);
	else if (index == l->event[2])
		l->fixed = is_after(&l->second, ev->thread);
	l->failed = !ok;
	return ok && index < l->event[2];
}

enum hd_err hd_fork_order_fixes(struct hd_trace *t, const uint64_t e1_f_e2[3], bool *fixed)
{
	struct looking l = { .event = e1_f_e2 };

	hd_trace_each(t, see, &l);
	*fixed = l.fixed;
	free(l.first.by_thread);
	free(l.second.by_thread);
	return l.failed ? hd_error(HD_ERR_NOMEM, "out of memory") : HD_OK;
}
