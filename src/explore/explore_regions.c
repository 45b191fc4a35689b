#include "explore_regions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "report/explain.h"

#define PCS 16u /* accesses of one step that are remembered */

struct span {
	uint64_t low, len; /* len 0: unknown */
};

/* A region that is open. */
struct open {
	uint32_t thread;
	uint64_t addr, from, count; /* count 0: the object */
	bool write;
	uint64_t pc;
	struct span object;
};

/* An access of a race, while it is looked for. */
struct wanted {
	size_t finding, access;
	uint64_t at; /* number of the event that the race was noticed by */
	bool last;   /* it is the one that it was noticed at */
	struct hd_event ev;
	struct span object;
	bool matched;
	bool covered, isolated;
	struct open by; /* if covered */
	/* Accesses of the same object in this step, and in the one that it was in. */
	uint64_t now[PCS], pcs[PCS];
	size_t nnow, npcs;
	bool keep;
};

struct scan {
	struct hd_regions *r;
	struct hd_run *run;
	struct open *open;
	size_t nopen, open_room;
	uint32_t *isolated; /* by thread: locks of isolated blocks that it has */
	size_t nthreads;
	struct wanted *wanted;
	size_t nwanted, wanted_room;
	bool no_memory;
};

/* ---- objects ------------------------------------------------------------------------- */

/* The variable around @addr. */
static struct span variable_at(const struct hd_run *run, uint64_t addr)
{
	struct span s = { 0 };
	char name[512];

	if (!run->symbols || !hd_symbols_data(run->symbols, addr, 0, name, sizeof(name)))
		return s;
	name[strcspn(name, "[.")] = 0;
	if (!hd_symbols_find(run->symbols, name, &s.low, &s.len) || addr - s.low >= s.len)
		s.len = 0;
	return s;
}

/* How large the elements of the array at @addr are; 0: unknown. */
static uint64_t element_size(const struct hd_run *run, uint64_t addr)
{
	char name[520];
	uint64_t at, len;

	if (!run->symbols || !hd_symbols_data(run->symbols, addr, 0, name, 512))
		return 0;
	if (name[strlen(name) - 1] == ']') /* the name of the first element */
		return hd_symbols_find(run->symbols, name, &at, &len) ? len : 0;
	strcat(name, "[0]");
	return hd_symbols_find(run->symbols, name, &at, &len) ? len : 0;
}

#define NEAR 256u /* what has no known size is taken to be no larger */

static bool in_object(const struct open *o, uint64_t addr)
{
	if (o->object.len)
		return addr - o->object.low < o->object.len;
	return addr - o->addr < NEAR;
}

/* The element of the region's array that the access is in. */
static uint64_t element_of(const struct hd_run *run, const struct open *o,
			   const struct hd_event *ev)
{
	uint64_t size = element_size(run, o->addr);

	if (!size)
		size = ev->size ? ev->size : 1;
	return (ev->addr - o->addr) / size;
}

static bool covers(const struct hd_run *run, const struct open *o, const struct hd_event *ev)
{
	if (o->thread != ev->thread)
		return false;
	if (!o->count)
		return in_object(o, ev->addr);
	return ev->addr >= o->addr && element_of(run, o, ev) - o->from < o->count;
}

/* ---- regions ------------------------------------------------------------------------- */

static struct hd_region_site *site_at(struct hd_regions *r, uint64_t pc)
{
	for (size_t i = 0; i < r->nsites; i++) {
		if (r->sites[i].pc == pc)
			return &r->sites[i];
	}
	return NULL;
}

static bool new_site(struct scan *s, const struct hd_event *ev)
{
	struct hd_regions *r = s->r;
	struct hd_region_site *site = site_at(r, ev->pc);
	struct hd_frame frame;
	char name[512];

	if (!site) {
		if (!HD_ROOM(r->sites, r->sites_room, r->nsites + 1))
			return false;
		site = &r->sites[r->nsites++];
		*site = (struct hd_region_site){ .pc = ev->pc,
						 .write = ev->arg,
						 .low = UINT64_MAX,
						 .from = ev->value,
						 .to = ev->value + ev->value2,
						 .elements = ev->value2 > 0 };
		if (hd_location_name(s->run, ev->addr, 0, name, sizeof(name)))
			site->object = strdup(name);
		if (hd_run_frame(s->run, ev->pc, &frame) && frame.file) {
			site->file = strdup(frame.file);
			site->line = frame.line;
		}
	}
	if (ev->value < site->from)
		site->from = ev->value;
	if (ev->value + ev->value2 > site->to)
		site->to = ev->value + ev->value2;
	return true;
}

