/*
 * Parts of heap blocks: which member of which type an access touches.
 *
 * A block has no type. The code that uses it has one: a variable, or a member of what one points to, is a
 * pointer to it. Of the types that can be reached so, the block's size says which it can be, and
 * the source line of the access has the member's name in it. Both must fit, and no other type may fit as
 * well: a wrong name is worse than none.
 */
#include "sym_module.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#define TYPES_MAX 96 /* that are considered for one block */

struct reached {
	Dwarf_Die type; /* a struct, class or union */
	const char *name;
	uint64_t size;
	bool is_this; /* its methods name members without a pointer */
};

struct collection {
	struct reached at[TYPES_MAX];
	size_t n;
};

/* Those of a function, which many accesses of a run are in. */
struct of_function {
	size_t n;
	struct reached at[];
};

/* From a variable, a member or a function to the struct that its pointers lead to. */
static bool follow_pointers(Dwarf_Die *die, struct reached *out)
{
	Dwarf_Die type = *die, next;
	bool pointer = false;

	out->name = NULL;
	for (int i = 0; i < HD_SYM_MAX_CHAIN; i++) {
		Dwarf_Attribute attr;
		int tag;

		if (!dwarf_attr_integrate(&type, DW_AT_type, &attr) ||
		    !dwarf_formref_die(&attr, &next))
			return false;
		type = next;
		tag = dwarf_tag(&type);
		if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type) {
			pointer = true;
			out->name = NULL;
		} else if (tag == DW_TAG_typedef) {
			out->name = dwarf_diename(&type); /* of a struct without a tag */
		} else if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
			   tag == DW_TAG_union_type) {
			/* Its body may be kept in a type unit. */
			if (dwarf_attr(&type, DW_AT_signature, &attr) &&
			    dwarf_formref_die(&attr, &next))
				type = next;
			out->type = type;
			if (dwarf_diename(&type))
				out->name = dwarf_diename(&type);
			return pointer && out->name;
		}
	}
	return false;
}

/* Each file that uses a type has it again. */
static void add_reached(struct collection *c, const struct reached *r)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->at[i].size == r->size &&
		    (c->at[i].name == r->name || !strcmp(c->at[i].name, r->name)))
			return;
	}
	if (c->n < TYPES_MAX)
		c->at[c->n++] = *r;
}

static void add_type(struct collection *c, Dwarf_Die *die)
{
	const char *by = dwarf_diename(die);
	struct reached r = { .is_this = by && !strcmp(by, "this") };

	if (c->n == TYPES_MAX || !follow_pointers(die, &r))
		return;
	r.size = hd_sym_type_size(&r.type);
	add_reached(c, &r);
}

/* Those of the variables in @scope, and in the blocks and inlined calls in it. */
static void add_variables(struct collection *c, Dwarf_Die *scope, unsigned depth)
{
	Dwarf_Die die, next;

	if (depth > HD_SYM_MAX_DEPTH || dwarf_child(scope, &die))
		return;
	for (;;) {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
			add_type(c, &die);
		else if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine)
			add_variables(c, &die, depth + 1);
		if (dwarf_siblingof(&die, &next) || next.addr <= die.addr)
			return;
		die = next;
	}
}

/* Those that members of the types from @first on point to. */
static void add_members(struct collection *c, size_t first)
{
	for (size_t i = first, last = c->n; i < last; i++) {
		Dwarf_Die die, next;

		if (dwarf_child(&c->at[i].type, &die))
			continue;
		for (;;) {
			if (dwarf_tag(&die) == DW_TAG_member)
				add_type(c, &die);
			if (dwarf_siblingof(&die, &next) || next.addr <= die.addr)
				break;
			die = next;
		}
	}
}

/* What can be reached from @fn, and from the variables of its source file. */
static void collect_types(const struct hd_sym_unit *u, const struct hd_sym_function *fn,
			  struct collection *c)
{
	Dwarf_Die function = fn->die;

	add_type(c, &function); /* what it returns */
	add_variables(c, &function, 0);
	add_members(c, 0);
	for (size_t i = 0; i < u->n_variables; i++) {
		Dwarf_Die die = u->variables[i].die;

		add_type(c, &die);
	}
}

