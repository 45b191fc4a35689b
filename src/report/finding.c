/*
 * A finding of a run: made, asked and cleared.
 */
#include <stdlib.h>

#include "common/array.h"
#include "run_model.h"

struct hd_finding *hd_run_new_finding(struct hd_run *run)
{
	struct hd_finding *f;

	if (!HD_ROOM(run->findings, run->findings_cap, run->nfindings + 1))
		return NULL;
	f = &run->findings[run->nfindings++];
	*f = (struct hd_finding){ .location.group = -1, .moment.index = HD_NO_INDEX };
	return f;
}

bool hd_run_too_many(struct hd_run *run, enum hd_rule rule)
{
	if (run->candidates_kept[rule] == HD_RUN_CANDIDATES) {
		run->candidates_left_out++;
		return true;
	}
	run->candidates_kept[rule]++;
	return false;
}

void hd_finding_set_kind(struct hd_finding *f, unsigned kind)
{
	const struct hd_kind_info *info = hd_kind_info(kind);

	f->kind = info->as;
	f->certainty.candidate = info->certainty == HD_CANDIDATE;
	f->certainty.established = info->criterion;
	if (info->certainty == HD_PREDICTED)
		f->certainty.verdict = HD_VERDICT_PREDICTED;
}

struct hd_finding_thread *hd_finding_add_thread(struct hd_finding *f, uint32_t thread,
						unsigned state)
{
	struct hd_finding_thread *new;

	if (!HD_ROOM(f->waiting.threads, f->waiting.threads_cap, f->waiting.nthreads + 1))
		return NULL;
	new = &f->waiting.threads[f->waiting.nthreads++];
	*new = (struct hd_finding_thread){ .thread = thread, .state = state };
	return new;
}

struct hd_access *hd_finding_add_access(struct hd_finding *f)
{
	if (!HD_ROOM(f->accesses, f->accesses_cap, f->naccesses + 1))
		return NULL;
	f->accesses[f->naccesses] = (struct hd_access){ .index = HD_NO_INDEX };
	return &f->accesses[f->naccesses++];
}

bool hd_access_add_held(struct hd_run *run, struct hd_access *a, struct hd_holding h)
{
	if (h.addr & HD_TURN_TAG)
		return true;
	if (!HD_ROOM(a->held, a->held_cap, a->nheld + 1))
		return false;
	a->held[a->nheld++] = h;
	return hd_run_know_place(run, h.addr);
}

struct hd_finding_thread *hd_finding_find_thread(const struct hd_finding *f, uint32_t thread)
{
	for (size_t i = 0; i < f->waiting.nthreads; i++) {
		if (f->waiting.threads[i].thread == thread)
			return &f->waiting.threads[i];
	}
	return NULL;
}

const struct hd_finding_thread *hd_finding_thread(const struct hd_finding *f, uint32_t thread)
{
	return hd_finding_find_thread(f, thread);
}

bool hd_finding_ends_run(const struct hd_finding *f)
{
	return hd_kind_has(f->kind, HD_ENDS_RUN);
}

static void free_annotations(struct hd_annotation *a)
{
	while (a) {
		struct hd_annotation *next = a->next;

		free(a->acquire);
		free(a->release);
		free(a->file);
		free(a);
		a = next;
	}
}

void hd_finding_clear(struct hd_finding *f)
{
	free_annotations(f->annotations);
	for (size_t k = 0; k < f->waiting.nthreads; k++)
		hd_stack_free(&f->waiting.threads[k].stack);
	for (size_t k = 0; k < f->naccesses; k++) {
		hd_stack_free(&f->accesses[k].stack);
		free(f->accesses[k].held);
	}
	free(f->accesses);
	free(f->interleaving.steps);
	free(f->goal);
	free(f->why);
	free(f->location.members);
	free(f->consequence.text);
	free(f->remedy.text);
	free(f->witness.outcome);
	free(f->witness.schedule);
	free(f->witness.replay);
	free(f->waiting.threads);
	free(f->waiting.held);
	free(f->waiting.cycle);
	for (size_t k = 0; k < f->nothers; k++)
		hd_finding_clear(&f->others[k]);
	free(f->others);
}

const struct hd_run *hd_finding_run(const struct hd_run *run, const struct hd_finding *f)
{
	return f->home ? f->home : run;
}

bool hd_run_adopt(struct hd_run *run, const struct hd_run *home, struct hd_finding *f)
{
	struct hd_finding *mine = hd_run_new_finding(run);

	if (!mine)
		return false;
	*mine = *f;
	if (home != run && !mine->home) /* one of a child stays the child's */
		mine->home = home;
	/* Nothing is left to free. */
	*f = (struct hd_finding){ .location.group = -1, .moment.index = HD_NO_INDEX };
	return true;
}

bool hd_finding_has_accesses(const struct hd_finding *f)
{
	return hd_kind_has(f->kind, HD_HAS_ACCESSES);
}

bool hd_finding_is_fault(const struct hd_finding *f)
{
	return !hd_kind_has(f->kind, HD_NO_FAULT) && !f->certainty.candidate;
}

size_t hd_run_faults(const struct hd_run *run)
{
	size_t n = 0;

	for (size_t i = 0; i < run->nfindings; i++) {
		const struct hd_finding *f = &run->findings[i];

		n += hd_finding_is_fault(f) && !f->identity.suppression && !f->identity.known &&
		     !f->identity.tolerated;
	}
	return n;
}

const struct hd_finding *hd_run_divergence(const struct hd_run *run)
{
	for (size_t i = 0; i < run->nfindings; i++) {
		if (run->findings[i].kind == HD_KIND_DIVERGENCE)
			return &run->findings[i];
	}
	return NULL;
}
