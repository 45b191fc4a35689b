#include "program_file.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/path.h"
#include "launch.h"
#include "own_files.h"

/* ---- the file ---------------------------------------------------------------------- */

struct image {
	const unsigned char *at;
	size_t len;
	const Elf64_Ehdr *head;
	const Elf64_Phdr *segments;
};

/* @len bytes at @offset, or NULL: the file may say anything. */
static const void *bytes(const struct image *f, uint64_t offset, uint64_t len)
{
	return offset <= f->len && len <= f->len - offset ? f->at + offset : NULL;
}

static bool open_image(struct image *f, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *p = MAP_FAILED;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0)
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (p == MAP_FAILED)
		return false;
	*f = (struct image){ .at = p, .len = (size_t)st.st_size };
	return true;
}

static bool read_head(struct image *f)
{
	f->head = bytes(f, 0, sizeof(*f->head));
	if (!f->head || f->head->e_ident[EI_CLASS] != ELFCLASS64 ||
	    f->head->e_machine != EM_X86_64 ||
	    (f->head->e_type != ET_EXEC && f->head->e_type != ET_DYN) ||
	    f->head->e_phentsize != sizeof(*f->segments))
		return false;
	f->segments = bytes(f, f->head->e_phoff, (uint64_t)f->head->e_phnum * sizeof(*f->segments));
	return f->segments != NULL;
}

static const Elf64_Phdr *segment(const struct image *f, uint32_t type, unsigned number)
{
	for (unsigned i = 0; i < f->head->e_phnum; i++) {
		if (f->segments[i].p_type == type && number-- == 0)
			return &f->segments[i];
	}
	return NULL;
}

/* Where in the file the byte is that is loaded at @addr. */
static uint64_t offset_of(const struct image *f, uint64_t addr)
{
	const Elf64_Phdr *load;

	for (unsigned i = 0; (load = segment(f, PT_LOAD, i)); i++) {
		if (addr - load->p_vaddr < load->p_filesz)
			return addr - load->p_vaddr + load->p_offset;
	}
	return UINT64_MAX;
}

static const Elf64_Dyn *dynamic(const struct image *f, size_t *n)
{
	const Elf64_Phdr *d = segment(f, PT_DYNAMIC, 0);

	*n = d ? d->p_filesz / sizeof(Elf64_Dyn) : 0;
	return d ? bytes(f, d->p_offset, d->p_filesz) : NULL;
}

/* The text number @number of those that the dynamic section has as @tag; NULL: there are not so many. */
static const char *dynamic_text(const struct image *f, int64_t tag, unsigned number)
{
	size_t n;
	const Elf64_Dyn *d = dynamic(f, &n);
	uint64_t strings = UINT64_MAX, at;

	for (size_t i = 0; d && i < n && d[i].d_tag != DT_NULL; i++) {
		if (d[i].d_tag == DT_STRTAB)
			strings = offset_of(f, d[i].d_un.d_ptr);
	}
	for (size_t i = 0; d && strings < f->len && i < n && d[i].d_tag != DT_NULL; i++) {
		if (d[i].d_tag != tag || d[i].d_un.d_val > f->len || number--)
			continue;
		at = strings + d[i].d_un.d_val;
		return at < f->len && memchr(f->at + at, 0, f->len - at) ? (const char *)f->at + at
									 : NULL;
	}
	return NULL;
}

static bool needs(const struct image *f, const char *library)
{
	const char *name;

	for (unsigned i = 0; (name = dynamic_text(f, DT_NEEDED, i)); i++) {
		if (!strcmp(name, library))
			return true;
	}
	return false;
}

