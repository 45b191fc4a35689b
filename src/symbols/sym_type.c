/*
 * Types: from an offset and a size inside a variable to the member or element
 * that an access of that size there touches.
 */
#include "sym_module.h"

#include <dwarf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIMENSIONS 16
#define MAX_STEPS      64 /* nesting of structs, unions and array dimensions */
#define MAX_BITFIELDS  4  /* as many names are shown for one storage unit */

struct text {
	char *buf;
	size_t len, n;
};

__attribute__((format(printf, 2, 3))) static void append(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (!t || t->n + 1 >= t->len)
		return;
	va_start(ap, fmt);
	n = vsnprintf(t->buf + t->n, t->len - t->n, fmt, ap);
	va_end(ap);
	if (n > 0)
		t->n += (size_t)n < t->len - t->n ? (size_t)n : t->len - t->n - 1;
}

static bool number_attr(Dwarf_Die *die, unsigned name, uint64_t *value)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;

	if (!dwarf_attr_integrate(die, name, &attr) || dwarf_formudata(&attr, &word))
		return false;
	*value = word;
	return true;
}

/* The next type behind @type: what it qualifies, or the body kept in a type unit. */
static bool type_behind(Dwarf_Die *type, Dwarf_Attribute *attr)
{
	switch (dwarf_tag(type)) {
	case DW_TAG_typedef:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
	case DW_TAG_immutable_type:
	case DW_TAG_packed_type:
		return dwarf_attr_integrate(type, DW_AT_type, attr);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		return dwarf_attr(type, DW_AT_signature, attr);
	default:
		return false;
	}
}

/* What is behind typedefs and qualifiers; false only where they never end. */
static bool peel(Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	Dwarf_Die next;

	for (int i = 0; i < HD_SYM_MAX_CHAIN; i++) {
		if (!type_behind(type, &attr) || !dwarf_formref_die(&attr, &next))
			return true;
		*type = next;
	}
	return false;
}

bool hd_sym_type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, type) &&
	       peel(type);
}

const char *hd_sym_type_name(const Dwarf_Die *die, size_t i)
{
	Dwarf_Die type = *die, next;
	Dwarf_Attribute attr;

	for (int n = 0; n < HD_SYM_MAX_CHAIN; n++) {
		bool whole = !n || dwarf_tag(&type) == DW_TAG_array_type;

		if (n && dwarf_diename(&type) && !i--)
			return dwarf_diename(&type);
		if (!(whole ? dwarf_attr_integrate(&type, DW_AT_type, &attr) != NULL
			    : type_behind(&type, &attr)) ||
		    !dwarf_formref_die(&attr, &next))
			return NULL;
		type = next;
	}
	return NULL;
}

/* Elements of each dimension, outermost first; 0: not known (a flexible array). */
static size_t dimensions(Dwarf_Die *array, uint64_t count[MAX_DIMENSIONS])
{
	Dwarf_Die die, next;
	size_t n = 0;

	if (dwarf_child(array, &die))
		return 0;
	for (;;) {
		uint64_t bound;

		if (dwarf_tag(&die) == DW_TAG_subrange_type && n < MAX_DIMENSIONS) {
			if (number_attr(&die, DW_AT_count, &bound))
				count[n++] = bound;
			else if (number_attr(&die, DW_AT_upper_bound, &bound))
				count[n++] = bound + 1; /* -1, as some write for [], gives 0 */
			else
				count[n++] = 0;
		}
		if (dwarf_siblingof(&die, &next) || next.addr <= die.addr)
			return n;
		die = next;
	}
}

static uint64_t size_within(Dwarf_Die *type, unsigned depth);

/* Bytes of @array from dimension @first on; 0: not known. */
static uint64_t array_size(Dwarf_Die *array, size_t first, unsigned depth)
{
	uint64_t count[MAX_DIMENSIONS], size;
	size_t n = dimensions(array, count);
	Dwarf_Die element;

	if (!hd_sym_type_of(array, &element))
		return 0;
	size = size_within(&element, depth + 1);
	for (size_t i = first; i < n; i++)
		if (__builtin_mul_overflow(size, count[i], &size))
			return 0;
	return size;
}

static uint64_t size_within(Dwarf_Die *type, unsigned depth)
{
	uint64_t size;
	Dwarf_Die peeled = *type, under;

	if (depth > HD_SYM_MAX_CHAIN || !peel(&peeled))
		return 0;
	if (number_attr(&peeled, DW_AT_byte_size, &size))
		return size;
	switch (dwarf_tag(&peeled)) {
	case DW_TAG_array_type:
		return array_size(&peeled, 0, depth);
	case DW_TAG_enumeration_type:
		return hd_sym_type_of(&peeled, &under) ? size_within(&under, depth + 1) : 0;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return sizeof(void *);
	default:
		return 0;
	}
}

