#include "goal_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/map.h"
#include "common/whole_file.h"

/* ---- reading --------------------------------------------------------------------------- */

struct reading {
	const char *file;
	unsigned line;
	const char *at, *end; /* of the line */
	struct hd_errbuf *eb;
};

static enum hd_err wrong(const struct reading *r, const char *what, const char *word, size_t len)
{
	char shown[64];
	size_t n = 0;

	for (size_t i = 0; i < len && n + 1 < sizeof(shown); i++)
		shown[n++] = word[i] >= ' ' && word[i] < 0x7f ? word[i] : '?';
	shown[n] = 0;
	if (!r->line)
		return hd_fail(r->eb, HD_ERR_PARSE, "%s: %s%s%s%s", r->file, what, n ? " '" : "",
			       shown, n ? "'" : "");
	return hd_fail(r->eb, HD_ERR_PARSE, "%s: line %u: %s%s%s%s", r->file, r->line, what,
		       n ? " '" : "", shown, n ? "'" : "");
}

static void skip_blanks(struct reading *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r'))
		r->at++;
}

static bool is_end(struct reading *r)
{
	skip_blanks(r);
	return r->at == r->end;
}

static bool take(struct reading *r, char c)
{
	if (is_end(r) || *r->at != c)
		return false;
	r->at++;
	return true;
}

/* The next word: up to a blank or one of < , ; @ ( ) that separate. */
static size_t peek_word(struct reading *r, const char **word)
{
	size_t n = 0;

	skip_blanks(r);
	*word = r->at;
	while (r->at + n < r->end && !strchr(" \t\r<,;@#()", r->at[n]))
		n++;
	return n;
}

static bool is_word(const char *word, size_t len, const char *text)
{
	return strlen(text) == len && !strncmp(word, text, len);
}

static bool number_of(const char *word, size_t len, uint64_t *out)
{
	*out = 0;
	if (!len || len > 19)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (word[i] < '0' || word[i] > '9')
			return false;
		*out = *out * 10 + (uint64_t)(word[i] - '0');
	}
	return true;
}

static uint8_t op_of(const char *word, size_t len)
{
	for (unsigned op = 1; op < HD_OP_LIMIT; op++) {
		if (hd_op_info[op].name && is_word(word, len, hd_op_info[op].name))
			return (uint8_t)op;
	}
	return 0;
}

/* "pool.c:40" */
static bool place_of(const char *word, size_t len, size_t *file_len, uint64_t *line)
{
	const char *colon = NULL;

	for (size_t i = 0; i < len; i++) {
		if (word[i] == ':')
			colon = word + i;
	}
	if (!colon || colon == word ||
	    !number_of(colon + 1, (size_t)(word + len - colon - 1), line) || !*line ||
	    *line > UINT32_MAX)
		return false;
	*file_len = (size_t)(colon - word);
	return true;
}

static enum hd_err keep_word(struct reading *r, const char *word, size_t len, char **out)
{
	free(*out);
	*out = strndup(word, len);
	return *out ? HD_OK : hd_fail(r->eb, HD_ERR_NOMEM, "out of memory for goals");
}

/* "pool.c:40", after "at" or with @marked after an @ */
static enum hd_err read_place(struct reading *r, bool marked, struct hd_term *t)
{
	const char *start = r->at += marked;
	size_t file_len;
	uint64_t line;

	while (r->at < r->end && !strchr(" \t\r<,;#", *r->at))
		r->at++;
	if (!place_of(start, (size_t)(r->at - start), &file_len, &line))
		return wrong(r, marked ? "a place is @FILE:LINE, not" : "a place is FILE:LINE, not",
			     start - marked, (size_t)(r->at - start) + marked);
	t->line = (uint32_t)line;
	return keep_word(r, start, file_len, &t->file);
}

/* "#2" */
static enum hd_err read_nth(struct reading *r, struct hd_term *t)
{
	const char *word;
	size_t len;

	r->at++;
	len = peek_word(r, &word);
	if (!number_of(word, len, &t->nth) || !t->nth)
		return wrong(r, "after # comes which of the events that fit, from 1, not", word,
			     len);
	r->at += len;
	return HD_OK;
}

