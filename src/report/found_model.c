#include "found_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

static bool add_access(struct hd_run *run, struct hd_finding *f, const struct hd_found_access *from)
{
	struct hd_access *a = hd_finding_add_access(f);

	if (!a)
		return false;
	a->role = from->role ? from->role : "access";
	a->index = from->index;
	a->event = from->event;
	a->within = from->within;
	for (size_t i = 0; i < from->nlocks; i++) {
		const struct hd_found_lock *l = &from->locks[i];

		if (!hd_access_add_held(run, a,
					(struct hd_holding){ .thread = from->event.thread,
							     .addr = l->addr,
							     .mode = l->mode,
							     .pc = l->pc }))
			return false;
	}
	/* A lock that is taken is what is told of. */
	return hd_run_know_place(run, f->kind == HD_KIND_LOCK_ORDER ? from->event.addr : 0);
}

/* The location by whole variables where an access says more than the byte that conflicts. */
static void narrow(struct hd_finding *f)
{
	uint64_t addr = f->location.addr;
	uint32_t size = 0;

	for (size_t i = 0; i < f->naccesses; i++) {
		const struct hd_event *ev = &f->accesses[i].event;

		if (!ev->size || addr - ev->addr >= ev->size || (size && ev->size >= size))
			continue;
		f->location.addr = ev->addr;
		f->location.size = size = ev->size;
	}
}

/* All variables that it is on, where it is on several. */
static bool add_members(struct hd_finding *f, const struct hd_found *found)
{
	struct hd_finding_location *l = &f->location;

	for (size_t i = 0; found->together && i < found->naccesses; i++) {
		const struct hd_event *ev = &found->accesses[i].event;
		size_t k = 0;

		while (k < l->nmembers && l->members[k].addr != ev->addr)
			k++;
		if (k < l->nmembers)
			continue;
		if (!HD_ROOM(l->members, l->members_cap, l->nmembers + 1))
			return false;
		l->members[l->nmembers++] =
			(struct hd_member){ .addr = ev->addr, .size = ev->size };
	}
	return true;
}

enum hd_err hd_run_add_found(struct hd_run *run, const struct hd_found *found)
{
	const struct hd_kind_info *kind = hd_kind_info(found->kind);
	bool candidate = kind->certainty == HD_CANDIDATE;
	struct hd_finding *f;
	const char *why;

	if (candidate && hd_run_too_many(run, kind->rule))
		return HD_OK;
	f = hd_run_new_finding(run);
	if (!f)
		return HD_ERR_NOMEM;
	hd_finding_set_kind(f, found->kind);
	snprintf(f->pattern, sizeof(f->pattern), "%s", found->pattern ? found->pattern : "");
	f->location.addr = found->addr;
	f->location.size = found->size;
	f->location.group = found->group;
	f->merged = found->merged;
	f->certainty.analysed = true;
	why = found->why ? found->why : found->parallel;
	f->why = why ? strdup(why) : NULL;
	f->goal = found->goal ? strdup(found->goal) : NULL;
	if ((why && !f->why) || (found->goal && !f->goal))
		return HD_ERR_NOMEM;
	for (size_t i = 0; i < found->naccesses; i++) {
		if (!add_access(run, f, &found->accesses[i]))
			return HD_ERR_NOMEM;
	}
	if (!add_members(f, found))
		return HD_ERR_NOMEM;
	f->moment.index = 0;
	for (size_t i = 0; i < f->naccesses; i++) {
		uint64_t index = f->accesses[i].index;

		if (index != HD_NO_INDEX && index > f->moment.index)
			f->moment.index = index;
	}
	if (f->naccesses)
		f->moment.thread = f->accesses[f->naccesses - 1].event.thread;
	if (f->kind == HD_KIND_RACE)
		narrow(f);
	return hd_run_know_place(run, f->location.addr) ? HD_OK : HD_ERR_NOMEM;
}
