#include "trace_import.h"

#include <stdio.h>
#include <string.h>

/*
 * Where made-up addresses lie: 16 bytes for each of at most 2^32 names. Each kind
 * has a range of its own, so a lock and a location may share a name.
 */
#define LOCATIONS (1ull << 40)
#define OBJECTS	  (1ull << 41)
#define SITES	  (1ull << 36)
#define STEP	  16u

enum hd_err hd_import_init(struct hd_import *im, const char *file, struct hd_trace_writer *w,
			   struct hd_errbuf *eb)
{
	*im = (struct hd_import){ .file = file, .writer = w, .eb = eb };
	if (hd_run_check_new(&im->check, file))
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory while importing %s", file);
	return HD_OK;
}

void hd_import_free(struct hd_import *im)
{
	hd_run_check_free(im->check);
	hd_texts_free(&im->locations);
	hd_texts_free(&im->objects);
	hd_texts_free(&im->sites);
	hd_texts_free(&im->strings);
}

static enum hd_err no_memory(struct hd_import *im)
{
	return hd_fail(im->eb, HD_ERR_NOMEM, "out of memory while importing %s", im->file);
}

enum hd_err hd_import_fail(struct hd_import *im, const char *what, struct hd_token token)
{
	char safe[48];
	size_t n = token.len < sizeof(safe) - 1 ? token.len : sizeof(safe) - 1;

	for (size_t i = 0; i < n; i++)
		safe[i] = token.s[i] >= 0x20 && token.s[i] < 0x7f ? token.s[i] : '?';
	safe[n] = 0;
	return hd_fail(im->eb, HD_ERR_PARSE, "%s: line %lu: %s '%s%s'", im->file, im->line, what,
		       safe, n < token.len ? "..." : "");
}

/* A failure of the writer is the caller's to report, when it finishes the trace. */
static enum hd_err written(struct hd_import *im, enum hd_err err)
{
	return err ? hd_fail(im->eb, err, "cannot write the trace: %s", hd_err_text(err)) : HD_OK;
}

static enum hd_err address_of(struct hd_import *im, struct hd_texts *texts, uint64_t base,
			      struct hd_token name, uint64_t *addr)
{
	size_t before = texts->count;
	uint32_t number = hd_texts_add(texts, name.s, name.len);

	if (!number)
		return no_memory(im);
	*addr = base + (uint64_t)number * STEP;
	if (texts->count == before || !im->writer)
		return HD_OK;
	return written(im, hd_trace_put_name(im->writer, *addr, hd_texts_get(texts, number)));
}

enum hd_err hd_import_location(struct hd_import *im, struct hd_token name, uint64_t *addr)
{
	return address_of(im, &im->locations, LOCATIONS, name, addr);
}

enum hd_err hd_import_object(struct hd_import *im, struct hd_token name, uint64_t *addr)
{
	return address_of(im, &im->objects, OBJECTS, name, addr);
}

enum hd_err hd_import_site(struct hd_import *im, struct hd_token file, uint32_t line, uint64_t *pc)
{
	size_t before = im->sites.count;
	char number[16], key[4096];
	uint32_t n;

	snprintf(number, sizeof(number), ":%u", line);
	if (file.len + strlen(number) >= sizeof(key))
		return hd_import_fail(im, "this is too long for a file name:", file);
	memcpy(key, file.s, file.len);
	strcpy(key + file.len, number);
	n = hd_texts_add(&im->sites, key, strlen(key));
	if (!n)
		return no_memory(im);
	*pc = SITES + n;
	if (im->sites.count == before || !im->writer)
		return HD_OK;
	key[file.len] = 0;
	return written(im, hd_trace_put_site(im->writer, *pc, key, line));
}

enum hd_err hd_import_string(struct hd_import *im, const char *s, size_t len, uint64_t *id)
{
	size_t before = im->strings.count;

	*id = hd_texts_add(&im->strings, s, len);
	if (!*id)
		return no_memory(im);
	if (im->strings.count == before || !im->writer)
		return HD_OK;
	return written(im, hd_trace_put_string(im->writer, (uint32_t)*id, s, len));
}

enum hd_err hd_import_event(struct hd_import *im, const struct hd_event *ev, struct hd_token name)
{
	char shown[64];
	enum hd_err err;

	snprintf(shown, sizeof(shown), "%.*s", (int)(name.len < 60 ? name.len : 60),
		 name.s ? name.s : "");
	err = hd_run_check_event(im->check, ev, im->line, shown, im->eb);
	if (err || !im->writer)
		return err;
	return written(im, hd_trace_put(im->writer, ev));
}

bool hd_import_line(const char **at, const char *end, struct hd_token *line)
{
	const char *nl;

	if (*at == end)
		return false;
	nl = memchr(*at, '\n', (size_t)(end - *at));
	*line = (struct hd_token){ *at, (size_t)((nl ? nl : end) - *at) };
	*at = nl ? nl + 1 : end;
	return true;
}

bool hd_token_is(struct hd_token t, const char *s)
{
	return strlen(s) == t.len && !memcmp(t.s, s, t.len);
}

bool hd_token_number(struct hd_token t, uint64_t max, uint64_t *out)
{
	uint64_t v = 0;

	for (size_t i = 0; i < t.len; i++) {
		unsigned digit = (unsigned)(t.s[i] - '0');

		if (digit > 9 || v > (UINT64_MAX - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*out = v;
	return t.len && v <= max;
}
