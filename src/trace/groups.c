#include "groups.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/map.h"
#include "common/whole_file.h"
#include "trace_import.h"

/* Elements of one allocated array of structs that become groups; the rest is left out. */
#define ELEMENTS_MAX (1u << 16)

struct parser {
	struct hd_groups *groups;
	const char *file;
	unsigned long line;
	const char *at, *end; /* what is left of the line */
	struct hd_errbuf *eb;
};

static enum hd_err bad(struct parser *p, const char *what)
{
	return hd_fail(p->eb, HD_ERR_PARSE, "%s: line %lu: %s", p->file, p->line, what);
}

static enum hd_err no_memory(struct parser *p)
{
	return hd_fail(p->eb, HD_ERR_NOMEM, "out of memory while reading %s", p->file);
}

/* --- words --- */

static void skip_spaces(struct parser *p)
{
	while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\r'))
		p->at++;
}

static bool line_is_over(struct parser *p)
{
	skip_spaces(p);
	return p->at == p->end || *p->at == '#';
}

/* Of variables, members, files: what does not separate. Control characters are refused. */
static bool in_word(char c)
{
	return (unsigned char)c > ' ' && c != ',' && c != '#' && c != 127;
}

static struct hd_token next_word(struct parser *p)
{
	struct hd_token word;

	skip_spaces(p);
	word.s = p->at;
	while (p->at < p->end && in_word(*p->at))
		p->at++;
	word.len = (size_t)(p->at - word.s);
	return word;
}

/* Step over @c, if it is next. */
static bool skip_char(struct parser *p, char c)
{
	skip_spaces(p);
	if (p->at == p->end || *p->at != c)
		return false;
	p->at++;
	return true;
}

/* Step over the word @keyword with something after it. */
static bool skip_keyword(struct parser *p, const char *keyword)
{
	const char *before = p->at;
	struct hd_token word = next_word(p);

	if (hd_token_is(word, keyword) && !line_is_over(p) && *p->at != ',')
		return true;
	p->at = before;
	return false;
}

static bool is_number(struct hd_token t, uint64_t *out)
{
	return t.len && hd_token_number(t, UINT64_MAX, out);
}

/* --- members --- */

static struct hd_group_member *add_member(struct hd_group *g)
{
	if (!HD_ROOM(g->members, g->members_room, g->nmembers + 1))
		return NULL;
	g->members[g->nmembers] = (struct hd_group_member){ 0 };
	return &g->members[g->nmembers++];
}

static enum hd_err add_name(struct parser *p, struct hd_group *g, struct hd_token name)
{
	struct hd_group_member *m;

	for (size_t i = 0; i < g->nmembers; i++) {
		if (hd_token_is(name, g->members[i].name))
			return bad(p, "a member is named twice");
	}
	m = add_member(g);
	if (!m)
		return no_memory(p);
	m->name = strndup(name.s, name.len);
	return m->name ? HD_OK : no_memory(p);
}

/* Set or check what all members of a group have in common. */
static enum hd_err set_place(struct parser *p, struct hd_group *g, enum hd_group_kind kind,
			     struct hd_token place, uint64_t line)
{
	if (g->nmembers &&
	    (g->kind != kind || (g->place && !hd_token_is(place, g->place)) || g->line != line))
		return bad(p, "the members of a group are all variables, all of one struct, or all "
			      "of one allocation");
	if (g->nmembers || kind == HD_GROUP_VARIABLES)
		return HD_OK;
	g->kind = kind;
	g->line = (uint32_t)line;
	g->place = strndup(place.s, place.len);
	return g->place ? HD_OK : no_memory(p);
}

/* struct TYPE.MEMBER */
static enum hd_err read_struct(struct parser *p, struct hd_group *g)
{
	struct hd_token word = next_word(p), type;
	const char *dot = word.len ? memchr(word.s, '.', word.len) : NULL;
	enum hd_err err;

