#include "observed.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "launch/launch.h"
#include "trace/execution_shared.h"

void hd_observed_free(struct hd_observed *o)
{
	for (size_t i = 0; i < o->n; i++)
		free(o->list[i].name);
	free(o->list);
	free(o->where);
	*o = (struct hd_observed){ 0 };
}

static bool can_be_shown(const struct hd_observed_one *one)
{
	uint64_t each = one->each;

	if (one->kind == HD_VALUE_OTHER || !each || one->size % each)
		return false;
	if (one->kind == HD_VALUE_FLOAT)
		return each == sizeof(float) || each == sizeof(double) ||
		       each == sizeof(long double);
	return each == 1 || each == 2 || each == 4 || each == 8;
}

static enum hd_err find_one(struct hd_observed_one *one, struct hd_symbols *s)
{
	if (!hd_symbols_find(s, one->name, &one->offset, &one->size))
		return hd_error(
			HD_ERR_REQUEST,
			"--observe: the program has no variable '%s' (global or static, with "
			"debug information)",
			one->name);
	one->kind = hd_symbols_value(s, one->name, &one->each);
	if (!can_be_shown(one))
		return hd_error(
			HD_ERR_REQUEST,
			"--observe: '%s' is no number, pointer or array of these; of a struct, "
			"name the members",
			one->name);
	return HD_OK;
}

/* The next of the names, without what is around it. NULL: there are no more. */
static char *next_name(const char **p)
{
	const char *begin, *end;

	*p += strspn(*p, ", \t\n");
	if (!**p)
		return NULL;
	begin = *p;
	*p += strcspn(*p, ",");
	end = *p;
	while (end > begin && isspace((unsigned char)end[-1]))
		end--;
	return strndup(begin, (size_t)(end - begin));
}

static enum hd_err find_all(struct hd_observed *o, struct hd_symbols *s, const char *names)
{
	uint64_t bytes = 0;
	enum hd_err rc;

	while (*(names += strspn(names, ", \t\n"))) {
		struct hd_observed_one one = { .name = next_name(&names) };

		if (!one.name || !HD_ROOM(o->list, o->room, o->n + 1)) {
			free(one.name);
			return hd_error(HD_ERR_NOMEM, "out of memory");
		}
		rc = find_one(&one, s);
		o->list[o->n++] = one;
		if (rc != HD_OK)
			return rc;
		bytes += one.size;
	}
	if (!o->n)
		return hd_error(HD_ERR_REQUEST, "--observe names no variables");
	if (bytes > HD_X_OBSERVED)
		return hd_error(HD_ERR_REQUEST,
				"--observe: at most %u bytes in all; these variables have %" PRIu64,
				HD_X_OBSERVED, bytes);
	return HD_OK;
}

static enum hd_err describe(struct hd_observed *o)
{
	size_t len = 0;
	FILE *out = open_memstream(&o->where, &len);

	for (size_t i = 0; out && i < o->n; i++)
		fprintf(out, "%s%" PRIu64 ":%" PRIu64, i ? "," : "", o->list[i].offset,
			o->list[i].size);
	if (out && fclose(out) == 0)
		return HD_OK;
	return hd_error(HD_ERR_NOMEM, "out of memory");
}

enum hd_err hd_observed_find(struct hd_observed *o, const char *argv0, const char *names)
{
	struct hd_symbols *s = NULL;
	char *path = hd_program_path(argv0);
	enum hd_err rc = path && hd_symbols_new(&s) == HD_OK
				 ? HD_OK
				 : hd_error(HD_ERR_NOMEM, "out of memory");

	if (rc == HD_OK) {
		hd_symbols_add_module(s, path, 0, UINT64_MAX, NULL);
		rc = find_all(o, s, names);
	}
	if (rc == HD_OK)
		rc = describe(o);
	hd_symbols_free(s);
	free(path);
	return rc;
}

/* ---- values ---------------------------------------------------------------------- */

static void put_float(FILE *out, const unsigned char *bytes, uint64_t size)
{
	long double l;
	double d;
	float f;

	if (size == sizeof(f)) {
		memcpy(&f, bytes, sizeof(f));
		fprintf(out, "%.9g", (double)f);
	} else if (size == sizeof(d)) {
		memcpy(&d, bytes, sizeof(d));
		fprintf(out, "%.17g", d);
	} else {
		memcpy(&l, bytes, sizeof(l));
		fprintf(out, "%.21Lg", l);
	}
}

static void put_one(FILE *out, enum hd_value_kind kind, const unsigned char *bytes, uint64_t size)
{
	uint64_t v = 0;
	unsigned unused = 64 - 8 * (unsigned)size;

	if (kind == HD_VALUE_FLOAT) {
		put_float(out, bytes, size);
		return;
	}
	memcpy(&v, bytes, size);
	if (kind == HD_VALUE_SIGNED)
		fprintf(out, "%" PRId64, (int64_t)(v << unused) >> unused);
	else if (kind == HD_VALUE_POINTER)
		fprintf(out, "0x%" PRIx64, v);
	else
		fprintf(out, "%" PRIu64, v);
}

void hd_observed_put(FILE *out, const struct hd_observed_one *one, const unsigned char *bytes)
{
	bool several = one->size > one->each;

	fputs(several ? "{" : "", out);
	for (uint64_t i = 0; i < one->size; i += one->each) {
		fputs(i ? ", " : "", out);
		put_one(out, one->kind, bytes + i, one->each);
	}
	fputs(several ? "}" : "", out);
}

bool hd_observed_is_number(const struct hd_observed_one *one)
{
	return one->size == one->each &&
	       (one->kind == HD_VALUE_SIGNED || one->kind == HD_VALUE_UNSIGNED ||
		one->kind == HD_VALUE_BOOL);
}
