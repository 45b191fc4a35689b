#include "predict_state.h"

#include <inttypes.h>

#include "from_trace.h"

static bool reads(uint8_t op)
{
	return op == HD_OP_READ || op == HD_OP_READ_RANGE || op == HD_OP_ATOMIC_LOAD ||
	       op == HD_OP_ATOMIC_CAS_FAIL;
}

/* Is no later event of the order the same thread's? */
static bool last_of_thread(const struct hd_predict *p, const struct hd_goal *w, size_t i)
{
	for (size_t k = i + 1; k < w->norder; k++)
		if (p->threads[w->order[k]] == p->threads[w->order[i]])
			return false;
	return true;
}

static enum hd_err check_event(const struct hd_predict *p, uint64_t event, struct hd_errbuf *eb)
{
	uint32_t first, last;

	if (event >= p->nevents)
		return hd_fail(eb, HD_ERR_INVALID,
			       "there is no event %" PRIu64 ": the run has %" PRIu64
			       ", numbered from 0",
			       event, p->nevents);
	if (hd_instance_steps_of(&p->in, event, &first, &last))
		return HD_OK;
	return hd_fail(eb, HD_ERR_UNSUPPORTED,
		       "event %" PRIu64 " (%s) cannot be reordered by prediction: no other "
		       "access with a known value touches it",
		       event,
		       hd_op_info[p->ops[event]].name ? hd_op_info[p->ops[event]].name : "?");
}

static void push(struct hd_step_goal *g, uint32_t step)
{
	if (g->norder < HD_STEP_GOAL_MAX)
		g->order[g->norder++] = step;
}

/*
 * An event of several steps has its first after what comes before it in the order and its last
 * before what comes after. But a read that may see anything happens at its first step, and
 * what its other cells hold does not matter; and so does an atomic change which is the end of it
 * all, because nobody is left to see what it wrote.
 */
static void push_event(const struct hd_predict *p, const struct hd_goal *w, size_t i,
		       struct hd_step_goal *g)
{
	const struct hd_instance *in = &p->in;
	bool open = w->open_end && i + 1 == w->norder;
	size_t happen = w->norder - w->open_end;
	bool ends = i + 1 == happen && !w->nnext && last_of_thread(p, w, i);
	uint32_t first, last;

	hd_instance_steps_of(in, w->order[i], &first, &last);
	if (open) {
		/* Before all of it, also the lock around an atomic. */
		hd_instance_entry_of(in, w->order[i], &first);
		push(g, first);
	} else if ((reads(p->ops[w->order[i]]) && last_of_thread(p, w, i)) ||
		   (p->ops[w->order[i]] == HD_OP_ATOMIC_RMW && ends)) {
		push(g, first);
	} else {
		if (first != last && g->norder + (w->norder - i) < HD_STEP_GOAL_MAX)
			push(g, first);
		push(g, last);
	}
}

enum hd_err hd_goal_steps(const struct hd_predict *p, const struct hd_goal *goal,
			  struct hd_step_goal *step_goal, struct hd_errbuf *eb)
{
	enum hd_err err = HD_OK;

	*step_goal = (struct hd_step_goal){ .open_end = goal->open_end };
	if (goal->norder > HD_GOAL_MAX || goal->nnext > HD_GOAL_MAX)
		return hd_fail(eb, HD_ERR_INVALID, "a goal has at most %d events", HD_GOAL_MAX);
	if (!goal->norder && !goal->nnext)
		return hd_fail(eb, HD_ERR_INVALID, "the goal names no events");
	for (size_t i = 0; i < goal->norder && !err; i++)
		err = check_event(p, goal->order[i], eb);
	for (size_t i = 0; i < goal->nnext && !err; i++)
		err = check_event(p, goal->next[i], eb);
	if (err)
		return err;
	for (size_t i = 0; i < goal->norder; i++)
		push_event(p, goal, i, step_goal);
	for (size_t i = 0; i < goal->nnext; i++) {
		uint32_t step;

		hd_instance_entry_of(&p->in, goal->next[i], &step);
		step_goal->next[step_goal->nnext++] = step;
	}
	return HD_OK;
}

bool hd_predict_matters(const struct hd_predict *p, uint64_t event)
{
	uint32_t first, last;

	return event < p->nevents && hd_instance_steps_of(&p->in, event, &first, &last);
}

bool hd_predict_reads(const struct hd_predict *p, uint64_t event)
{
	return event < p->nevents && (reads(p->ops[event]) || p->ops[event] == HD_OP_ATOMIC_RMW);
}

bool hd_predict_nearest(const struct hd_predict *p, uint64_t event, bool after, uint64_t *out)
{
	if (event >= p->nevents)
		return false;
	for (uint64_t i = event; after ? ++i < p->nevents : i-- > 0;) {
		if (p->threads[i] == p->threads[event] && hd_predict_matters(p, i)) {
			*out = i;
			return true;
		}
	}
	return false;
}