static enum hd_err read_words(struct reading *r, struct hd_term *t)
{
	const char *word;
	size_t len = peek_word(r, &word);
	uint64_t n;

	if (len > 1 && *word == 'T' && number_of(word + 1, len - 1, &n) && n <= UINT32_MAX) {
		t->thread = n + 1;
		r->at += len;
		len = peek_word(r, &word);
	}
	if (len && !is_word(word, len, "any")) {
		t->op = op_of(word, len);
		if (!t->op)
			return wrong(r, "there is no operation", word, len);
	} else if (!len) {
		return wrong(r, "an operation is missing before", r->at, (size_t)(r->end - r->at));
	}
	r->at += len;
	len = peek_word(r, &word);
	if (!len || is_word(word, len, "open"))
		return HD_OK;
	r->at += len;
	return keep_word(r, word, len, &t->name);
}

static enum hd_err read_term(struct reading *r, struct hd_term *t)
{
	const char *word;
	size_t len = peek_word(r, &word);
	enum hd_err err;

	*t = (struct hd_term){ 0 };
	if (number_of(word, len, &t->number)) {
		t->numbered = true;
		r->at += len;
		return HD_OK;
	}
	err = read_words(r, t);
	skip_blanks(r);
	if (!err && r->at < r->end && *r->at == '@')
		err = read_place(r, true, t);
	skip_blanks(r);
	if (!err && r->at < r->end && *r->at == '#')
		err = read_nth(r, t);
	if (!err && !t->name && !t->file)
		err = wrong(r,
			    "say of what or where: a name, @FILE:LINE or an event's number "
			    "belongs to",
			    word, len);
	return err;
}

/* Terms with @mark between them, into @list. */
static enum hd_err read_terms(struct reading *r, char mark, struct hd_term *list, size_t *n)
{
	enum hd_err err = HD_OK;

	do {
		if (*n == HD_GOAL_MAX)
			return wrong(r, "a goal has at most 16 events of a kind", "", 0);
		err = read_term(r, &list[(*n)++]); /* freed with the goal, also half read */
	} while (!err && take(r, mark));
	return err;
}

static enum hd_err read_part(struct reading *r, struct hd_user_goal *g)
{
	const char *word;
	size_t len = peek_word(r, &word);
	enum hd_err err;

	r->at += len;
	if (is_word(word, len, "next"))
		return read_terms(r, ',', g->next, &g->nnext);
	if (!is_word(word, len, "order"))
		return wrong(r, "the parts of a goal begin with order or next, not", word, len);
	if (g->norder)
		return wrong(r, "a goal has one order", "", 0);
	err = read_terms(r, '<', g->order, &g->norder);
	if (err)
		return err;
	len = peek_word(r, &word);
	if (is_word(word, len, "open")) {
		g->open_end = true;
		r->at += len;
	}
	if (g->norder < 2)
		return wrong(r, "an order has at least two events: order A < B", "", 0);
	return HD_OK;
}

/* ---- sentences -------------------------------------------------------------------------- */

static const struct {
	const char *word;
	enum hd_verb verb;
	uint8_t op;
} verbs[] = {
	{ "use", HD_VERB_USES, 0 },
	{ "uses", HD_VERB_USES, 0 },
	{ "reads", HD_VERB_READS, 0 },
	{ "writes", HD_VERB_WRITES, 0 },
	{ "frees", HD_VERB_OP, HD_OP_FREE },
	{ "locks", HD_VERB_OP, HD_OP_ACQUIRE },
	{ "unlocks", HD_VERB_OP, HD_OP_RELEASE },
	{ "waits", HD_VERB_OP, HD_OP_WAIT },
	{ "enters", HD_VERB_OP, HD_OP_FUNC_ENTRY },
	{ "leaves", HD_VERB_OP, HD_OP_FUNC_EXIT },
};

