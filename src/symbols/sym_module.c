#include "sym_module.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE_BYTES 4096u

/*
 * The places where distributions put debug files, but never the network: a
 * report must not wait for a server, nor tell one what is being debugged. The
 * variable is put back because programs started later inherit the environment.
 */
static int find_debug_file(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr base,
			   const char *file, const char *link, GElf_Word crc, char **found)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	char *saved = urls ? strdup(urls) : NULL;
	int fd;

	unsetenv("DEBUGINFOD_URLS");
	fd = dwfl_standard_find_debuginfo(mod, data, name, base, file, link, crc, found);
	if (saved)
		setenv("DEBUGINFOD_URLS", saved, 1);
	free(saved);
	return fd;
}

/* Only the file that was named is used; nothing else is searched for. */
static int find_no_elf(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr base,
		       char **file, Elf **elf)
{
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_no_elf,
	.find_debuginfo = find_debug_file,
	.section_address = dwfl_offline_section_address,
};

/* A vdso and its like have no file; that is not worth a note. */
static bool has_file(const char *path)
{
	return path[0] != '[' && strncmp(path, "linux-vdso", 10) && strncmp(path, "linux-gate", 10);
}

/* @why gets the reason when -1 is returned. */
static int open_regular(const char *path, const char **why)
{
	/* O_NONBLOCK: a fifo in the file's place must not hang the report. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0) {
		*why = strerror(errno);
		return -1;
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		*why = "not a regular file";
		close(fd);
		return -1;
	}
	return fd;
}

static bool report_file(struct hd_sym_module *m)
{
	const char *why = NULL;
	int fd = open_regular(m->path, &why);

	if (fd < 0) {
		if (has_file(m->path))
			hd_symbols_add_note(m->owner, "%s cannot be read (%s): no names from it",
					    m->path, why);
		return false;
	}
	m->dwfl = dwfl_begin(&callbacks);
	if (!m->dwfl) {
		close(fd);
		return false;
	}
	dwfl_report_begin(m->dwfl);
	m->dwfl_module = dwfl_report_elf(m->dwfl, m->path, m->path, fd, 0, true);
	if (!m->dwfl_module)
		close(fd); /* libdwfl keeps it only when it succeeds */
	dwfl_report_end(m->dwfl, NULL, NULL);
	if (!m->dwfl_module)
		hd_symbols_add_note(m->owner, "%s is not a usable ELF file: no names from it",
				    m->path);
	return m->dwfl_module;
}

static bool is_hex_of(const char *hex, const unsigned char *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	if (strlen(hex) != n * 2)
		return false;
	for (size_t i = 0; i < n * 2; i++) {
		unsigned nibble = i % 2 ? bytes[i / 2] & 15 : bytes[i / 2] >> 4;

		if (tolower((unsigned char)hex[i]) != digits[nibble])
			return false;
	}
	return true;
}

static bool same_build_id(struct hd_sym_module *m)
{
	const unsigned char *bits = NULL;
	GElf_Addr where;
	int n = dwfl_module_build_id(m->dwfl_module, &bits, &where);

	if (!m->build_id || (n > 0 && is_hex_of(m->build_id, bits, (size_t)n)))
		return true;
	hd_symbols_add_note(
		m->owner, "%s has changed since the run (its build id differs): not used", m->path);
	return false;
}

static bool find_lowest_page(struct hd_sym_module *m, Elf *elf)
{
	uint64_t low = UINT64_MAX;
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_LOAD && ph.p_vaddr < low)
			low = ph.p_vaddr;
	}
	m->low = low & ~(uint64_t)(PAGE_BYTES - 1);
	return low != UINT64_MAX;
}

static void open_dwarf(struct hd_sym_module *m)
{
	Dwarf_Addr bias = 0;

	m->dwarf = dwfl_module_getdwarf(m->dwfl_module, &bias);
	if (!m->dwarf) {
		hd_symbols_add_note(
			m->owner, "debug information of %s not found: no lines or members from it",
			m->path);
		return;
	}
	m->dwarf_shift = m->elf_bias - bias;
	hd_sym_units_find(m);
}

bool hd_sym_module_open(struct hd_sym_module *m)
{
	GElf_Addr bias = 0;
	Elf *elf;

	if (m->opened)
		return m->dwfl;
	m->opened = true;
	if (!report_file(m) || !same_build_id(m))
		goto unusable;
	elf = dwfl_module_getelf(m->dwfl_module, &bias);
	m->elf_bias = bias;
	if (!elf || !find_lowest_page(m, elf)) {
		hd_symbols_add_note(m->owner, "%s is not a program or library: no names from it",
				    m->path);
		goto unusable;
	}
	open_dwarf(m);
	return true;
unusable:
	if (m->dwfl)
		dwfl_end(m->dwfl);
	m->dwfl = NULL;
	return false;
}

void hd_sym_module_close(struct hd_sym_module *m)
{
	hd_sym_units_free(m);
	free(m->functions.at);
	free(m->objects.at);
	free(m->thread_locals.at);
	free(m->variables);
	if (m->dwfl)
		dwfl_end(m->dwfl);
}
