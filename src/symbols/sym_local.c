/*
 * Local variables: which of a function's variables lies at an address of its stack.
 *
 * Debug information has them relative to the function's frame, whose place follows from the stack
 * or frame pointer by the tables for unwinding. Variables that are in registers, or in
 * different places at different times, are not found: nobody else can know their address.
 */
#include "sym_module.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RBP = 6, RSP = 7 }; /* numbers in the debug information of x86-64 */

struct search {
	struct hd_sym_module *m;
	const struct hd_local_frame *frame;
	Dwarf_Addr at;		   /* in the code */
	uint64_t cfa, base;	   /* of the frame: for unwinding, and for variables */
	uint64_t addr;		   /* wanted */
	Dwarf_Die found, function; /* the variable, and whose it is */
	uint64_t start;
};

static bool register_value(const struct search *s, unsigned number, uint64_t *out)
{
	*out = number == RSP ? s->frame->sp : s->frame->fp;
	return number == RSP || (number == RBP && s->frame->fp);
}

/* Of a variable: it is there, and nowhere in memory. */
static bool is_register(unsigned atom)
{
	return atom >= DW_OP_reg0 && atom <= DW_OP_reg31;
}

/* A register, or a register and a number. */
static bool evaluate(const struct search *s, const Dwarf_Op *op, uint64_t *out)
{
	if (op->atom == DW_OP_bregx) {
		if (!register_value(s, (unsigned)op->number, out))
			return false;
		*out += op->number2;
		return true;
	}
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		if (!register_value(s, op->atom - DW_OP_breg0, out))
			return false;
		*out += op->number;
		return true;
	}
	return is_register(op->atom) && register_value(s, op->atom - DW_OP_reg0, out);
}

static bool find_cfa(struct search *s, uint64_t file_addr)
{
	Dwarf_Addr bias = 0;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(s->m->dwfl_module, &bias);
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *ops;
	size_t n;
	bool ok;

	if (!cfi || dwarf_cfi_addrframe(cfi, file_addr + s->m->elf_bias - bias, &frame))
		return false;
	ok = !dwarf_frame_cfa(frame, &ops, &n) && n == 1 && evaluate(s, ops, &s->cfa);
	free(frame);
	return ok;
}

static bool location_of(Dwarf_Die *die, unsigned attribute, Dwarf_Addr at, Dwarf_Op *out)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr_integrate(die, attribute, &attr) ||
	    dwarf_getlocation_addr(&attr, at, &ops, &n, 1) != 1 || n != 1)
		return false;
	*out = ops[0];
	return true;
}

static bool find_base(struct search *s, Dwarf_Die *function)
{
	Dwarf_Op op;

	if (!location_of(function, DW_AT_frame_base, s->at, &op))
		return false;
	s->base = s->cfa;
	return op.atom == DW_OP_call_frame_cfa || evaluate(s, &op, &s->base);
}

static bool is_there(struct search *s, Dwarf_Die *variable)
{
	Dwarf_Die type;
	Dwarf_Op op;

	if (!location_of(variable, DW_AT_location, s->at, &op) || !hd_sym_type_of(variable, &type))
		return false;
	if (op.atom == DW_OP_fbreg)
		s->start = s->base + op.number;
	else if (is_register(op.atom) || !evaluate(s, &op, &s->start))
		return false;
	return s->addr - s->start < hd_sym_type_size(&type);
}

/* Blocks that are left share their place on the stack with others: only those around the call count. */
static bool search_scope(struct search *s, Dwarf_Die *scope, Dwarf_Die *function, unsigned depth)
{
	Dwarf_Die die, next;

	if (depth > HD_SYM_MAX_DEPTH || dwarf_child(scope, &die))
		return false;
	for (;;) {
		int tag = dwarf_tag(&die);

		if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) &&
		    is_there(s, &die)) {
			s->found = die;
			s->function = *function;
			return true;
		}
		if ((tag == DW_TAG_lexical_block && hd_sym_may_hold(&die, s->at) &&
		     search_scope(s, &die, function, depth + 1)) ||
		    (tag == DW_TAG_inlined_subroutine && dwarf_haspc(&die, s->at) == 1 &&
		     search_scope(s, &die, &die, depth + 1)))
			return true;
		if (dwarf_siblingof(&die, &next) || next.addr <= die.addr)
			return false;
		die = next;
	}
}

bool hd_sym_local_name(struct hd_sym_module *m, const struct hd_local_frame *f, uint64_t addr,
		       uint64_t size, char *buf, size_t len)
{
	uint64_t file_addr = f->pc - 1 - m->base + m->low;
	struct search s = { .m = m, .frame = f, .at = file_addr + m->dwarf_shift, .addr = addr };
	struct hd_sym_unit *u = hd_sym_unit_at(m, file_addr);
	const struct hd_sym_function *fn;
	Dwarf_Die function, type;
	const char *name;

	if (!u)
		return false;
	hd_sym_unit_index(m, u);
	fn = hd_sym_function_at(u, s.at);
	if (!fn || !find_cfa(&s, file_addr))
		return false;
	function = fn->die;
	if (!find_base(&s, &function) || !search_scope(&s, &function, &function, 0))
		return false;
	name = hd_sym_qualified(m, &s.found);
	if (!name || !hd_sym_type_of(&s.found, &type))
		return false;
	snprintf(buf, len, "%s", hd_sym_join(m->pool, hd_sym_qualified(m, &s.function), name));
	hd_sym_member_path(&type, addr - s.start, size, buf, len);
	return true;
}

/* The struct with all that is shared: what the only parameter of an outlined function refers to. */
static bool shared_struct(Dwarf_Die *function, Dwarf_Die *type)
{
	Dwarf_Die die, next;

	if (dwarf_child(function, &die))
		return false;
	while (dwarf_tag(&die) != DW_TAG_formal_parameter) {
		if (dwarf_siblingof(&die, &next) || next.addr <= die.addr)
			return false;
		die = next;
	}
	if (!hd_sym_type_of(&die, type))
		return false;
	for (int i = 0; i < HD_SYM_MAX_CHAIN && dwarf_tag(type) != DW_TAG_structure_type; i++) {
		die = *type;
		if (!hd_sym_type_of(&die, type))
			return false;
	}
	return dwarf_tag(type) == DW_TAG_structure_type;
}

bool hd_sym_shared_name(struct hd_sym_module *m, uint64_t function, uint64_t offset, uint64_t size,
			char *buf, size_t len)
{
	uint64_t file_addr = function - m->base + m->low;
	struct hd_sym_unit *u = hd_sym_unit_at(m, file_addr);
	const struct hd_sym_function *fn;
	Dwarf_Die die, type;
	char path[256] = "", *outer;
	const char *name, *end;

	if (!u)
		return false;
	hd_sym_unit_index(m, u);
	fn = hd_sym_function_at(u, file_addr + m->dwarf_shift);
	if (!fn)
		return false;
	die = fn->die;
	name = hd_sym_qualified(m, &die);
	end = name ? strstr(name, "._omp_fn") : NULL;
	if (!end || !shared_struct(&die, &type) || offset >= hd_sym_type_size(&type))
		return false;
	hd_sym_member_path(&type, offset, size, path, sizeof(path));
	outer = strndup(name, (size_t)(end - name));
	if (outer && path[0] == '.')
		snprintf(buf, len, "%s", hd_sym_join(m->pool, outer, path + 1));
	free(outer);
	return outer && path[0] == '.';
}
