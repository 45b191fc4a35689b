/*
 * An exploration that is not over, in a file: what it is about, where it stands, a checksum.
 *
 * It is for the same version of heddle, which is noted, so numbers are as in memory.
 */
#include "exploration.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "common/hash.h"
#include "common/whole_file.h"
#include "launch/launch.h"
#include "launch/live.h"
#include "split.h"

#define MAGIC "heddle explore, unfinished\n"
#define BUILD HD_VERSION ", format 8"
#define MOST  (1u << 28) /* of anything */

const char *hd_exploration_text(struct hd_exploration *x, const char *text)
{
	for (size_t i = 0; i < x->ntexts; i++) {
		if (!strcmp(x->texts[i], text))
			return x->texts[i];
	}
	if (!HD_ROOM(x->texts, x->texts_room, x->ntexts + 1))
		return NULL;
	x->texts[x->ntexts] = strdup(text);
	return x->texts[x->ntexts] ? x->texts[x->ntexts++] : NULL;
}

/* ---- what it is about ------------------------------------------------------------ */

/* The options that decide which executions there are; NULL: no memory. */
static char *describe_options(const struct hd_exploration *x)
{
	const struct hd_explore_config *o = x->config;
	struct hd_run_config base = x->c.base;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	fprintf(out, "%s %u %u %d %llu %llu %u/%u %d %d\n", hd_strategy_words[o->strategy],
		o->preemptions, o->depth, o->match, (unsigned long long)o->spins,
		(unsigned long long)o->pct_length, o->campaign.part, o->campaign.parts, o->commute,
		o->symmetry);
	base.commute = base.symmetry = false; /* whether that holds is no option, and kept apart */
	hd_run_config_print(&base, out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* By which rules executions are made, which may turn out to be others than were believed. */
static uint64_t rules_of(const struct hd_exploration *x)
{
	return (uint64_t)x->c.base.model << 2 | x->c.base.symmetry << 1 | x->c.base.commute;
}

static void set_rules(struct hd_exploration *x, uint64_t rules)
{
	x->c.base.model = (unsigned)(rules >> 2);
	x->c.base.symmetry = rules >> 1 & 1;
	x->c.base.commute = rules & 1;
}

/* ---- writing ------------------------------------------------------------------------ */

static void put(FILE *out, const void *p, size_t size)
{
	fwrite(p, 1, size, out);
}

static void put_number(FILE *out, uint64_t v)
{
	put(out, &v, sizeof(v));
}

static void put_text(FILE *out, const char *s)
{
	put_number(out, s ? strlen(s) + 1 : 0);
	if (s)
		put(out, s, strlen(s));
}

static void put_where(FILE *out, const struct hd_where *at)
{
	put_number(out, at->switch_at);
	put_text(out, at->sites);
	put_text(out, at->regions);
}

static void put_places(FILE *out, const struct hd_places *p)
{
	put_number(out, p->n);
	put(out, p->list, p->n * sizeof(*p->list));
}

static void put_choices(FILE *out, const uint32_t *choices, size_t n)
{
	put_number(out, n);
	put(out, choices, n * sizeof(*choices));
}

static void put_fault(FILE *out, const struct hd_fault *f)
{
	put(out, &f->what, sizeof(f->what));
	put_choices(out, f->choices, f->nchoices);
	put_where(out, &f->at);
	put_number(out, f->preemptions);
	put_number(out, f->by.member);
	put_number(out, f->by.number);
	put_number(out, f->number);
}

static void put_lessons(FILE *out, const struct hd_exploration *x)
{
	const bool told = x->using && !x->nlessons;
	const uint64_t *list = told ? x->using->lessons.list : x->lessons;
	size_t n = told ? x->using->lessons.n : x->nlessons;

	put_number(out, n);
	put(out, list, n * sizeof(*list));
}

static bool put_exploration(FILE *out, const struct hd_exploration *x)
{
	struct hd_xstats stats = x->stats;

	stats.stopped = NULL;
	put_number(out, x->strategy);
	put(out, &stats, sizeof(stats));
	put_number(out, x->c.executions);
	put_places(out, &x->refine.sites);
	put_places(out, &x->refine.regions);
	put_where(out, &x->at);
	put_where(out, &x->first_at);
	put_choices(out, x->first, x->nfirst);
	put_number(out, (uint64_t)x->choosing | x->again << 2 | x->probed << 3 |
				x->refine.changed << 4 | (x->position != NULL) << 5 |
				(x->first != NULL) << 6 | x->infer << 7 | x->inferring << 8 |
				(x->split != NULL) << 9 | x->c.base.commute << 10 |
				x->c.base.symmetry << 11);
	put_number(out, x->rounds);
	put_number(out, x->in_round);
	put_number(out, x->uses);
	put_number(out, x->portion.alone);
	put_number(out, x->portion.places);
	put_number(out, x->nfaults);
	for (size_t i = 0; i < x->nfaults; i++)
		put_fault(out, &x->faults[i]);
	put_number(out, x->c.nnotes);
	for (size_t i = 0; i < x->c.nnotes; i++)
		put_text(out, x->c.notes[i]);
	put_lessons(out, x);
	return (!x->position || hd_xposition_write(x->position, out)) &&
	       (!x->split || hd_xsplit_write(x->split, out));
}

char *hd_exploration_write(const struct hd_exploration *x, size_t *len)
{
	char *text = NULL, *options = describe_options(x);
	FILE *out = options ? open_memstream(&text, len) : NULL;
	uint64_t sum;
	bool ok;

	if (!out) {
		free(options);
		return NULL;
	}
	put(out, MAGIC, sizeof(MAGIC) - 1);
	put_text(out, BUILD);
	put_number(out, hd_campaign_program(&x->c));
	put_number(out, x->c.base.start_time);
	put_text(out, options);
	ok = put_exploration(out, x) && fflush(out) == 0;
	sum = ok ? hd_fnv_bytes(HD_FNV_START, text, *len) : 0;
	put_number(out, sum);
	free(options);
	if (fclose(out) == 0 && ok)
		return text;
	free(text);
	return NULL;
}

/* In place of what was there, which stays as it is until all of this is written. */
static bool replace_file(const char *name, const char *contents, size_t len)
{
	char *new = NULL;
	FILE *out;
	bool ok;
	int why;

	if (asprintf(&new, "%s.new", name) < 0)
		return false;
	out = fopen(new, "we");
	ok = out && fwrite(contents, 1, len, out) == len && fflush(out) == 0 &&
	     fsync(fileno(out)) == 0;
	if (out && fclose(out) != 0)
		ok = false;
	ok = ok && rename(new, name) == 0;
	why = errno;
	if (!ok && out)
		unlink(new); /* half of it is of no use */
	free(new);
	errno = why;
	return ok;
}

enum hd_err hd_exploration_save(struct hd_exploration *x, char **name)
{
	char *folder = hd_campaign_folder(&x->c), *contents = NULL;
	const struct hd_campaign_config *o = &x->config->campaign;
	char part[32] = "";
	size_t len = 0;
	bool ok;

	*name = NULL;
	if (!folder)
		return HD_ERR_SYSTEM;
	if (o->parts)
		snprintf(part, sizeof(part), "-%u-of-%u", o->part, o->parts);
	contents = hd_exploration_write(x, &len);
	if (!contents || asprintf(name, "%s/unfinished%s.hxp", folder, part) < 0) {
		free(folder);
		free(contents);
		return hd_error(HD_ERR_NOMEM, "out of memory");
	}
	ok = replace_file(*name, contents, len);
	free(folder);
	free(contents);
	if (ok)
		return HD_OK;
	hd_error(HD_ERR_SYSTEM,
		 "where the exploration stands could not be "
		 "written to '%s': %s",
		 *name, strerror(errno));
	free(*name);
	*name = NULL;
	return HD_ERR_SYSTEM;
}

/* ---- reading -------------------------------------------------------------------------- */

static bool get(FILE *in, void *p, size_t size)
{
	return !size || fread(p, 1, size, in) == size;
}

static bool get_number(FILE *in, uint64_t *v)
{
	return get(in, v, sizeof(*v));
}

/*
 * The checksum is right, so what is there is what was written, unless somebody means harm: what makes no
 * sense is refused, and memory is taken only for what is there.
 */
static bool get_many(FILE *in, void **items, size_t *n, size_t size)
{
	uint64_t many;

	*items = NULL;
	*n = 0;
	if (!get_number(in, &many) || many > MOST)
		return false;
	*items = many ? hd_xread_many(in, many, size) : malloc(1); /* none, and that is known */
	*n = *items ? (size_t)many : 0;
	return *items;
}

static bool get_text(struct hd_exploration *x, FILE *in, const char **out)
{
	uint64_t n;
	char *text;

	*out = NULL;
	if (!get_number(in, &n) || n > MOST)
		return false;
	if (!n)
		return true;
	text = n > 1 ? hd_xread_many(in, n - 1, 1) : strdup("");
	if (text) {
		char *whole = strndup(text, n - 1);

		*out = whole ? hd_exploration_text(x, whole) : NULL;
		free(whole);
	}
	free(text);
	return *out != NULL;
}

static bool get_where(struct hd_exploration *x, FILE *in, struct hd_where *at)
{
	uint64_t switch_at;

	if (!get_number(in, &switch_at) || switch_at > HD_AT_ACCESSES)
		return false;
	at->switch_at = (enum hd_switch_at)switch_at;
	return get_text(x, in, &at->sites) && get_text(x, in, &at->regions);
}

static bool get_places(FILE *in, struct hd_places *p)
{
	void *list;
	bool ok = get_many(in, &list, &p->n, sizeof(*p->list));

	p->list = list;
	p->room = p->n;
	for (size_t i = 1; i < p->n; i++)
		ok = ok && p->list[i - 1] < p->list[i];
	return ok;
}

static bool get_choices(FILE *in, uint32_t **choices, size_t *n)
{
	void *items;
	bool ok = get_many(in, &items, n, sizeof(**choices));

	*choices = items;
	return ok;
}

static bool get_faults(struct hd_exploration *x, FILE *in)
{
	uint64_t n, v[4];

	if (!get_number(in, &n))
		return false;
	while (n--) {
		struct hd_fault *f;

		if (!HD_ROOM(x->faults, x->faults_room, x->nfaults + 1))
			return false;
		f = &x->faults[x->nfaults++];
		*f = (struct hd_fault){ 0 };
		if (!get(in, &f->what, sizeof(f->what)) ||
		    !get_choices(in, &f->choices, &f->nchoices) || !get_where(x, in, &f->at) ||
		    !get(in, v, sizeof(v)) || v[1] >= HD_MEMBERS)
			return false;
		f->preemptions = (uint32_t)v[0];
		f->by = (struct hd_worker){ (enum hd_portfolio_member)v[1], (uint32_t)v[2] };
		f->number = v[3];
	}
	return true;
}

static bool get_notes(struct hd_exploration *x, FILE *in)
{
	uint64_t n;
	const char *text;

	if (!get_number(in, &n))
		return false;
	while (n--) {
		if (!get_text(x, in, &text))
			return false;
		hd_campaign_note(&x->c, "%s", text ? text : "");
	}
	return true;
}

static bool get_exploration(struct hd_exploration *x, FILE *in)
{
	uint64_t flags, strategy, v[5];

	void *lessons = NULL;

	if (!get_number(in, &strategy) || strategy >= HD_STRATEGIES ||
	    !hd_xstats_read(in, &x->stats) || !get_number(in, &x->c.executions) ||
	    !get_places(in, &x->refine.sites) || !get_places(in, &x->refine.regions) ||
	    !get_where(x, in, &x->at) || !get_where(x, in, &x->first_at) ||
	    !get_choices(in, &x->first, &x->nfirst) || !get_number(in, &flags) ||
	    !get(in, v, sizeof(v)) || !get_faults(x, in) || !get_notes(x, in) ||
	    !get_many(in, &lessons, &x->nlessons, sizeof(*x->lessons)))
		return false;
	x->lessons = lessons;
	if (!(flags >> 6 & 1)) {
		free(x->first);
		x->first = NULL;
		x->nfirst = 0;
	}
	x->strategy = (enum hd_strategy)strategy;
	x->choosing = flags & 1;
	x->again = flags >> 2 & 1;
	x->probed = flags >> 3 & 1;
	x->refine.changed = flags >> 4 & 1;
	x->infer = flags >> 7 & 1;
	x->inferring = flags >> 8 & 1;
	x->c.base.commute = flags >> 10 & 1;
	x->c.base.symmetry = flags >> 11 & 1;
	x->rounds = (unsigned)v[0];
	x->in_round = v[1];
	x->uses = (unsigned)v[2];
	x->portion.alone = v[3];
	x->portion.places = v[4];
	if ((flags >> 5 & 1) &&
	    (hd_xposition_read(in, &x->position) != HD_OK || x->position->tree.base))
		return false; /* nor is a part of a search all of it */
	x->split = flags >> 9 & 1 ? hd_xsplit_new() : NULL;
	return !(flags >> 9 & 1) || (x->split && hd_xsplit_read(x->split, in) == HD_OK);
}

/* Is it about the same? Says so if it is not. */
static enum hd_err compare(struct hd_exploration *x, FILE *in, const char *file)
{
	const char *version, *options;
	uint64_t program, start;
	char *own;
	bool same;

	if (!get_text(x, in, &version) || !version)
		return hd_error(HD_ERR_REQUEST, "'%s' is damaged", file);
	if (strcmp(version, BUILD) != 0)
		return hd_error(HD_ERR_REQUEST,
				"'%s' was written by another version of heddle (%s)", file,
				version);
	if (!get_number(in, &program) || !get_number(in, &start) || !get_text(x, in, &options) ||
	    !options)
		return hd_error(HD_ERR_REQUEST, "'%s' is damaged", file);
	if (program != hd_campaign_program(&x->c))
		return hd_error(HD_ERR_REQUEST,
				"'%s' belongs to another program, or to other arguments or "
				"input of it",
				file);
	/* When the program believes to run is part of what it does. */
	if (!x->config->campaign.run.start_time)
		x->c.base.start_time = start;
	own = describe_options(x);
	if (!own)
		return hd_error(HD_ERR_NOMEM, "out of memory");
	same = !strcmp(own, options);
	free(own);
	return same ? HD_OK
		    : hd_error(
			      HD_ERR_REQUEST,
			      "'%s' was begun with other options: all but --time, "
			      "--executions, --jobs, --ranks, --snapshots and --keep-going must be "
			      "the same",
			      file);
}

static enum hd_err check_sum(const char *text, size_t *len, const char *file)
{
	const size_t head = sizeof(MAGIC) - 1;
	uint64_t sum;

	if (*len < head || memcmp(text, MAGIC, head) != 0)
		return hd_error(HD_ERR_REQUEST,
				"'%s' is not what `heddle explore` leaves of an unfinished "
				"exploration",
				file);
	if (*len >= head + sizeof(sum)) {
		*len -= sizeof(sum);
		memcpy(&sum, text + *len, sizeof(sum));
		if (sum == hd_fnv_bytes(HD_FNV_START, text, *len))
			return HD_OK;
	}
	return hd_error(HD_ERR_REQUEST, "'%s' is damaged, or was not written to its end", file);
}

enum hd_err hd_exploration_read(struct hd_exploration *x, const char *text, size_t len,
				const char *file)
{
	const size_t head = sizeof(MAGIC) - 1;
	enum hd_err err = check_sum(text, &len, file);
	FILE *in;

	if (err)
		return err;
	in = fmemopen((char *)text + head, len - head, "re");
	err = in ? compare(x, in, file) : hd_error(HD_ERR_NOMEM, "out of memory");
	if (!err && !get_exploration(x, in))
		err = hd_error(HD_ERR_REQUEST, "'%s' is damaged", file);
	if (in)
		fclose(in);
	return err;
}

enum hd_err hd_exploration_resume(struct hd_exploration *x, const char *file)
{
	struct hd_errbuf eb = { 0 };
	size_t len = 0;
	char *text;
	enum hd_err err = hd_read_whole(file, 0, &text, &len, &eb);

	if (err)
		return hd_error(err == HD_ERR_NOMEM ? err : HD_ERR_REQUEST, "%s", eb.text);
	err = hd_exploration_read(x, text, len, file);
	if (!err)
		x->nseen = x->earlier = x->stats.executions +
					(x->position ? x->position->stats.executions : 0) +
					(x->split ? hd_xsplit_stats(x->split)->executions : 0);
	free(text);
	return err;
}

/* ---- between ranks ------------------------------------------------------------------- */

/* What a FILE in memory wrote; NULL: no memory. */
static char *finish(FILE *out, char **text, bool ok)
{
	if (out && fclose(out) == 0 && ok)
		return *text;
	free(*text);
	return NULL;
}

char *hd_exploration_brief(const struct hd_exploration *x, size_t *len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, len);

	if (!out)
		return NULL;
	put(out, "B", 1);
	put_number(out, x->strategy);
	put_number(out, rules_of(x));
	put_number(out, x->c.base.start_time);
	put_number(out, x->in_round);
	put_where(out, &x->at);
	put_places(out, &x->refine.sites);
	put_places(out, &x->refine.regions);
	put_choices(out, x->first, x->nfirst);
	return finish(out, &text, true);
}

bool hd_exploration_take_brief(struct hd_exploration *x, const char *text, size_t len)
{
	FILE *in = fmemopen((char *)text, len, "re");
	uint64_t v[4];
	bool ok;

	hd_refinement_free(&x->refine);
	x->refine = (struct hd_refinement){ 0 };
	free(x->first);
	x->first = NULL;
	ok = in && get(in, v, sizeof(v)) && v[0] < HD_STRATEGIES && get_where(x, in, &x->at) &&
	     get_places(in, &x->refine.sites) && get_places(in, &x->refine.regions) &&
	     get_choices(in, &x->first, &x->nfirst);
	if (ok) {
		x->strategy = (enum hd_strategy)v[0];
		set_rules(x, v[1]);
		x->c.base.start_time = v[2];
		x->earlier_in_round = v[3];
	}
	x->choosing = x->infer = x->again = x->probed = false;
	x->uses = 0;
	if (in)
		fclose(in);
	return ok;
}

char *hd_exploration_say(const struct hd_exploration *x, size_t *len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, len);

	if (!out)
		return NULL;
	put_number(out, x->uses);
	put_number(out, rules_of(x));
	put_number(out, (uint64_t)x->again | x->probed << 1);
	put_places(out, &x->refine.sites);
	put_places(out, &x->refine.regions);
	put_number(out, x->nfaults);
	for (size_t i = 0; i < x->nfaults; i++)
		put_fault(out, &x->faults[i]);
	put_number(out, x->graphs.n);
	for (size_t i = 0; i < x->graphs.cap; i++) {
		if (x->graphs.slots[i].hash)
			put_number(out, x->graphs.slots[i].hash);
	}
	hd_outcomes_put(&x->outcomes, out);
	return finish(out, &text, true);
}