/* Words that stand between the events of a sentence. */
static bool is_joint(const char *word, size_t len)
{
	static const char *const joints[] = { "before", "then",	 "without", "between",
					      "and",	"twice", "in",	    "at" };

	for (size_t i = 0; i < sizeof(joints) / sizeof(joints[0]); i++) {
		if (is_word(word, len, joints[i]))
			return true;
	}
	return false;
}

static bool take_word(struct reading *r, const char *text)
{
	const char *word;
	size_t len = peek_word(r, &word);

	if (!is_word(word, len, text))
		return false;
	r->at += len;
	return true;
}

static enum hd_err read_verb(struct reading *r, struct hd_term *t)
{
	const char *word;
	size_t len = peek_word(r, &word);

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (!is_word(word, len, verbs[i].word))
			continue;
		t->verb = verbs[i].verb;
		t->op = verbs[i].op;
		r->at += len;
		return HD_OK;
	}
	t->op = op_of(word, len);
	if (!t->op && !is_word(word, len, "any"))
		return wrong(r,
			     "an event is FILE:LINE, or what is done: reads, writes, uses, frees, "
			     "locks, ..., not",
			     word, len);
	r->at += len;
	return HD_OK;
}

/* "x", "(p)", or the function of "enters push"; it may be missing. */
static enum hd_err read_what(struct reading *r, struct hd_term *t)
{
	bool call = t->op == HD_OP_FUNC_ENTRY || t->op == HD_OP_FUNC_EXIT;
	bool block = take(r, '(');
	const char *word;
	size_t len = peek_word(r, &word);

	if (!block && (!len || is_joint(word, len)))
		return HD_OK;
	if (!len)
		return wrong(r, "a name is missing in the parentheses", "", 0);
	r->at += len;
	if (block && !take(r, ')'))
		return wrong(r, "a parenthesis is not closed after", word, len);
	t->block = block && !call;
	return keep_word(r, word, len, call ? &t->function : &t->name);
}

/* "in push", "at pool.c:40", "@pool.c:40", "#2" */
static enum hd_err read_where(struct reading *r, struct hd_term *t)
{
	enum hd_err err = HD_OK;
	const char *word;
	size_t len;

	if (take_word(r, "in")) {
		len = peek_word(r, &word);
		if (!len)
			return wrong(r, "after in comes a function", "", 0);
		r->at += len;
		err = keep_word(r, word, len, &t->function);
	}
	if (!err && take_word(r, "at")) {
		skip_blanks(r);
		err = read_place(r, false, t);
	} else if (!err && !is_end(r) && *r->at == '@') {
		err = read_place(r, true, t);
	}
	if (!err && !is_end(r) && *r->at == '#')
		err = read_nth(r, t);
	return err;
}

/* "T2", or "Ta" for any thread, but one and the same. */
static void read_thread(struct reading *r, struct hd_term *t)
{
	const char *word;
	size_t len = peek_word(r, &word);
	uint64_t n;

	if (len < 2 || *word != 'T')
		return;
	if (len == 2 && islower((unsigned char)word[1]))
		t->who = word[1];
	else if (number_of(word + 1, len - 1, &n) && n <= UINT32_MAX)
		t->thread = n + 1;
	else
		return;
	r->at += len;
}

/* One event of a sentence; @t is zeroed, and freed with the goal, also half read. */
static enum hd_err read_event(struct reading *r, struct hd_term *t)
{
	const char *word, *start;
	size_t len, file_len;
	uint64_t n;
	enum hd_err err;

	skip_blanks(r);
	start = r->at;
	read_thread(r, t);
	len = peek_word(r, &word);
	if (!len)
		return wrong(r, "an event is missing before", r->at, (size_t)(r->end - r->at));
	if (place_of(word, len, &file_len, &n)) {
		t->line = (uint32_t)n;
		r->at += len;
		err = keep_word(r, word, file_len, &t->file);
	} else {
		err = read_verb(r, t);
		if (!err)
			err = read_what(r, t);
	}
	if (!err)
		err = read_where(r, t);
	if (!err && !t->name && !t->file && !t->function)
		err = wrong(r, "say of what or where: a name, a function or FILE:LINE belongs to",
			    start, (size_t)(word + len - start));
	return err;
}

