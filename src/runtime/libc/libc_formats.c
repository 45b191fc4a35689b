#include "libc_formats.h"

#include <elf.h>
#include <sys/auxv.h>
#include <wchar.h>

#include "libc_mem.h"

/* ---- reading a format --------------------------------------------------------------- */

/* A place in a format. */
struct at {
	const char *narrow;
	const wchar_t *wide; /* NULL: it is narrow */
};

static unsigned peek(const struct at *at)
{
	return at->wide ? (unsigned)*at->wide : (unsigned char)*at->narrow;
}

static void step(struct at *at)
{
	if (at->wide)
		at->wide++;
	else
		at->narrow++;
}

static unsigned take(struct at *at)
{
	unsigned c = peek(at);

	if (c)
		step(at);
	return c;
}

static bool is_any(unsigned c, const char *set)
{
	while (*set && (unsigned char)*set != c)
		set++;
	return *set != 0;
}

/* -1: there is none. */
static int64_t number(struct at *at)
{
	int64_t n = -1;

	while (peek(at) >= '0' && peek(at) <= '9') {
		n = (n < 0 ? 0 : n) * 10 + (peek(at) - '0');
		if (n > INT32_MAX)
			n = INT32_MAX;
		step(at);
	}
	return n;
}

/* "3$": the number of an argument, from 0; -1, with @at unmoved: there is none. */
static int position(struct at *at)
{
	struct at before = *at;
	int64_t n = number(at);

	if (n > 0 && n <= HD_FORMAT_ARGS && peek(at) == '$') {
		step(at);
		return (int)n - 1;
	}
	*at = before;
	return -1;
}

/* hh, h, l, ll, j, z, t, L as bytes of an integer; *@is_long: l, *@is_double: L or ll. */
static unsigned length(struct at *at, bool *is_long, bool *is_double)
{
	unsigned size = sizeof(int);

	*is_long = *is_double = false;
	while (is_any(peek(at), "hlqjztLZ")) {
		switch (take(at)) {
		case 'h':
			size = size == sizeof(short) ? 1 : sizeof(short);
			break;
		case 'L':
		case 'q':
			*is_double = true;
			size = sizeof(long);
			break;
		case 'l':
			*is_double = *is_long;
			*is_long = true;
			size = sizeof(long);
			break;
		default:
			size = sizeof(long);
		}
	}
	return size;
}

static struct hd_conversion *add(struct hd_format *f, enum hd_conversion_kind kind, int arg)
{
	struct hd_conversion *c;

	if (f->n == HD_FORMAT_CONVERSIONS)
		return NULL;
	c = &f->conversions[f->n++];
	*c = (struct hd_conversion){
		.kind = kind, .arg = (uint8_t)arg, .precision_arg = -1, .precision = -1
	};
	return c;
}

/* ---- printf ---------------------------------------------------------------------------- */

enum type { NO_TYPE, INT, LONG, DOUBLE, LONG_DOUBLE };

struct print {
	struct hd_format *f;
	enum type types[HD_FORMAT_ARGS];
	unsigned next; /* the argument that comes next, if it is not numbered */
};

/* The number of an argument that has this type; -1: it is one too many. */
static int argument(struct print *p, int position, enum type type)
{
	unsigned i = position >= 0 ? (unsigned)position : p->next++;

	if (i >= HD_FORMAT_ARGS)
		return -1;
	p->types[i] = type;
	if (i >= p->f->nargs)
		p->f->nargs = i + 1;
	return (int)i;
}

/* A width or a precision; what it is, or whose argument. */
static int64_t amount(struct print *p, struct at *at, int8_t *arg)
{
	*arg = -1;
	if (peek(at) != '*')
		return number(at);
	step(at);
	*arg = (int8_t)argument(p, position(at), INT);
	return -1;
}

/* A conversion, behind its '%'. False: what comes behind it cannot be known. */
static bool conversion(struct print *p, struct at *at)
{
	int where = position(at), arg;
	bool is_long, is_double;
	int64_t precision = -1;
	int8_t precision_arg = -1, width_arg;
	struct hd_conversion *c;
	unsigned size, what;

	while (is_any(peek(at), "-+ #0'I"))
		step(at);
	amount(p, at, &width_arg);
	if (peek(at) == '.') {
		step(at);
		precision = amount(p, at, &precision_arg);
		if (precision < 0 && precision_arg < 0)
			precision = 0;
	}
	size = length(at, &is_long, &is_double);
	what = take(at);
	if (is_any(what, "%m"))
		return true;
	if (is_any(what, "aAeEfFgG"))
		return argument(p, where, is_double ? LONG_DOUBLE : DOUBLE) >= 0;
	if (is_any(what, "dioxXucC"))
		return argument(p, where, size == sizeof(long) ? LONG : INT) >= 0;
	if (!is_any(what, "sSnp"))
		return false;
	arg = argument(p, where, LONG);
	if (arg < 0 || what == 'p')
		return arg >= 0;
	c = add(p->f,
		what == 'n'		 ? HD_CONV_STORE
		: is_long || what == 'S' ? HD_CONV_WIDE_STRING
					 : HD_CONV_STRING,
		arg);
	if (!c)
		return false;
	c->size = size;
	c->precision = precision;
	c->precision_arg = precision_arg;
	return true;
}

