#include "outcomes.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hash.h"

#define MOST ((uint64_t)1 << 32) /* bytes of one thing that another process sends */

/* ---- collecting ------------------------------------------------------------------- */

static unsigned fault_that_ended(const struct hd_xlog *log)
{
	for (size_t i = 0; i < log->nfaults; i++) {
		const struct hd_finding f = { .kind = log->faults[i].kind };

		if (hd_finding_ends_run(&f))
			return log->faults[i].kind;
	}
	return 0;
}

static uint64_t digest(const struct hd_xlog *log, unsigned fault)
{
	int end[] = { (int)fault, fault ? 0 : log->exited, fault ? 0 : log->code };
	uint64_t h = hd_fnv_bytes(HD_FNV_START, end, sizeof(end));

	h = hd_fnv_bytes(h, log->observed, log->nobserved);
	for (int i = 0; i < 2; i++) {
		h = hd_fnv_bytes(h, &log->text[i].len, sizeof(log->text[i].len));
		h = hd_fnv_bytes(h, log->text[i].data, log->text[i].len);
	}
	return hd_hash_all(h) | 1;
}

static void *copy_bytes(const void *from, size_t n)
{
	char *p = malloc(n + 1);

	if (p && n)
		memcpy(p, from, n);
	if (p)
		p[n] = 0;
	return p;
}

static void end_free(struct hd_end *e)
{
	free(e->observed);
	free(e->choices);
	free(e->text[0].data);
	free(e->text[1].data);
}

static bool keep_end(struct hd_outcomes *o, const struct hd_xlog *log, struct hd_end *e)
{
	e->exited = log->exited;
	e->code = log->code;
	e->observed = copy_bytes(log->observed, log->nobserved);
	e->choices = copy_bytes(log->choices, log->nchoices * sizeof(*log->choices));
	e->nchoices = log->nchoices;
	for (int i = 0; i < 2; i++) {
		e->text[i].data = copy_bytes(log->text[i].data, log->text[i].len);
		e->text[i].len = log->text[i].len;
	}
	if (e->observed && e->choices && e->text[0].data && e->text[1].data &&
	    HD_ROOM(o->list, o->room, o->n + 1) && hd_map_set(&o->by_hash, e->hash, o->n + 1)) {
		o->list[o->n++] = *e;
		return true;
	}
	end_free(e);
	return false;
}

bool hd_outcomes_add(struct hd_outcomes *o, const struct hd_xlog *log, unsigned round)
{
	unsigned fault = fault_that_ended(log);
	uint64_t h = digest(log, fault);
	size_t i = hd_map_get(&o->by_hash, h);
	struct hd_end e = { .fault = fault, .hash = h, .executions = 1, .round = round };

	o->nobserved = log->nobserved;
	if (i) {
		o->list[i - 1].executions++;
		return true;
	}
	if (o->n == HD_OUTCOMES) {
		o->left_out++;
		return true;
	}
	return keep_end(o, log, &e);
}

void hd_outcomes_clear(struct hd_outcomes *o)
{
	while (o->n)
		end_free(&o->list[--o->n]);
	hd_map_free(&o->by_hash);
	o->by_hash = (struct hd_map){ 0 };
	o->left_out = 0;
}

/* ---- between processes --------------------------------------------------------------- */

/* An end but for what its pointers lead to. */
struct packed {
	uint32_t fault;
	int32_t exited, code;
	uint64_t hash, executions, nchoices, nobserved, len[2];
};

