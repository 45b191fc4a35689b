#include "exploration.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/budget.h"
#include "analysis/hb.h"
#include "report/explain.h"
#include "trace/event_meaning.h"

/* An event that means something new is to be thought of here. */
#pragma GCC diagnostic error "-Wswitch"
#pragma GCC diagnostic error "-Wswitch-enum"

#define LINE 64u /* stacks: what is this near is one object */

/* Who accessed an object last, by slot of the clocks. */
struct toucher {
	uint32_t slot, thread;
	uint32_t read, write; /* times + 1; 0: not at all */
};

struct object {
	uint64_t low, len;
	bool shared, write, gone;
	struct toucher *touchers;
	size_t ntouchers, touchers_room;
	struct hd_places sites;
};

struct inference {
	struct hd_run *run;
	struct hd_hb *hb;
	struct object *objects;
	size_t nobjects, objects_room;
	size_t last;	 /* the object that was looked for last */
	uint32_t *locks; /* by thread: that it has */
	size_t nthreads;
	uint32_t most; /* 0, or the highest number of a thread: what comes after it is left out */
	bool no_memory;
};

/* ---- objects ------------------------------------------------------------------------- */

static bool variable_at(const struct hd_run *run, uint64_t addr, uint64_t *low, uint64_t *len)
{
	char name[512];

	if (!run->symbols || !hd_symbols_data(run->symbols, addr, 0, name, sizeof(name)))
		return false;
	name[strcspn(name, "[.")] = 0;
	return hd_symbols_find(run->symbols, name, low, len) && addr - *low < *len;
}

static struct object *add_object(struct inference *in, uint64_t low, uint64_t len)
{
	if (!HD_ROOM(in->objects, in->objects_room, in->nobjects + 1))
		return NULL;
	in->objects[in->nobjects] = (struct object){ .low = low, .len = len };
	in->last = in->nobjects++;
	return &in->objects[in->last];
}

/* Programs that are explored are small: a list will do. NULL: no memory. */
static struct object *object_at(struct inference *in, uint64_t addr)
{
	uint64_t low, len;

	if (in->last < in->nobjects && !in->objects[in->last].gone &&
	    addr - in->objects[in->last].low < in->objects[in->last].len)
		return &in->objects[in->last];
	for (size_t i = in->nobjects; i-- > 0;) {
		if (!in->objects[i].gone && addr - in->objects[i].low < in->objects[i].len) {
			in->last = i;
			return &in->objects[i];
		}
	}
	if (variable_at(in->run, addr, &low, &len))
		return add_object(in, low, len);
	return add_object(in, addr & ~(uint64_t)(LINE - 1), LINE);
}

static bool see_alloc(struct inference *in, const struct hd_event *ev)
{
	for (size_t i = 0; i < in->nobjects; i++) {
		if (in->objects[i].low < ev->addr + ev->value &&
		    ev->addr < in->objects[i].low + in->objects[i].len)
			in->objects[i].gone = true;
	}
	return ev->op == HD_OP_FREE || !ev->value || add_object(in, ev->addr, ev->value);
}

/* ---- accesses ------------------------------------------------------------------------ */

static struct toucher *toucher_of(struct object *o, uint32_t slot, uint32_t thread)
{
	for (size_t i = 0; i < o->ntouchers; i++) {
		if (o->touchers[i].slot == slot) {
			if (o->touchers[i].thread !=
			    thread) /* the one before has been waited for */
				o->touchers[i] = (struct toucher){ .slot = slot, .thread = thread };
			return &o->touchers[i];
		}
	}
	if (!HD_ROOM(o->touchers, o->touchers_room, o->ntouchers + 1))
		return NULL;
	o->touchers[o->ntouchers] = (struct toucher){ .slot = slot, .thread = thread };
	return &o->touchers[o->ntouchers++];
}

static bool see_access(struct inference *in, const struct hd_event *ev)
{
	bool write = ev->op == HD_OP_WRITE || ev->op == HD_OP_WRITE_RANGE, new;
	struct hd_hb_now now = hd_hb_now(in->hb, ev->thread);
	struct object *o;
	struct toucher *mine;

	if (ev->thread < in->nthreads && in->locks[ev->thread])
		return true; /* kept apart by that */
	o = object_at(in, ev->addr);
	if (!o || !now.weak || !hd_places_add(&o->sites, ev->pc, &new))
		return false;
	for (size_t i = 0; i < o->ntouchers; i++) {
		const struct toucher *t = &o->touchers[i];
		uint32_t known = hd_vc_get(now.weak, t->slot);

		if (t->slot != now.slot && (t->write > known + 1 || (write && t->read > known + 1)))
			o->shared = true;
	}
	o->write |= write;
	mine = toucher_of(o, now.slot, ev->thread);
	if (!mine)
		return false;
	if (write)
		mine->write = hd_vc_get(now.weak, now.slot) + 1;
	else
		mine->read = hd_vc_get(now.weak, now.slot) + 1;
	return true;
}

