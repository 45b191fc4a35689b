#include "unhooked.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/path.h"
#include "sym_pool.h"
#include "sym_x86.h"

#define NAMED 40 /* functions that are named one by one */

/* Where the pointer to a hook lies. */
struct slots {
	uint64_t *at;
	size_t n, cap;
};

/* How the code from lo to hi was compiled, by the debug information. */
struct unit {
	uint64_t lo, hi;
	size_t file; /* units of one number belong together */
	const char *name;
};

struct function {
	uint64_t lo, hi;
	const char *name;
	bool hooks, busy; /* busy: it calls others, or touches memory */
	bool atomics;	  /* of its own making */
};

/* What is loaded of the file. */
struct section {
	uint64_t lo, hi;
	const unsigned char *bytes; /* NULL: none in the file */
	size_t nbytes;
	bool variables; /* memory that somebody may write to, not the linker's tables */
};

struct module {
	int fd;
	Elf *elf;
	struct section *sections;
	size_t nsections, sections_cap;
	Dwarf *dwarf;
	struct slots hooks;
	struct unit *units;
	size_t nunits, units_cap, nfiles;
	bool *hooked_file; /* by number */
	struct function *functions;
	size_t nfunctions, functions_cap;
	bool no_memory;
};

/* ---- names ------------------------------------------------------------------------------ */

/* Those that heddle answers for, and those that only compute. */
static bool is_of_system(const char *path)
{
	static const char *const names[] = { "libc",	  "libm",	"libmvec",     "libpthread",
					     "libdl",	  "librt",	"libutil",     "libresolv",
					     "libnsl",	  "libanl",	"libnss_",     "libgcc_s",
					     "libstdc++", "libatomic",	"libquadmath", "libheddle",
					     "ld-linux",  "linux-vdso", "libgomp",     NULL };
	const char *name = hd_base_name(path);

	for (int i = 0; names[i]; i++) {
		size_t len = strlen(names[i]);

		if (!strncmp(name, names[i], len) &&
		    (names[i][len - 1] == '_' || !strcmp(names[i], "libheddle") ||
		     strchr(".-", name[len])))
			return true;
	}
	return false;
}

static bool add_name(struct hd_unhooked *u, const char *name, const char *file)
{
	char *text = NULL;

	for (size_t i = 0; i < u->n; i++) {
		if (!file && !strcmp(u->names[i], name))
			return true;
	}
	if (file && u->n >= NAMED) {
		u->more++;
		return true;
	}
	if ((file ? asprintf(&text, "%s (%s)", name, file) : asprintf(&text, "%s", name)) < 0)
		return false;
	if (!HD_ROOM(u->names, u->cap, u->n + 1)) {
		free(text);
		return false;
	}
	u->names[u->n++] = text;
	return true;
}

/* Compilers make copies of functions for certain arguments, with something behind a dot. */
static bool add_function(struct hd_unhooked *u, const char *name, const char *file)
{
	size_t len = strcspn(name, ".");
	char *plain = len ? strndup(name, len) : strdup(name);
	bool ok = plain && add_name(u, plain, file);

	free(plain);
	return ok;
}

void hd_unhooked_free(struct hd_unhooked *u)
{
	for (size_t i = 0; i < u->n; i++)
		free(u->names[i]);
	free(u->names);
	for (size_t i = 0; i < u->nleft_out; i++)
		free(u->left_out[i]);
	free(u->left_out);
	*u = (struct hd_unhooked){ 0 };
}

/* ---- the file ---------------------------------------------------------------------------- */

static void close_module(struct module *m)
{
	if (m->dwarf)
		dwarf_end(m->dwarf);
	if (m->elf)
		elf_end(m->elf);
	if (m->fd >= 0)
		close(m->fd);
	free(m->sections);
	free(m->hooks.at);
	free(m->units);
	free(m->hooked_file);
	free(m->functions);
	*m = (struct module){ .fd = -1 };
}