	if (!dot || dot == word.s || dot + 1 == word.s + word.len)
		return bad(p, "a member of a struct is 'struct TYPE.MEMBER'");
	type = (struct hd_token){ word.s, (size_t)(dot - word.s) };
	err = set_place(p, g, HD_GROUP_STRUCT, type, 0);
	if (err)
		return err;
	return add_name(p, g, (struct hd_token){ dot + 1, word.len - type.len - 1 });
}

/* +FROM..TO */
static enum hd_err read_bytes(struct parser *p, struct hd_group *g)
{
	struct hd_token word = next_word(p), from, to;
	const char *dots = word.len ? memmem(word.s, word.len, "..", 2) : NULL;
	struct hd_group_member *m;
	uint64_t first, last;

	if (!dots || word.s[0] != '+')
		return bad(p, "bytes of an allocation are '+FROM..TO'");
	from = (struct hd_token){ word.s + 1, (size_t)(dots - word.s) - 1 };
	to = (struct hd_token){ dots + 2, (size_t)(word.s + word.len - dots) - 2 };
	if (!is_number(from, &first) || !is_number(to, &last) || first >= last)
		return bad(p, "bytes of an allocation are '+FROM..TO', with TO above FROM");
	m = add_member(g);
	if (!m)
		return no_memory(p);
	m->from = first;
	m->to = last;
	return HD_OK;
}

/* alloc FILE:LINE +FROM..TO */
static enum hd_err read_alloc(struct parser *p, struct hd_group *g)
{
	struct hd_token word = next_word(p), file, number;
	const char *colon = word.len ? memrchr(word.s, ':', word.len) : NULL;
	uint64_t line = 0;
	enum hd_err err;

	if (!colon || colon == word.s)
		return bad(p, "an allocation is 'alloc FILE:LINE +FROM..TO'");
	file = (struct hd_token){ word.s, (size_t)(colon - word.s) };
	number = (struct hd_token){ colon + 1, word.len - file.len - 1 };
	if (!is_number(number, &line) || !line || line > UINT32_MAX)
		return bad(p, "an allocation is 'alloc FILE:LINE +FROM..TO'");
	err = set_place(p, g, HD_GROUP_ALLOC, file, line);
	return err ? err : read_bytes(p, g);
}

static enum hd_err read_member(struct parser *p, struct hd_group *g)
{
	const struct hd_token none = { "", 0 };
	struct hd_token word;
	enum hd_err err;

	if (skip_keyword(p, "struct"))
		return read_struct(p, g);
	if (skip_keyword(p, "alloc"))
		return read_alloc(p, g);
	skip_spaces(p);
	/* More bytes of the allocation before. */
	if (g->kind == HD_GROUP_ALLOC && p->at < p->end && *p->at == '+')
		return read_bytes(p, g);
	word = next_word(p);
	if (!word.len)
		return bad(p, "a member is missing, or has a character that names do not have");
	if (*word.s == '+')
		return bad(p, "'+FROM..TO' comes after 'alloc FILE:LINE'");
	err = set_place(p, g, HD_GROUP_VARIABLES, none, 0);
	return err ? err : add_name(p, g, word);
}

/* --- lines --- */

static bool name_is_taken(const struct hd_groups *g, struct hd_token name)
{
	for (size_t i = 0; i + 1 < g->ngroups; i++) {
		if (hd_token_is(name, g->groups[i].name))
			return true;
	}
	return false;
}

/* NAME: or NAME : */
static enum hd_err read_name(struct parser *p, struct hd_group *g)
{
	struct hd_token name;

	skip_spaces(p);
	name.s = p->at;
	while (p->at < p->end && in_word(*p->at) && *p->at != ':')
		p->at++;
	name.len = (size_t)(p->at - name.s);
	if (!name.len || !skip_char(p, ':'))
		return bad(p, "a group is 'group NAME: MEMBER, MEMBER, ...'");
	g->name = strndup(name.s, name.len);
	if (!g->name)
		return no_memory(p);
	if (name_is_taken(p->groups, name))
		return bad(p, "there is a group of this name before");
	return HD_OK;
}

