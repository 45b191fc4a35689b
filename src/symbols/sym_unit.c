/*
 * One walk over a compile unit's debug information finds its functions, the
 * variables with an address, and the scope each name belongs to. A unit is
 * walked when a question falls into it, so a large library costs nothing until
 * its code is in a report.
 */
#include "sym_module.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

struct walk {
	struct hd_sym_module *m;
	struct hd_sym_unit *u;
	bool plain_c; /* C's structs hold neither functions nor statics: not looked into */
};

struct place {
	const char *prefix;	   /* "" at file scope */
	const Dwarf_Die *function; /* the function around, or NULL */
	unsigned depth;
};

/* --- the list of units ------------------------------------------------- */

static void add_unit_ranges(struct hd_sym_module *m, size_t unit)
{
	Dwarf_Addr base = 0, lo, hi;
	ptrdiff_t next = 0;

	while ((next = dwarf_ranges(&m->units[unit].lines, next, &base, &lo, &hi)) > 0) {
		/* A linker that drops a function leaves its range at 0. */
		if (!lo || lo >= hi || !HD_ROOM(m->ranges, m->cap_ranges, m->n_ranges + 1))
			continue;
		m->ranges[m->n_ranges++] =
			(struct hd_sym_range){ lo - m->dwarf_shift, hi - m->dwarf_shift, unit };
	}
}

static int range_order(const void *a, const void *b)
{
	const struct hd_sym_range *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

void hd_sym_units_find(struct hd_sym_module *m)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	Dwarf_Half version;
	uint8_t type;

	memset(&split, 0, sizeof(split));
	while (!dwarf_get_units(m->dwarf, cu, &cu, &version, &type, &die, &split)) {
		struct hd_sym_unit *u;

		if (!HD_ROOM(m->units, m->cap_units, m->n_units + 1))
			break;
		u = &m->units[m->n_units];
		memset(u, 0, sizeof(*u));
		u->lines = die;
		/* Without its .dwo file a split unit still has lines. */
		u->root = type == DW_UT_skeleton && split.cu ? split : die;
		add_unit_ranges(m, m->n_units++);
		memset(&split, 0, sizeof(split));
	}
	if (m->n_ranges)
		qsort(m->ranges, m->n_ranges, sizeof(*m->ranges), range_order);
}

struct hd_sym_unit *hd_sym_unit_at(struct hd_sym_module *m, uint64_t addr)
{
	const struct hd_sym_range *r = HD_SYM_AT(m->ranges, m->n_ranges, addr);

	return r ? &m->units[r->unit] : NULL;
}

void hd_sym_units_free(struct hd_sym_module *m)
{
	for (size_t i = 0; i < m->n_units; i++) {
		free(m->units[i].functions);
		free(m->units[i].scopes);
		free(m->units[i].variables);
	}
	free(m->units);
	free(m->ranges);
}

/* --- the walk over one unit -------------------------------------------- */

static void add_function(struct walk *w, Dwarf_Die *die)
{
	struct hd_sym_unit *u = w->u;
	Dwarf_Addr base = 0, lo, hi;
	ptrdiff_t next = 0;

	while ((next = dwarf_ranges(die, next, &base, &lo, &hi)) > 0)
		if (lo && lo < hi && HD_ROOM(u->functions, u->cap_functions, u->n_functions + 1))
			u->functions[u->n_functions++] = (struct hd_sym_function){ lo, hi, *die };
}

static void add_scope(struct walk *w, const Dwarf_Die *die, const char *prefix)
{
	struct hd_sym_unit *u = w->u;

	if (*prefix && HD_ROOM(u->scopes, u->cap_scopes, u->n_scopes + 1))
		u->scopes[u->n_scopes++] = (struct hd_sym_scope){ die->addr, prefix };
}

static void add_variable(struct walk *w, Dwarf_Die *die, const Dwarf_Die *function, uint64_t lo,
			 uint64_t piece, uint64_t skip)
{
	struct hd_sym_unit *u = w->u;
	struct hd_sym_variable *v;

	if (!lo || !HD_ROOM(u->variables, u->cap_variables, u->n_variables + 1))
		return;
	v = &u->variables[u->n_variables++];
	memset(v, 0, sizeof(*v));
	v->lo = lo;
	v->hi = lo + piece; /* no piece: the type says how long, when the module is indexed */
	v->skip = skip;
	v->die = *die;
	if (function)
		v->function = *function;
}

