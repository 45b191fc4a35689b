#include "symbols.h"

#include <dwarf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "sym_module.h"

#define NAME_BYTES 1024

/* A remembered answer about code. */
struct known_frames {
	size_t n;
	struct hd_frame at[];
};

static const char no_variable[] = ""; /* the remembered answer "none" */

enum hd_err hd_symbols_new(struct hd_symbols **out)
{
	*out = calloc(1, sizeof(**out));
	return *out ? HD_OK : HD_ERR_NOMEM;
}

void hd_symbols_free(struct hd_symbols *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_modules; i++)
		hd_sym_module_close(&s->modules[i]);
	free(s->modules);
	free(s->notes);
	hd_sym_cache_clear(&s->code);
	hd_sym_cache_clear(&s->data);
	hd_sym_cache_clear(&s->blocks);
	hd_sym_pool_free(&s->pool);
	free(s);
}

void hd_symbols_add_note(struct hd_symbols *s, const char *fmt, ...)
{
	char text[NAME_BYTES];
	const char *kept;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	kept = hd_sym_string(&s->pool, text);
	for (size_t i = 0; i < s->n_notes; i++)
		if (s->notes[i] == kept)
			return; /* a file mapped twice has one story */
	if (kept && HD_ROOM(s->notes, s->cap_notes, s->n_notes + 1))
		s->notes[s->n_notes++] = kept;
}

const char *hd_symbols_note(const struct hd_symbols *s, size_t i)
{
	return i < s->n_notes ? s->notes[i] : NULL;
}

void hd_symbols_add_module(struct hd_symbols *s, const char *path, uint64_t base, uint64_t len,
			   const char *build_id)
{
	struct hd_sym_module *m;

	path = hd_sym_string(&s->pool, path);
	if (!path || !HD_ROOM(s->modules, s->cap_modules, s->n_modules + 1))
		return;
	m = &s->modules[s->n_modules++];
	memset(m, 0, sizeof(*m));
	m->owner = s;
	m->pool = &s->pool;
	m->path = path;
	m->base = base;
	m->len = len;
	m->build_id = build_id && *build_id ? hd_sym_string(&s->pool, build_id) : NULL;
	/* What was in no module may be in this one. */
	hd_sym_cache_clear(&s->code);
	hd_sym_cache_clear(&s->data);
}

/* The module added last wins: it took the place of one that was unloaded. */
struct hd_sym_module *hd_sym_module_at(struct hd_symbols *s, uint64_t addr)
{
	for (size_t i = s->n_modules; i--;)
		if (addr >= s->modules[i].base && addr - s->modules[i].base < s->modules[i].len)
			return &s->modules[i];
	return NULL;
}

static size_t find_frames(struct hd_symbols *s, uint64_t pc, struct hd_frame *frames)
{
	/* The call itself is before its return address, perhaps in another function. */
	uint64_t call = pc ? pc - 1 : 0;
	struct hd_sym_module *m = hd_sym_module_at(s, call);
	size_t n = 1;

	memset(frames, 0, HD_SYM_MAX_INLINED * sizeof(*frames));
	if (m && hd_sym_module_open(m))
		n = hd_sym_frames(m, call - m->base + m->low, frames, HD_SYM_MAX_INLINED);
	for (size_t i = 0; i < n; i++) {
		frames[i].module = m ? m->path : NULL;
		frames[i].offset = m ? pc - m->base : pc;
	}
	return n;
}

size_t hd_symbols_code(struct hd_symbols *s, uint64_t pc, struct hd_frame *frames, size_t max)
{
	struct hd_frame found[HD_SYM_MAX_INLINED];
	const struct known_frames *known = hd_sym_cache_get(&s->code, pc, 0);
	const struct hd_frame *from = found;
	struct known_frames *fresh;
	size_t n;

	if (known) {
		n = known->n;
		from = known->at;
	} else {
		n = find_frames(s, pc, found);
		fresh = hd_sym_alloc(&s->pool, sizeof(*fresh) + n * sizeof(*found));
		if (fresh) {
			fresh->n = n;
			memcpy(fresh->at, found, n * sizeof(*found));
			hd_sym_cache_put(&s->code, pc, 0, fresh);
		}
	}
	if (n > max)
		n = max;
	memcpy(frames, from, n * sizeof(*frames));
	return n;
}

uint32_t hd_symbols_line_after(struct hd_symbols *s, uint64_t pc)
{
	struct hd_sym_module *m = pc ? hd_sym_module_at(s, pc - 1) : NULL;

	return m && hd_sym_module_open(m) ? hd_sym_line_after(m, pc - 1 - m->base + m->low) : 0;
}