/* Faults that are new here. The numbers of their executions go on from ours. */
static bool hear_faults(struct hd_exploration *x, FILE *in)
{
	const size_t had = x->nfaults;
	size_t n = had;

	if (!get_faults(x, in))
		return false;
	for (size_t i = had; i < x->nfaults; i++) {
		struct hd_fault *f = &x->faults[i];
		size_t k = 0;

		while (k < n && (x->faults[k].what.kind != f->what.kind ||
				 x->faults[k].what.site != f->what.site))
			k++;
		if (k < n) {
			free(f->choices);
			continue;
		}
		f->number += x->nseen;
		hd_live_fault(f->what.kind, f->number);
		x->faults[n++] = *f;
	}
	x->nfaults = n;
	return true;
}

static bool hear_places(FILE *in, struct hd_places *to, bool *changed)
{
	struct hd_places p = { 0 };
	bool ok = get_places(in, &p), new;

	for (size_t i = 0; ok && i < p.n; i++) {
		ok = hd_places_add(to, p.list[i], &new);
		*changed |= new;
	}
	free(p.list);
	return ok;
}

static bool hear_graphs(struct hd_exploration *x, FILE *in)
{
	uint64_t n, graph;
	bool ok = get_number(in, &n), known;

	for (; ok && n; n--)
		ok = get_number(in, &graph) && graph &&
		     hd_seen_states_add(&x->graphs, graph, 0, &known);
	return ok;
}

bool hd_exploration_hear(struct hd_exploration *x, const char *text, size_t len)
{
	FILE *in = fmemopen((char *)text, len, "re");
	uint64_t v[3];
	bool ok = in && get(in, v, sizeof(v));

	if (ok && v[1] != rules_of(x)) { /* begin anew, by these */
		set_rules(x, v[1]);
		x->uses |= (unsigned)v[0];
		while (x->nfaults)
			free(x->faults[--x->nfaults].choices);
		free(x->first);
		x->first = NULL;
		hd_outcomes_clear(&x->outcomes);
		x->again = x->probed = true;
		fclose(in);
		return true;
	}
	ok = ok && hear_places(in, &x->refine.sites, &x->refine.changed) &&
	     hear_places(in, &x->refine.regions, &x->refine.changed) && hear_faults(x, in) &&
	     hear_graphs(x, in) && hd_outcomes_get(&x->outcomes, in, x->rounds);
	if (ok) {
		x->uses |= (unsigned)v[0];
		x->again |= v[2] & 1;
		x->probed |= v[2] >> 1 & 1;
	}
	if (in)
		fclose(in);
	return ok;
}