static bool count_lock(struct inference *in, const struct hd_event *ev, int by)
{
	if (ev->arg & HD_LOCK_AGAIN)
		return true;
	if (!HD_ROOM_ZEROED(in->locks, in->nthreads, (size_t)ev->thread + 1))
		return false;
	in->locks[ev->thread] += (uint32_t)by;
	return true;
}

static bool see(struct inference *in, const struct hd_event *ev)
{
	switch (hd_op_about(ev->op)) {
	case HD_ABOUT_MEMORY:
		return hd_op_is_access(ev->op) ? see_access(in, ev) : hd_hb_event(in->hb, ev);
	case HD_ABOUT_HEAP:
		return see_alloc(in, ev) && hd_hb_event(in->hb, ev);
	case HD_ABOUT_LOCK:
		return (ev->op != HD_OP_ACQUIRE || count_lock(in, ev, 1)) &&
		       (ev->op != HD_OP_RELEASE || count_lock(in, ev, -1)) &&
		       hd_hb_event(in->hb, ev);
	case HD_ABOUT_THREAD:
	case HD_ABOUT_CHILD:
	case HD_ABOUT_COND:
	case HD_ABOUT_BARRIER:
	case HD_ABOUT_SEM:
	case HD_ABOUT_ONCE:
	case HD_ABOUT_MARK:
	case HD_ABOUT_FUTURE:
	case HD_ABOUT_PHASER:
	case HD_ABOUT_ATOMIC:
	case HD_ABOUT_FENCE:
	case HD_ABOUT_CODE:
	case HD_ABOUT_TASK:
	case HD_ABOUT_TEAM:
		return hd_hb_event(in->hb, ev);
	case HD_ABOUT_NOTHING:
	case HD_ABOUT_RUN:
	case HD_ABOUT_FINDING:
		return true;
	}
	return true;
}

static enum hd_err take(void *arg, const struct hd_event *events, size_t n, uint64_t first)
{
	struct inference *in = arg;

	(void)first;
	for (size_t i = 0; i < n && !in->no_memory; i++) {
		if (in->most && events[i].thread > in->most)
			return HD_ERR_STOPPED;
		in->no_memory = !see(in, &events[i]);
	}
	return in->no_memory ? HD_ERR_NOMEM : HD_OK;
}

/* ---- classes ------------------------------------------------------------------------- */

static bool has_place(const struct hd_places *p, uint64_t place)
{
	for (size_t i = 0; i < p->n; i++) {
		if (p->list[i] == place)
			return true;
	}
	return false;
}

static bool meet(const struct hd_places *a, const struct hd_places *b)
{
	for (size_t i = 0; i < a->n; i++) {
		if (has_place(b, a->list[i]))
			return true;
	}
	return false;
}

static bool add_places(struct hd_places *to, const struct hd_places *from)
{
	bool new;

	for (size_t i = 0; i < from->n; i++) {
		if (!hd_places_add(to, from->list[i], &new))
			return false;
	}
	return true;
}

static void class_free(struct hd_inferred_class *c)
{
	free(c->sites.list);
	free(c->object);
	free(c->where);
}

/* Put the object into the class of its instructions; classes that it joins become one. */
static bool classify(struct hd_inferred *out, const struct inference *in, const struct object *o)
{
	struct hd_inferred_class *to = NULL;
	char name[512];

	for (size_t i = 0; i < out->n; i++) {
		struct hd_inferred_class *c = &out->classes[i];

		if (!meet(&c->sites, &o->sites))
			continue;
		if (!to) {
			to = c;
			continue;
		}
		if (!add_places(&to->sites, &c->sites))
			return false;
		to->write |= c->write;
		class_free(c);
		out->classes[i--] = out->classes[--out->n];
	}
	if (!to) {
		if (!HD_ROOM(out->classes, out->room, out->n + 1))
			return false;
		to = &out->classes[out->n++];
		*to = (struct hd_inferred_class){ 0 };
		if (hd_location_name(in->run, o->low, 0, name, sizeof(name)))
			to->object = strdup(name);
	}
	to->write |= o->write;
	return add_places(&to->sites, &o->sites);
}