static bool open_region(struct scan *s, const struct hd_event *ev)
{
	if (!HD_ROOM(s->open, s->open_room, s->nopen + 1))
		return false;
	s->open[s->nopen++] = (struct open){ .thread = ev->thread,
					     .addr = ev->addr,
					     .from = ev->value,
					     .count = ev->value2,
					     .write = ev->arg,
					     .pc = ev->pc,
					     .object = variable_at(s->run, ev->addr) };
	return new_site(s, ev);
}

static void close_region(struct scan *s, const struct hd_event *ev)
{
	for (size_t i = s->nopen; i-- > 0;) {
		const struct open *o = &s->open[i];

		if (o->thread != ev->thread || o->addr != ev->addr || o->from != ev->value ||
		    o->count != ev->value2 || o->write != (bool)ev->arg)
			continue;
		memmove(&s->open[i], &s->open[i + 1], (--s->nopen - i) * sizeof(*o));
		return;
	}
}

static bool is_isolated(const struct scan *s, uint32_t thread)
{
	return thread < s->nthreads && s->isolated[thread];
}

static bool is_write(const struct hd_event *ev)
{
	return ev->op == HD_OP_WRITE || ev->op == HD_OP_WRITE_RANGE ||
	       ev->op == HD_OP_ATOMIC_STORE || ev->op == HD_OP_ATOMIC_RMW;
}

/* An access inside of a region: it needs to be as large. */
static void fill_region(struct scan *s, const struct open *o, const struct hd_event *ev)
{
	struct hd_region_site *site = site_at(s->r, o->pc);
	struct hd_frame frame;

	if (!site)
		return;
	if (is_write(ev))
		site->writes = true;
	else
		site->reads = true;
	site->outside |= !is_isolated(s, ev->thread);
	if (o->count) {
		uint64_t n = element_of(s->run, o, ev);

		site->low = n < site->low ? n : site->low;
		site->high = n > site->high ? n : site->high;
	}
	if (!hd_run_frame(s->run, ev->pc, &frame) || !frame.file || !frame.line || !site->file ||
	    strcmp(frame.file, site->file) != 0)
		return;
	if (!site->first || frame.line < site->first)
		site->first = frame.line;
	if (frame.line > site->last)
		site->last = frame.line;
}

/* ---- races ---------------------------------------------------------------------------- */

static const struct open *cover_of(const struct scan *s, const struct hd_event *ev)
{
	for (size_t i = s->nopen; i-- > 0;) {
		if (covers(s->run, &s->open[i], ev))
			return &s->open[i];
	}
	return NULL;
}

static void match(struct scan *s, struct wanted *w)
{
	const struct open *o = cover_of(s, &w->ev);

	w->matched = w->keep = true;
	w->covered = o != NULL;
	if (o)
		w->by = *o;
	w->isolated = is_isolated(s, w->ev.thread);
}

static void end_step(struct wanted *w)
{
	if (w->keep) {
		memcpy(w->pcs, w->now, sizeof(w->pcs));
		w->npcs = w->nnow;
	}
	w->keep = false;
	w->nnow = 0;
}

static uint64_t size_of(const struct hd_event *ev)
{
	if (ev->op == HD_OP_READ_RANGE || ev->op == HD_OP_WRITE_RANGE)
		return ev->value;
	return ev->size ? ev->size : 1;
}

static void see_access(struct scan *s, const struct hd_event *ev, uint64_t index)
{
	for (size_t i = 0; i < s->nopen; i++) {
		if (covers(s->run, &s->open[i], ev))
			fill_region(s, &s->open[i], ev);
	}
	for (size_t i = 0; i < s->nwanted; i++) {
		struct wanted *w = &s->wanted[i];

		if (w->ev.thread != ev->thread)
			continue;
		if (w->nnow < PCS && ev->addr - w->object.low < w->object.len)
			w->now[w->nnow++] = ev->pc;
		if (!w->last && index < w->at && ev->pc == w->ev.pc &&
		    ev->addr < w->ev.addr + size_of(&w->ev) && w->ev.addr < ev->addr + size_of(ev))
			match(s, w);
	}
}

static void see_alloc(struct scan *s, const struct hd_event *ev, uint64_t index)
{
	struct span block = { ev->addr, ev->value };

	for (size_t i = 0; i < s->nwanted; i++) {
		if (index < s->wanted[i].at && s->wanted[i].ev.addr - block.low < block.len)
			s->wanted[i].object = block;
	}
}

