/*
 * Causes, not companions. A run that came to one candidate's goal may fail later on for the
 * reason of another candidate: then the one that the program survives in other runs is not what
 * breaks it.
 */
#include "steps.h"

#include "campaign/sites.h"

/*
 * A block that was declared atomic is broken, whatever else is. Two variables that are only taken to belong together
 * are torn apart by most orders that are wrong for another reason.
 */
bool hd_check_may_be_companion(const struct hd_attempt *a)
{
	const struct hd_found *f = &a->candidate->found;

	return a->failing && hd_found_is_pattern(f) && !hd_candidate_counts(a->candidate) &&
	       (a->survived || f->together);
}

/* Does the program fail whenever it comes to @a's goal? */
static bool is_cause(const struct hd_attempt *a)
{
	return a->verdict == HD_VERDICT_CONFIRMED && !a->survived &&
	       hd_found_is_pattern(&a->candidate->found);
}

static bool shows(const struct hd_trial *t, const struct hd_found *wanted)
{
	struct hd_errbuf eb = { 0 };
	struct hd_sites sites;
	bool found = false;

	if (hd_sites_find(&sites, t->trace, wanted, &found, &eb) != HD_OK)
		found = false;
	hd_sites_free(&sites);
	return found;
}

bool hd_check_is_companion(const struct hd_campaign *c, const struct hd_attempt *a)
{
	for (size_t i = 0; i < c->nattempts; i++) {
		const struct hd_attempt *b = &c->attempts[i];

		if (!hd_same_failure(&a->failure, &b->failure))
			continue;
		if (a->candidate->found.together
			    ? b->verdict == HD_VERDICT_CONFIRMED
			    : is_cause(b) && shows(a->failing, &b->candidate->found))
			return true;
	}
	return false;
}
