/*
 * The ELF symbol table: what remains when there is no debug information, and
 * what bounds a variable whose type does not say how long it is.
 */
#include "sym_module.h"

#include <dlfcn.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"

/* Names people wrote come first: global, then weak, then local. */
static unsigned char rank_of(const GElf_Sym *sym)
{
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_GLOBAL:
		return 0;
	case STB_WEAK:
		return 1;
	default:
		return 2;
	}
}

static uint64_t section_end(Elf *elf, GElf_Word index)
{
	Elf_Scn *scn = elf_getscn(elf, index);
	GElf_Shdr sh;

	return scn && gelf_getshdr(scn, &sh) ? sh.sh_addr + sh.sh_size : 0;
}

static void add_symbol(struct hd_elf_table *t, uint64_t lo, uint64_t hi, const char *name,
		       unsigned char rank)
{
	if (hi <= lo || !name || !*name)
		return;
	if (HD_ROOM(t->at, t->cap, t->n + 1))
		t->at[t->n++] = (struct hd_elf_symbol){ lo, hi, name, rank };
}

static void add_entry(struct hd_sym_module *m, int index)
{
	GElf_Sym sym;
	GElf_Addr addr;
	GElf_Word shndx;
	Elf *elf;
	Dwarf_Addr bias;
	const char *name;
	uint64_t lo;

	name = dwfl_module_getsym_info(m->dwfl_module, index, &sym, &addr, &shndx, &elf, &bias);
	if (!name || sym.st_shndx == SHN_UNDEF || sym.st_shndx == SHN_ABS)
		return;
	lo = addr - m->elf_bias;
	switch (GELF_ST_TYPE(sym.st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		/* Assembly often gives no size: to the next symbol then, see trim(). */
		add_symbol(&m->functions, lo,
			   sym.st_size ? lo + sym.st_size
				       : section_end(elf, shndx) + bias - m->elf_bias,
			   name, rank_of(&sym) + (sym.st_size ? 0 : 4));
		break;
	case STT_OBJECT:
	case STT_COMMON:
		add_symbol(&m->objects, lo, lo + sym.st_size, name, rank_of(&sym));
		break;
	case STT_TLS: /* an offset, no address */
		add_symbol(&m->thread_locals, sym.st_value, sym.st_value + sym.st_size, name,
			   rank_of(&sym));
		break;
	}
}

static int by_address(const void *a, const void *b)
{
	const struct hd_elf_symbol *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strcmp(x->name, y->name); /* aliases: the same answer every time */
}

/* Sort, keep the preferred name of each address, end each symbol where the next begins. */
static void trim(struct hd_elf_table *t)
{
	size_t n = 0;

	if (t->n)
		qsort(t->at, t->n, sizeof(*t->at), by_address);
	for (size_t i = 0; i < t->n; i++)
		if (!n || t->at[n - 1].lo != t->at[i].lo)
			t->at[n++] = t->at[i];
	t->n = n;
	for (size_t i = 0; i + 1 < n; i++)
		if (t->at[i].hi > t->at[i + 1].lo)
			t->at[i].hi = t->at[i + 1].lo;
}

static void read_symbols(struct hd_sym_module *m)
{
	int n;

	if (m->symbols_read)
		return;
	m->symbols_read = true;
	n = dwfl_module_getsymtab(m->dwfl_module);
	for (int i = 0; i < n; i++)
		add_entry(m, i);
	trim(&m->functions);
	trim(&m->objects);
	trim(&m->thread_locals);
}

static const struct hd_elf_symbol *lookup(const struct hd_elf_table *t, uint64_t addr)
{
	return HD_SYM_AT(t->at, t->n, addr);
}

const struct hd_elf_symbol *hd_elf_function_at(struct hd_sym_module *m, uint64_t addr)
{
	read_symbols(m);
	return lookup(&m->functions, addr);
}

const struct hd_elf_symbol *hd_elf_object_at(struct hd_sym_module *m, uint64_t addr)
{
	read_symbols(m);
	return lookup(&m->objects, addr);
}

const struct hd_elf_symbol *hd_elf_thread_local_at(struct hd_sym_module *m, uint64_t offset)
{
	read_symbols(m);
	return lookup(&m->thread_locals, offset);
}

uint64_t hd_elf_thread_local_size(struct hd_sym_module *m)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(m->dwfl_module, &bias);
	size_t n;
	GElf_Phdr ph;

	if (!elf || elf_getphdrnum(elf, &n))
		return 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t align, skew;

		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_TLS)
			continue;
		/* As the loader lays it out: the program's variables end at the thread pointer. */
		align = ph.p_align ? ph.p_align : 1;
		skew = -ph.p_vaddr & (align - 1);
		return ((ph.p_memsz - skew + align - 1) & -align) + skew;
	}
	return 0;
}

typedef char *demangle_fn(const char *name, char *buf, size_t *len, int *status);

/* C++'s own runtime knows the names best; without it they stay as they are. */
static demangle_fn *find_demangler(void)
{
	static demangle_fn *found;
	static bool tried;
	void *lib;

	if (!tried) {
		tried = true;
		lib = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
		if (lib)
			found = (demangle_fn *)dlsym(lib, "__cxa_demangle");
	}
	return found;
}

const char *hd_elf_plain_name(struct hd_sym_pool *pool, const char *name)
{
	const char *plain = hd_sym_string_n(pool, name, strcspn(name, "@"));
	demangle_fn *demangle;
	char *text;
	int status;

	if (!plain || strncmp(plain, "_Z", 2) || !(demangle = find_demangler()))
		return plain;
	text = demangle(plain, NULL, NULL, &status);
	if (text && !status)
		plain = hd_sym_string(pool, text);
	free(text);
	return plain;
}

bool hd_symbols_build_id(const char *path, char out[HD_BUILD_ID_MAX])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const void *bits;
	ssize_t n = -1;
	Elf *elf;

	if (fd < 0)
		return false;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf) {
		n = dwelf_elf_gnu_build_id(elf, &bits);
		if (n > (HD_BUILD_ID_MAX - 1) / 2)
			n = -1;
		for (ssize_t i = 0; i < n; i++)
			snprintf(out + 2 * i, 3, "%02x", ((const unsigned char *)bits)[i]);
		elf_end(elf);
	}
	close(fd);
	return n > 0;
}
