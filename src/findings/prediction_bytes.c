#include "prediction_bytes.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/answers.h"

struct answer {
	enum hd_err err;
	struct hd_errbuf eb;
	uint64_t chosen;
	struct hd_prediction p; /* pointers mean nothing */
};

bool hd_prediction_put(FILE *out, enum hd_err err, const struct hd_errbuf *eb,
		       const struct hd_prediction *p, size_t chosen)
{
	struct answer a;

	memset(&a, 0, sizeof(a));
	a.err = err;
	if (err)
		a.eb = *eb;
	else
		a.p = *p;
	a.p.events = NULL;
	a.chosen = err ? 0 : chosen;
	if (fwrite(&a, sizeof(a), 1, out) != 1)
		return false;
	return err || !p->nevents ||
	       fwrite(p->events, sizeof(*p->events), p->nevents, out) == p->nevents;
}

enum {
	ERRORS = 0
#define HD_ERROR(name, text) +1
#include <heddle/engine/errors.def>
#undef HD_ERROR
};

static bool makes_sense(const char *bytes)
{
	static const size_t flags[] = { offsetof(struct answer, p.scheduled),
					offsetof(struct answer, p.relaxed),
					offsetof(struct answer, p.disagreed) };
	uint32_t decision, err, code;

	memcpy(&decision, bytes + offsetof(struct answer, p.decision), sizeof(decision));
	memcpy(&err, bytes + offsetof(struct answer, err), sizeof(err));
	memcpy(&code, bytes + offsetof(struct answer, eb.code), sizeof(code));
	return decision <= HD_DECISION_UNKNOWN && err < ERRORS && code < ERRORS &&
	       hd_answer_flags(bytes, flags, sizeof(flags) / sizeof(flags[0])) &&
	       hd_answer_text(bytes, offsetof(struct answer, p.why),
			      sizeof(((struct answer *)0)->p.why)) &&
	       hd_answer_text(bytes, offsetof(struct answer, eb.text),
			      sizeof(((struct answer *)0)->eb.text));
}

enum hd_err hd_prediction_get(const char *bytes, size_t len, struct hd_prediction *p,
			      size_t *chosen, struct hd_errbuf *eb, bool *understood)
{
	struct answer a;
	size_t n;

	*understood = false;
	if (len < sizeof(a) || !makes_sense(bytes))
		return HD_ERR_CORRUPT;
	memcpy(&a, bytes, sizeof(a));
	n = a.p.nevents;
	if ((len - sizeof(a)) / sizeof(*p->events) != n || (len - sizeof(a)) % sizeof(*p->events))
		return HD_ERR_CORRUPT;
	if (a.err) {
		*understood = true;
		*eb = a.eb;
		return a.err;
	}
	if (n) {
		a.p.events = malloc(n * sizeof(*p->events));
		if (!a.p.events)
			return HD_ERR_NOMEM;
		memcpy(a.p.events, bytes + sizeof(a), n * sizeof(*p->events));
	}
	*understood = true;
	*p = a.p;
	*chosen = (size_t)a.chosen;
	return HD_OK;
}
