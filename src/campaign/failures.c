/*
 * Whether a run fails, and how: in a way that ordinary runs do not, and worse than orderly ones.
 */
#include "campaign.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "report/explain.h"
#include "report/fingerprint.h"

bool hd_campaign_is_stalled(const struct hd_campaign *c, const struct hd_trial *t)
{
	return t->trace && t->run.nstalls && t->run.stalls[0].ns > c->stalls;
}

bool hd_campaign_stalled(struct hd_campaign *c, const struct hd_trial *t)
{
	FILE *out;

	if (!hd_campaign_is_stalled(c, t))
		return false;
	out = c->stalled++ ? NULL : fmemopen(c->stall_words, sizeof(c->stall_words) - 1, "w");
	if (out) {
		hd_put_stall(out, &t->run, &t->run.stalls[0]);
		fclose(out);
	}
	return true;
}

bool hd_finding_is_failure(const struct hd_finding *f)
{
	return hd_finding_is_fault(f) && (!hd_finding_has_accesses(f) || f->kind == HD_KIND_MEMORY);
}

static void describe(struct hd_failure *out, const struct hd_run *run, const struct hd_finding *f)
{
	const struct hd_frame *top = hd_finding_top(f);
	FILE *text = fmemopen(out->words, sizeof(out->words) - 1, "w");

	if (!text)
		return;
	if (!hd_finding_has_accesses(f))
		fprintf(text, "%s: ", hd_title(f));
	hd_put_headline(text, run, f);
	if (top && f->kind != HD_KIND_ASSERTION) { /* that has its place in its text */
		fputs(", ", text);
		hd_put_site(text, top);
	}
	fclose(text);
}

/* One thread's doing, which one line shows. */
static bool is_of_one_thread(const struct hd_finding *f)
{
	return f->kind != HD_KIND_DEADLOCK && f->kind != HD_KIND_LIVELOCK;
}

void hd_failure_place(const struct hd_finding *f, char out[17])
{
	const struct hd_frame *top = hd_finding_top(f);
	bool alone = is_of_one_thread(f);
	uint64_t hash = HD_FNV_START + f->kind;

	if (!alone || !top || !top->file) {
		hash ^= alone ? strtoull(f->identity.id, NULL, 16) : hd_site_hash(f);
	} else {
		hash = hd_fnv(hd_fnv_text(hash, top->file), top->line);
	}
	snprintf(out, 17, "%016llx", (unsigned long long)hash);
}

void hd_fault_key(const struct hd_finding *f, char out[17])
{
	char place[17] = "";

	if (hd_finding_is_failure(f) && is_of_one_thread(f))
		hd_failure_place(f, place);
	else if (f->kind == HD_KIND_RACE) /* one on the same variable is not the same */
		snprintf(place, sizeof(place), "%016llx", (unsigned long long)hd_pair_hash(f));
	snprintf(out, 17, "%016llx",
		 (unsigned long long)hd_fnv_text(hd_fnv_text(HD_FNV_START, f->identity.id), place));
}

/*
 * Of what a run shows, that which makes it a failed one. How it ends is looked at apart, and where
 * even the best of the orderly runs came to grief, others cannot do worse.
 */
static bool counts(const struct hd_campaign *c, const struct hd_finding *f)
{
	char place[17];

	if (!hd_finding_is_failure(f) || f->kind == HD_KIND_EXIT ||
	    c->normal.bad == HD_CAME_TO_GRIEF)
		return false;
	hd_failure_place(f, place);
	return !hd_ids_have(&c->known, place);
}

/* The run's own finding that tells how it ended. */
static void take_exit(struct hd_failure *out, const struct hd_trial *t)
{
	out->what = HD_FAIL_EXIT;
	out->code = t->behaviour.exited * 1000 + t->behaviour.code;
	for (size_t i = 0; i < t->run.nfindings; i++) {
		if (t->run.findings[i].kind == HD_KIND_EXIT) {
			out->kind = HD_KIND_EXIT;
			memcpy(out->id, t->run.findings[i].identity.id, sizeof(out->id));
			hd_failure_place(&t->run.findings[i], out->place);
		}
	}
}

static struct hd_failure failure_by(const struct hd_run *run, const struct hd_finding *f)
{
	struct hd_failure out = { .what = HD_FAIL_FINDING, .kind = f->kind };

	memcpy(out.id, f->identity.id, sizeof(out.id));
	hd_failure_place(f, out.place);
	describe(&out, run, f);
	return out;
}

