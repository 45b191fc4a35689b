/* A JSON document: what is read, written and read again is the same, numbers to the last digit. */
#include "fuzz_common.h"

#include "common/json_in.h"
#include "common/json_out.h"

typedef const struct hd_json_value value;

/* Of the number's spelling, what our writer would have written of it. */
static void put_number(struct hd_json *j, value *v)
{
	char *end;
	uint64_t n = strtoull(v->text, &end, 10);
	char again[32];

	snprintf(again, sizeof(again), "%llu", (unsigned long long)n);
	if (!strcmp(again, v->text)) /* every 64-bit number, exactly */
		hd_json_uint(j, v->key, n);
	else
		hd_json_str(j, v->key, v->text);
}

static void put(struct hd_json *j, value *v)
{
	switch (v->kind) {
	case HD_JSON_NULL:
		hd_json_null(j, v->key);
		break;
	case HD_JSON_BOOL:
		hd_json_bool(j, v->key, v->yes);
		break;
	case HD_JSON_NUMBER:
		put_number(j, v);
		break;
	case HD_JSON_STRING:
		hd_json_str(j, v->key, v->text);
		break;
	case HD_JSON_ARRAY:
	case HD_JSON_OBJECT:
		hd_json_open(j, v->key, v->kind == HD_JSON_ARRAY ? '[' : '{');
		for (value *item = v->first; item; item = item->next)
			put(j, item);
		hd_json_close(j, v->kind == HD_JSON_ARRAY ? ']' : '}');
		break;
	}
}

/* NULL: it was refused. */
static char *there_and_back(const char *text, size_t len, size_t *outlen)
{
	struct hd_json_doc *doc;
	struct hd_errbuf eb = { 0 };
	struct hd_json j;
	char *out = NULL;
	FILE *f;

	if (hd_json_parse(&doc, text, len, "fuzz", &eb) != HD_OK) {
		if (!eb.text[0])
			abort(); /* refused without a reason */
		return NULL;
	}
	f = open_memstream(&out, outlen);
	if (!f)
		abort();
	hd_json_init(&j, f);
	put(&j, hd_json_root(doc));
	fclose(f);
	hd_json_free(doc);
	return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len = 0, len2 = 0, len3 = 0;
	char *once = there_and_back((const char *)data, size, &len), *twice, *again;

	if (!once)
		return 0;
	/* The first time, a byte that is no UTF-8 is written as an escape, then as what that means. */
	twice = there_and_back(once, len, &len2);
	again = twice ? there_and_back(twice, len2, &len3) : NULL;
	if (!again || len2 != len3 || memcmp(twice, again, len2) != 0)
		abort();
	free(once);
	free(twice);
	free(again);
	return 0;
}
