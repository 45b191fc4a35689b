/*
 * Addresses of code: the line from the line table, the function and what was
 * inlined into it from the debug information, or else the ELF symbol.
 */
#include "sym_module.h"

#include <dwarf.h>

/* The function at @addr and the inlined calls around it, outermost first. */
struct chain {
	Dwarf_Die at[HD_SYM_MAX_INLINED];
	size_t n;
};

const struct hd_sym_function *hd_sym_function_at(const struct hd_sym_unit *u, Dwarf_Addr addr)
{
	return HD_SYM_AT(u->functions, u->n_functions, addr);
}

bool hd_sym_may_hold(Dwarf_Die *block, Dwarf_Addr addr)
{
	if (!dwarf_hasattr(block, DW_AT_low_pc) && !dwarf_hasattr(block, DW_AT_ranges))
		return true;
	return dwarf_haspc(block, addr) == 1;
}

/* True once the innermost call was found. */
static bool follow_inlined(struct chain *c, Dwarf_Die *parent, Dwarf_Addr addr, unsigned depth)
{
	Dwarf_Die die, next;

	if (depth > HD_SYM_MAX_DEPTH || dwarf_child(parent, &die))
		return false;
	for (;;) {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_inlined_subroutine && dwarf_haspc(&die, addr) == 1) {
			if (c->n < HD_SYM_MAX_INLINED)
				c->at[c->n++] = die;
			follow_inlined(c, &die, addr, depth + 1);
			return true;
		}
		if (tag == DW_TAG_lexical_block && hd_sym_may_hold(&die, addr) &&
		    follow_inlined(c, &die, addr, depth + 1))
			return true;
		if (dwarf_siblingof(&die, &next) || next.addr <= die.addr)
			return false;
		die = next;
	}
}

static uint32_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &value) || value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

/* Where the inlined @call was written. */
static void locate_call(Dwarf_Die *call, struct hd_frame *f)
{
	f->line = number_of(call, DW_AT_call_line);
	f->column = number_of(call, DW_AT_call_column);
	f->file = hd_sym_source_file(call, DW_AT_call_file, &f->path);
}

static void locate_line(struct hd_sym_unit *u, Dwarf_Addr addr, struct hd_frame *f)
{
	Dwarf_Line *line = dwarf_getsrc_die(&u->lines, addr);
	int number = 0, column = 0;

	if (!line || dwarf_lineno(line, &number) || number <= 0)
		return;
	f->line = (uint32_t)number;
	if (!dwarf_linecol(line, &column) && column > 0)
		f->column = (uint32_t)column;
	f->path = dwarf_linesrc(line, NULL, NULL);
	f->file = hd_sym_source_path(&u->lines, f->path);
}

static void name_from_elf(struct hd_sym_module *m, uint64_t addr, struct hd_frame *f)
{
	const struct hd_elf_symbol *sym = hd_elf_function_at(m, addr);

	if (sym)
		f->function = hd_elf_plain_name(m->pool, sym->name);
}

size_t hd_sym_frames(struct hd_sym_module *m, uint64_t addr, struct hd_frame *frames, size_t max)
{
	struct hd_sym_unit *u = hd_sym_unit_at(m, addr);
	const struct hd_sym_function *fn = NULL;
	Dwarf_Addr dwarf_addr = addr + m->dwarf_shift;
	struct chain chain = { .n = 0 };
	size_t n = 0;

	if (u) {
		hd_sym_unit_index(m, u);
		fn = hd_sym_function_at(u, dwarf_addr);
		locate_line(u, dwarf_addr, &frames[0]);
	}
	if (!fn) {
		name_from_elf(m, addr, &frames[0]);
		return 1;
	}
	chain.at[chain.n++] = fn->die;
	follow_inlined(&chain, &chain.at[0], dwarf_addr, 0);
	for (size_t i = chain.n; i-- && n < max; n++) {
		frames[n].function = hd_sym_qualified(m, &chain.at[i]);
		frames[n].inlined = i > 0;
		if (i + 1 < chain.n)
			locate_call(&chain.at[i + 1], &frames[n]);
		if (!frames[n].function && !i)
			name_from_elf(m, addr, &frames[n]);
	}
	return n;
}

/* Rows of a table of lines are looked at for another line, no more than this. */
#define ROWS_MAX 64

uint32_t hd_sym_line_after(struct hd_sym_module *m, uint64_t addr)
{
	struct hd_sym_unit *u = hd_sym_unit_at(m, addr);
	Dwarf_Addr at = addr + m->dwarf_shift;
	int here = 0, number;
	Dwarf_Lines *rows;
	Dwarf_Line *line = u ? dwarf_getsrc_die(&u->lines, at) : NULL;
	size_t n, low = 0, high;

	if (!line || dwarf_lineno(line, &here) || dwarf_getsrclines(&u->lines, &rows, &n))
		return 0;
	for (high = n; low < high;) { /* the first row behind it */
		size_t middle = low + (high - low) / 2;
		Dwarf_Addr start = 0;

		dwarf_lineaddr(dwarf_onesrcline(rows, middle), &start);
		if (start <= at)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low; i < n && i < low + ROWS_MAX; i++) {
		if (!dwarf_lineno(dwarf_onesrcline(rows, i), &number) && number > 0 &&
		    number != here)
			return (uint32_t)number;
	}
	return 0;
}