static bool open_module(struct module *m, const char *path)
{
	GElf_Ehdr head;

	*m = (struct module){ .fd = open(path, O_RDONLY | O_CLOEXEC) };
	elf_version(EV_CURRENT);
	if (m->fd >= 0)
		m->elf = elf_begin(m->fd, ELF_C_READ_MMAP, NULL);
	if (m->elf && elf_kind(m->elf) == ELF_K_ELF && gelf_getehdr(m->elf, &head) &&
	    head.e_machine == EM_X86_64)
		return true;
	close_module(m);
	return false;
}

/* The next section of @type after @scn. */
static Elf_Scn *next_section(Elf *elf, Elf_Scn *scn, GElf_Word type, GElf_Shdr *sh)
{
	while ((scn = elf_nextscn(elf, scn))) {
		if (gelf_getshdr(scn, sh) && sh->sh_type == type)
			return scn;
	}
	return NULL;
}

static bool is_linkers(const char *name)
{
	return name && (!strncmp(name, ".got", 4) || !strncmp(name, ".data.rel.ro", 12));
}

static void find_sections(struct module *m)
{
	Elf_Scn *scn = NULL;
	size_t names = 0;
	GElf_Shdr sh;
	bool named = elf_getshdrstrndx(m->elf, &names) == 0;

	while ((scn = elf_nextscn(m->elf, scn))) {
		const Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_ALLOC) ||
		    (sh.sh_flags & SHF_TLS))
			continue;
		if (!HD_ROOM(m->sections, m->sections_cap, m->nsections + 1)) {
			m->no_memory = true;
			return;
		}
		data = sh.sh_type == SHT_PROGBITS ? elf_getdata(scn, NULL) : NULL;
		m->sections[m->nsections++] = (struct section){
			.lo = sh.sh_addr,
			.hi = sh.sh_addr + sh.sh_size,
			.bytes = data ? data->d_buf : NULL,
			.nbytes = data ? data->d_size : 0,
			.variables = (sh.sh_flags & SHF_WRITE) && named &&
				     !is_linkers(elf_strptr(m->elf, names, sh.sh_name)),
		};
	}
}

static const struct section *section_at(const struct module *m, uint64_t addr)
{
	for (size_t i = 0; i < m->nsections; i++) {
		const struct section *s = &m->sections[i];

		if (addr >= s->lo && addr < s->hi)
			return s;
	}
	return NULL;
}

/* The bytes of the file that are loaded from @addr on, in *@n; NULL: none are. */
static const unsigned char *code_at(const struct module *m, uint64_t addr, size_t *n)
{
	const struct section *s = section_at(m, addr);

	if (!s || !s->bytes || addr - s->lo >= s->nbytes)
		return NULL;
	*n = s->nbytes - (addr - s->lo);
	return s->bytes + (addr - s->lo);
}

/* ---- hooks -------------------------------------------------------------------------------- */

static bool is_hook(const char *name)
{
	return name && !strncmp(name, "__tsan_", 7);
}

static void find_slots(struct module *m)
{
	GElf_Shdr sh, names;
	Elf_Scn *scn = NULL;

	while ((scn = next_section(m->elf, scn, SHT_RELA, &sh))) {
		Elf_Scn *table = elf_getscn(m->elf, sh.sh_link);
		Elf_Data *data = elf_getdata(scn, NULL),
			 *symbols = table ? elf_getdata(table, NULL) : NULL;

		if (!data || !symbols || !gelf_getshdr(table, &names) ||
		    names.sh_type != SHT_DYNSYM)
			continue;
		for (int i = 0; (size_t)i < sh.sh_size / sizeof(Elf64_Rela); i++) {
			GElf_Rela rela;
			GElf_Sym sym;

			if (!gelf_getrela(data, i, &rela) ||
			    !gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &sym) ||
			    !is_hook(elf_strptr(m->elf, names.sh_link, sym.st_name)))
				continue;
			if (!HD_ROOM(m->hooks.at, m->hooks.cap, m->hooks.n + 1)) {
				m->no_memory = true;
				return;
			}
			m->hooks.at[m->hooks.n++] = rela.r_offset;
		}
	}
}

static bool is_slot(const struct module *m, uint64_t addr)
{
	for (size_t i = 0; i < m->hooks.n; i++) {
		if (m->hooks.at[i] == addr)
			return true;
	}
	return false;
}