static enum hd_err read_line(struct parser *p)
{
	struct hd_groups *all = p->groups;
	struct hd_group *g;
	enum hd_err err;

	if (line_is_over(p))
		return HD_OK;
	if (!skip_keyword(p, "group"))
		return bad(p, "a line is 'group NAME: MEMBER, MEMBER, ...' or a comment");
	if (!HD_ROOM(all->groups, all->room, all->ngroups + 1))
		return no_memory(p);
	g = &all->groups[all->ngroups++];
	*g = (struct hd_group){ 0 };
	err = read_name(p, g);
	do {
		if (!err)
			err = read_member(p, g);
	} while (!err && skip_char(p, ','));
	if (!err && !line_is_over(p))
		err = bad(p, "members are separated by commas");
	return err;
}

enum hd_err hd_groups_parse(struct hd_groups *g, const char *text, size_t len, const char *file,
			    struct hd_errbuf *eb)
{
	struct parser p = { .groups = g, .file = file, .eb = eb };
	const char *at = text, *end = text + len;
	struct hd_token line;
	enum hd_err err = HD_OK;

	*g = (struct hd_groups){ 0 };
	while (!err && hd_import_line(&at, end, &line)) {
		p.line++;
		p.at = line.s;
		p.end = line.s + line.len;
		err = read_line(&p);
	}
	if (err)
		hd_groups_free(g);
	return err;
}

enum hd_err hd_groups_load(struct hd_groups *g, const char *path, struct hd_errbuf *eb)
{
	enum hd_err err;
	size_t len;
	char *text;

	*g = (struct hd_groups){ 0 };
	err = hd_read_whole(path, 0, &text, &len, eb);
	if (err)
		return err;
	err = hd_groups_parse(g, text, len, path, eb);
	free(text);
	return err;
}

void hd_groups_free(struct hd_groups *g)
{
	for (size_t i = 0; i < g->ngroups; i++) {
		for (size_t k = 0; k < g->groups[i].nmembers; k++)
			free(g->groups[i].members[k].name);
		free(g->groups[i].members);
		free(g->groups[i].name);
		free(g->groups[i].place);
	}
	free(g->groups);
	*g = (struct hd_groups){ 0 };
}

static void write_member(const struct hd_group *g, size_t i, FILE *out)
{
	const struct hd_group_member *m = &g->members[i];

	switch (g->kind) {
	case HD_GROUP_VARIABLES:
		fputs(m->name, out);
		break;
	case HD_GROUP_STRUCT:
		fprintf(out, "struct %s.%s", g->place, m->name);
		break;
	case HD_GROUP_ALLOC:
		if (!i)
			fprintf(out, "alloc %s:%" PRIu32 " ", g->place, g->line);
		fprintf(out, "+%" PRIu64 "..%" PRIu64, m->from, m->to);
		break;
	}
}

void hd_groups_write(const struct hd_groups *g, FILE *out)
{
	for (size_t i = 0; i < g->ngroups; i++) {
		fprintf(out, "group %s:", g->groups[i].name);
		for (size_t k = 0; k < g->groups[i].nmembers; k++) {
			fputs(k ? ", " : " ", out);
			write_member(&g->groups[i], k, out);
		}
		putc('\n', out);
	}
}

/* --- from names to addresses --- */

/* Where things go, and how they are numbered. */
struct target {
	uint32_t *next;
	hd_group_sink *sink;
	void *arg;
	struct hd_errbuf *eb;
};

static enum hd_err resolve_variables(const struct hd_group *g, const struct hd_group_resolver *r,
				     const struct target *t)
{
	uint32_t number = (*t->next)++;

	for (size_t i = 0; i < g->nmembers; i++) {
		uint64_t addr, len;

		if (!r->variable || !r->variable(r->arg, g->members[i].name, &addr, &len))
			return hd_fail(t->eb, HD_ERR_NOT_FOUND,
				       "group '%s': the program has no variable '%s'", g->name,
				       g->members[i].name);
		t->sink(t->arg, g, number, addr, len);
	}
	return HD_OK;
}