/* "A between B and C": B has happened, then A, and C has not. */
static enum hd_err read_between(struct reading *r, struct hd_user_goal *g)
{
	enum hd_err err;

	g->order[1] = g->order[0];
	g->order[0] = (struct hd_term){ 0 };
	g->norder = 3;
	g->between = g->open_end = true;
	err = read_event(r, &g->order[0]);
	if (!err && !take_word(r, "and"))
		err = wrong(r, "between what and what? and is missing before", r->at,
			    (size_t)(r->end - r->at));
	return err ? err : read_event(r, &g->order[2]);
}

static enum hd_err copy_term(struct reading *r, struct hd_term *to, const struct hd_term *from)
{
	enum hd_err err = HD_OK;

	*to = *from;
	to->name = to->function = to->file = NULL;
	if (from->name)
		err = keep_word(r, from->name, strlen(from->name), &to->name);
	if (!err && from->function)
		err = keep_word(r, from->function, strlen(from->function), &to->function);
	if (!err && from->file)
		err = keep_word(r, from->file, strlen(from->file), &to->file);
	return err;
}

/* "without C": between the last event that was read and the one before it. */
static enum hd_err read_without(struct reading *r, struct hd_user_goal *g)
{
	size_t gap = g->norder - 2;

	if (!take_word(r, "without"))
		return HD_OK;
	g->is_without[gap] = true;
	return read_event(r, &g->without[gap]);
}

/* "A twice without B between" */
static enum hd_err read_twice(struct reading *r, struct hd_user_goal *g)
{
	enum hd_err err;

	if (g->order[0].nth)
		return wrong(r, "what is done twice cannot have a number: #", "", 0);
	g->norder = 2;
	g->twice = true;
	err = copy_term(r, &g->order[1], &g->order[0]);
	if (!err)
		err = read_without(r, g);
	if (!err && g->is_without[0])
		take_word(r, "between");
	return err;
}

/* "A before B", "A then B without C then D" */
static enum hd_err read_sequence(struct reading *r, struct hd_user_goal *g)
{
	enum hd_err err = HD_OK;

	while (!err && (take_word(r, "before") || take_word(r, "then"))) {
		if (g->norder == HD_GOAL_MAX)
			return wrong(r, "a goal has at most 16 events of a kind", "", 0);
		err = read_event(r, &g->order[g->norder++]);
		if (!err)
			err = read_without(r, g);
	}
	if (!err && g->norder < 2)
		err = wrong(r,
			    "after the first event comes before, then, between or twice, "
			    "not",
			    r->at, (size_t)(r->end - r->at));
	return err;
}

static enum hd_err read_sentence(struct reading *r, struct hd_user_goal *g)
{
	enum hd_err err;

	g->sentence = true;
	g->norder = 1;
	err = read_event(r, &g->order[0]);
	if (err)
		return err;
	if (take_word(r, "between"))
		return read_between(r, g);
	if (take_word(r, "twice"))
		return read_twice(r, g);
	return read_sequence(r, g);
}

static bool is_sentence(struct reading *r)
{
	const char *word;
	size_t len = peek_word(r, &word);

	return !is_word(word, len, "order") && !is_word(word, len, "next");
}

static enum hd_err read_goal(struct reading *r, struct hd_user_goal *g)
{
	enum hd_err err;

	if (is_sentence(r)) {
		err = read_sentence(r, g);
	} else {
		do {
			err = read_part(r, g);
		} while (!err && take(r, ';'));
	}
	if (!err && !is_end(r))
		err = wrong(r, "this does not belong here:", r->at, (size_t)(r->end - r->at));
	return err;
}

/* ---- lists of goals ------------------------------------------------------------------- */

static struct hd_user_goal *new_goal(struct hd_user_goals *g, const char *text, size_t len,
				     unsigned line)
{
	struct hd_user_goal *goal;

	if (!HD_ROOM(g->list, g->room, g->n + 1))
		return NULL;
	goal = &g->list[g->n];
	*goal = (struct hd_user_goal){ .line = line, .text = strndup(text, len) };
	if (!goal->text)
		return NULL;
	g->n++;
	return goal;
}

