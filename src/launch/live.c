#include "live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/hash.h"
#include "common/listener.h"
#include "common/map.h"
#include "report/explain.h"
#include "symbols/symbols.h"

#define AFTER 1.0 /* seconds */
#define TOLD  100 /* more are not told of one by one */

static struct {
	bool on;
	double from;
	size_t n;
	struct hd_map told; /* hash of what it is about -> 1 */
} live;

void hd_live_init(bool wanted)
{
	const char *after = getenv("HEDDLE_TELL_AFTER");

	live.on = wanted;
	live.from = hd_now() + (after ? strtod(after, NULL) : AFTER);
}

static bool is_due(void)
{
	return live.on && live.n < TOLD && hd_now() >= live.from;
}

/* Close @out, whose text is *@text, and tell of it unless that was done before. */
static void say(FILE *out, char **text)
{
	if (fclose(out) == 0 && !hd_map_get(&live.told, hd_fnv_text(HD_FNV_START, *text))) {
		hd_map_set(&live.told, hd_fnv_text(HD_FNV_START, *text), 1);
		live.n++;
		hd_tell_finding(*text);
	}
	free(*text);
}

/* ---- runs that are over --------------------------------------------------------- */

static void put_sites(FILE *out, const struct hd_finding *f)
{
	const struct hd_frame *top = hd_finding_top(f);

	for (size_t i = 0; i < f->naccesses && i < 3; i++) {
		const struct hd_stack *s = &f->accesses[i].stack;

		if (!s->nframes)
			continue;
		fputs(i ? " and " : " at ", out);
		hd_put_site(out, &s->frames[0]);
	}
	if (!f->naccesses && top) {
		fputs(", ", out);
		hd_put_site(out, top);
	}
}

void hd_live_run(const struct hd_run *run)
{
	live.on &= !run->nnamed;
	for (size_t i = 0; i < run->nfindings; i++) {
		const struct hd_finding *f = &run->findings[i];
		char *text = NULL;
		size_t len = 0;
		FILE *out;

		if (!hd_finding_is_fault(f) || !is_due())
			continue;
		out = open_memstream(&text, &len);
		if (!out)
			return;
		if (!hd_finding_has_accesses(f))
			fprintf(out, "%s: ", hd_title(f));
		hd_put_headline(out, run, f);
		put_sites(out, f);
		say(out, &text);
	}
}

static const char *what_it_is(unsigned kind)
{
	return hd_kind_info(kind)->as == HD_KIND_RACE ? hd_kind_title(kind, false)
						      : hd_kind_word(kind);
}

void hd_live_fault(unsigned kind, uint64_t execution)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = is_due() ? open_memstream(&text, &len) : NULL;

	if (!out)
		return;
	fprintf(out, "%s in execution %llu", what_it_is(kind), (unsigned long long)execution);
	say(out, &text);
}

/* ---- a run that goes on ------------------------------------------------------------ */

struct hd_live {
	struct hd_collector *collector;
	struct hd_symbols *symbols;
	bool open; /* a finding has begun */
	struct one {
		unsigned kind;
		uint64_t addr, size, pcs[2];
		size_t n;
	} one, waiting[TOLD]; /* waiting: until it is time */
	size_t nwaiting;
};

static void put_pc(FILE *out, const struct hd_live *l, uint64_t pc)
{
	struct hd_frame frame;

	if (hd_symbols_code(l->symbols, pc, &frame, 1))
		hd_put_site(out, &frame);
	else
		fputs("code in no known module", out);
}

static void tell(const struct hd_live *l, const struct one *f)
{
	bool race = hd_kind_info(f->kind)->as == HD_KIND_RACE;
	char *text = NULL, name[256];
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return;
	fputs(what_it_is(f->kind), out);
	if (race && hd_symbols_data(l->symbols, f->addr, f->size, name, sizeof(name)))
		fprintf(out, " on '%s'", name);
	for (size_t i = 0; i < f->n; i++) {
		fputs(i ? " and " : " at ", out);
		put_pc(out, l, f->pcs[i]);
	}
	say(out, &text);
}

static void tell_waiting(struct hd_live *l)
{
	if (hd_now() < live.from)
		return;
	for (size_t i = 0; i < l->nwaiting; i++) {
		if (is_due())
			tell(l, &l->waiting[i]);
	}
	l->nwaiting = 0;
}

static void take(void *arg, const struct hd_event *ev)
{
	struct hd_live *l = arg;
	const char *path;

	if (!ev) { /* time has passed */
		tell_waiting(l);
		return;
	}
	switch (ev->op) {
	case HD_OP_MODULE:
		path = hd_collector_string(l->collector, ev->value2);
		if (path)
			hd_symbols_add_module(l->symbols, path, ev->addr, ev->value, NULL);
		break;
	case HD_OP_FINDING:
		l->open = hd_kind_info(ev->arg)->certainty != HD_CANDIDATE &&
			  !hd_kind_has(ev->arg, HD_NO_FAULT);
		l->one = (struct one){ .kind = ev->arg,
				       .addr = ev->addr,
				       .size = (uint32_t)ev->value };
		if (ev->pc && ev->arg != HD_KIND_RACE)
			l->one.pcs[l->one.n++] = ev->pc;
		break;
	case HD_OP_ACCESS:
		if (l->open && l->one.n < 2)
			l->one.pcs[l->one.n++] = ev->pc;
		break;
	case HD_OP_FINDING_END:
		if (l->open && l->nwaiting < TOLD)
			l->waiting[l->nwaiting++] = l->one;
		l->open = false;
		tell_waiting(l);
		break;
	case HD_OP_NAMED:
		live.on = false; /* only the report knows what is about other data */
		break;
	default:
		break;
	}
}

struct hd_live *hd_live_listen(struct hd_collector *c)
{
	struct hd_live *l = live.on ? calloc(1, sizeof(*l)) : NULL;

	if (!l)
		return NULL;
	l->collector = c;
	if (hd_symbols_new(&l->symbols) != HD_OK) {
		free(l);
		return NULL;
	}
	hd_collector_listen(c, take, l);
	return l;
}

void hd_live_free(struct hd_live *l)
{
	if (l)
		hd_symbols_free(l->symbols);
	free(l);
}
