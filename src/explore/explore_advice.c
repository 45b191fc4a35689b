/*
 * What becomes of conflicts of regions when everything was tried: real, or a region is too large.
 */
#include "explore_regions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/fingerprint.h"

static const struct hd_region_pair *find_pair(const struct hd_region_pair *list, size_t n,
					      uint64_t a, uint64_t b)
{
	uint64_t low = a < b ? a : b, high = a < b ? b : a;

	for (size_t i = 0; i < n; i++) {
		if (list[i].a == low && list[i].b == high)
			return &list[i];
	}
	return NULL;
}

/* ---- sentences ------------------------------------------------------------------------ */

static void put_lines(FILE *out, const struct hd_region_site *s)
{
	if (s->first == s->last)
		fprintf(out, "line %" PRIu32, s->first);
	else
		fprintf(out, "lines %" PRIu32 " to %" PRIu32, s->first, s->last);
}

static void put_advice(FILE *out, const struct hd_region_site *s)
{
	if (s->write && !s->writes) {
		fputs("it is only read, so hj_acquire_r is enough", out);
		return;
	}
	if (s->elements && (s->low > s->from || s->high + 1 < s->to)) {
		fprintf(out, "elements %" PRIu64 " to %" PRIu64 " are enough", s->low, s->high);
		return;
	}
	fputs(s->outside
		      ? "it is enough to open it around "
		      : "all that is accessed in it is in isolated blocks; it is enough to open it "
			"there, around ",
	      out);
	if (s->first)
		put_lines(out, s);
	else
		fputs("the accesses themselves", out);
}

/*
 * What was not seen may be there all the same: in a region without accesses, and in any if the program
 * has code without hooks.
 */
static bool is_unknown(const struct hd_campaign *c, const struct hd_region_site *s)
{
	return (!s->reads && !s->writes) || c->observations[0].trial->run.unhooked.n;
}

static void note_unknown(struct hd_campaign *c, struct hd_region_site *s)
{
	char *names = NULL;
	size_t len;
	FILE *out = s->named ? NULL : open_memstream(&names, &len);

	if (!out)
		return;
	s->named = true;
	hd_put_unhooked(out, &c->observations[0].trial->run.unhooked);
	if (fclose(out) == 0)
		hd_campaign_note(c,
				 "region at %s:%" PRIu32
				 "%s%s%s, to %s: %s, so it is not known whether it is "
				 "needed; what code without hooks accesses is not seen%s",
				 s->file ? s->file : "?", s->line, s->object ? " (of '" : "",
				 s->object ? s->object : "", s->object ? "')" : "",
				 s->write ? "write" : "read",
				 s->writes  ? "no schedule has a race of what is seen in it"
				 : s->reads ? "only reads are seen in it"
					    : "no access is seen in it",
				 names);
	free(names);
}

static void note_too_large(struct hd_campaign *c, struct hd_region_site *s)
{
	char *advice = NULL;
	size_t len;
	FILE *out = s->named ? NULL : open_memstream(&advice, &len);

	if (!out)
		return;
	s->named = true;
	put_advice(out, s);
	if (fclose(out) == 0)
		hd_campaign_note(c,
				 "region too large at %s:%" PRIu32
				 "%s%s%s, to %s: no schedule has a race of "
				 "what is in it; %s",
				 s->file ? s->file : "?", s->line, s->object ? " (of '" : "",
				 s->object ? s->object : "", s->object ? "')" : "",
				 s->write ? "write" : "read", advice);
	free(advice);
}

static struct hd_region_site *site_at(struct hd_regions *r, uint64_t pc)
{
	for (size_t i = 0; i < r->nsites; i++) {
		if (r->sites[i].pc == pc)
			return &r->sites[i];
	}
	return NULL;
}

static bool races(const struct hd_regions *r, uint64_t pc)
{
	for (size_t i = 0; i < r->nreal; i++) {
		if (r->real[i].a == pc || r->real[i].b == pc)
			return true;
	}
	return false;
}