void hd_outcomes_put(const struct hd_outcomes *o, FILE *out)
{
	const uint64_t n = o->n;

	fwrite(&n, sizeof(n), 1, out);
	for (size_t i = 0; i < o->n; i++) {
		const struct hd_end *e = &o->list[i];
		struct packed p;

		memset(&p, 0, sizeof(p));
		p.fault = e->fault;
		p.exited = e->exited;
		p.code = e->code;
		p.hash = e->hash;
		p.executions = e->executions;
		p.nchoices = e->nchoices;
		p.nobserved = o->nobserved;
		p.len[0] = e->text[0].len;
		p.len[1] = e->text[1].len;
		fwrite(&p, sizeof(p), 1, out);
		fwrite(e->observed, 1, o->nobserved, out);
		fwrite(e->choices, sizeof(*e->choices), e->nchoices, out);
		for (int k = 0; k < 2; k++)
			fwrite(e->text[k].data, 1, e->text[k].len, out);
	}
}

static void *get_bytes(FILE *in, size_t each, uint64_t n)
{
	char *p = n < MOST / each ? malloc(each * n + 1) : NULL;

	if (p && fread(p, each, n, in) == n) {
		p[each * n] = 0;
		return p;
	}
	free(p);
	return NULL;
}

/* One that another process came to, so many times. Takes what @e owns. */
static bool add_end(struct hd_outcomes *o, struct hd_end *e)
{
	size_t i = hd_map_get(&o->by_hash, e->hash);
	bool ok = true;

	if (i)
		o->list[i - 1].executions += e->executions;
	else if (o->n == HD_OUTCOMES)
		o->left_out += e->executions;
	else if (HD_ROOM(o->list, o->room, o->n + 1) &&
		 hd_map_set(&o->by_hash, e->hash, o->n + 1)) {
		o->list[o->n++] = *e;
		return true;
	} else
		ok = false;
	end_free(e);
	return ok;
}

static bool get_end(struct hd_outcomes *o, FILE *in, unsigned round)
{
	struct hd_end e = { .round = round };
	struct packed p;

	if (fread(&p, sizeof(p), 1, in) != 1)
		return false;
	e.fault = p.fault;
	e.exited = p.exited;
	e.code = p.code;
	e.hash = p.hash;
	e.executions = p.executions;
	e.nchoices = (size_t)p.nchoices;
	e.observed = get_bytes(in, 1, p.nobserved);
	e.choices = e.observed ? get_bytes(in, sizeof(*e.choices), p.nchoices) : NULL;
	for (int k = 0; k < 2; k++) {
		e.text[k].data = e.choices ? get_bytes(in, 1, p.len[k]) : NULL;
		e.text[k].len = p.len[k];
	}
	o->nobserved = (size_t)p.nobserved;
	if (e.text[0].data && e.text[1].data)
		return add_end(o, &e);
	end_free(&e);
	return false;
}

bool hd_outcomes_get(struct hd_outcomes *o, FILE *in, unsigned round)
{
	uint64_t n;
	bool ok = fread(&n, sizeof(n), 1, in) == 1;

	for (; ok && n; n--)
		ok = get_end(o, in, round);
	return ok;
}

static void told_free(struct hd_report_outcome *t, size_t nvalues)
{
	for (size_t k = 0; k < nvalues; k++)
		free(t->values ? t->values[k].text : NULL);
	free(t->values);
	free((char *)t->schedule);
	free((char *)t->replay);
}

void hd_outcomes_free(struct hd_outcomes *o)
{
	for (size_t i = 0; o->told && i < o->n; i++)
		told_free(&o->told[i], o->observed.n);
	free(o->told);
	hd_outcomes_clear(o);
	free(o->list);
	hd_observed_free(&o->observed);
}

/* ---- telling ---------------------------------------------------------------------- */

static int compare_value(enum hd_value_kind kind, const unsigned char *a, const unsigned char *b,
			 uint64_t size)
{
	uint64_t v = 0, w = 0;
	unsigned unused = 64 - 8 * (unsigned)size;

	if (size > sizeof(v))
		return memcmp(a, b, size);
	memcpy(&v, a, size);
	memcpy(&w, b, size);
	if (kind == HD_VALUE_SIGNED) {
		int64_t x = (int64_t)(v << unused) >> unused, y = (int64_t)(w << unused) >> unused;

		return x < y ? -1 : x > y;
	}
	return v < w ? -1 : v > w;
}