/* The same, of the function at @addr of the file; NULL: there is none, or no memory. */
static const struct of_function *types_at(struct hd_sym_module *m, uint64_t addr)
{
	struct hd_sym_unit *u = hd_sym_unit_at(m, addr);
	struct collection c = { .n = 0 };
	const struct hd_sym_function *fn;
	const struct of_function *known;
	struct of_function *fresh;

	if (!u)
		return NULL;
	hd_sym_unit_index(m, u);
	fn = hd_sym_function_at(u, addr + m->dwarf_shift);
	if (!fn)
		return NULL;
	known = hd_sym_cache_get(&m->owner->blocks, (uintptr_t)fn, 0);
	if (known)
		return known;
	collect_types(u, fn, &c);
	fresh = hd_sym_alloc(m->pool, sizeof(*fresh) + c.n * sizeof(*c.at));
	if (!fresh)
		return NULL;
	fresh->n = c.n;
	memcpy(fresh->at, c.at, c.n * sizeof(*c.at));
	hd_sym_cache_put(&m->owner->blocks, (uintptr_t)fn, 0, fresh);
	return fresh;
}

/* ---- which of them ---------------------------------------------------------------------- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* "p->word" or "x.word"; @bare: the word alone is enough. */
static bool has_member(const char *line, const char *word, size_t n, bool bare)
{
	for (const char *at = line; (at = strstr(at, word)); at++) {
		bool whole = (at == line || !is_word(at[-1])) && !is_word(at[n]);
		bool reached = at > line &&
			       (at[-1] == '.' || (at[-1] == '>' && at - line > 1 && at[-2] == '-'));

		if (whole && (bare || reached))
			return true;
	}
	return false;
}

/* Does a line name the last member of @path, ".pos.x[3]"? */
static bool is_mentioned(const struct hd_block_use *use, const struct reached *r, const char *path)
{
	const char *dot = strrchr(path, '.');
	size_t n = dot ? strcspn(dot + 1, "[") : 0;
	char member[128];

	if (!n || n >= sizeof(member))
		return false;
	memcpy(member, dot + 1, n);
	member[n] = 0;
	for (size_t i = 0; i < use->n; i++) {
		if (use->lines[i] && has_member(use->lines[i], member, n, r->is_this))
			return true;
	}
	return false;
}

/* How well a type fits: the block is one, it is an array of them, it begins with one; 0: not at all. */
static int fit(const struct hd_block_use *use, struct reached *r, char *path, size_t len)
{
	uint64_t size = r->size, offset = use->offset;
	bool array = size && use->block > size && use->block % size == 0;
	char *inside;

	*path = 0;
	if (!size || size > use->block)
		return 0;
	if (array) {
		snprintf(path, len, "[%llu]", (unsigned long long)(offset / size));
		offset %= size;
	}
	if (offset >= size)
		return 0;
	hd_sym_member_path(&r->type, offset, use->size, path, len);
	inside = strstr(path, ".__"); /* of libc's types */
	if (inside)
		*inside = 0;
	if (strchr(path, '+') || !is_mentioned(use, r, path))
		return 0;
	return size == use->block ? 3 : array ? 2 : 1;
}

static bool name_part(const struct hd_block_use *use, struct collection *c, char *buf, size_t len)
{
	int best = 0;
	bool several = false;

	for (size_t i = 0; i < c->n; i++) {
		char path[256];
		int score = fit(use, &c->at[i], path, sizeof(path));

		if (!score || score < best)
			continue;
		several = score == best;
		best = score;
		snprintf(buf, len, "%s%s", c->at[i].name, path);
	}
	return best && !several;
}

bool hd_symbols_block(struct hd_symbols *s, const struct hd_block_use *use, char *buf, size_t len)
{
	struct collection c = { .n = 0 };

	for (size_t i = 0; i < use->n; i++) {
		struct hd_sym_module *m = use->pcs[i] ? hd_sym_module_at(s, use->pcs[i] - 1) : NULL;
		const struct of_function *of =
			m && hd_sym_module_open(m) ? types_at(m, use->pcs[i] - 1 - m->base + m->low)
						   : NULL;

		for (size_t k = 0; of && k < of->n; k++)
			add_reached(&c, &of->at[k]);
	}
	return name_part(use, &c, buf, len);
}
