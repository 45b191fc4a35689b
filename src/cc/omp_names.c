#include "omp_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

enum { AT_START, IN_TYPE, IN_VALUE, ELSEWHERE }; /* of a statement */

/* ---- tokens ------------------------------------------------------------------------------------ */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && isspace((unsigned char)*p))
		p++;
	return p;
}

/* Behind the token at @p: a word, a text in quotes, or one character. */
static const char *token_end(const char *p, const char *end)
{
	const char *q = p;

	if (is_word(*p)) {
		while (q < end && is_word(*q))
			q++;
		return q;
	}
	if (*p != '"' && *p != '\'')
		return p + 1;
	for (q++; q < end && *q != *p; q++)
		q += *q == '\\';
	return q < end ? q + 1 : end;
}

static bool is(const char *p, const char *q, const char *word)
{
	return (size_t)(q - p) == strlen(word) && !memcmp(p, word, (size_t)(q - p));
}

static bool is_type(const char *p, const char *q)
{
	static const char *const types[] = { "int",	 "long",     "short",	"char",
					     "unsigned", "signed",   "float",	"double",
					     "const",	 "size_t",   "ssize_t", "ptrdiff_t",
					     "bool",	 "_Bool",    "int8_t",	"int16_t",
					     "int32_t",	 "int64_t",  "uint8_t", "uint16_t",
					     "uint32_t", "uint64_t", NULL };

	for (int i = 0; types[i]; i++) {
		if (is(p, q, types[i]))
			return true;
	}
	return false;
}

/* ---- declarations -------------------------------------------------------------------------------- */

static bool in_region(const struct hd_omp_names *s)
{
	return s->nscopes && s->scopes[s->nscopes - 1].region;
}

static void declare(struct hd_omp_names *s, const char *p, const char *q)
{
	if (!HD_ROOM(s->names, s->room, s->n + 1))
		s->failed = true;
	else
		s->names[s->n++] = (struct hd_omp_name){ p, (size_t)(q - p), in_region(s) };
}

static void open_scope(struct hd_omp_names *s)
{
	bool region = in_region(s) || s->region_next;

	if (!HD_ROOM(s->scopes, s->scopes_room, s->nscopes + 1))
		s->failed = true;
	else
		s->scopes[s->nscopes++] = (struct hd_omp_scope){ s->n, region };
	s->region_next = false;
}

static void close_scope(struct hd_omp_names *s)
{
	if (s->nscopes)
		s->n = s->scopes[--s->nscopes].names;
}

/* In a declaration: the names, not their initial values. */
static void read_declaration(struct hd_omp_names *s, const char *p, const char *q, const char *end)
{
	const char *next = skip_blanks(q, end);

	if (s->state == IN_TYPE && is_word(*p)) {
		if (is_type(p, q) || next == end)
			return;
		if (*next == '=' || *next == ';' || *next == ',' || *next == '[')
			declare(s, p, q);
		else
			s->state = ELSEWHERE;
	} else if (s->state == IN_TYPE && (*p == '=' || *p == '[')) {
		s->state = IN_VALUE;
		s->value_depth = *p == '[';
	} else if (s->state == IN_TYPE && *p != '*' && *p != ',') {
		s->state = ELSEWHERE;
	} else if (s->state == IN_VALUE) {
		s->value_depth += (*p == '(' || *p == '[' || *p == '{') -
				  (*p == ')' || *p == ']' || *p == '}');
		if (*p == ',' && !s->value_depth)
			s->state = IN_TYPE;
	}
}