static int compare_text(const struct hd_xtext *a, const struct hd_xtext *b)
{
	int order = memcmp(a->data, b->data, a->len < b->len ? a->len : b->len);

	return order ? order : a->len < b->len ? -1 : a->len > b->len;
}

static int compare_ends(const void *left, const void *right, void *arg)
{
	const struct hd_end *a = left, *b = right;
	const struct hd_observed *o = arg;
	size_t at = 0;
	int order;

	for (size_t i = 0; i < o->n; i++) {
		const struct hd_observed_one *one = &o->list[i];

		for (uint64_t k = 0; k < one->size; k += one->each, at += one->each) {
			order = compare_value(one->kind, a->observed + at, b->observed + at,
					      one->each);
			if (order)
				return order;
		}
	}
	if (a->fault != b->fault)
		return a->fault < b->fault ? -1 : 1;
	if (!a->fault && a->exited != b->exited)
		return b->exited - a->exited;
	if (!a->fault && a->code != b->code)
		return a->code < b->code ? -1 : 1;
	order = compare_text(&a->text[0], &b->text[0]);
	return order ? order : compare_text(&a->text[1], &b->text[1]);
}

static bool tell_values(struct hd_report_outcome *t, const struct hd_end *e,
			const struct hd_observed *o)
{
	size_t at = 0;

	t->values = calloc(o->n + 1, sizeof(*t->values));
	t->nvalues = o->n;
	for (size_t i = 0; t->values && i < o->n; i++) {
		size_t len;
		FILE *out = open_memstream(&t->values[i].text, &len);

		if (!out)
			return false;
		t->values[i].name = o->list[i].name;
		t->values[i].number = hd_observed_is_number(&o->list[i]);
		hd_observed_put(out, &o->list[i], e->observed + at);
		at += o->list[i].size;
		if (fclose(out) != 0)
			return false;
	}
	return t->values != NULL;
}

bool hd_outcomes_sort(struct hd_outcomes *o)
{
	qsort_r(o->list, o->n, sizeof(*o->list), compare_ends, &o->observed);
	o->told = calloc(o->n + 1, sizeof(*o->told));
	for (size_t i = 0; o->told && i < o->n; i++) {
		const struct hd_end *e = &o->list[i];
		struct hd_report_outcome *t = &o->told[i];

		t->end = e->fault ? hd_kind_word(e->fault) : e->exited ? "exit" : "signal";
		t->code = e->fault ? 0 : e->code;
		t->executions = e->executions;
		for (int k = 0; k < 2; k++) {
			t->text[k] = e->text[k].data;
			t->len[k] = e->text[k].len;
		}
		if (!tell_values(t, e, &o->observed))
			return false;
	}
	return o->told != NULL;
}

static bool ends_alike(const struct hd_end *e, const struct hd_trial *t)
{
	for (int k = 0; k < 2; k++) {
		const struct hd_text *is = &t->behaviour.text[k];

		if (is->len != e->text[k].len ||
		    (is->len && memcmp(is->data, e->text[k].data, is->len) != 0))
			return false;
	}
	return e->fault || (t->run.exited == e->exited && t->run.code == e->code);
}

enum hd_err hd_outcome_shown(struct hd_outcomes *o, size_t i, struct hd_campaign *c,
			     struct hd_trial *t)
{
	struct hd_witness w = { .trial = t };
	char name[32];
	enum hd_err rc;

	if (!t->trace || hd_run_divergence(&t->run) || !ends_alike(&o->list[i], t)) {
		hd_campaign_note(c, "outcome %zu: its schedule did not lead there again", i + 1);
		return HD_OK;
	}
	snprintf(name, sizeof(name), "%zu", i + 1);
	rc = hd_campaign_save(c, &w, "outcome", name);
	o->told[i].schedule = w.file;
	o->told[i].replay = w.replay;
	return rc;
}