static void free_term(struct hd_term *t)
{
	free(t->name);
	free(t->function);
	free(t->file);
	free(t->fits);
}

void hd_user_goals_free(struct hd_user_goals *g)
{
	for (size_t i = 0; i < g->n; i++) {
		struct hd_user_goal *goal = &g->list[i];

		for (size_t k = 0; k < HD_GOAL_MAX; k++) {
			free_term(&goal->order[k]);
			free_term(&goal->next[k]);
			free_term(&goal->without[k]);
		}
		free(goal->text);
		free(goal->goals);
	}
	free(g->list);
	*g = (struct hd_user_goals){ 0 };
}

/* A comment is # at the start of a line or after a blank, unless a number follows (#2). */
static size_t without_comment(const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		bool apart = !i || line[i - 1] == ' ' || line[i - 1] == '\t';

		if (line[i] == '#' && apart &&
		    !(i + 1 < len && isdigit((unsigned char)line[i + 1])))
			return i;
	}
	return len;
}

enum hd_err hd_user_goals_parse(struct hd_user_goals *g, const char *text, size_t len,
				const char *file, struct hd_errbuf *eb)
{
	const char *at = text, *end = text + len;
	struct reading r = { .file = file, .eb = eb };
	enum hd_err err = HD_OK;

	*g = (struct hd_user_goals){ 0 };
	while (at < end && !err) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t n = (size_t)((stop ? stop : end) - at);
		struct hd_user_goal *goal;

		r.line++;
		if (memchr(at, 0, n))
			err = wrong(&r, "there is a byte 0", "", 0);
		r.at = at;
		r.end = at + without_comment(at, n);
		at = stop ? stop + 1 : end;
		if (err || is_end(&r))
			continue;
		while (strchr(" \t\r", r.end[-1]))
			r.end--;
		goal = new_goal(g, r.at, (size_t)(r.end - r.at), r.line);
		err = goal ? read_goal(&r, goal)
			   : hd_fail(eb, HD_ERR_NOMEM, "out of memory for goals");
	}
	if (!err && !g->n)
		err = hd_fail(eb, HD_ERR_PARSE, "%s: there is no goal in it", file);
	if (err)
		hd_user_goals_free(g);
	return err;
}

enum hd_err hd_user_goals_load(struct hd_user_goals *g, const char *path, struct hd_errbuf *eb)
{
	size_t len;
	char *text;
	enum hd_err err = hd_read_whole(path, 0, &text, &len, eb);

	*g = (struct hd_user_goals){ 0 };
	if (err)
		return err;
	err = hd_user_goals_parse(g, text, len, path, eb);
	free(text);
	return err;
}

enum hd_err hd_user_goals_patterns(struct hd_user_goals *g, const char *text, struct hd_errbuf *eb)
{
	struct reading r = {
		.file = "--pattern", .at = text, .end = text + strlen(text), .eb = eb
	};
	enum hd_err err = HD_OK;

	*g = (struct hd_user_goals){ 0 };
	do {
		const char *start = r.at;
		struct hd_user_goal *goal = new_goal(g, start, strcspn(start, ";"), 0);

		if (!goal)
			err = hd_fail(eb, HD_ERR_NOMEM, "out of memory for goals");
		while (!err && goal->norder < 3) {
			struct hd_term *t = &goal->order[goal->norder++];
			const char *word;
			size_t len = peek_word(&r, &word);

			t->numbered = true;
			if (!number_of(word, len, &t->number))
				err = wrong(&r, "needs three numbers of events, E1,F,E2, not",
					    start, strlen(start));
			r.at += len;
			if (!err && goal->norder < 3 && !take(&r, ','))
				err = wrong(&r, "needs three numbers of events, E1,F,E2, not",
					    start, strlen(start));
		}
		if (!err)
			goal->open_end = true;
	} while (!err && take(&r, ';'));
	if (!err && !is_end(&r))
		err = wrong(&r, "needs three numbers of events, E1,F,E2, not", text, strlen(text));
	if (err)
		hd_user_goals_free(g);
	return err;
}