uint64_t hd_sym_type_size(Dwarf_Die *type)
{
	return size_within(type, 0);
}

/* --- from an offset to a member ------------------------------------------ */

/* An object inside the variable: a type, or an array from one dimension on. */
struct spot {
	Dwarf_Die type; /* peeled */
	size_t dimension;
	uint64_t offset; /* of the access, in the object */
};

struct field {
	Dwarf_Die die, type;
	uint64_t start, size; /* bytes */
	uint64_t bit, bits;   /* of a bit-field: from the start of the struct; bits is else 0 */
	bool open_ended;      /* a flexible array member */
};

static bool byte_position(Dwarf_Die *die, uint64_t *start)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;
	Dwarf_Op *ops;
	size_t n;

	*start = 0;
	if (!dwarf_attr_integrate(die, DW_AT_data_member_location, &attr))
		return true; /* a union's members, and bit-fields that give bits only */
	if (!dwarf_formudata(&attr, &word)) {
		*start = word;
		return true;
	}
	if (dwarf_getlocation(&attr, &ops, &n) || n != 1 || ops[0].atom != DW_OP_plus_uconst)
		return false; /* a virtual base: its place is not fixed */
	*start = ops[0].number;
	return true;
}

/* DWARF 3 counts from the most significant bit of the storage unit, later ones from the start. */
static void bit_position(struct field *f)
{
	uint64_t unit = f->size, from_top;

	if (number_attr(&f->die, DW_AT_data_bit_offset, &f->bit))
		return;
	f->bit = f->start * 8;
	if (!number_attr(&f->die, DW_AT_bit_offset, &from_top))
		return;
	number_attr(&f->die, DW_AT_byte_size, &unit);
	f->bit += unit * 8 - from_top - f->bits;
}

static bool read_field(Dwarf_Die *die, struct field *f)
{
	int tag = dwarf_tag(die);

	memset(f, 0, sizeof(*f));
	f->die = *die;
	if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
	    dwarf_hasattr(die, DW_AT_declaration) || dwarf_hasattr(die, DW_AT_external))
		return false;
	if (!hd_sym_type_of(die, &f->type) || !byte_position(die, &f->start))
		return false;
	f->size = hd_sym_type_size(&f->type);
	if (number_attr(die, DW_AT_bit_size, &f->bits) && f->bits)
		bit_position(f);
	f->open_ended = !f->size && dwarf_tag(&f->type) == DW_TAG_array_type;
	return true;
}

static bool covers(const struct field *f, uint64_t offset, uint64_t size)
{
	uint64_t end = offset + (size ? size : 1);

	if (f->bits) /* compilers touch a whole storage unit for a few bits */
		return f->bit < end * 8 && f->bit + f->bits > offset * 8;
	return offset >= f->start && (f->open_ended || offset - f->start < f->size);
}

static bool step(struct spot *s, uint64_t size, struct text *out, unsigned depth);

/* Does going on inside @f end at something exactly as long as the access? */
static bool ends_exactly(const struct field *f, uint64_t offset, uint64_t size, unsigned depth)
{
	struct spot s = { .type = f->type, .offset = offset - f->start };

	for (int i = 0; i < MAX_STEPS && step(&s, size, NULL, depth + 1); i++)
		;
	return !s.offset && !s.dimension && hd_sym_type_size(&s.type) == size;
}

/* Where members overlap (unions, empty bases) the one that suits the access best is meant. */
static int suitability(const struct field *f, uint64_t offset, uint64_t size, unsigned depth)
{
	if (f->bits)
		return 1;
	if (f->open_ended)
		return 0;
	if (f->size - (offset - f->start) < size)
		return 0;
	/* The bound keeps unions of unions in damaged files from multiplying. */
	return depth < 8 && ends_exactly(f, offset, size, depth) ? 2 : 1;
}

static bool pick_field(Dwarf_Die *aggregate, uint64_t offset, uint64_t size, struct field *best,
		       unsigned depth)
{
	Dwarf_Die die, next;
	struct field f;
	int best_score = -1;

	if (dwarf_child(aggregate, &die))
		return false;
	for (;;) {
		if (read_field(&die, &f) && covers(&f, offset, size)) {
			int score = suitability(&f, offset, size, depth);

			if (score > best_score) {
				best_score = score;
				*best = f;
			}
			if (score == 2)
				break;
		}
		if (dwarf_siblingof(&die, &next) || next.addr <= die.addr)
			break;
		die = next;
	}
	return best_score >= 0;
}