/* Those that are not used in between are taken for integers, as libc takes them. */
static void fetch(struct print *p, va_list args)
{
	for (unsigned i = 0; i < p->f->nargs; i++) {
		switch (p->types[i]) {
		case DOUBLE:
			(void)va_arg(args, double);
			break;
		case LONG_DOUBLE:
			(void)va_arg(args, long double);
			break;
		case LONG:
			p->f->args[i] = va_arg(args, uintptr_t);
			break;
		case INT:
		case NO_TYPE:
			p->f->args[i] = (uintptr_t)(intptr_t)va_arg(args, int);
			break;
		}
	}
}

void hd_rt_print_look(struct hd_format *f, const void *fmt, bool wide, va_list args)
{
	struct print p = { .f = f };
	struct at at = { fmt, wide ? fmt : NULL };
	va_list copy;

	f->n = f->nargs = 0;
	while (peek(&at)) {
		if (take(&at) == '%' && !conversion(&p, &at))
			break;
	}
	va_copy(copy, args);
	fetch(&p, copy);
	va_end(copy);
}

static size_t limit_of(const struct hd_format *f, const struct hd_conversion *c)
{
	int64_t limit = c->precision_arg >= 0 ? (int)f->args[c->precision_arg] : c->precision;

	return limit < 0 ? SIZE_MAX : (size_t)limit;
}

static size_t wide_bytes(const wchar_t *s, size_t max)
{
	size_t n = 0;

	while (n < max && s[n])
		n++;
	return (n < max ? n + 1 : max) * sizeof(*s);
}

void hd_rt_print_reads(const struct hd_format *f)
{
	for (unsigned i = 0; i < f->n; i++) {
		const struct hd_conversion *c = &f->conversions[i];
		const void *s = (const void *)f->args[c->arg];

		if (!s)
			continue;
		if (c->kind == HD_CONV_STRING)
			hd_carrier_range(s, hd_rt_bytes_of(s, limit_of(f, c)), false);
		else if (c->kind == HD_CONV_WIDE_STRING)
			hd_carrier_range(s, wide_bytes(s, limit_of(f, c)), false);
	}
}

void hd_rt_print_stored(const struct hd_format *f)
{
	for (unsigned i = 0; i < f->n; i++) {
		if (f->conversions[i].kind == HD_CONV_STORE)
			hd_carrier_range_done((void *)f->args[f->conversions[i].arg],
					      f->conversions[i].size);
	}
}

/* ---- constants -------------------------------------------------------------------------- */

/* Is @p where the program itself was loaded and may not write? Nobody can race with that. */
static bool is_constant(uintptr_t p)
{
	const Elf64_Phdr *ph = (const Elf64_Phdr *)getauxval(AT_PHDR);
	size_t n = getauxval(AT_PHNUM);
	uintptr_t base = 0;

	for (size_t i = 0; ph && i < n; i++) {
		if (ph[i].p_type == PT_PHDR)
			base = (uintptr_t)ph - ph[i].p_vaddr;
	}
	for (size_t i = 0; ph && i < n; i++) {
		if (ph[i].p_type == PT_LOAD && !(ph[i].p_flags & PF_W) &&
		    p - (base + ph[i].p_vaddr) < ph[i].p_memsz)
			return true;
	}
	return false;
}

static bool touches(const struct hd_format *f)
{
	for (unsigned i = 0; i < f->n; i++) {
		if (!is_constant(f->args[f->conversions[i].arg]))
			return true;
	}
	return false;
}

bool hd_rt_before_print(struct hd_format *f, const void *fmt, bool wide, va_list args,
			uintptr_t caller, bool point)
{
	f->n = 0;
	if (!hd_carrier_watches(caller))
		return false;
	hd_rt_print_look(f, fmt, wide, args);
	if (point || touches(f))
		hd_carrier_watches_string(caller);
	if (touches(f)) {
		hd_rt_print_reads(f);
		hd_carrier_settle();
	}
	return true;
}

