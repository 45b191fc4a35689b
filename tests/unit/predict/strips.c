#include "strips.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct parser {
	struct strips *s;
	const char *at;
	char word[STRIPS_WORD]; /* the one just read: "(", ")", a name, or "" at the end */
	const char *wrong;
};

static void fail(struct parser *p, const char *what)
{
	if (!p->wrong)
		p->wrong = what;
	p->word[0] = '\0';
}

static void next_word(struct parser *p)
{
	size_t n = 0;

	if (p->wrong)
		return;
	while (isspace((unsigned char)*p->at))
		p->at++;
	if (*p->at == '(' || *p->at == ')')
		p->word[n++] = *p->at++;
	else
		while (*p->at && !isspace((unsigned char)*p->at) && *p->at != '(' &&
		       *p->at != ')') {
			if (n == STRIPS_WORD - 1) {
				fail(p, "a name is too long");
				return;
			}
			p->word[n++] = (char)tolower((unsigned char)*p->at++);
		}
	p->word[n] = '\0';
}

static bool is(const struct parser *p, const char *word)
{
	return !p->wrong && strcmp(p->word, word) == 0;
}

static void expect(struct parser *p, const char *word)
{
	next_word(p);
	if (!is(p, word))
		fail(p, *word == '(' ? "( is missing" : *word == ')' ? ") is missing" : word);
}

/* A name of PDDL: a letter, then letters, digits, - and _ */
static void expect_name(struct parser *p)
{
	next_word(p);
	if (!isalpha((unsigned char)p->word[0]) ||
	    p->word[strspn(p->word, "abcdefghijklmnopqrstuvwxyz0123456789-_")])
		fail(p, "a name is missing or has other characters than PDDL allows");
}

