/*
 * From names to addresses: variables, parts of them, members of types.
 */
#include "sym_module.h"

#include <dwarf.h>
#include <string.h>

#include "common/path.h"

/* The module's variables, indexed; false: it has none. */
static bool has_variables(struct hd_sym_module *m)
{
	if (!hd_sym_module_open(m))
		return false;
	hd_sym_variable_at(m, 0);
	return m->n_variables > 0;
}

/* What comes after @own in @name if @name is a part of it (or all); NULL: it is another. */
static const char *rest_after(const char *name, const char *own)
{
	size_t len = strlen(own);

	return strncmp(name, own, len) || !strchr(".[", name[len]) ? NULL : name + len;
}

static uint64_t run_address(const struct hd_sym_module *m, uint64_t file_address)
{
	return file_address - m->low + m->base;
}

static bool find_variable(struct hd_sym_module *m, const char *name, uint64_t *addr, uint64_t *len)
{
	for (size_t i = 0; has_variables(m) && i < m->n_variables; i++) {
		const struct hd_sym_variable *v = &m->variables[i];
		const char *rest = v->skip ? NULL : rest_after(name, v->name);
		Dwarf_Die die = v->die, type;
		uint64_t offset = 0;

		if (!rest)
			continue;
		*len = v->hi - v->lo;
		if (*rest &&
		    !(hd_sym_type_of(&die, &type) && hd_sym_follow_path(&type, rest, &offset, len)))
			continue;
		*addr = run_address(m, v->lo + offset);
		return true;
	}
	return false;
}

/* Without debug information there are still the symbols of whole variables. */
static bool find_symbol(struct hd_sym_module *m, const char *name, uint64_t *addr, uint64_t *len)
{
	if (!hd_sym_module_open(m))
		return false;
	hd_elf_object_at(m, 0); /* reads them */
	for (size_t i = 0; i < m->objects.n; i++) {
		const struct hd_elf_symbol *sym = &m->objects.at[i];

		if (strcmp(sym->name, name))
			continue;
		*addr = run_address(m, sym->lo);
		*len = sym->hi - sym->lo;
		return *len > 0;
	}
	return false;
}

bool hd_symbols_find(struct hd_symbols *s, const char *name, uint64_t *addr, uint64_t *len)
{
	for (size_t i = 0; i < s->n_modules; i++) {
		if (find_variable(&s->modules[i], name, addr, len) ||
		    find_symbol(&s->modules[i], name, addr, len))
			return true;
	}
	return false;
}

enum hd_value_kind hd_symbols_value(struct hd_symbols *s, const char *name, uint64_t *each)
{
	for (size_t i = 0; i < s->n_modules; i++) {
		struct hd_sym_module *m = &s->modules[i];

		for (size_t k = 0; has_variables(m) && k < m->n_variables; k++) {
			const struct hd_sym_variable *v = &m->variables[k];
			const char *rest = v->skip ? NULL : rest_after(name, v->name);
			Dwarf_Die die = v->die, type;
			enum hd_value_kind kind = HD_VALUE_OTHER;

			if (rest && hd_sym_type_of(&die, &type))
				kind = hd_sym_value_kind(&type, rest, each);
			if (kind != HD_VALUE_OTHER)
				return kind;
		}
	}
	return HD_VALUE_OTHER;
}

static bool is_type_tag(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_typedef;
}

/* A member of a type that the unit defines at its top. */
static bool find_member(Dwarf_Die *unit, const char *type, const char *member, uint64_t *offset,
			uint64_t *len)
{
	Dwarf_Die die, next;

	if (dwarf_child(unit, &die))
		return false;
	for (;;) {
		const char *name = is_type_tag(dwarf_tag(&die)) ? dwarf_diename(&die) : NULL;

		if (name && !strcmp(name, type) && !dwarf_hasattr(&die, DW_AT_declaration) &&
		    hd_sym_follow_path(&die, member, offset, len))
			return true;
		if (dwarf_siblingof(&die, &next) || next.addr <= die.addr)
			return false;
		die = next;
	}
}

bool hd_symbols_member(struct hd_symbols *s, const char *type, const char *member, uint64_t *offset,
		       uint64_t *len)
{
	for (size_t i = 0; i < s->n_modules; i++) {
		struct hd_sym_module *m = &s->modules[i];

		for (size_t k = 0; hd_sym_module_open(m) && k < m->n_units; k++) {
			if (find_member(&m->units[k].root, type, member, offset, len))
				return true;
		}
	}
	return false;
}

bool hd_symbols_instance(struct hd_symbols *s, const char *type, size_t i, uint64_t *addr)
{
	for (size_t k = 0; k < s->n_modules; k++) {
		struct hd_sym_module *m = &s->modules[k];

		for (size_t n = 0; has_variables(m) && n < m->n_variables; n++) {
			const struct hd_sym_variable *v = &m->variables[n];
			uint64_t elements, stride;
			Dwarf_Die die = v->die;

			if (v->skip || !hd_sym_is_of_type(&die, type, &elements, &stride))
				continue;
			if (i < elements) {
				*addr = run_address(m, v->lo + i * stride);
				return true;
			}
			i -= elements;
		}
	}
	return false;
}

static bool any_of_variable(const struct hd_sym_variable *v,
			    bool (*is)(const void *arg, const char *name), const void *arg)
{
	const char *type;

	if (is(arg, v->name))
		return true;
	for (size_t i = 0; (type = hd_sym_type_name(&v->die, i)); i++) {
		if (is(arg, type))
			return true;
	}
	return false;
}

bool hd_symbols_any(struct hd_symbols *s, bool (*is)(const void *arg, const char *name),
		    const void *arg)
{
	for (size_t i = 0; i < s->n_modules; i++) {
		struct hd_sym_module *m = &s->modules[i];

		if (!strncmp(hd_base_name(m->path), "libheddle", strlen("libheddle")))
			continue;
		for (size_t k = 0; hd_sym_module_open(m) && k < m->n_units; k++) {
			const char *file = dwarf_diename(&m->units[k].root);

			if (file && is(arg, file))
				return true;
		}
		for (size_t k = 0; has_variables(m) && k < m->n_variables; k++) {
			if (any_of_variable(&m->variables[k], is, arg))
				return true;
		}
	}
	return false;
}