/* The block that a region is on, if it is on the heap, is that of whoever races on it. */
static void place_on_heap(struct scan *s, struct open *o)
{
	for (size_t i = 0; i < s->nwanted && !o->object.len; i++) {
		if (o->addr - s->wanted[i].object.low < s->wanted[i].object.len)
			o->object = s->wanted[i].object;
	}
}

static void count_isolated(struct scan *s, const struct hd_event *ev, int by)
{
	if ((ev->arg & HD_LOCK_KIND_MASK) != HD_LOCK_ISOLATED)
		return;
	if (!HD_ROOM_ZEROED(s->isolated, s->nthreads, (size_t)ev->thread + 1)) {
		s->no_memory = true;
		return;
	}
	s->isolated[ev->thread] += (uint32_t)by;
}

static void see(struct scan *s, const struct hd_event *ev, uint64_t index)
{
	switch (ev->op) {
	case HD_OP_READ:
	case HD_OP_WRITE:
	case HD_OP_READ_RANGE:
	case HD_OP_WRITE_RANGE:
		see_access(s, ev, index);
		return;
	case HD_OP_ALLOC:
		see_alloc(s, ev, index);
		return;
	case HD_OP_FINDING: /* its thread stands before the second access */
		for (size_t i = 0; i < s->nwanted; i++) {
			if (s->wanted[i].last && s->wanted[i].at == index)
				match(s, &s->wanted[i]);
		}
		return;
	case HD_OP_ACQUIRE:
		count_isolated(s, ev, 1);
		break;
	case HD_OP_RELEASE:
		count_isolated(s, ev, -1);
		break;
	case HD_OP_PERMIT:
		s->no_memory |= !open_region(s, ev);
		if (s->nopen)
			place_on_heap(s, &s->open[s->nopen - 1]);
		break;
	case HD_OP_UNPERMIT:
		close_region(s, ev);
		break;
	default:
		if (ev->op >= HD_OP_CHOICE || (ev->op >= HD_OP_BEGIN && ev->op <= HD_OP_NAMED))
			return;
		break;
	}
	for (size_t i = 0; i < s->nwanted; i++) {
		if (s->wanted[i].ev.thread == ev->thread)
			end_step(&s->wanted[i]);
	}
}

static enum hd_err take(void *arg, const struct hd_event *events, size_t n, uint64_t first)
{
	struct scan *s = arg;

	for (size_t i = 0; i < n && !s->no_memory; i++)
		see(s, &events[i], first + i);
	return s->no_memory ? HD_ERR_NOMEM : HD_OK;
}

/* ---- what follows ---------------------------------------------------------------------- */

static bool add_pair(struct hd_region_pair **list, size_t *n, size_t *room, uint64_t a, uint64_t b,
		     char *words)
{
	uint64_t low = a < b ? a : b, high = a < b ? b : a;

	for (size_t i = 0; i < *n; i++) {
		if ((*list)[i].a == low && (*list)[i].b == high) {
			free(words);
			return true;
		}
	}
	if (!HD_ROOM(*list, *room, *n + 1)) {
		free(words);
		return false;
	}
	(*list)[(*n)++] = (struct hd_region_pair){ low, high, words };
	return true;
}

static void put_line(FILE *out, const struct hd_run *run, uint64_t pc)
{
	struct hd_frame frame;

	if (hd_run_frame(run, pc, &frame) && frame.file)
		fprintf(out, "%s:%" PRIu32, frame.file, frame.line);
	else
		fputs("an unknown line", out);
}

/* "written at a.c:3 and read at a.c:9" */
static char *words_of(const struct hd_run *run, const struct wanted *a, const struct wanted *b)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	fputs(is_write(&a->ev) ? "written at " : "read at ", out);
	put_line(out, run, a->ev.pc);
	fputs(is_write(&b->ev) ? " and written at " : " and read at ", out);
	put_line(out, run, b->ev.pc);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* The object of the annotation as an expression: "numbers, 1" with _at, else "&found". */
static char *expression(const struct scan *s, const struct wanted *w, const struct wanted *other,
			const char **suffix)
{
	char name[512], *text = NULL, *bracket;
	int n;

	*suffix = "";
	if (hd_location_name(s->run, w->ev.addr, w->ev.size, name, sizeof(name))) {
		bracket = strrchr(name, '[');
		if (bracket && !strchr(bracket, '.')) {
			*suffix = "_at";
			*bracket = 0;
			bracket[strlen(bracket + 1)] = 0;
			n = asprintf(&text, "%s, %s", name, bracket + 1);
		} else {
			n = asprintf(&text, "&%s", name);
		}
	} else if (other->covered && other->by.count) {
		*suffix = "_at";
		n = asprintf(&text, "the array that the other task's region is of, %" PRIu64,
			     element_of(s->run, &other->by, &w->ev));
	} else {
		n = asprintf(&text, "the object at this address");
	}
	return n < 0 ? NULL : text;
}