/* All bit-fields that share the accessed bytes, "ready|done": which was meant cannot be known. */
static void append_bitfields(Dwarf_Die *aggregate, uint64_t offset, uint64_t size, struct text *out)
{
	Dwarf_Die die, next;
	struct field f;
	int n = 0;

	if (!out || dwarf_child(aggregate, &die))
		return;
	for (;;) {
		const char *name = dwarf_diename(&die);

		if (name && read_field(&die, &f) && f.bits && covers(&f, offset, size)) {
			if (n < MAX_BITFIELDS)
				append(out, "%s%s", n ? "|" : ".", name);
			else if (n == MAX_BITFIELDS)
				append(out, "|...");
			n++;
		}
		if (dwarf_siblingof(&die, &next) || next.addr <= die.addr)
			return;
		die = next;
	}
}

static bool step_into_field(struct spot *s, uint64_t size, struct text *out, unsigned depth)
{
	struct field f;
	const char *name;

	if (!pick_field(&s->type, s->offset, size, &f, depth))
		return false;
	if (f.bits) {
		append_bitfields(&s->type, s->offset, size, out);
		s->offset = 0;
	} else {
		if (!s->offset && f.size < size)
			return false; /* the access is to the whole */
		/* Unnamed members and base classes are named by what is in them. */
		name = dwarf_tag(&f.die) == DW_TAG_member ? dwarf_diename(&f.die) : NULL;
		if (name)
			append(out, ".%s", name);
		s->offset -= f.start;
	}
	s->type = f.type;
	s->dimension = 0;
	return true;
}

static bool step_into_element(struct spot *s, uint64_t size, struct text *out)
{
	uint64_t count[MAX_DIMENSIONS], stride;
	size_t n = dimensions(&s->type, count);
	Dwarf_Die element;

	stride = array_size(&s->type, s->dimension + 1, 0);
	if (!stride || !n)
		return false;
	append(out, "[%llu]", (unsigned long long)(s->offset / stride));
	s->offset %= stride;
	if (++s->dimension < n)
		return true;
	if (!hd_sym_type_of(&s->type, &element))
		return false;
	s->type = element;
	s->dimension = 0;
	return true;
}

static uint64_t spot_size(struct spot *s)
{
	if (dwarf_tag(&s->type) == DW_TAG_array_type)
		return array_size(&s->type, s->dimension, 0);
	return hd_sym_type_size(&s->type);
}

/* One level down, towards the object that the access starts in; false: here is the end. */
static bool step(struct spot *s, uint64_t size, struct text *out, unsigned depth)
{
	if (!s->offset && !size)
		return false;
	switch (dwarf_tag(&s->type)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return step_into_field(s, size, out, depth);
	case DW_TAG_array_type:
		/* As long as the array, and longer than one element: the array itself. */
		if (!s->offset && spot_size(s) && size >= spot_size(s) &&
		    size > array_size(&s->type, s->dimension + 1, 0))
			return false;
		return step_into_element(s, size, out);
	default:
		return false;
	}
}

void hd_sym_member_path(Dwarf_Die *type, uint64_t offset, uint64_t size, char *buf, size_t len)
{
	struct spot s = { .type = *type, .offset = offset };
	struct text out = { buf, len, strnlen(buf, len) };

	if (!peel(&s.type))
		return;
	for (int i = 0; i < MAX_STEPS && step(&s, size, &out, 0); i++)
		;
	if (s.offset)
		append(&out, "+%llu", (unsigned long long)s.offset);
}

/* --- from a name to a member ---------------------------------------------- */

/* The field of that name; one in an unnamed member or a base class counts as the struct's own. */
static bool find_field(Dwarf_Die *aggregate, const char *name, size_t len, struct field *out,
		       unsigned depth)
{
	Dwarf_Die die, next;

	if (depth > HD_SYM_MAX_CHAIN || dwarf_child(aggregate, &die))
		return false;
	for (;;) {
		const char *own = dwarf_tag(&die) == DW_TAG_member ? dwarf_diename(&die) : NULL;
		struct field f, inner;

		if (read_field(&die, &f)) {
			if (own && strlen(own) == len && !strncmp(own, name, len)) {
				*out = f;
				return true;
			}
			if (!own && find_field(&f.type, name, len, &inner, depth + 1)) {
				*out = inner;
				out->start += f.start;
				return true;
			}
		}
		if (dwarf_siblingof(&die, &next) || next.addr <= die.addr)
			return false;
		die = next;
	}
}

