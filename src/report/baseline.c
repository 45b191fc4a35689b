#include "baseline.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/json_in.h"
#include "run_model.h"
#include "common/whole_file.h"

struct hd_baseline {
	char (*ids)[17]; /* sorted when read */
	size_t n, cap;
};

static bool is_id(const char *s)
{
	return s && strlen(s) == 16 && strspn(s, "0123456789abcdef") == 16;
}

static enum hd_err keep_ids(struct hd_baseline *b, const struct hd_json_value *findings,
			    const char *name, struct hd_errbuf *eb)
{
	for (const struct hd_json_value *f = findings->first; f; f = f->next) {
		const char *id = hd_json_get_text(f, "id");

		if (!is_id(id))
			return hd_fail(eb, HD_ERR_PARSE,
				       "%s is not what --json writes: a finding "
				       "has no id of 16 hexadecimal digits",
				       name);
		if (!HD_ROOM(b->ids, b->cap, b->n + 1))
			return hd_fail(eb, HD_ERR_NOMEM, "out of memory");
		memcpy(b->ids[b->n++], id, 17);
	}
	return HD_OK;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

enum hd_err hd_baseline_parse(struct hd_baseline **out, const char *text, size_t len,
			      const char *name, struct hd_errbuf *eb)
{
	struct hd_json_doc *doc;
	struct hd_baseline *b = calloc(1, sizeof(*b));
	const struct hd_json_value *findings;
	enum hd_err err;

	*out = NULL;
	if (!b)
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory");
	err = hd_findings_parse(&doc, text, len, name, eb);
	if (!err) {
		findings = hd_json_get(hd_json_root(doc), "findings");
		err = keep_ids(b, findings, name, eb);
		hd_json_free(doc);
	}
	if (err) {
		hd_baseline_free(b);
		return err;
	}
	if (b->n)
		qsort(b->ids, b->n, sizeof(*b->ids), by_text);
	*out = b;
	return HD_OK;
}

enum hd_err hd_findings_parse(struct hd_json_doc **doc, const char *text, size_t len,
			      const char *name, struct hd_errbuf *eb)
{
	struct hd_errbuf why = { 0 };
	const struct hd_json_value *root, *findings;
	enum hd_err err = hd_json_parse(doc, text, len, name, &why);

	if (err == HD_ERR_PARSE)
		return hd_fail(eb, err, "not what --json writes: %s", why.text);
	if (err)
		return hd_fail(eb, err, "%s", why.text);
	root = hd_json_root(*doc);
	findings = hd_json_get(root, "findings");
	if (findings && findings->kind == HD_JSON_ARRAY && hd_json_get(root, "version"))
		return HD_OK;
	err = hd_fail(eb, HD_ERR_PARSE, "%s is not what --json writes: it has no '%s'", name,
		      findings && findings->kind == HD_JSON_ARRAY ? "version" : "findings");
	hd_json_free(*doc);
	*doc = NULL;
	return err;
}

enum hd_err hd_baseline_load(struct hd_baseline **out, const char *path, struct hd_errbuf *eb)
{
	char *text = NULL;
	size_t len = 0;
	enum hd_err err = hd_read_whole(path, HD_SMALL_FILE, &text, &len, eb);

	*out = NULL;
	if (err)
		return err;
	err = hd_baseline_parse(out, text, len, path, eb);
	free(text);
	return err;
}

void hd_baseline_free(struct hd_baseline *b)
{
	if (b)
		free(b->ids);
	free(b);
}

bool hd_baseline_has(const struct hd_baseline *b, const char *id)
{
	return b && b->n && bsearch(id, b->ids, b->n, sizeof(*b->ids), by_text);
}