/* Is there a jump by way of a hook's slot? Linkers make such stubs. */
static bool is_stub(const struct module *m, uint64_t addr)
{
	size_t n;
	const unsigned char *p = code_at(m, addr, &n);
	int32_t by;

	if (!p)
		return false;
	if (n >= 4 && !memcmp(p, "\xf3\x0f\x1e\xfa", 4)) {
		p += 4;
		n -= 4;
		addr += 4;
	}
	if (n >= 1 && p[0] == 0xf2) {
		p++;
		n--;
		addr++;
	}
	if (n < 6 || p[0] != 0xff || p[1] != 0x25)
		return false;
	memcpy(&by, p + 2, 4);
	return is_slot(m, addr + 6 + (uint64_t)(int64_t)by);
}

static int by_address(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

/* Is there a hook that was linked into the module itself? */
static bool is_own_hook(const struct module *m, uint64_t addr)
{
	const struct function key = { .lo = addr };
	const struct function *f =
		m->nfunctions ? bsearch(&key, m->functions, m->nfunctions, sizeof(key), by_address)
			      : NULL;

	return f && is_hook(f->name);
}

static bool is_variable(const struct module *m, uint64_t addr)
{
	const struct section *s = section_at(m, addr);

	return !s || s->variables;
}

static void walk(const struct module *m, struct function *f)
{
	size_t n, at = 0;
	const unsigned char *code = code_at(m, f->lo, &n);
	struct hd_x86 i;

	if (!code)
		return;
	if (n > f->hi - f->lo)
		n = f->hi - f->lo;
	while (at < n) {
		if (!hd_x86_next(code + at, n - at, f->lo + at, &i)) {
			f->busy = true; /* it does something that we do not know */
			return;
		}
		f->atomics |= i.atomic;
		switch (i.kind) {
		case HD_X86_CALL:
			f->hooks |= is_stub(m, i.target) || is_own_hook(m, i.target);
			f->busy = true;
			break;
		case HD_X86_CALL_BY:
			f->hooks |= is_slot(m, i.target);
			f->busy = true;
			break;
		case HD_X86_JUMP:
			f->hooks |= is_stub(m, i.target) || is_own_hook(m, i.target);
			f->busy |= i.target < f->lo || i.target >= f->hi;
			break;
		case HD_X86_ACCESS_AT:
			f->busy |= is_variable(m, i.target);
			break;
		case HD_X86_ACCESS:
		case HD_X86_CALL_REG:
			f->busy = true;
			break;
		case HD_X86_OTHER:
			break;
		}
		at += i.len;
	}
}

/* ---- functions ------------------------------------------------------------------------------ */

static bool is_code(const GElf_Sym *sym)
{
	return GELF_ST_TYPE(sym->st_info) == STT_FUNC && sym->st_size && sym->st_shndx != SHN_UNDEF;
}

static bool is_stripped(const struct module *m)
{
	GElf_Shdr sh;

	return !next_section(m->elf, NULL, SHT_SYMTAB, &sh);
}

static void find_functions(struct module *m)
{
	GElf_Shdr sh;
	Elf_Scn *scn = next_section(m->elf, NULL, SHT_SYMTAB, &sh);
	Elf_Data *data;
	GElf_Sym sym;
	size_t n = 0;

	find_sections(m);
	if (!scn) /* stripped: what others can call is still known */
		scn = next_section(m->elf, NULL, SHT_DYNSYM, &sh);
	data = scn ? elf_getdata(scn, NULL) : NULL;
	for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
		if (!is_code(&sym))
			continue;
		if (!HD_ROOM(m->functions, m->functions_cap, m->nfunctions + 1)) {
			m->no_memory = true;
			return;
		}
		m->functions[m->nfunctions++] =
			(struct function){ .lo = sym.st_value,
					   .hi = sym.st_value + sym.st_size,
					   .name = elf_strptr(m->elf, sh.sh_link, sym.st_name) };
	}
	if (m->nfunctions)
		qsort(m->functions, m->nfunctions, sizeof(*m->functions), by_address);
	for (size_t i = 0; i < m->nfunctions; i++) { /* one of several names is enough */
		if (!n || m->functions[n - 1].lo != m->functions[i].lo)
			m->functions[n++] = m->functions[i];
	}
	m->nfunctions = n;
	for (size_t i = 0; i < n; i++)
		walk(m, &m->functions[i]);
}