static bool op_address(Dwarf_Attribute *location, const Dwarf_Op *op, Dwarf_Addr *addr)
{
	Dwarf_Attribute indexed;

	switch (op->atom) {
	case DW_OP_addr:
		*addr = op->number;
		return true;
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		return !dwarf_getlocation_attr(location, op, &indexed) &&
		       !dwarf_formaddr(&indexed, addr);
	default:
		return false;
	}
}

/*
 * A variable has a fixed address if its location is one, perhaps plus a constant
 * (globals that were merged), or a row of such pieces (a static struct that the
 * optimiser took apart). Anything else, thread-local storage included, is not
 * named.
 */
static void locate_variable(struct walk *w, Dwarf_Die *die, const Dwarf_Die *function)
{
	Dwarf_Attribute location;
	Dwarf_Op *ops;
	Dwarf_Addr addr = 0;
	uint64_t skip = 0;
	size_t n;
	bool known = false;

	if (!dwarf_attr(die, DW_AT_location, &location) || dwarf_getlocation(&location, &ops, &n))
		return;
	if (n == 1) {
		if (op_address(&location, &ops[0], &addr))
			add_variable(w, die, function, addr, 0, 0);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (op_address(&location, &ops[i], &addr)) {
			known = true;
		} else if (ops[i].atom == DW_OP_plus_uconst && known) {
			addr += ops[i].number;
		} else if (ops[i].atom == DW_OP_piece) {
			if (known)
				add_variable(w, die, function, addr, ops[i].number, skip);
			skip += ops[i].number;
			known = false;
		} else if (ops[i].atom == DW_OP_stack_value ||
			   ops[i].atom == DW_OP_implicit_value ||
			   (ops[i].atom >= DW_OP_lit0 && ops[i].atom <= DW_OP_lit31)) {
			known = false; /* a constant piece is nowhere in memory */
		} else {
			return;
		}
	}
	if (known && !skip)
		add_variable(w, die, function, addr, 0, 0);
}

static const char *inner_prefix(struct walk *w, Dwarf_Die *die, const char *prefix)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attr));
	const char *joined;
	Dwarf_Die body;

	/* A class kept in a type unit has its name there. */
	if (!name && dwarf_attr(die, DW_AT_signature, &attr) && dwarf_formref_die(&attr, &body))
		name = dwarf_diename(&body);
	if (!name)
		name = dwarf_tag(die) == DW_TAG_namespace ? "(anonymous namespace)" : "(anonymous)";
	joined = hd_sym_join(w->m->pool, prefix, name);
	return joined ? joined : "";
}

static void walk_children(struct walk *w, Dwarf_Die *parent, struct place at);

static void walk_function(struct walk *w, Dwarf_Die *die, struct place at)
{
	/* A function declared inside a function lives at file scope all the same. */
	if (!at.function || !dwarf_hasattr(die, DW_AT_declaration))
		add_scope(w, die, at.prefix);
	add_function(w, die);
	at.prefix = w->plain_c ? "" : inner_prefix(w, die, at.prefix);
	at.function = die;
	walk_children(w, die, at);
}

static void walk_die(struct walk *w, Dwarf_Die *die, struct place at)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		walk_function(w, die, at);
		break;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		walk_children(w, die, at);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
		if (w->plain_c)
			break;
		at.function = NULL;
		__attribute__((fallthrough));
	case DW_TAG_namespace:
	case DW_TAG_module:
		at.prefix = inner_prefix(w, die, at.prefix);
		walk_children(w, die, at);
		break;
	case DW_TAG_member:
		if (dwarf_hasattr(die, DW_AT_declaration))
			add_scope(w, die, at.prefix);
		break;
	case DW_TAG_variable:
		if (!at.function)
			add_scope(w, die, at.prefix);
		locate_variable(w, die, at.function);
		break;
	}
}

