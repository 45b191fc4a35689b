/*
 * What an exploration did, and the different ends of its executions (--outcomes).
 */
#include "report_outcomes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "printable.h"

static const char *const streams[] = { "stdout", "stderr" };

static void put_end(FILE *out, const struct hd_report_outcome *o)
{
	char word[32];

	if (!strcmp(o->end, "exit"))
		fprintf(out, "exit status %d", o->code);
	else if (!strcmp(o->end, "signal"))
		fputs(hd_signal_word(o->code, word), out);
	else
		fputs(o->end, out);
}

#define LINES_SHOWN 20u

static void put_text(FILE *out, const char *name, const char *text, size_t len)
{
	unsigned lines = 0;

	while (len && lines++ < LINES_SHOWN) {
		const char *stop = memchr(text, '\n', len);
		size_t n = stop ? (size_t)(stop - text) : len;
		char line[512];

		snprintf(line, sizeof(line), "%.*s", (int)(n < 500 ? n : 500), text);
		fprintf(out, "     %s: ", name);
		hd_put_printable(out, line);
		putc('\n', out);
		n += stop != NULL;
		text += n;
		len -= n;
	}
	if (len)
		fprintf(out, "     %s: and %zu bytes more\n", name, len);
}

static void put_outcome(FILE *out, const struct hd_report_outcome *o, size_t number)
{
	fprintf(out, "%4zu ", number);
	for (size_t i = 0; i < o->nvalues; i++)
		fprintf(out, "%s%s = %s", i ? ", " : "", o->values[i].name, o->values[i].text);
	fputs(o->nvalues ? "; " : "", out);
	put_end(out, o);
	fprintf(out, "; %" PRIu64 " execution%s\n", o->executions, o->executions == 1 ? "" : "s");
	for (int i = 0; i < 2; i++)
		put_text(out, streams[i], o->text[i], o->len[i]);
	if (o->replay)
		fprintf(out, "     %s\n", o->replay);
}

void hd_put_outcomes(FILE *out, const struct hd_report_info *info)
{
	fprintf(out, "outcomes: %zu\n", info->noutcomes);
	for (size_t i = 0; i < info->noutcomes; i++)
		put_outcome(out, &info->outcomes[i], i + 1);
}

static void put_values(struct hd_json *j, const struct hd_report_outcome *o)
{
	hd_json_open(j, "values", '{');
	for (size_t i = 0; i < o->nvalues; i++) {
		const struct hd_report_value *v = &o->values[i];

		if (v->number && v->text[0] == '-')
			hd_json_int(j, v->name, strtoll(v->text, NULL, 10));
		else if (v->number)
			hd_json_uint(j, v->name, strtoull(v->text, NULL, 10));
		else
			hd_json_str(j, v->name, v->text);
	}
	hd_json_close(j, '}');
}

void hd_json_outcomes(struct hd_json *j, const struct hd_report_info *info)
{
	hd_json_open(j, "outcomes", '[');
	for (size_t i = 0; i < info->noutcomes; i++) {
		const struct hd_report_outcome *o = &info->outcomes[i];

		hd_json_open(j, NULL, '{');
		hd_json_str(j, "end", o->end);
		hd_json_int(j, "code", o->code);
		put_values(j, o);
		for (int k = 0; k < 2; k++)
			hd_json_str(j, streams[k], o->text[k]);
		hd_json_uint(j, "executions", o->executions);
		hd_json_str(j, "schedule", o->schedule);
		hd_json_str(j, "replay", o->replay);
		hd_json_close(j, '}');
	}
	hd_json_close(j, ']');
}

/* ---- numbers ------------------------------------------------------------------------ */

static void put_found(struct hd_json *j, const struct hd_report_exploration *x)
{
	hd_json_open(j, "found", '[');
	for (size_t i = 0; i < x->nfound; i++) {
		hd_json_open(j, NULL, '{');
		hd_json_str(j, "kind", x->found[i].kind);
		hd_json_str(j, "by", x->found[i].by);
		hd_json_uint(j, "execution", x->found[i].execution);
		hd_json_close(j, '}');
	}
	hd_json_close(j, ']');
}

static void put_estimate(struct hd_json *j, const struct hd_report_exploration *x)
{
	if (!x->estimate) {
		hd_json_null(j, "estimate");
		return;
	}
	hd_json_open(j, "estimate", '{');
	hd_json_uint(j, "executions", x->estimate);
	hd_json_uint(j, "before", x->before);
	hd_json_close(j, '}');
}

static void put_orders(struct hd_json *j, const struct hd_report_orders *o)
{
	static const char *const words[] = { "", "unknown", "no-help", "stronger", "weaker" };

	if (o->what == HD_ORDERS_UNASKED)
		return;
	hd_json_open(j, "orders", '{');
	hd_json_str(j, "what", words[o->what]);
	hd_json_bool(j, "smallest", o->smallest);
	hd_json_uint(j, "explorations", o->explorations);
	hd_json_uint(j, "executions", o->executions);
	hd_json_open(j, "changes", '[');
	for (size_t i = 0; i < o->n; i++) {
		const struct hd_report_order *r = &o->list[i];

		hd_json_open(j, NULL, '{');
		hd_json_str(j, "operation", r->what);
		hd_json_str(j, "object", r->object);
		hd_json_str(j, "file", r->file);
		hd_json_uint(j, "line", r->line);
		hd_json_str(j, "function", r->function);
		hd_json_str(j, "from", r->fence ? NULL : r->was);
		hd_json_str(j, "to", r->now);
		hd_json_bool(j, "fence_before", r->fence);
		hd_json_close(j, '}');
	}
	hd_json_close(j, ']');
	hd_json_close(j, '}');
}

void hd_json_exploration(struct hd_json *j, const struct hd_report_exploration *x)
{
	const struct {
		const char *name;
		uint64_t n;
	} numbers[] = {
		{ "search", x->search },   { "conflicts", x->conflicts },
		{ "bounded", x->bounded }, { "pct", x->pct },
		{ "simpler", x->simpler }, { "redundant", x->redundant },
		{ "matched", x->matched }, { "cut", x->cut },
		{ "depth", x->depth },
	};

	hd_json_open(j, "exploration", '{');
	hd_json_str(j, "strategy", x->strategy);
	hd_json_uint(j, "rounds", x->rounds);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		hd_json_uint(j, numbers[i].name, numbers[i].n);
	if (x->preemptions >= 0)
		hd_json_int(j, "preemptions", x->preemptions);
	else
		hd_json_null(j, "preemptions");
	put_estimate(j, x);
	put_found(j, x);
	put_orders(j, &x->orders);
	hd_json_close(j, '}');
}
