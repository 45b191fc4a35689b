/*
 * All variables of a module with a fixed address, in one sorted table.
 */
#include "sym_module.h"

#include <stdlib.h>

#include "common/array.h"

static uint64_t variable_end(struct hd_sym_module *m, const struct hd_sym_variable *v, uint64_t lo)
{
	Dwarf_Die die = v->die, type;
	const struct hd_elf_symbol *sym = hd_elf_object_at(m, lo);
	uint64_t end = lo;

	if (v->hi > v->lo) /* a piece */
		return lo + (v->hi - v->lo);
	if (hd_sym_type_of(&die, &type))
		end += hd_sym_type_size(&type);
	/* The symbol knows how much a flexible array member was given. */
	if (sym && sym->lo == lo && sym->hi > end)
		end = sym->hi;
	return end;
}

static const char *variable_name(struct hd_sym_module *m, struct hd_sym_variable *v)
{
	const char *name;

	if (!v->function.addr)
		return hd_sym_qualified(m, &v->die);
	name = hd_sym_qualified(m, &v->die);
	return name ? hd_sym_join(m->pool, hd_sym_qualified(m, &v->function), name) : NULL;
}

static void add_unit_variables(struct hd_sym_module *m, struct hd_sym_unit *u)
{
	for (size_t i = 0; i < u->n_variables; i++) {
		struct hd_sym_variable v = u->variables[i];
		uint64_t lo = v.lo - m->dwarf_shift;

		v.hi = variable_end(m, &v, lo);
		v.lo = lo;
		v.name = variable_name(m, &v);
		if (!v.name || v.hi <= v.lo ||
		    !HD_ROOM(m->variables, m->cap_variables, m->n_variables + 1))
			continue;
		m->variables[m->n_variables++] = v;
	}
}

/* At one address the longest first: a shorter one is a repetition with a lesser type. */
static int variable_order(const void *a, const void *b)
{
	const struct hd_sym_variable *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	if (x->hi != y->hi)
		return x->hi > y->hi ? -1 : 1;
	return x->die.addr < y->die.addr ? -1 : x->die.addr > y->die.addr;
}

static void index_variables(struct hd_sym_module *m)
{
	size_t n = 0;

	m->variables_indexed = true;
	for (size_t i = 0; i < m->n_units; i++) {
		hd_sym_unit_index(m, &m->units[i]);
		add_unit_variables(m, &m->units[i]);
	}
	if (m->n_variables)
		qsort(m->variables, m->n_variables, sizeof(*m->variables), variable_order);
	for (size_t i = 0; i < m->n_variables; i++)
		if (!n || m->variables[n - 1].lo != m->variables[i].lo)
			m->variables[n++] = m->variables[i];
	m->n_variables = n;
}

const struct hd_sym_variable *hd_sym_variable_at(struct hd_sym_module *m, uint64_t addr)
{
	if (!m->variables_indexed)
		index_variables(m);
	return HD_SYM_AT(m->variables, m->n_variables, addr);
}