/* ---- how files were compiled -------------------------------------------------------------- */

static bool add_unit(struct module *m, Dwarf_Die *die)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0) {
		if (!HD_ROOM(m->units, m->units_cap, m->nunits + 1))
			return false;
		m->units[m->nunits++] = (struct unit){
			.lo = lo, .hi = hi, .file = m->nfiles, .name = dwarf_diename(die)
		};
	}
	m->nfiles++;
	return true;
}

static bool says_hooked(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *by = dwarf_attr(die, DW_AT_producer, &attr) ? dwarf_formstring(&attr) : NULL;

	return by && strstr(by, "-fsanitize=thread");
}

static void find_units(struct module *m)
{
	size_t head, room = 0, n = 0;
	Dwarf_Off at = 0, next;
	Dwarf_Die die;

	m->dwarf = dwarf_begin_elf(m->elf, DWARF_C_READ, NULL);
	while (m->dwarf && dwarf_nextcu(m->dwarf, at, &next, &head, NULL, NULL, NULL) == 0) {
		if (dwarf_offdie(m->dwarf, at + head, &die)) {
			if (!HD_ROOM(m->hooked_file, room, n + 1) || !add_unit(m, &die)) {
				m->no_memory = true;
				return;
			}
			m->hooked_file[n++] = says_hooked(&die);
		}
		at = next;
	}
}

static const struct unit *unit_of(const struct module *m, uint64_t addr)
{
	for (size_t i = 0; i < m->nunits; i++) {
		if (addr >= m->units[i].lo && addr < m->units[i].hi)
			return &m->units[i];
	}
	return NULL;
}

/* Of the start-up files, which every program has. */
static bool is_start_up(const char *name)
{
	static const char *const names[] = { "deregister_tm_clones", "register_tm_clones",
					     "frame_dummy",	     "atexit",
					     "at_quick_exit",	     NULL };

	for (int i = 0; names[i]; i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return name[0] == '_';
}

static bool is_unhooked(const struct module *m, const struct function *f, const struct unit *unit)
{
	if (is_hook(f->name))
		return false;
	if (unit ? m->hooked_file[unit->file] : is_start_up(f->name) || f->hooks)
		return f->atomics; /* which are in its assembler: hooks are calls */
	return !f->hooks && f->busy && !strstr(f->name, ".cold");
}

static bool add_functions(struct module *m, struct hd_unhooked *u)
{
	for (size_t i = 0; i < m->nfunctions; i++) {
		const struct unit *unit = unit_of(m, m->functions[i].lo);

		if (unit && m->functions[i].hooks)
			m->hooked_file[unit->file] = true;
	}
	for (size_t i = 0; i < m->nfunctions; i++) {
		const struct function *f = &m->functions[i];
		const struct unit *unit = unit_of(m, f->lo);
		const char *file =
			unit && unit->name ? hd_base_name(unit->name) : "no debug information";

		if (f->name && is_unhooked(m, f, unit) && !add_function(u, f->name, file))
			return false;
	}
	return true;
}

/* ---- files that were left out ---------------------------------------------------------------- */

static bool add_left_out(struct hd_unhooked *u, const char *file)
{
	char *copy;
	bool ok;

	for (size_t i = 0; i < u->nleft_out; i++) {
		if (!strcmp(u->left_out[i], file))
			return true;
	}
	copy = strdup(file);
	if (!copy || !HD_ROOM(u->left_out, u->left_out_cap, u->nleft_out + 1)) {
		free(copy);
		return false;
	}
	u->left_out[u->nleft_out++] = copy;
	copy[strcspn(copy, "\1")] = 0;
	ok = add_name(u, "accesses that were left out", hd_base_name(copy));
	memcpy(copy, file, strlen(file) + 1);
	return ok;
}

/* What the plugin has written down: src/plugin/left_out.cc. */
static bool find_left_out(struct module *m, struct hd_unhooked *u)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t names;

	if (elf_getshdrstrndx(m->elf, &names) != 0)
		return true;
	while ((scn = next_section(m->elf, scn, SHT_PROGBITS, &sh))) {
		const char *name = elf_strptr(m->elf, names, sh.sh_name);
		Elf_Data *data =
			name && !strcmp(name, ".heddle.left_out") ? elf_getdata(scn, NULL) : NULL;
		const char *at = data ? data->d_buf : NULL, *end = at ? at + data->d_size : NULL;

		while (at && at < end && memchr(at, 0, (size_t)(end - at))) {
			if (*at && !add_left_out(u, at))
				return false;
			at += strlen(at) + 1;
		}
	}
	return true;
}

