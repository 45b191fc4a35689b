#include "rounds.h"

bool hd_xoptions_spend(struct hd_xoptions *how, const struct hd_xstats *s, double seconds)
{
	if (how->max_executions && s->executions >= how->max_executions)
		return false;
	if (how->max_executions)
		how->max_executions -= s->executions;
	if (how->max_seconds > 0 && seconds >= how->max_seconds)
		return false;
	if (how->max_seconds > 0)
		how->max_seconds -= seconds;
	return true;
}

void hd_xstats_add(struct hd_xstats *sum, const struct hd_xstats *s)
{
	sum->executions += s->executions;
	sum->redundant += s->redundant;
	sum->matched += s->matched;
	sum->assumed += s->assumed;
	sum->states += s->states;
	sum->collisions += s->collisions;
	sum->transitions += s->transitions;
	if (s->depth > sum->depth)
		sum->depth = s->depth;
	sum->pct_threads = s->pct_threads;
	sum->pct_length = s->pct_length;
	sum->pct_executions = s->pct_executions;
	sum->cut = s->cut;
	sum->too_long = s->too_long;
	sum->complete = s->complete;
	sum->stopped = s->stopped;
}