/* The text of the note that `heddle cc` links (runtime/built_note.c). */
static void find_note(const struct image *f, char built[HD_BUILT_MAX])
{
	static const char owner[] = "Heddle";
	const Elf64_Phdr *s;

	for (unsigned i = 0; (s = segment(f, PT_NOTE, i)); i++) {
		uint64_t at = s->p_offset, end = s->p_offset + s->p_filesz;
		const Elf64_Nhdr *n;

		while (at < end && (n = bytes(f, at, sizeof(*n)))) {
			uint64_t name = at + sizeof(*n),
				 text = name + ((n->n_namesz + 3ull) & ~3ull);
			const char *t = bytes(f, text, n->n_descsz);
			const char *o = bytes(f, name, sizeof(owner));

			if (n->n_namesz == sizeof(owner) && o && !memcmp(o, owner, sizeof(owner)) &&
			    t) {
				snprintf(built, HD_BUILT_MAX, "%.*s", (int)(n->n_descsz & 0xff), t);
				return;
			}
			at = text + ((n->n_descsz + 3ull) & ~3ull);
		}
	}
}

static enum hd_program_kind kind_of(struct image *f, char built[HD_BUILT_MAX])
{
	const char *magic = bytes(f, 0, SELFMAG);

	if (!magic || memcmp(magic, ELFMAG, SELFMAG) != 0)
		return HD_PROGRAM_SCRIPT;
	if (!read_head(f))
		return HD_PROGRAM_FOREIGN;
	if (!segment(f, PT_INTERP, 0))
		return HD_PROGRAM_STATIC;
	find_note(f, built);
	if (needs(f, "libheddle-parallel.so"))
		return HD_PROGRAM_NATIVE;
	if (!needs(f, "libheddle.so"))
		return HD_PROGRAM_PLAIN;
	/* Who links with pkg-config's flags has no note, and is taken at their word. */
	return built[0] && strcmp(built, HD_BUILT) != 0 ? HD_PROGRAM_VERSION : HD_PROGRAM_BUILT;
}

enum hd_program_kind hd_program_kind(const char *path, char built[HD_BUILT_MAX])
{
	struct image f;
	enum hd_program_kind kind;

	built[0] = 0;
	if (!open_image(&f, path))
		return HD_PROGRAM_UNKNOWN;
	kind = kind_of(&f, built);
	munmap((void *)f.at, f.len);
	return kind;
}

/* ---- which runtime does it load? ------------------------------------------------------ */

/* The first one in folders that colons separate. False: there is none, as far as can be told. */
static bool find_runtime(const char *folders, char path[PATH_MAX])
{
	while (folders && *folders) {
		int len = (int)strcspn(folders, ":");

		snprintf(path, PATH_MAX, "%.*s/libheddle.so", len, folders);
		if (len && access(path, R_OK) == 0)
			return true;
		folders += len + (folders[len] == ':');
	}
	return false;
}

static bool same_file(const char *a, const char *b)
{
	struct image f, g;
	struct stat s, t;
	bool same;

	if (stat(a, &s) == 0 && stat(b, &t) == 0 && s.st_dev == t.st_dev && s.st_ino == t.st_ino)
		return true;
	if (!open_image(&f, a))
		return false;
	same = open_image(&g, b);
	if (same) {
		same = f.len == g.len && !memcmp(f.at, g.at, f.len);
		munmap((void *)g.at, g.len);
	}
	munmap((void *)f.at, f.len);
	return same;
}

/*
 * Versions are equal all the time while heddle is developed. Another build's runtime may share something else
 * with the command, and what was not done would be taken for done.
 */
static bool loads_other_runtime(const char *program, char path[PATH_MAX])
{
	const char *lib = hd_path_libdir(), *run_path;
	char own[PATH_MAX];
	struct image f;
	bool found = false;

	if (!lib || !open_image(&f, program))
		return false;
	if (read_head(&f)) {
		run_path = dynamic_text(&f, DT_RUNPATH, 0);
		found = run_path && find_runtime(getenv("LD_LIBRARY_PATH"), path);
		found = found ||
			find_runtime(run_path ? run_path : dynamic_text(&f, DT_RPATH, 0), path);
	}
	munmap((void *)f.at, f.len);
	snprintf(own, sizeof(own), "%s/libheddle.so", lib);
	return found && !same_file(path, own);
}

/* ---- is it fit? ---------------------------------------------------------------------- */