static bool name_by_dwarf(struct hd_sym_module *m, uint64_t addr, uint64_t size, char *buf,
			  size_t len)
{
	const struct hd_sym_variable *v = hd_sym_variable_at(m, addr);
	uint64_t offset;
	Dwarf_Die die, type;

	if (!v)
		return false;
	die = v->die;
	offset = addr - v->lo + v->skip;
	snprintf(buf, len, "%s", v->name);
	if (hd_sym_type_of(&die, &type))
		hd_sym_member_path(&type, offset, size, buf, len);
	else if (offset)
		snprintf(buf, len, "%s+%llu", v->name, (unsigned long long)offset);
	return true;
}

/* @addr is covered by @sym. */
static bool name_after(struct hd_sym_module *m, const struct hd_elf_symbol *sym, uint64_t addr,
		       char *buf, size_t len)
{
	const char *name = sym ? hd_elf_plain_name(m->pool, sym->name) : NULL;

	if (!name)
		return false;
	if (addr == sym->lo)
		snprintf(buf, len, "%s", name);
	else
		snprintf(buf, len, "%s+%llu", name, (unsigned long long)(addr - sym->lo));
	return true;
}

static bool name_by_symbol(struct hd_sym_module *m, uint64_t addr, char *buf, size_t len)
{
	return name_after(m, hd_elf_object_at(m, addr), addr, buf, len);
}

bool hd_symbols_data(struct hd_symbols *s, uint64_t addr, uint64_t size, char *buf, size_t len)
{
	const char *known = hd_sym_cache_get(&s->data, addr, size);
	struct hd_sym_module *m;
	char name[NAME_BYTES];
	uint64_t file_addr;

	if (!known) {
		known = no_variable;
		m = hd_sym_module_at(s, addr);
		if (m && hd_sym_module_open(m)) {
			file_addr = addr - m->base + m->low;
			if (name_by_dwarf(m, file_addr, size, name, sizeof(name)) ||
			    name_by_symbol(m, file_addr, name, sizeof(name)))
				known = hd_sym_string(&s->pool, name);
		}
		if (!known)
			return false;
		hd_sym_cache_put(&s->data, addr, size, known);
	}
	if (known == no_variable)
		return false;
	snprintf(buf, len, "%s", known);
	return true;
}

bool hd_symbols_thread_local(struct hd_symbols *s, int64_t offset, char *buf, size_t len)
{
	struct hd_sym_module *m = s->n_modules ? &s->modules[0] : NULL;
	uint64_t at;

	if (!m || !hd_sym_module_open(m))
		return false;
	at = hd_elf_thread_local_size(m) + (uint64_t)offset;
	return name_after(m, hd_elf_thread_local_at(m, at), at, buf, len);
}

const char *hd_symbols_data_type(struct hd_symbols *s, uint64_t addr, size_t i)
{
	struct hd_sym_module *m = hd_sym_module_at(s, addr);
	const struct hd_sym_variable *v;

	if (!m || !hd_sym_module_open(m))
		return NULL;
	v = hd_sym_variable_at(m, addr - m->base + m->low);
	return v ? hd_sym_type_name(&v->die, i) : NULL;
}

bool hd_symbols_local(struct hd_symbols *s, const struct hd_local_frame *frame, uint64_t addr,
		      uint64_t size, char *buf, size_t len)
{
	struct hd_sym_module *m = frame->pc ? hd_sym_module_at(s, frame->pc - 1) : NULL;

	return m && hd_sym_module_open(m) && hd_sym_local_name(m, frame, addr, size, buf, len);
}

bool hd_symbols_shared(struct hd_symbols *s, uint64_t function, uint64_t offset, uint64_t size,
		       char *buf, size_t len)
{
	struct hd_sym_module *m = hd_sym_module_at(s, function);

	return m && hd_sym_module_open(m) &&
	       hd_sym_shared_name(m, function, offset, size, buf, len);
}

bool hd_symbols_data_decl(struct hd_symbols *s, uint64_t addr, const char **file, uint32_t *line)
{
	struct hd_sym_module *m = hd_sym_module_at(s, addr);
	const struct hd_sym_variable *v;
	Dwarf_Die die;
	int number;

	if (!m || !hd_sym_module_open(m))
		return false;
	v = hd_sym_variable_at(m, addr - m->base + m->low);
	if (!v)
		return false;
	die = v->die;
	if (dwarf_decl_line(&die, &number) || number <= 0)
		return false;
	*file = hd_sym_source_file(&die, DW_AT_decl_file, NULL);
	*line = (uint32_t)number;
	return *file;
}