/* "[3]" at *@path: into that element of the array. */
static bool follow_index(struct spot *s, const char **path)
{
	uint64_t count[MAX_DIMENSIONS], stride, at;
	size_t n = dwarf_tag(&s->type) == DW_TAG_array_type ? dimensions(&s->type, count) : 0;
	char *end;

	if (s->dimension >= n || (*path)[1] < '0' || (*path)[1] > '9')
		return false;
	at = strtoull(*path + 1, &end, 10);
	stride = array_size(&s->type, s->dimension + 1, 0);
	if (*end != ']' || !stride || (count[s->dimension] && at >= count[s->dimension]) ||
	    __builtin_mul_overflow(at, stride, &at))
		return false;
	s->offset += at;
	*path = end + 1;
	if (++s->dimension < n)
		return true;
	s->dimension = 0;
	return hd_sym_type_of(&s->type, &s->type);
}

static bool follow_member(struct spot *s, const char **path)
{
	const char *name = *path + (**path == '.');
	size_t len = strcspn(name, ".[");
	struct field f;

	if (!len || !find_field(&s->type, name, len, &f, 0))
		return false;
	s->offset += f.bits ? f.bit / 8 : f.start;
	s->type = f.type;
	s->dimension = 0;
	*path = name + len;
	return true;
}

static bool follow(struct spot *s, const Dwarf_Die *type, const char *path)
{
	*s = (struct spot){ .type = *type };
	if (!peel(&s->type))
		return false;
	while (*path) {
		if (!(*path == '[' ? follow_index(s, &path) : follow_member(s, &path)))
			return false;
	}
	return true;
}

bool hd_sym_follow_path(Dwarf_Die *type, const char *path, uint64_t *offset, uint64_t *size)
{
	struct spot s;

	if (!follow(&s, type, path))
		return false;
	*offset = s.offset;
	*size = spot_size(&s);
	return *size != 0;
}

enum hd_value_kind hd_sym_value_kind(Dwarf_Die *type, const char *path, uint64_t *each)
{
	uint64_t encoding = 0;
	struct spot s;

	if (!follow(&s, type, path))
		return HD_VALUE_OTHER;
	for (int i = 0; i < HD_SYM_MAX_CHAIN && dwarf_tag(&s.type) == DW_TAG_array_type; i++) {
		if (!hd_sym_type_of(&s.type, &s.type))
			return HD_VALUE_OTHER;
	}
	*each = hd_sym_type_size(&s.type);
	if (dwarf_tag(&s.type) == DW_TAG_pointer_type)
		return HD_VALUE_POINTER;
	if (dwarf_tag(&s.type) == DW_TAG_enumeration_type)
		return HD_VALUE_SIGNED;
	if (dwarf_tag(&s.type) != DW_TAG_base_type ||
	    !number_attr(&s.type, DW_AT_encoding, &encoding))
		return HD_VALUE_OTHER;
	switch (encoding) {
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		return HD_VALUE_SIGNED;
	case DW_ATE_boolean:
		return HD_VALUE_BOOL;
	case DW_ATE_float:
		return HD_VALUE_FLOAT;
	default:
		return HD_VALUE_UNSIGNED;
	}
}

/* Is @die's type the one called @name, or an array of it? *@elements is then how many there are. */
bool hd_sym_is_of_type(Dwarf_Die *die, const char *name, uint64_t *elements, uint64_t *stride)
{
	Dwarf_Die type = *die;

	*elements = 1;
	for (int i = 0; i < HD_SYM_MAX_CHAIN; i++) {
		Dwarf_Attribute attr;
		const char *own;

		if (!dwarf_attr_integrate(&type, DW_AT_type, &attr) ||
		    !dwarf_formref_die(&attr, &type))
			return false;
		own = dwarf_diename(&type);
		if (own && !strcmp(own, name)) {
			*stride = hd_sym_type_size(&type);
			return *stride != 0;
		}
		if (dwarf_tag(&type) == DW_TAG_array_type) {
			uint64_t count[MAX_DIMENSIONS];
			size_t n = dimensions(&type, count);

			for (size_t k = 0; k < n; k++)
				*elements *= count[k];
		} else if (dwarf_tag(&type) == DW_TAG_pointer_type) {
			return false;
		}
	}
	return false;
}