/* The lines of @w's function in which its step accesses the object. */
static void lines_of(const struct scan *s, const struct wanted *w, struct hd_annotation *a)
{
	struct hd_frame own, frame;

	if (!hd_run_frame(s->run, w->ev.pc, &own) || !own.file)
		return;
	a->file = strdup(own.file);
	a->first = a->last = own.line;
	for (size_t i = 0; i < w->npcs; i++) {
		if (!hd_run_frame(s->run, w->pcs[i], &frame) || !frame.file || !frame.line ||
		    strcmp(frame.file, own.file) != 0 || !frame.function || !own.function ||
		    strcmp(frame.function, own.function) != 0)
			continue;
		if (frame.line < a->first)
			a->first = frame.line;
		if (frame.line > a->last)
			a->last = frame.line;
	}
}

static bool annotate(struct scan *s, const struct wanted *w, const struct wanted *other)
{
	struct hd_finding *f = &s->run->findings[w->finding];
	struct hd_annotation *a;
	const char *suffix, mode = is_write(&w->ev) ? 'w' : 'r';
	char *object = expression(s, w, other, &suffix);
	bool ok;

	a = object ? calloc(1, sizeof(*a)) : NULL;
	if (!a) {
		free(object);
		return false;
	}
	a->access = w->access;
	lines_of(s, w, a);
	ok = asprintf(&a->acquire, "hj_acquire_%c%s(%s)", mode, suffix, object) >= 0 &&
	     asprintf(&a->release, "hj_release_%c%s(%s)", mode, suffix, object) >= 0;
	free(object);
	a->next = f->annotations;
	f->annotations = a;
	return ok;
}

static bool conclude_race(struct scan *s, const struct wanted *a, const struct wanted *b)
{
	struct hd_regions *r = s->r;
	bool ok = true;

	if (a->covered && b->covered) {
		char *words = words_of(s->run, a, b);

		return words &&
		       add_pair(&r->real, &r->nreal, &r->real_room, a->by.pc, b->by.pc, words);
	}
	if (a->matched && !a->covered && !a->isolated)
		ok = annotate(s, a, b);
	if (ok && b->matched && !b->covered && !b->isolated)
		ok = annotate(s, b, a);
	return ok;
}

static bool want_races(struct scan *s)
{
	for (size_t i = 0; i < s->run->nfindings; i++) {
		const struct hd_finding *f = &s->run->findings[i];

		for (size_t k = 0; k < f->naccesses && f->kind == HD_KIND_RACE &&
				   !f->certainty.candidate && f->naccesses == 2;
		     k++) {
			if (!HD_ROOM(s->wanted, s->wanted_room, s->nwanted + 1))
				return false;
			s->wanted[s->nwanted++] =
				(struct wanted){ .finding = i,
						 .access = k,
						 .at = f->moment.index,
						 .last = k == 1,
						 .ev = f->accesses[k].event,
						 .object = variable_at(s->run,
								       f->accesses[k].event.addr) };
		}
	}
	return true;
}

static bool conclude(struct scan *s)
{
	struct hd_regions *r = s->r;
	bool ok = true;

	for (size_t i = 0; i < s->nwanted; i++)
		end_step(&s->wanted[i]);
	for (size_t i = 0; i + 1 < s->nwanted && ok && r->nsites; i += 2)
		ok = conclude_race(s, &s->wanted[i], &s->wanted[i + 1]);
	for (size_t i = 0; i < s->run->nfindings && ok; i++) {
		const struct hd_finding *f = &s->run->findings[i];

		if (f->kind == HD_KIND_PERMISSION && f->naccesses == 2)
			ok = add_pair(&r->conflicts, &r->nconflicts, &r->conflicts_room,
				      f->accesses[0].event.pc, f->accesses[1].event.pc, NULL);
	}
	return ok;
}

bool hd_regions_look(struct hd_regions *r, struct hd_trial *t)
{
	struct scan s = { .r = r, .run = &t->run };
	struct hd_errbuf eb = { 0 };
	bool ok = want_races(&s);

	if (ok)
		ok = hd_run_each(s.run, take, &s, &eb) == HD_OK || !s.no_memory;
	ok = ok && conclude(&s);
	free(s.open);
	free(s.isolated);
	free(s.wanted);
	return ok;
}