/* ---- who calls whom -------------------------------------------------------------------------- */

struct names {
	char **at;
	size_t n, cap;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Call @fn for the name of each function that @m needs (@defined false) or gives. */
static bool each_name(const struct module *m, bool defined, bool (*fn)(void *, const char *),
		      void *arg)
{
	GElf_Shdr sh;
	Elf_Scn *scn = next_section(m->elf, NULL, SHT_DYNSYM, &sh);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	GElf_Sym sym;

	for (int i = 1; data && gelf_getsym(data, i, &sym); i++) {
		int type = GELF_ST_TYPE(sym.st_info);

		if ((type == STT_FUNC || type == STT_NOTYPE || type == STT_GNU_IFUNC) &&
		    (sym.st_shndx != SHN_UNDEF) == defined &&
		    !fn(arg, elf_strptr(m->elf, sh.sh_link, sym.st_name)))
			return false;
	}
	return true;
}

static bool remember(void *arg, const char *name)
{
	struct names *n = arg;
	char *copy = name ? strdup(name) : NULL;

	if (!copy || !HD_ROOM(n->at, n->cap, n->n + 1)) {
		free(copy);
		return false;
	}
	n->at[n->n++] = copy;
	return true;
}

static bool is_unwanted(void *arg, const char *name)
{
	const struct names *n = arg;

	return !name || !n->n || !bsearch(&name, n->at, n->n, sizeof(*n->at), by_name);
}

/* Hooked modules are looked through, and what they call is kept; the others are left for later. */
static bool look_at(const char *path, bool program, struct names *called, struct hd_unhooked *u,
		    bool *hooked)
{
	struct module m;
	bool ok = true;

	*hooked = true; /* what cannot be read is not accused */
	if (!open_module(&m, path))
		return true;
	find_slots(&m);
	*hooked = m.hooks.n > 0;
	if (*hooked || program) {
		ok = each_name(&m, false, remember, called);
		if (*hooked) {
			find_functions(&m);
			find_units(&m);
			ok = ok && !m.no_memory && add_functions(&m, u) && find_left_out(&m, u);
		}
		/* The program itself has none at all; or who knows what is in it. */
		if (!*hooked || is_stripped(&m))
			ok = ok && add_name(u, hd_base_name(path), *hooked ? "stripped" : NULL);
	}
	close_module(&m);
	return ok;
}

static bool is_called(const char *path, struct names *called)
{
	struct module m;
	bool found;

	if (!open_module(&m, path))
		return false;
	found = !each_name(&m, true, is_unwanted, called);
	close_module(&m);
	return found;
}

enum hd_err hd_unhooked_find(const char *const *paths, size_t n, struct hd_unhooked *u)
{
	struct names called = { 0 };
	bool *hooked = calloc(n + 1, sizeof(*hooked));
	bool ok = hooked != NULL;

	*u = (struct hd_unhooked){ 0 };
	for (size_t i = 0; ok && i < n; i++) {
		hooked[i] = true;
		if (!is_of_system(paths[i]))
			ok = look_at(paths[i], i == 0, &called, u, &hooked[i]);
	}
	if (called.n)
		qsort(called.at, called.n, sizeof(*called.at), by_name);
	for (size_t i = 1; ok && i < n; i++) {
		if (!hooked[i] && is_called(paths[i], &called))
			ok = add_name(u, hd_base_name(paths[i]), NULL);
	}
	for (size_t i = 0; i < called.n; i++)
		free(called.at[i]);
	free(called.at);
	free(hooked);
	if (ok)
		return HD_OK;
	hd_unhooked_free(u);
	return HD_ERR_NOMEM;
}
