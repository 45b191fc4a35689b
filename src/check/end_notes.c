/* What the report says about what was not tried, and about what is not predicted. */
#include "steps.h"

#include <stdlib.h>

#include "findings/wakeup_note.h"

static void note_end(struct hd_campaign *c)
{
	const char *why = c->out_of_time     ? "--time ran out"
			  : c->out_of_memory ? "--memory ran out"
					     : "interrupted";

	size_t untried = c->nattempts - c->decided - c->partly;
	char some[64] = "";

	if (c->partly)
		snprintf(some, sizeof(some), ", %zu of them not in every way", c->partly);
	if (!c->analysed)
		hd_campaign_note(
			c, "%s before the runs were analysed: no candidates were looked for", why);
	else if (c->out_of_time || c->interrupted || c->out_of_memory)
		hd_campaign_note(c, "%s: %zu of %zu candidates were tried%s", why,
				 c->nattempts - untried, c->nattempts, some);
	else if (untried) /* the report counts them, and there several may be one */
		hd_campaign_note(c,
				 "stopped at the first confirmed finding; --keep-going tries the "
				 "other candidates too");
	else if (c->partly)
		hd_campaign_note(c,
				 "stopped at the first confirmed finding; --keep-going tries %zu "
				 "candidate%s in more ways",
				 c->partly, c->partly == 1 ? "" : "s");
	if (c->unfinished)
		hd_campaign_note(c, "%zu run%s had to be ended for taking too long", c->unfinished,
				 c->unfinished == 1 ? "" : "s");
	if (c->assumed)
		hd_campaign_note(c,
				 "in %zu of the runs something that the program assumes does not "
				 "hold (heddle_assume): how these end says nothing",
				 c->assumed);
}

static void note_odd(struct hd_campaign *c)
{
	if (c->odd_runs)
		hd_campaign_note(
			c,
			"%zu run%s wrote something that no ordinary run does, as it may be meant "
			"to depend on the schedule; --oracle can say whether it is wrong",
			c->odd_runs, c->odd_runs == 1 ? "" : "s");
}

/* Wake-ups that may come too early are not predicted. */
static void note_wakeups(struct hd_campaign *c)
{
	if (hd_wakeup_is_explained(&c->observations[0].trial->run))
		return;
	for (size_t i = 0; i < c->nobservations; i++) {
		struct hd_observation *o = &c->observations[i];
		char *text = o->lost.wait.op ? hd_wakeup_note(&o->trial->run, &o->lost) : NULL;

		if (!text)
			continue;
		hd_campaign_note(c, "%s", text);
		free(text);
		return;
	}
}

/* What is wrong only by the rules of C11 does not show in one order of everything. */
static void note_model(struct hd_campaign *c)
{
	bool weak = false;

	for (size_t i = 0; i < c->nobservations; i++)
		weak |= c->observations[i].trial->run.weak_orders;
	/* Volatile accesses that count as atomic are not told from others there, and have no other values. */
	if (weak && c->base.model == HD_MODEL_SC && c->base.volatiles == HD_VOLATILE_RACE)
		hd_campaign_note(c, "the program has atomic operations weaker than seq_cst: "
				    "--model c11 runs what C11 allows for them");
	if (c->base.model == HD_MODEL_SC && c->base.volatiles != HD_VOLATILE_RACE)
		hd_campaign_note(c,
				 "volatile accesses were in one order of everything: --model tso "
				 "runs what the store buffers of x86 allow for them");
}

void hd_check_end_notes(struct hd_campaign *c)
{
	if (c->goals.n)
		hd_check_note_goals(c);
	note_end(c);
	note_odd(c);
	note_model(c);
	note_wakeups(c);
}