static void walk_children(struct walk *w, Dwarf_Die *parent, struct place at)
{
	Dwarf_Die die, next;

	if (++at.depth > HD_SYM_MAX_DEPTH || dwarf_child(parent, &die))
		return;
	for (;;) {
		walk_die(w, &die, at);
		/* In damaged files a sibling may point back: that would never end. */
		if (dwarf_siblingof(&die, &next) || next.addr <= die.addr)
			return;
		die = next;
	}
}

static bool is_plain_c(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
		return true;
	default:
		return false;
	}
}

static int function_order(const void *a, const void *b)
{
	const struct hd_sym_function *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static int scope_order(const void *a, const void *b)
{
	const struct hd_sym_scope *x = a, *y = b;

	return x->die < y->die ? -1 : x->die > y->die;
}

void hd_sym_unit_index(struct hd_sym_module *m, struct hd_sym_unit *u)
{
	struct walk w = { .m = m, .u = u };

	if (u->indexed)
		return;
	u->indexed = true;
	w.plain_c = is_plain_c(&u->root);
	walk_children(&w, &u->root, (struct place){ .prefix = "" });
	if (u->n_functions)
		qsort(u->functions, u->n_functions, sizeof(*u->functions), function_order);
	if (u->n_scopes)
		qsort(u->scopes, u->n_scopes, sizeof(*u->scopes), scope_order);
}

/* --- names -------------------------------------------------------------- */

/* The declaration that @die implements or repeats, however many steps away. */
static Dwarf_Die first_declaration(Dwarf_Die die)
{
	for (int i = 0; i < HD_SYM_MAX_CHAIN; i++) {
		Dwarf_Attribute attr;
		Dwarf_Die next;

		if (!dwarf_attr(&die, DW_AT_abstract_origin, &attr) &&
		    !dwarf_attr(&die, DW_AT_specification, &attr))
			break;
		if (!dwarf_formref_die(&attr, &next))
			break;
		die = next;
	}
	return die;
}

static struct hd_sym_unit *unit_of(struct hd_sym_module *m, const Dwarf_Die *die)
{
	for (size_t i = 0; i < m->n_units; i++)
		if (m->units[i].root.cu == die->cu)
			return &m->units[i];
	return NULL;
}

static const char *scope_of(struct hd_sym_module *m, const Dwarf_Die *die)
{
	struct hd_sym_unit *u = unit_of(m, die);
	struct hd_sym_scope key = { die->addr, NULL }, *found = NULL;

	if (!u)
		return NULL;
	hd_sym_unit_index(m, u);
	if (u->n_scopes)
		found = bsearch(&key, u->scopes, u->n_scopes, sizeof(key), scope_order);
	return found ? found->prefix : NULL;
}

const char *hd_sym_qualified(struct hd_sym_module *m, Dwarf_Die *die)
{
	Dwarf_Die decl = first_declaration(*die);
	const char *name = dwarf_diename(&decl);

	if (!name)
		name = dwarf_diename(die);
	return name ? hd_sym_join(m->pool, scope_of(m, &decl), name) : NULL;
}

/* libdw puts the compiler's working directory before relative paths; take it off again. */
const char *hd_sym_source_path(Dwarf_Die *unit, const char *path)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_diename(unit);
	const char *dir = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));
	size_t len = dir ? strlen(dir) : 0;

	if (!path || !len || !name || *name == '/')
		return path;
	return !strncmp(path, dir, len) && path[len] == '/' ? path + len + 1 : path;
}

const char *hd_sym_source_file(Dwarf_Die *die, unsigned attribute, const char **path)
{
	const char *whole;
	Dwarf_Attribute attr;
	Dwarf_Die unit;
	Dwarf_Files *files;
	Dwarf_Half version;
	Dwarf_Word file;
	size_t n;

	/* An inherited attribute counts in the table of the unit that it comes from. */
	if (!dwarf_attr_integrate(die, attribute, &attr) || dwarf_formudata(&attr, &file) ||
	    dwarf_cu_info(attr.cu, &version, NULL, &unit, NULL, NULL, NULL, NULL))
		return NULL;
	/* 0 is a file since DWARF 5 only; before, it meant none. */
	if ((!file && version < 5) || dwarf_getsrcfiles(&unit, &files, &n) || file >= n)
		return NULL;
	whole = dwarf_filesrc(files, file, NULL, NULL);
	if (path)
		*path = whole;
	return hd_sym_source_path(&unit, whole);
}