static void note_conflict(struct hd_regions *r, struct hd_campaign *c,
			  const struct hd_region_pair *p, bool proved)
{
	struct hd_region_site *a = site_at(r, p->a), *b = site_at(r, p->b);

	if (!a || !b)
		return;
	if (is_unknown(c, a) && !races(r, p->a))
		note_unknown(c, a);
	if (is_unknown(c, b) && !races(r, p->b))
		note_unknown(c, b);
	if (!proved) {
		hd_campaign_note(c,
				 "the regions opened at %s:%" PRIu32 " and %s:%" PRIu32 " are in "
				 "conflict; whether what is in them can race was not decided",
				 a->file ? a->file : "?", a->line, b->file ? b->file : "?",
				 b->line);
		return;
	}
	if (!races(r, p->a) && !is_unknown(c, a))
		note_too_large(c, a);
	if (!races(r, p->b) && !is_unknown(c, b))
		note_too_large(c, b);
}

/* ---- findings -------------------------------------------------------------------------- */

static bool add_sharing(struct hd_run *run, size_t race, struct hd_annotation *a)
{
	struct hd_finding *f = hd_run_new_finding(run), *from;

	if (!f)
		return false;
	from = &run->findings[race];
	f->kind = HD_KIND_SHARING;
	f->location.addr = from->location.addr;
	f->location.size = from->location.size;
	f->location.group = -1;
	f->moment.index = from->moment.index;
	f->location.origin = from->location.origin;
	f->moment.thread = from->accesses[a->access].event.thread;
	f->annotations = a;
	a->next = NULL;
	for (size_t i = 0; i < from->naccesses; i++) {
		size_t k = (i + a->access) % from->naccesses; /* that which it is about first */
		struct hd_access *to = hd_finding_add_access(f);

		if (!to)
			return false;
		to->role = i ? "other" : "unannotated";
		to->index = from->accesses[k].index;
		to->event = from->accesses[k].event;
		if (hd_run_stack(run, to->event.pc, to->event.ctx, &to->stack) != HD_OK)
			return false;
	}
	hd_fingerprint(run, f, f->identity.id);
	return true;
}

/* Annotations of races become findings of their own. */
static bool tell_sharing(struct hd_run *run)
{
	size_t n = run->nfindings;

	for (size_t i = 0; i < n; i++) {
		while (run->findings[i].annotations) {
			struct hd_annotation *a = run->findings[i].annotations;

			run->findings[i].annotations = a->next;
			if (!add_sharing(run, i, a))
				return false;
		}
	}
	return true;
}

static bool settle_run(const struct hd_regions *r, struct hd_run *run)
{
	size_t n = 0;

	for (size_t i = 0; i < run->nfindings; i++) {
		struct hd_finding *f = &run->findings[i];
		const struct hd_region_pair *real;

		if (f->kind == HD_KIND_PERMISSION && f->naccesses == 2) {
			real = find_pair(r->real, r->nreal, f->accesses[0].event.pc,
					 f->accesses[1].event.pc);
			if (!real) {
				hd_finding_clear(f);
				continue;
			}
			if (!f->why && asprintf(&f->why,
						"real: while both regions can be open, it is %s, "
						"which race",
						real->words) < 0)
				return false;
		}
		if (n != i)
			run->findings[n] = *f;
		n++;
	}
	run->nfindings = n;
	return tell_sharing(run);
}

bool hd_regions_settle(struct hd_regions *r, struct hd_campaign *c, bool proved)
{
	for (size_t i = 0; i < c->nobservations; i++) {
		if (!settle_run(r, &c->observations[i].trial->run))
			return false;
	}
	for (size_t i = 0; i < c->nextra; i++) {
		if (!settle_run(r, &c->extra[i].trial->run))
			return false;
	}
	for (size_t i = 0; i < r->nconflicts; i++) {
		const struct hd_region_pair *p = &r->conflicts[i];

		if (!find_pair(r->real, r->nreal, p->a, p->b))
			note_conflict(r, c, p, proved);
	}
	return true;
}

void hd_regions_free(struct hd_regions *r)
{
	for (size_t i = 0; i < r->nsites; i++) {
		free(r->sites[i].object);
		free(r->sites[i].file);
	}
	for (size_t i = 0; i < r->nreal; i++)
		free(r->real[i].words);
	free(r->sites);
	free(r->real);
	free(r->conflicts);
	*r = (struct hd_regions){ 0 };
}