static bool listed(char (*names)[STRIPS_WORD], size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static void declare(struct parser *p, char (*names)[STRIPS_WORD], size_t *n)
{
	if (p->wrong)
		return;
	if (listed(names, *n, p->word))
		fail(p, "declared twice");
	else if (*n == STRIPS_NAMES)
		fail(p, "too many names");
	else
		strcpy(names[(*n)++], p->word);
}

static strips_set bit(size_t i)
{
	return (strips_set)1 << i;
}

/* The rest of "(predicate constant)", behind its "(". */
static strips_set parse_atom(struct parser *p)
{
	struct strips *s = p->s;
	char atom[2 * STRIPS_WORD];

	expect_name(p);
	if (!p->wrong && !listed(s->predicates, s->npredicates, p->word))
		fail(p, "a predicate is not declared");
	strcpy(atom, p->word);
	expect_name(p);
	if (!p->wrong && !listed(s->constants, s->nconstants, p->word))
		fail(p, "a constant is not declared");
	strcat(strcat(atom, " "), p->word);
	expect(p, ")");
	if (p->wrong)
		return 0;
	for (size_t i = 0; i < s->natoms; i++)
		if (strcmp(s->atoms[i], atom) == 0)
			return bit(i);
	if (s->natoms == STRIPS_ATOMS) {
		fail(p, "too many atoms");
		return 0;
	}
	strcpy(s->atoms[s->natoms], atom);
	return bit(s->natoms++);
}

/* Atoms up to a ")". With @deletes also "(not (atom))". */
static strips_set parse_atoms(struct parser *p, strips_set *deletes)
{
	strips_set all = 0, one;

	for (next_word(p); is(p, "("); next_word(p)) {
		const char *after = p->at;
		bool negative;

		next_word(p);
		negative = is(p, "not");
		if (negative && !deletes)
			fail(p, "a negation where there may be none");
		if (negative)
			expect(p, "(");
		else
			p->at = after;
		one = parse_atom(p);
		if (negative)
			expect(p, ")");
		if (deletes && ((all | *deletes) & one))
			fail(p, "an effect is there twice");
		if (negative && deletes)
			*deletes |= one;
		else
			all |= one;
	}
	if (!is(p, ")"))
		fail(p, ") is missing");
	return all;
}

static strips_set parse_and(struct parser *p, strips_set *deletes)
{
	expect(p, "(");
	expect(p, "and");
	return parse_atoms(p, deletes);
}

static void parse_action(struct parser *p)
{
	struct strips *s = p->s;
	struct strips_action *a = &s->actions[s->nactions];

	if (s->nactions == STRIPS_ACTIONS) {
		fail(p, "too many actions");
		return;
	}
	*a = (struct strips_action){ 0 };
	expect_name(p);
	if (!p->wrong && strips_action(s, p->word))
		fail(p, "an action is there twice");
	strcpy(a->name, p->word);
	expect(p, ":parameters");
	expect(p, "(");
	expect(p, ")");
	expect(p, ":precondition");
	a->needs = parse_and(p, NULL);
	expect(p, ":effect");
	a->adds = parse_and(p, &a->deletes);
	expect(p, ")");
	if (!a->needs || !(a->adds | a->deletes))
		fail(p, "an action needs or does nothing");
	s->nactions++;
}

static void parse_predicates(struct parser *p)
{
	for (next_word(p); is(p, "("); next_word(p)) {
		expect_name(p);
		declare(p, p->s->predicates, &p->s->npredicates);
		next_word(p);
		if (p->word[0] != '?')
			fail(p, "a predicate has no variable");
		expect(p, ")");
	}
}

static void parse_domain(struct parser *p)
{
	struct strips *s = p->s;

	expect(p, "(");
	expect(p, "define");
	expect(p, "(");
	expect(p, "domain");
	expect_name(p);
	strcpy(s->domain, p->word);
	expect(p, ")");
	for (next_word(p); is(p, "("); next_word(p)) {
		next_word(p);
		if (is(p, ":requirements")) {
			expect(p, ":strips");
			expect(p, ")");
		} else if (is(p, ":constants")) {
			for (next_word(p); !p->wrong && isalpha((unsigned char)p->word[0]);
			     next_word(p))
				declare(p, s->constants, &s->nconstants);
		} else if (is(p, ":predicates")) {
			parse_predicates(p);
		} else if (is(p, ":action")) {
			parse_action(p);
		} else {
			fail(p, "an unknown section of the domain");
		}
		if (!is(p, ")"))
			fail(p, ") is missing");
	}
	if (!is(p, ")"))
		fail(p, ") is missing");
	next_word(p);
	if (p->word[0])
		fail(p, "text after the domain");
}

static void parse_problem(struct parser *p)
{
	expect(p, "(");
	expect(p, "define");
	expect(p, "(");
	expect(p, "problem");
	expect_name(p);
	expect(p, ")");
	expect(p, "(");
	expect(p, ":domain");
	expect(p, p->s->domain);
	expect(p, ")");
	expect(p, "(");
	expect(p, ":init");
	p->s->init = parse_atoms(p, NULL);
	expect(p, "(");
	expect(p, ":goal");
	p->s->goal = parse_and(p, NULL);
	expect(p, ")");
	expect(p, ")");
	next_word(p);
	if (p->word[0])
		fail(p, "text after the problem");
	if (!p->s->goal)
		fail(p, "the goal is empty");
}

const char *strips_parse(struct strips *s, const char *domain, const char *problem)
{
	struct parser p = { .s = s, .at = domain };

	memset(s, 0, sizeof *s);
	parse_domain(&p);
	p.at = problem;
	parse_problem(&p);
	return p.wrong;
}

/* ---- planning ----------------------------------------------------------------------- */

#define NODES (1u << 18)
#define SLOTS (2 * NODES)

struct node {
	strips_set state;
	unsigned parent, action;
};

static size_t hash(strips_set x)
{
	unsigned long long h =
		(unsigned long long)x ^ (unsigned long long)(x >> 64) * 0x9e3779b97f4a7c15ull;

	return (size_t)((h * 0xd6e8feb86659fd93ull) >> 40) % SLOTS;
}

static int trace_back(const struct strips *s, const struct node *nodes, unsigned i,
		      const struct strips_action *plan[STRIPS_PLAN])
{
	int n = 0;

	for (unsigned k = i; k > 0; k = nodes[k].parent)
		n++;
	assert(n <= STRIPS_PLAN);
	for (int left = n; left > 0; i = nodes[i].parent)
		plan[--left] = &s->actions[nodes[i].action];
	return n;
}

int strips_plan(const struct strips *s, const struct strips_action *plan[STRIPS_PLAN])
{
	static struct node nodes[NODES];
	static unsigned slots[SLOTS]; /* node + 1 */
	unsigned n = 1;

	memset(slots, 0, sizeof slots);
	nodes[0] = (struct node){ .state = s->init };
	slots[hash(s->init)] = 1;
	for (unsigned i = 0; i < n; i++) {
		if ((s->goal & ~nodes[i].state) == 0)
			return trace_back(s, nodes, i, plan);
		for (unsigned a = 0; a < s->nactions; a++) {
			const struct strips_action *act = &s->actions[a];
			strips_set to = (nodes[i].state & ~act->deletes) | act->adds;
			size_t h = hash(to);

			if (act->needs & ~nodes[i].state)
				continue;
			while (slots[h] && nodes[slots[h] - 1].state != to)
				h = (h + 1) % SLOTS;
			if (slots[h])
				continue;
			assert(n < NODES);
			nodes[n] = (struct node){ .state = to, .parent = i, .action = a };
			slots[h] = ++n;
		}
	}
	return -1;
}

strips_set strips_atoms(const struct strips *s, const char *list)
{
	strips_set all = 0;

	while (*list) {
		size_t len = strcspn(list, ";"), i = 0;

		while (i < s->natoms &&
		       (strlen(s->atoms[i]) != len || strncmp(s->atoms[i], list, len) != 0))
			i++;
		if (i == s->natoms)
			return 0;
		all |= bit(i);
		list += len;
		list += strspn(list, "; ");
	}
	return all;
}

const struct strips_action *strips_action(const struct strips *s, const char *name)
{
	for (size_t i = 0; i < s->nactions; i++)
		if (strcmp(s->actions[i].name, name) == 0)
			return &s->actions[i];
	return NULL;
}