static void read_token(struct hd_omp_names *s, const char *p, const char *q, const char *end)
{
	if (s->state == IN_VALUE && s->value_depth) {
		read_declaration(s, p, q, end);
		return;
	}
	s->parens += (*p == '(') - (*p == ')');
	if (*p == '{' && s->state != IN_VALUE) {
		open_scope(s);
		s->parens = 0;
		s->state = AT_START;
	} else if (*p == '}') {
		close_scope(s);
		s->parens = 0;
		s->state = AT_START;
	} else if (*p == ';') {
		s->state = AT_START;
	} else if (s->state == AT_START) {
		s->state = is_word(*p) && is_type(p, q) && !s->parens && s->nscopes ? IN_TYPE
										    : ELSEWHERE;
	} else if (s->state != ELSEWHERE) {
		read_declaration(s, p, q, end);
	}
}

void hd_omp_names_line(struct hd_omp_names *s, const char *line, const char *end)
{
	const char *p = skip_blanks(line, end), *q;

	if (p < end && *p == '#')
		return; /* where the line comes from, or another pragma */
	for (; p < end && !s->failed; p = skip_blanks(q, end)) {
		q = token_end(p, end);
		read_token(s, p, q, end);
	}
}

void hd_omp_names_region(struct hd_omp_names *s)
{
	s->region_next = true;
}

void hd_omp_names_free(struct hd_omp_names *s)
{
	free(s->names);
	free(s->scopes);
	*s = (struct hd_omp_names){ 0 };
}

/* ---- statements ----------------------------------------------------------------------------------- */

const char *hd_omp_next_code(const char *p, const char *end)
{
	for (p = skip_blanks(p, end); p < end && *p == '#'; p = skip_blanks(p, end)) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));

		p = stop ? stop : end;
	}
	return p;
}

/* Behind the bracket that closes the one at @p, or the semicolon if there is none at @p. */
static const char *skip_group(const char *p, const char *end)
{
	int depth = 0;

	for (; p < end; p = hd_omp_next_code(token_end(p, end), end)) {
		depth += (*p == '(' || *p == '{' || *p == '[') -
			 (*p == ')' || *p == '}' || *p == ']');
		if (depth <= 0 && (*p == ';' || *p == ')' || *p == '}'))
			return p + 1;
	}
	return end;
}

const char *hd_omp_statement_end(const char *p, const char *end)
{
	const char *q;

	for (;;) {
		p = hd_omp_next_code(p, end);
		if (p == end || !is_word(*p))
			return p == end ? end : skip_group(p, end);
		q = token_end(p, end);
		if (is(p, q, "else") || is(p, q, "do"))
			p = q;
		else if (is(p, q, "for") || is(p, q, "while") || is(p, q, "if") ||
			 is(p, q, "switch"))
			p = skip_group(hd_omp_next_code(q, end), end);
		else
			break;
	}
	p = skip_group(p, end);
	q = hd_omp_next_code(p, end);
	if (q < end && is_word(*q) && is(q, token_end(q, end), "else"))
		return hd_omp_statement_end(q, end);
	return p;
}

const char *hd_omp_loop_body(const char *p, const char *end, unsigned depth)
{
	for (; depth; depth--) {
		for (p = hd_omp_next_code(p, end); p < end && *p == '{';
		     p = hd_omp_next_code(p + 1, end))
			;
		if (p == end || !is_word(*p) || !is(p, token_end(p, end), "for"))
			return NULL;
		p = hd_omp_next_code(skip_group(hd_omp_next_code(token_end(p, end), end), end),
				     end);
	}
	return p < end ? p : NULL;
}

/* ---- uses ---------------------------------------------------------------------------------------- */

struct use {
	bool is_set, sets_first; /* gets a value; does that before anything else */
	bool is_place;		 /* says which memory is used */
	bool seen;
};

/* The last character before @p that is no blank, 0: none from @from on. */
static char before(const char *from, const char *p)
{
	while (p > from && isspace((unsigned char)p[-1]))
		p--;
	return p > from ? p[-1] : 0;
}

static bool is_member(const char *from, const char *p)
{
	while (p > from && isspace((unsigned char)p[-1]))
		p--;
	return p > from && (p[-1] == '.' || (p - from > 1 && p[-1] == '>' && p[-2] == '-'));
}