/* ---- scanf ------------------------------------------------------------------------------- */

struct scan {
	struct hd_format *f;
	unsigned next;
	bool old;    /* "%as" */
	bool behind; /* a conversion that stores ended just here */
};

/* Over "[^]...]", behind the '['. */
static void skip_set(struct at *at)
{
	if (peek(at) == '^')
		step(at);
	if (peek(at) == ']')
		step(at);
	while (peek(at) && take(at) != ']')
		;
}

static bool allocates(struct scan *s, struct at *at)
{
	struct at next = *at;

	if (take(&next) == 'm' || (s->old && peek(at) == 'a' && is_any(peek(&next), "sS["))) {
		*at = next;
		return true;
	}
	return false;
}

static unsigned scanned_size(unsigned what, unsigned size, bool is_long, bool is_double)
{
	if (is_any(what, "aAeEfFgG"))
		return is_double ? 10 : is_long ? sizeof(double) : sizeof(float);
	return what == 'p' ? sizeof(void *) : size;
}

/* One that stores, told by its character. */
static bool stores(struct scan *s, unsigned what, int where, struct hd_conversion made, bool wide)
{
	int arg = where >= 0 ? where : (int)s->next++;
	struct hd_conversion *c;

	if (arg >= HD_FORMAT_ARGS)
		return false;
	c = add(s->f, made.kind, arg);
	if (!c)
		return false;
	c->size = made.size * (made.kind == HD_CONV_CHARS && wide ? (unsigned)sizeof(wchar_t) : 1);
	c->counts = what != 'n';
	c->certain = s->behind;
	if ((unsigned)arg >= s->f->nargs)
		s->f->nargs = (unsigned)arg + 1;
	return true;
}

static bool scan_conversion(struct scan *s, struct at *at)
{
	int where = position(at);
	bool suppressed = false, allocated, is_long, is_double, wide;
	struct hd_conversion made = { .kind = HD_CONV_STORE };
	unsigned size, what;
	int64_t width;

	while (is_any(peek(at), "*'I"))
		suppressed |= take(at) == '*';
	width = number(at);
	allocated = allocates(s, at);
	size = length(at, &is_long, &is_double);
	what = take(at);
	if (what == '[')
		skip_set(at);
	if (what == '%')
		return true;
	wide = is_long || is_any(what, "CS");
	made.size = scanned_size(what, size, is_long, is_double);
	if (allocated) {
		made.size = sizeof(void *);
	} else if (is_any(what, "sS[")) {
		made.kind = wide ? HD_CONV_WIDE_STRING : HD_CONV_STRING;
	} else if (is_any(what, "cC")) {
		made.kind = HD_CONV_CHARS;
		made.size = width > 0 ? (unsigned)width : 1;
	} else if (!is_any(what, "diouxXaAeEfFgGpn")) {
		return false;
	}
	if (suppressed) {
		s->behind = false;
		return true;
	}
	if (!stores(s, what, where, made, wide))
		return false;
	s->behind = true;
	return true;
}

static void scan_look(struct scan *s, const void *fmt, bool wide)
{
	struct at at = { fmt, wide ? fmt : NULL };

	s->f->n = s->f->nargs = 0;
	while (peek(&at)) {
		if (take(&at) != '%')
			s->behind = false;
		else if (!scan_conversion(s, &at))
			break;
	}
}

static void scan_tell(const struct hd_conversion *c, void *to)
{
	switch (c->kind) {
	case HD_CONV_STRING:
		hd_carrier_range_done(to, hd_rt_bytes_of(to, SIZE_MAX));
		break;
	case HD_CONV_WIDE_STRING:
		hd_carrier_range_done(to, wide_bytes(to, SIZE_MAX));
		break;
	case HD_CONV_STORE:
	case HD_CONV_CHARS:
		hd_carrier_range_done(to, c->size);
		break;
	}
}

/* The first @stored that count were stored; a %n if another came after it, or nothing before it could fail. */
void hd_rt_scan_stored(const void *fmt, bool wide, bool old, int stored, va_list args)
{
	struct hd_format f;
	struct scan s = { .f = &f, .old = old };
	int done = 0;
	va_list copy;

	scan_look(&s, fmt, wide);
	va_copy(copy, args);
	for (unsigned i = 0; i < f.nargs; i++)
		f.args[i] = va_arg(copy, uintptr_t);
	va_end(copy);
	for (unsigned i = 0; i < f.n && done <= stored; i++) {
		const struct hd_conversion *c = &f.conversions[i];

		if (c->counts ? done < stored : c->certain || done < stored)
			scan_tell(c, (void *)f.args[c->arg]);
		done += c->counts;
	}
}