struct hd_failure hd_trial_failure(const struct hd_trial *t, bool exits)
{
	for (size_t i = 0; t->trace && i < t->run.nfindings; i++) {
		const struct hd_finding *f = &t->run.findings[i];

		if (hd_finding_is_failure(f) && (exits || f->kind != HD_KIND_EXIT))
			return failure_by(&t->run, f);
	}
	return (struct hd_failure){ .what = HD_FAIL_NONE };
}

struct hd_failure hd_campaign_failure(const struct hd_campaign *c, const struct hd_trial *t)
{
	struct hd_failure out = { .what = HD_FAIL_NONE };

	for (size_t i = 0; t->trace && i < t->run.nfindings; i++) {
		if (counts(c, &t->run.findings[i]))
			return failure_by(&t->run, &t->run.findings[i]);
	}
	if (!t->trace || hd_trial_was_ended(t) || t->run.assumed)
		return out;
	switch (hd_normal_departure(&c->normal, &t->behaviour, out.words, sizeof(out.words))) {
	case HD_DEPART_EXIT:
		take_exit(&out, t);
		break;
	case HD_DEPART_OUTPUT:
		out.what = HD_FAIL_OUTPUT;
		break;
	case HD_DEPART_ORACLE:
		out.what = HD_FAIL_ORACLE;
		break;
	case HD_DEPART_NONE:
		break;
	}
	return out;
}

struct hd_failure hd_campaign_oddness(const struct hd_campaign *c, const struct hd_trial *t)
{
	struct hd_failure out = hd_campaign_failure(c, t);

	if (out.what == HD_FAIL_NONE && t->trace && !hd_trial_was_ended(t) && !t->run.assumed &&
	    hd_normal_is_odd(&c->normal, &t->behaviour, out.words, sizeof(out.words)))
		out.what = HD_FAIL_ODD;
	return out;
}

bool hd_campaign_know(struct hd_campaign *c, const struct hd_trial *t)
{
	for (size_t i = 0; t->trace && i < t->run.nfindings; i++) {
		char place[17];

		if (!hd_finding_is_failure(&t->run.findings[i]))
			continue;
		hd_failure_place(&t->run.findings[i], place);
		if (!hd_ids_add(&c->known, place))
			return false;
	}
	return true;
}

bool hd_same_failure(const struct hd_failure *a, const struct hd_failure *b)
{
	return a->what == b->what && a->kind == b->kind && a->code == b->code &&
	       !strcmp(a->place, b->place);
}

bool hd_failure_is_wait(const struct hd_failure *f)
{
	return f->what == HD_FAIL_FINDING &&
	       (f->kind == HD_KIND_DEADLOCK || f->kind == HD_KIND_LIVELOCK);
}

static bool has_race(const struct hd_trial *t, const char *key)
{
	for (size_t i = 0; i < t->run.nfindings; i++) {
		const struct hd_finding *f = &t->run.findings[i];
		char is[17];

		if (f->kind != HD_KIND_RACE || f->certainty.candidate)
			continue;
		hd_fault_key(f, is);
		if (!strcmp(is, key))
			return true;
	}
	return false;
}

bool hd_campaign_fails_alike(const struct hd_campaign *c, const struct hd_failure *was,
			     const struct hd_trial *t)
{
	struct hd_failure is;

	if (!t->trace)
		return false;
	if (was->what == HD_FAIL_FINDING && was->kind == HD_KIND_RACE)
		return has_race(t, was->place);
	is = was->what == HD_FAIL_ODD ? hd_campaign_oddness(c, t) : hd_campaign_failure(c, t);
	if (is.what == HD_FAIL_NONE) /* it may be one that is not unusual */
		is = hd_trial_failure(t, was->what == HD_FAIL_FINDING && was->kind == HD_KIND_EXIT);
	return hd_same_failure(&is, was);
}

const char *hd_failure_word(const struct hd_failure *f)
{
	switch (f->what) {
	case HD_FAIL_FINDING:
		return hd_kind_word(f->kind);
	case HD_FAIL_EXIT:
		return hd_kind_word(HD_KIND_EXIT);
	case HD_FAIL_OUTPUT:
	case HD_FAIL_ODD:
		return "output";
	case HD_FAIL_ORACLE:
		return "oracle";
	case HD_FAIL_NONE:
		break;
	}
	return "none";
}