/* Is the star before @p that of a pointer, not of a product? */
static bool is_pointed_to(const char *from, const char *p)
{
	char c;

	while (p > from && isspace((unsigned char)p[-1]))
		p--;
	if (p == from || p[-1] != '*')
		return false;
	c = before(from, p - 1);
	return !is_word(c) && c != ')' && c != ']';
}

/* Is it set, from @q on, and (@plainly) not by way of what it was? */
static bool is_assigned(const char *from, const char *p, const char *q, const char *end,
			bool *plainly)
{
	char c = q < end ? q[0] : 0, d = q + 1 < end ? q[1] : 0, e = q + 2 < end ? q[2] : 0;

	*plainly = c == '=' && d != '=';
	if (*plainly) {
		const char *stop = memchr(q, ';', (size_t)(end - q));

		for (const char *t = q; stop && t < stop;
		     t = hd_omp_next_code(token_end(t, end), end))
			*plainly &= (size_t)(token_end(t, end) - t) != (size_t)(p - from) ||
				    memcmp(t, from, (size_t)(p - from)) != 0;
		return true;
	}
	return ((c == '+' || c == '-') && d == c) || (c && strchr("+-*/%&|^", c) && d == '=') ||
	       ((c == '<' || c == '>') && d == c && e == '=');
}

static bool is_changed_before(const char *from, const char *p)
{
	while (p > from && isspace((unsigned char)p[-1]))
		p--;
	return p - from > 1 && (p[-1] == '+' || p[-1] == '-') && p[-2] == p[-1];
}

static void look_at(struct use *u, const char *from, const char *p, const char *q, const char *end,
		    int brackets)
{
	const char *next = skip_blanks(q, end);
	bool plainly, set = is_assigned(p, q, next, end, &plainly) || is_changed_before(from, p);

	if (!u->seen)
		u->sets_first = plainly;
	u->seen = true;
	u->is_set |= set;
	u->is_place |= brackets > 0 || is_pointed_to(from, p) ||
		       (next < end &&
			(*next == '[' || (*next == '-' && next + 1 < end && next[1] == '>')));
}

static struct use use_of(const struct hd_omp_name *n, const char *from, const char *end)
{
	struct use u = { 0 };
	int brackets = 0;

	for (const char *p = hd_omp_next_code(from, end), *q; p < end;
	     p = hd_omp_next_code(q, end)) {
		q = token_end(p, end);
		brackets += (*p == '[') - (*p == ']');
		if ((size_t)(q - p) == n->len && !memcmp(p, n->at, n->len) && !is_member(from, p))
			look_at(&u, from, p, q, end, brackets);
	}
	return u;
}

/* Is there another one of the same name further in? */
static bool is_hidden(const struct hd_omp_names *s, size_t i)
{
	for (size_t k = i + 1; k < s->n; k++) {
		if (s->names[k].len == s->names[i].len &&
		    !memcmp(s->names[k].at, s->names[i].at, s->names[i].len))
			return true;
	}
	return false;
}

void hd_omp_names_used(const struct hd_omp_names *s, const char *p, const char *end,
		       void (*use)(void *arg, const char *name, size_t len), void *arg)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!is_hidden(s, i) && use_of(&s->names[i], p, end).seen)
			use(arg, s->names[i].at, s->names[i].len);
	}
}

bool hd_omp_names_carried(const struct hd_omp_names *s, const char *p, const char *end)
{
	const char *body = hd_omp_next_code(p, end), *stop = hd_omp_statement_end(p, end);

	/* Behind the brackets of its `for`. */
	if (body == end || !is(body, token_end(body, end), "for"))
		return false;
	body = skip_group(hd_omp_next_code(token_end(body, end), end), end);
	for (size_t i = 0; i < s->n; i++) {
		struct use u;

		if (!s->names[i].of_thread || is_hidden(s, i))
			continue;
		u = use_of(&s->names[i], body, stop);
		if (u.is_set && u.is_place && !u.sets_first)
			return true;
	}
	return false;
}