/* "a.c:10-14 in work, a.c:20 in root" */
static char *put_where(const struct hd_run *run, const struct hd_places *sites)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (size_t i = 0; out && i < sites->n;) {
		struct hd_frame f, next;
		uint32_t low, high;

		if (!hd_run_frame(run, sites->list[i++], &f) || !f.file || !f.function)
			continue;
		low = high = f.line;
		for (; i < sites->n && hd_run_frame(run, sites->list[i], &next) && next.file &&
		       next.function && !strcmp(next.function, f.function);
		     i++) {
			low = next.line < low ? next.line : low;
			high = next.line > high ? next.line : high;
		}
		fflush(out);
		fprintf(out, "%s%s:%" PRIu32, len ? ", " : "", f.file, low);
		if (high != low)
			fprintf(out, "-%" PRIu32, high);
		fprintf(out, " in %s", f.function);
	}
	if (!out || fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

bool hd_infer_regions(struct hd_inferred *out, struct hd_trial *t, uint32_t most)
{
	struct inference in = { .run = &t->run, .hb = hd_hb_new(), .most = most };
	struct hd_errbuf eb = { 0 };
	bool ok = in.hb != NULL;

	if (ok)
		ok = hd_run_each(in.run, take, &in, &eb) == HD_OK || !in.no_memory;
	for (size_t i = 0; i < in.nobjects && ok; i++) {
		if (in.objects[i].shared)
			ok = classify(out, &in, &in.objects[i]);
	}
	for (size_t i = 0; i < out->n && ok; i++) {
		out->classes[i].where = put_where(in.run, &out->classes[i].sites);
		ok = out->classes[i].where != NULL;
	}
	for (size_t i = 0; i < in.nobjects; i++) {
		free(in.objects[i].touchers);
		free(in.objects[i].sites.list);
	}
	free(in.objects);
	free(in.locks);
	if (in.hb)
		hd_hb_free(in.hb);
	return ok;
}

char *hd_inferred_text(struct hd_inferred *in, size_t max)
{
	char *text = strdup("");

	for (size_t i = 0; text && i < in->n; i++) {
		char *one = hd_places_text(&in->classes[i].sites, 0, NULL), *both;

		if (one && strlen(text) + strlen(one) + 1 > max) {
			free(one);
			while (in->n > i)
				class_free(&in->classes[--in->n]);
			break;
		}
		if (!one || asprintf(&both, "%s%s%s", text, i ? ";" : "", one) < 0)
			both = NULL;
		free(one);
		free(text);
		text = both;
	}
	return text;
}

#define TOLD 8u

void hd_inferred_note(const struct hd_inferred *in, const struct hd_places *calm,
		      struct hd_campaign *c)
{
	for (size_t i = 0; i < in->n && i < TOLD; i++) {
		const struct hd_inferred_class *k = &in->classes[i];

		hd_campaign_note(c, "inferred region: %s %s%s%s, at %s%s",
				 k->write ? "writes" : "reads", k->object ? "'" : "",
				 k->object ? k->object : "memory without a name",
				 k->object ? "'" : "", *k->where ? k->where : "unknown lines",
				 has_place(calm, i + 1) ? " (refined to single accesses)" : "");
	}
	if (in->n > TOLD)
		hd_campaign_note(c, "and %zu more inferred regions", in->n - TOLD);
	if (!in->n)
		hd_campaign_note(
			c, "inferred no regions: tasks that can run in parallel share nothing that "
			   "is written outside of isolated blocks and locks");
}

void hd_inferred_free(struct hd_inferred *in)
{
	for (size_t i = 0; i < in->n; i++)
		class_free(&in->classes[i]);
	free(in->classes);
	*in = (struct hd_inferred){ 0 };
}

/* ---- in an exploration ----------------------------------------------------------------- */

#define TEXT_MAX 32768 /* of what the runtime reads */
#define ENDLESS	 2000u /* threads of a run without end that are looked at: clocks grow with them */

static bool next_trial(void *arg, size_t i, struct hd_trial *t)
{
	struct hd_exploration *x = arg;

	if (i)
		return false;
	*t = hd_campaign_trial(&x->c);
	hd_where_put(&t->run_as, &x->first_at);
	t->follow = HD_POLICY_REPLAY;
	t->choices = x->first;
	t->nchoices = x->nfirst;
	return true;
}

static bool take_trial(void *arg, size_t i, struct hd_trial *t)
{
	struct hd_exploration *x = arg;

	(void)i;
	x->no_memory |= !hd_infer_regions(&x->inferred, t, x->first_cut ? ENDLESS : 0);
	return true;
}

enum hd_err hd_exploration_infer(struct hd_exploration *x)
{
	struct hd_trials trials = {
		.program = &x->c.program, .arg = x, .next = next_trial, .take = take_trial
	};
	/* The run may have no end: it is looked at as far as it came. */
	struct hd_pool pool = { .jobs = 1,
				.unfinished = true,
				.until = hd_budget_until(),
				.limit = x->first_cut ? HD_CUT_LIMIT : HD_RUN_LIMIT };
	char *text;

	x->infer = false;
	x->inferring = true;
	hd_trials_run(&trials, &pool);
	if (trials.rc != HD_OK)
		return trials.rc;
	text = hd_inferred_text(&x->inferred, TEXT_MAX);
	x->at.regions = text && *text ? hd_exploration_text(x, text) : NULL;
	if (x->no_memory || !text || (*text && !x->at.regions)) {
		free(text);
		return hd_error(HD_ERR_NOMEM, "out of memory");
	}
	free(text);
	return HD_OK;
}
