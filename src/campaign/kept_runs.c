/*
 * The runs that stay: those that something was learnt from, and those that show what no other has.
 */
#include "campaign.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "launch/live.h"

bool hd_ids_have(const struct hd_ids *ids, const char *id)
{
	for (size_t i = 0; i < ids->n; i++) {
		if (!strcmp(ids->list[i], id))
			return true;
	}
	return false;
}

bool hd_ids_add(struct hd_ids *ids, const char *id)
{
	if (hd_ids_have(ids, id))
		return true;
	if (!HD_ROOM(ids->list, ids->room, ids->n + 1))
		return false;
	memcpy(ids->list[ids->n++], id, sizeof(*ids->list));
	return true;
}

/* Remember what @run shows; *@new: something that no other has. */
static bool note_run(struct hd_campaign *c, const struct hd_trial *t, const struct hd_run *run,
		     bool *new)
{
	for (size_t i = 0; i < run->nfindings; i++) {
		const struct hd_finding *f = &run->findings[i];
		char key[17];

		hd_fault_key(f, key);
		if (!hd_finding_is_fault(f) ||
		    (hd_finding_is_failure(f) && hd_campaign_stalled(c, t)) ||
		    hd_ids_have(&c->told, key))
			continue;
		*new = true;
		if (!hd_ids_add(&c->told, key))
			return false;
	}
	return true;
}

/* The same of all processes of a run. */
static bool note_told(struct hd_campaign *c, const struct hd_trial *t, bool *new)
{
	if (!t->trace)
		return true;
	hd_live_run(&t->run);
	for (size_t i = 0; i < t->children.n; i++) {
		if (!note_run(c, t, &t->children.each[i].run, new))
			return false;
	}
	return note_run(c, t, &t->run, new);
}

bool hd_campaign_keep_extra(struct hd_campaign *c, struct hd_trial *t)
{
	struct hd_trial *kept;
	bool new = false;

	if (!note_told(c, t, &new))
		return false;
	if (!new)
		return true;
	if (!HD_ROOM(c->extra, c->extra_room, c->nextra + 1))
		return false;
	kept = hd_trial_keep(t);
	if (!kept)
		return false;
	c->extra[c->nextra++] = (struct hd_witness){ .trial = kept };
	return true;
}

/* It becomes one of those that are learnt from. */
static bool add_observation(struct hd_campaign *c, struct hd_trial *t)
{
	struct hd_observation *more =
		realloc(c->observations, (c->nobservations + 1) * sizeof(*more));
	struct hd_observation *o;

	if (!more)
		return false;
	c->observations = more;
	o = &more[c->nobservations];
	*o = (struct hd_observation){ .trial = hd_trial_keep(t) };
	if (!o->trial)
		return false;
	o->predictor.answers = c->kept ? c->kept->answers : NULL;
	c->nobservations++;
	return true;
}

bool hd_campaign_keep_observation(struct hd_campaign *c, struct hd_trial *t)
{
	bool new = false;

	return note_told(c, t, &new) && add_observation(c, t);
}
