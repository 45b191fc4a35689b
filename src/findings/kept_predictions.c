#include "kept_predictions.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "prediction_bytes.h"
#include "trace/trace_reader.h"

static bool add_event(void *arg, const struct hd_event *ev, uint64_t index)
{
	const uint64_t v[] = {
		ev->addr, ev->value,  ev->value2, ev->pc, ev->ctx,
		ev->size, ev->thread, ev->arg,	  ev->op,
	};
	uint64_t *h = arg;

	(void)index;
	*h = hd_fnv_bytes(*h, v, sizeof(v));
	return true;
}

static uint64_t hash_run(struct hd_predictor *p)
{
	if (!p->run) {
		p->run = HD_FNV_START;
		hd_trace_each(p->trace, add_event, &p->run);
	}
	return p->run;
}

static void put_numbers(FILE *out, const uint64_t *numbers, size_t n)
{
	const uint64_t count = n;

	fwrite(&count, sizeof(count), 1, out);
	fwrite(numbers, sizeof(*numbers), n, out);
}

/* False: no memory. */
static bool key_of(struct hd_predictor *p, const struct hd_question *q, struct hd_answer_key *key)
{
	const struct hd_predict_options *how = q->how;
	const uint64_t head[] = { hash_run(p), how->solver, how->states,
				  how->bytes,  how->window, how->relaxed };
	char *bytes = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&bytes, &len);

	if (!out)
		return false;
	fputs("prediction", out);
	fwrite(head, sizeof(head), 1, out);
	fwrite(&how->seconds, sizeof(how->seconds), 1, out);
	fprintf(out, "%s\n", how->planner ? how->planner : "");
	for (size_t i = 0; i < q->ngoals; i++) {
		put_numbers(out, q->goals[i].order, q->goals[i].norder);
		put_numbers(out, q->goals[i].next, q->goals[i].nnext);
		putc(q->goals[i].open_end, out);
	}
	if (fclose(out) != 0) {
		free(bytes);
		return false;
	}
	*key = hd_answer_key(bytes, len);
	free(bytes);
	return true;
}

bool hd_prediction_is_kept(struct hd_predictor *p, const struct hd_question *q)
{
	struct hd_answer_key key;

	return p->answers && p->trace && key_of(p, q, &key) && hd_answers_have(p->answers, key);
}

bool hd_prediction_is_known(struct hd_predictor *p, const struct hd_question *q,
			    struct hd_prediction *out, size_t *chosen, struct hd_errbuf *eb,
			    enum hd_err *err)
{
	struct hd_answer_key key;
	bool understood = false;
	char *bytes;
	size_t len;

	if (!p->answers || !p->trace || !key_of(p, q, &key) ||
	    !hd_answers_find(p->answers, key, &bytes, &len))
		return false;
	*err = hd_prediction_get(bytes, len, out, chosen, eb, &understood);
	free(bytes);
	if (understood && !*err && *chosen >= q->ngoals) {
		hd_prediction_free(out);
		*chosen = 0;
		return false;
	}
	return understood;
}

void hd_prediction_keep(struct hd_predictor *p, const struct hd_question *q, enum hd_err err,
			const struct hd_prediction *prediction, size_t chosen,
			const struct hd_errbuf *eb)
{
	struct hd_answer_key key;
	char *bytes = NULL;
	size_t len = 0;
	FILE *out;
	bool ok;

	if (err || !p->answers || !p->trace || !key_of(p, q, &key))
		return;
	out = open_memstream(&bytes, &len);
	ok = out && hd_prediction_put(out, err, eb, prediction, chosen);
	if (out && fclose(out) == 0 && ok)
		hd_answers_keep(p->answers, key, bytes, len);
	free(bytes);
}
