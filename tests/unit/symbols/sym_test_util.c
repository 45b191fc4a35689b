#include "sym_test_util.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

static Elf *open_elf(const char *path, int *fd)
{
	Elf *elf;

	elf_version(EV_CURRENT);
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	if (*fd < 0)
		fail_msg("cannot open %s", path);
	elf = elf_begin(*fd, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		fail_msg("%s is not an ELF file", path);
	return elf;
}

static void read_build_id(Elf *elf, struct sym_fixture *f, const GElf_Phdr *ph)
{
	Elf_Data *data = elf_getdata_rawchunk(elf, ph->p_offset, ph->p_filesz, ELF_T_NHDR);
	size_t pos = 0, name, desc;
	GElf_Nhdr note;

	while (data && (pos = gelf_getnote(data, pos, &note, &name, &desc)) > 0) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4)
			continue;
		for (size_t i = 0; i < note.n_descsz && i < 64; i++)
			snprintf(f->build_id + 2 * i, 3, "%02x",
				 ((unsigned char *)data->d_buf)[desc + i]);
	}
}

struct sym_fixture sym_fixture_read(const char *path)
{
	struct sym_fixture f = { .path = path, .low = UINT64_MAX };
	uint64_t high = 0;
	GElf_Ehdr eh;
	GElf_Phdr ph;
	int fd;
	Elf *elf = open_elf(path, &fd);

	assert_non_null(gelf_getehdr(elf, &eh));
	for (int i = 0; i < eh.e_phnum; i++) {
		assert_non_null(gelf_getphdr(elf, i, &ph));
		if (ph.p_type == PT_NOTE)
			read_build_id(elf, &f, &ph);
		if (ph.p_type != PT_LOAD)
			continue;
		if (ph.p_vaddr < f.low)
			f.low = ph.p_vaddr;
		if (ph.p_vaddr + ph.p_memsz > high)
			high = ph.p_vaddr + ph.p_memsz;
	}
	assert_true(f.low != UINT64_MAX);
	f.low &= ~0xfffull;
	f.len = ((high + 0xfff) & ~0xfffull) - f.low;
	f.base = eh.e_type == ET_EXEC ? f.low : MADE_UP_BASE;
	elf_end(elf);
	close(fd);
	return f;
}

static uint64_t search_table(Elf *elf, Elf_Scn *scn, const char *name, bool partly)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Shdr sh;
	GElf_Sym sym;

	gelf_getshdr(scn, &sh);
	for (int i = 0; gelf_getsym(data, i, &sym); i++) {
		const char *s = elf_strptr(elf, sh.sh_link, sym.st_name);

		if (s && sym.st_value && (partly ? strstr(s, name) != NULL : !strcmp(s, name)))
			return sym.st_value;
	}
	return 0;
}

uint64_t sym_address(const struct sym_fixture *f, const char *name, bool partly)
{
	uint64_t found = 0;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	int fd;
	Elf *elf = open_elf(f->path, &fd);

	while (!found && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB)
			found = search_table(elf, scn, name, partly);
	elf_end(elf);
	close(fd);
	if (!found)
		fail_msg("%s has no symbol %s", f->path, name);
	return f->base + (found - f->low);
}

uint32_t sym_line_of(const char *source, const char *text)
{
	FILE *in = fopen(source, "r");
	uint32_t line = 0, found = 0;
	char buf[512];

	if (!in)
		fail_msg("cannot open %s", source);
	while (fgets(buf, sizeof(buf), in)) {
		line++;
		if (strstr(buf, text)) {
			assert_int_equal(found, 0);
			found = line;
		}
	}
	fclose(in);
	assert_int_not_equal(found, 0);
	return found;
}

struct hd_symbols *sym_load(const struct sym_fixture *f)
{
	struct hd_symbols *s;

	assert_int_equal(hd_symbols_new(&s), HD_OK);
	hd_symbols_add_module(s, f->path, f->base, f->len, f->build_id);
	return s;
}