/* One instance of the struct. */
static enum hd_err resolve_struct(const struct hd_group *g, const struct hd_group_resolver *r,
				  uint64_t base, const struct target *t)
{
	uint32_t number = (*t->next)++;

	for (size_t i = 0; i < g->nmembers; i++) {
		uint64_t offset, len;

		if (!r->member || !r->member(r->arg, g->place, g->members[i].name, &offset, &len))
			return hd_fail(t->eb, HD_ERR_NOT_FOUND,
				       "group '%s': the program has no member '%s' in a "
				       "struct '%s'",
				       g->name, g->members[i].name, g->place);
		t->sink(t->arg, g, number, base + offset, len);
	}
	return HD_OK;
}

static void nowhere(void *arg, const struct hd_group *group, uint32_t number, uint64_t addr,
		    uint64_t len)
{
}

static enum hd_err resolve_instances(const struct hd_group *g, const struct hd_group_resolver *r,
				     const struct target *t)
{
	uint32_t unused = 0;
	const struct target check = { &unused, nowhere, NULL, t->eb };
	/* Names are checked even where no variable is such a struct: it may be allocated. */
	enum hd_err err = resolve_struct(g, r, 0, &check);
	uint64_t base;

	for (size_t i = 0; !err && r->instance && r->instance(r->arg, g->place, i, &base); i++)
		err = resolve_struct(g, r, base, t);
	return err;
}

enum hd_err hd_groups_resolve(const struct hd_groups *g, const struct hd_group_resolver *r,
			      uint32_t *next, hd_group_sink *sink, void *arg, struct hd_errbuf *eb)
{
	const struct target t = { next, sink, arg, eb };
	enum hd_err err = HD_OK;

	for (size_t i = 0; i < g->ngroups && !err; i++) {
		if (g->groups[i].kind == HD_GROUP_VARIABLES)
			err = resolve_variables(&g->groups[i], r, &t);
		else if (g->groups[i].kind == HD_GROUP_STRUCT)
			err = resolve_instances(&g->groups[i], r, &t);
	}
	return err;
}

/* Is @path the file @name, or one of that name (and folders) somewhere? */
static bool is_file(const char *path, const char *name)
{
	size_t n = strlen(path), k = strlen(name);

	return k <= n && !strcmp(path + n - k, name) && (k == n || path[n - k - 1] == '/');
}

static void resolve_block(const struct hd_group *g, const struct hd_event *alloc,
			  const struct target *t)
{
	uint32_t number = (*t->next)++;

	for (size_t i = 0; i < g->nmembers; i++) {
		const struct hd_group_member *m = &g->members[i];
		uint64_t end = m->to < alloc->value ? m->to : alloc->value;

		if (m->from < end)
			t->sink(t->arg, g, number, alloc->addr + m->from, end - m->from);
	}
}

void hd_groups_allocated(const struct hd_groups *g, const struct hd_group_resolver *r,
			 const struct hd_event *alloc, uint32_t *next, hd_group_sink *sink,
			 void *arg)
{
	const struct target t = { next, sink, arg, NULL };
	const char *file = NULL, *type = NULL;
	uint64_t type_size = 0;
	uint32_t line = 0;

	if (!g->ngroups || !r->allocation)
		return;
	r->allocation(r->arg, alloc, &file, &line, &type, &type_size);
	for (size_t i = 0; i < g->ngroups; i++) {
		const struct hd_group *group = &g->groups[i];
		uint64_t n = type_size ? alloc->value / type_size : 0;

		if (group->kind == HD_GROUP_ALLOC && file && line == group->line &&
		    is_file(file, group->place))
			resolve_block(group, alloc, &t);
		if (group->kind != HD_GROUP_STRUCT || !type || strcmp(type, group->place) != 0)
			continue;
		for (uint64_t k = 0; k < n && k < ELEMENTS_MAX; k++)
			resolve_struct(group, r, alloc->addr + k * type_size, &t);
	}
}
