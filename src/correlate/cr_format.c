#include "cr_format.h"

#include <stddef.h>

#include <libvex_guest_amd64.h>
#include <pub_tool_aspacemgr.h>
#include <pub_tool_debuginfo.h>
#include <pub_tool_machine.h>
#include <pub_tool_vki.h>

#include "cr_access.h"
#include "cr_gap.h"
#include "cr_label.h"
#include "cr_place.h"
#include "cr_shadow.h"

#define REGISTERS 6u
#define VECTORS	  8u
#define PRINTED	  8u /* arguments of one call */
#define LONGEST	  4096u

/* Beside the number of the argument that is the format: the first one is where the text goes, the second one its size. */
#define TEXT 0x10u
#define SIZE 0x20u

static const struct {
	const HChar *name;
	UInt format;
} functions[] = {
	{ "printf", 1 },
	{ "fprintf", 2 },
	{ "dprintf", 2 },
	{ "__printf_chk", 2 },
	{ "__fprintf_chk", 3 },
	{ "__dprintf_chk", 3 },
	{ "sprintf", TEXT | 2 },
	{ "__sprintf_chk", TEXT | 4 },
	{ "snprintf", TEXT | SIZE | 3 },
	{ "__snprintf_chk", TEXT | SIZE | 5 },
};

UInt cr_format_of(Addr pc)
{
	const HChar *name;

	if (!cr_is_libc(pc) || !VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), pc, &name))
		return 0;
	for (UInt i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		if (!VG_(strcmp)(name, functions[i].name))
			return functions[i].format;
	}
	return 0;
}

/* The call that is looked at. */
static struct {
	Addr sp, pc;
	UInt format;
	Bool text, size; /* the arguments before it are that */
	UWord value[REGISTERS];
	UInt registers, vectors, pushed; /* arguments that have been taken */
	cr_label printed[PRINTED];
	UInt n;
} call;

VG_REGPARM(2) void cr_on_format(UWord sp, UWord format_at)
{
	call.sp = sp;
	call.pc = cr_at_pc(format_at);
	call.format = (UInt)(format_at & 0xf);
	call.text = (format_at & TEXT) != 0;
	call.size = (format_at & SIZE) != 0;
}

static cr_label label_at(Addr a)
{
	const struct cr_chunk *c = a < CR_TOP ? cr_chunk_find(a) : NULL;

	return c ? c->cell[cr_granule(a)].label[a >> 2 & 1] : 0;
}

/* The text at @a: it is read now, and not when it was read the last time. */
static cr_label text_at(Addr a)
{
	if (!cr_me->lockset || !VG_(am_is_valid_for_client)(a, 1, VKI_PROT_READ))
		return label_at(a);
	return (cr_label)cr_on_read(a, cr_at(call.pc, 1));
}

static cr_label label_of_state(SizeT offset)
{
	ULong shadow;

	VG_(get_shadow_regs_area)
	(cr_me->tid, (UChar *)&shadow, 1, (PtrdiffT)offset, sizeof(shadow));
	return (cr_label)shadow;
}

/* Where the next argument is that was pushed, before the return address. */
static Addr next_pushed(UInt words)
{
	Addr a = call.sp + 8 + 8 * call.pushed;

	call.pushed += words;
	return a;
}

static cr_label next_vector(void)
{
	UInt n = call.vectors++;

	return n < VECTORS ? label_of_state(offsetof(VexGuestAMD64State, guest_YMM0) + 32 * n)
			   : label_at(next_pushed(1));
}

/* ... and its value. */
static cr_label next_number(UWord *value)
{
	static const SizeT offset[REGISTERS] = {
		offsetof(VexGuestAMD64State, guest_RDI), offsetof(VexGuestAMD64State, guest_RSI),
		offsetof(VexGuestAMD64State, guest_RDX), offsetof(VexGuestAMD64State, guest_RCX),
		offsetof(VexGuestAMD64State, guest_R8),	 offsetof(VexGuestAMD64State, guest_R9),
	};
	UInt n = call.registers++;
	Addr a;

	if (n < REGISTERS) {
		*value = call.value[n];
		return label_of_state(offset[n]);
	}
	a = next_pushed(1);
	*value = *(const UWord *)a;
	return label_at(a);
}

static void print(cr_label label)
{
	if (label && !cr_label_idle(label) && call.n < PRINTED)
		call.printed[call.n++] = label;
}

/* One conversion, whose letter is @c. */
static void convert(HChar c, Bool is_long_double)
{
	UWord value;
	cr_label label;

	if (c == '%' || c == 'm' || !c)
		return;
	if (is_long_double) {
		next_pushed((2 + (call.pushed & 1)));
	} else if (VG_(strchr)("aAeEfFgG", c)) {
		print(next_vector());
	} else {
		label = next_number(&value);
		print(c == 's' && (!label || cr_label_idle(label)) ? text_at(value) : label);
	}
}

static void follow(const HChar *format)
{
	for (const HChar *c = format; *c && c < format + LONGEST; c++) {
		Bool is_long_double = False;
		UWord value;

		if (*c != '%')
			continue;
		for (c++; *c && VG_(strchr)("-+ #0123456789.*hlqjztL'I", *c); c++) {
			if (*c == '*')
				print(next_number(&value));
			is_long_double |= *c == 'L';
		}
		convert(*c, is_long_double && VG_(strchr)("aAeEfFgG", *c));
		if (!*c)
			return;
	}
}

/* The text is written, of all that is printed. Its first byte stands for it: how long it will be is not known yet. */
static void write_text(void)
{
	cr_label all = 0;

	if (!call.text || (call.size && !call.value[1]) || cr_is_stack(call.value[0]))
		return;
	for (UInt i = 0; i < call.n; i++)
		all = cr_label_union(all, call.printed[i]);
	cr_on_write(call.value[0], cr_at(call.pc, 1) | CR_AT_DECIDED, all);
}

void cr_on_printed(UWord first, UWord second, UWord third, UWord fourth, UWord fifth, UWord sixth)
{
	const UWord value[REGISTERS] = { first, second, third, fourth, fifth, sixth };

	if (!VG_(am_is_valid_for_client)(value[call.format - 1], 1, VKI_PROT_READ))
		return;
	VG_(memcpy)(call.value, value, sizeof(value));
	call.registers = call.format;
	call.vectors = call.pushed = call.n = 0;
	follow((const HChar *)value[call.format - 1]);
	for (UInt i = 0; i < call.n; i++) {
		for (UInt k = i + 1; k < call.n; k++)
			cr_gap_passed(call.printed[i], call.printed[k]);
	}
	write_text();
}
