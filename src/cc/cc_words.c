#include "cc_words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* Deeper than any sane nesting, and reached at once by a file that includes itself. */
#define MAX_RESPONSE_DEPTH 64

/* ---- lists ---- */

void hd_cc_list_take(struct hd_cc_list *list, char *word)
{
	if (!word)
		list->failed = true;
	if (!list->failed && !HD_ROOM(list->item, list->room, list->count + 2))
		list->failed = true;
	if (list->failed) {
		free(word);
		return;
	}
	list->item[list->count++] = word;
	list->item[list->count] = NULL;
}

void hd_cc_list_add(struct hd_cc_list *list, const char *word)
{
	hd_cc_list_take(list, strdup(word));
}

void hd_cc_list_add_all(struct hd_cc_list *list, const char *const words[])
{
	for (; *words; words++)
		hd_cc_list_add(list, *words);
}

void hd_cc_list_free(struct hd_cc_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->item[i]);
	free(list->item);
	*list = (struct hd_cc_list){ 0 };
}

/* ---- response files ---- */

/* Copy one word from @s to @word (long enough) and return what follows it. */
static const char *take_word(const char *s, char *word)
{
	char quote = 0;

	for (; *s && (quote || !isspace((unsigned char)*s)); s++) {
		if (*s == '\\' && s[1]) {
			*word++ = *++s;
		} else if (quote && *s == quote) {
			quote = 0;
		} else if (!quote && (*s == '\'' || *s == '"')) {
			quote = *s;
		} else {
			*word++ = *s;
		}
	}
	*word = 0;
	return s;
}

void hd_cc_split(struct hd_cc_list *out, const char *text)
{
	char *word = malloc(strlen(text) + 1);

	if (!word) {
		out->failed = true;
		return;
	}
	for (;;) {
		while (isspace((unsigned char)*text))
			text++;
		if (!*text)
			break;
		text = take_word(text, word);
		hd_cc_list_add(out, word);
	}
	free(word);
}

char *hd_cc_quote(const struct hd_cc_list *words)
{
	size_t room = 1;
	char *text, *end;

	for (size_t i = 0; i < words->count; i++)
		room += 2 * strlen(words->item[i]) + 3;
	text = end = malloc(room);
	if (!text)
		return NULL;
	for (size_t i = 0; i < words->count; i++) {
		const char *s = words->item[i];

		*end++ = '"'; /* so that an empty word survives */
		for (; *s; s++) {
			if (*s == '\\' || *s == '"')
				*end++ = '\\';
			*end++ = *s;
		}
		*end++ = '"';
		*end++ = '\n';
	}
	*end = 0;
	return text;
}

/* The whole of @path as a string, or NULL with @failed telling whether memory ran out. */
static char *read_text(const char *path, bool *failed)
{
	FILE *file = fopen(path, "re");
	size_t room = 4096, used = 0, got;
	char *text = NULL;

	if (!file)
		return NULL;
	do {
		char *bigger = realloc(text, room);

		if (!bigger) {
			*failed = true;
			break;
		}
		text = bigger;
		got = fread(text + used, 1, room - used - 1, file);
		used += got;
		room *= 2;
	} while (got > 0);
	if (*failed || ferror(file)) { /* a folder opens but does not read */
		free(text);
		text = NULL;
	} else {
		text[used] = 0;
	}
	fclose(file);
	return text;
}

static enum hd_err expand_word(const char *word, int depth, struct hd_cc_list *out, bool *had,
			       struct hd_errbuf *eb)
{
	struct hd_cc_list inner = { 0 };
	enum hd_err err = HD_OK;
	char *text;

	text = word[0] == '@' ? read_text(word + 1, &out->failed) : NULL;
	if (!text) {
		hd_cc_list_add(out, word);
		return HD_OK;
	}
	if (depth >= MAX_RESPONSE_DEPTH) {
		free(text);
		return hd_fail(eb, HD_ERR_LIMIT, "the response file '%s' includes itself",
			       word + 1);
	}
	*had = true;
	hd_cc_split(&inner, text);
	free(text);
	out->failed |= inner.failed;
	for (size_t i = 0; i < inner.count && err == HD_OK; i++)
		err = expand_word(inner.item[i], depth + 1, out, had, eb);
	hd_cc_list_free(&inner);
	return err;
}

enum hd_err hd_cc_expand(int argc, char *const *argv, struct hd_cc_list *out,
			 bool *had_response_file, struct hd_errbuf *eb)
{
	*had_response_file = false;
	for (int i = 1; i < argc; i++) {
		enum hd_err err = expand_word(argv[i], 0, out, had_response_file, eb);

		if (err != HD_OK)
			return err;
	}
	return out->failed ? hd_fail(eb, HD_ERR_NOMEM, "out of memory") : HD_OK;
}