/* Programs that start others; what they start is seen when it has run. */
static bool starts_others(const char *path)
{
	static const char *const names[] = { "sh",	"bash",	    "dash",    "zsh",	   "ksh",
					     "busybox", "env",	    "timeout", "nice",	   "ionice",
					     "nohup",	"setsid",   "stdbuf",  "xargs",	   "find",
					     "time",	"make",	    "gmake",   "ninja",	   "ctest",
					     "cmake",	"meson",    "perl",    "ruby",	   "tclsh",
					     "expect",	"lua",	    "node",    "php",	   "guile",
					     "prove",	"strace",   "ltrace",  "taskset",  "chrt",
					     "numactl", "unshare",  "setarch", "setpriv",  "sudo",
					     "su",	"runuser",  "script",  "fakeroot", "chroot",
					     "flock",	"parallel", "gdb",     "lldb",	   NULL };
	char *real = realpath(path, NULL);
	const char *name = hd_base_name(real ? real : path), *as = hd_base_name(path);
	bool found = !strncmp(name, "python", 6) || !strncmp(name, "perl", 4) ||
		     !strncmp(name, "lua", 3) || !strncmp(name, "tclsh", 5);

	for (int i = 0; !found && names[i]; i++)
		found = !strcmp(name, names[i]) || !strcmp(as, names[i]);
	free(real);
	return found;
}

/* One with the rights of somebody else is started with a clean slate, which heddle is no part of. */
static bool has_other_rights(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return false;
	return ((st.st_mode & S_ISUID) && st.st_uid != geteuid()) ||
	       ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) && st.st_gid != getegid());
}

static bool is_preloaded(void)
{
	const char *list = getenv("LD_PRELOAD");

	return list && strstr(list, "libheddle");
}

static enum hd_err refuse_plain(const char *name)
{
	return hd_error(
		HD_ERR_REQUEST,
		"'%s' was not built with `heddle cc`; build it with `heddle cc -g "
		"SOURCES -o %s` or `make CC=\"heddle cc\"` (if it only starts such a program: "
		"run `env %s`)",
		name, hd_base_name(name), name);
}

static enum hd_err judge(const char *name, const char *path)
{
	char built[HD_BUILT_MAX], runtime[PATH_MAX];
	enum hd_program_kind kind = hd_program_kind(path, built);

	if (kind == HD_PROGRAM_SCRIPT || kind == HD_PROGRAM_UNKNOWN)
		return HD_OK;
	if (kind != HD_PROGRAM_BUILT && (starts_others(path) || is_preloaded()))
		return HD_OK;
	if (kind == HD_PROGRAM_FOREIGN)
		return hd_error(HD_ERR_REQUEST, "'%s' is not a program for this machine (x86-64)",
				name);
	if (has_other_rights(path))
		return hd_error(
			HD_ERR_REQUEST,
			"'%s' runs with the rights of another user (set-user-ID or "
			"set-group-ID) and cannot be controlled: use a copy of it without that bit",
			name);
	switch (kind) {
	case HD_PROGRAM_STATIC:
		return hd_error(HD_ERR_REQUEST,
				"'%s' is statically linked, so heddle's runtime, a shared "
				"library, cannot be in it: link it with `heddle cc`",
				name);
	case HD_PROGRAM_VERSION:
		return hd_error(HD_ERR_REQUEST,
				"'%s' was built by another version of `heddle cc` (%s; this "
				"is %s): build it again, with `%s cc`",
				name, built, HD_BUILT, hd_path_self());
	case HD_PROGRAM_NATIVE:
		return hd_error(
			HD_ERR_REQUEST,
			"'%s' was not built with `heddle cc` but with `heddle cc "
			"--native`, which leaves out heddle's hooks: build it without --native",
			name);
	case HD_PROGRAM_PLAIN:
		return refuse_plain(name);
	default:
		if (is_preloaded() || !loads_other_runtime(path, runtime))
			return HD_OK;
		return hd_error(HD_ERR_REQUEST,
				"'%s' would load the runtime of another build of heddle (%s, not "
				"%s/libheddle.so): link it again, with `%s cc`",
				name, runtime, hd_path_libdir(), hd_path_self());
	}
}

enum hd_err hd_find_built_program(const char *name)
{
	char *path = hd_program_path(name);
	enum hd_err rc = path ? judge(name, path) : hd_find_program(name);

	free(path);
	return rc;
}
