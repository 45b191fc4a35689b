/*
 * One loaded file and what is known of it. Private to src/symbols.
 *
 * Three address spaces meet here. A *run address* is what the trace holds; a
 * *file address* is what the file's own headers and symbols use; a *DWARF
 * address* is what the debug information uses, which differs from the file's
 * only for prelinked files with separate debug information. Everything stored is
 * in file addresses, except that a lookup inside DWARF adds dwarf_shift.
 *
 * All of it is built at the first question about the module, and nothing is
 * built that no question needed.
 */
#ifndef HD_SYM_MODULE_H
#define HD_SYM_MODULE_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include "sym_pool.h"
#include "symbols.h"

/* Bounds for what only damaged debug information exceeds. */
#define HD_SYM_MAX_DEPTH   128 /* nesting of scopes */
#define HD_SYM_MAX_CHAIN   32  /* typedefs of typedefs, origins of origins */
#define HD_SYM_MAX_INLINED 64  /* frames at one address */

/* Of @n items with .lo and .hi, sorted by .lo: the last that begins at @addr or before, if it holds it. */
#define HD_SYM_AT(items, n, addr)                                                                  \
	({                                                                                         \
		size_t low_ = 0, high_ = (n);                                                      \
                                                                                                   \
		while (low_ < high_) {                                                             \
			size_t mid_ = low_ + (high_ - low_) / 2;                                   \
                                                                                                   \
			if ((items)[mid_].lo <= (addr))                                            \
				low_ = mid_ + 1;                                                   \
			else                                                                       \
				high_ = mid_;                                                      \
		}                                                                                  \
		low_ && (addr) < (items)[low_ - 1].hi ? &(items)[low_ - 1] : NULL;                 \
	})

struct hd_elf_symbol {
	uint64_t lo, hi;
	const char *name;
	unsigned char rank; /* lower is preferred among symbols at one address */
};

struct hd_elf_table {
	struct hd_elf_symbol *at; /* sorted by lo, one per lo */
	size_t n, cap;
};

struct hd_sym_range {
	uint64_t lo, hi;
	size_t unit; /* index in module->units */
};

struct hd_sym_function {
	uint64_t lo, hi; /* DWARF addresses; a split function is listed once a part */
	Dwarf_Die die;
};

/* The scope in which a name is declared, where it is not the file's. */
struct hd_sym_scope {
	const void *die; /* Dwarf_Die.addr of the declaration */
	const char *prefix;
};

struct hd_sym_variable {
	uint64_t lo, hi; /* DWARF addresses in a unit, file addresses in a module */
	uint64_t skip;	 /* bytes of the variable before lo: not 0 if it is in pieces */
	Dwarf_Die die;
	Dwarf_Die function; /* .addr is NULL unless the variable is a function's static */
	const char *name;
};

struct hd_sym_unit {
	Dwarf_Die lines; /* the unit that has the line table: the skeleton if split */
	Dwarf_Die root;	 /* the unit that has functions and variables */
	bool indexed;
	struct hd_sym_function *functions; /* sorted by lo */
	struct hd_sym_scope *scopes;	   /* sorted by die */
	struct hd_sym_variable *variables;
	size_t n_functions, cap_functions, n_scopes, cap_scopes, n_variables, cap_variables;
};

struct hd_sym_module {
	struct hd_symbols *owner;
	struct hd_sym_pool *pool;
	const char *path;
	const char *build_id; /* NULL: not known, so not checked */
	uint64_t base, len;

	bool opened; /* opening was tried */
	Dwfl *dwfl;  /* NULL: not usable */
	Dwfl_Module *dwfl_module;
	Dwarf *dwarf;	      /* NULL: no debug information */
	uint64_t low;	      /* file address that is mapped at base */
	uint64_t elf_bias;    /* libdwfl's address - file address */
	uint64_t dwarf_shift; /* DWARF address - file address */

	bool symbols_read;
	struct hd_elf_table functions, objects, thread_locals;

	struct hd_sym_unit *units;
	struct hd_sym_range *ranges; /* sorted by lo */
	size_t n_units, cap_units, n_ranges, cap_ranges;

	bool variables_indexed;
	struct hd_sym_variable *variables; /* sorted by lo, one per lo */
	size_t n_variables, cap_variables;
};

struct hd_symbols {
	struct hd_sym_pool pool;
	struct hd_sym_module *modules;
	size_t n_modules, cap_modules;
	const char **notes;
	size_t n_notes, cap_notes;
	struct hd_sym_cache code, data;
	struct hd_sym_cache
		blocks; /* of functions: what types are behind their pointers (sym_block.c) */
};

void hd_symbols_add_note(struct hd_symbols *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* symbols.c: the module that holds a run address; NULL: none. */
struct hd_sym_module *hd_sym_module_at(struct hd_symbols *s, uint64_t addr);

/* sym_module.c: true if the file can be used; opens it the first time. */
bool hd_sym_module_open(struct hd_sym_module *m);
void hd_sym_module_close(struct hd_sym_module *m);

/* sym_elf.c: the symbol that covers a file address; NULL: none. */
const struct hd_elf_symbol *hd_elf_function_at(struct hd_sym_module *m, uint64_t addr);
const struct hd_elf_symbol *hd_elf_object_at(struct hd_sym_module *m, uint64_t addr);
/* The same for an offset in what each thread has of it, which has so many bytes before the thread pointer (0: none). */
const struct hd_elf_symbol *hd_elf_thread_local_at(struct hd_sym_module *m, uint64_t offset);
uint64_t hd_elf_thread_local_size(struct hd_sym_module *m);
/* @name as a person writes it: no version, C++ names demangled if that is possible. */
const char *hd_elf_plain_name(struct hd_sym_pool *pool, const char *name);

/* sym_unit.c */
void hd_sym_units_find(struct hd_sym_module *m); /* when the module is opened */
void hd_sym_unit_index(struct hd_sym_module *m, struct hd_sym_unit *u);
struct hd_sym_unit *hd_sym_unit_at(struct hd_sym_module *m, uint64_t addr);
void hd_sym_units_free(struct hd_sym_module *m);
/* "space::Class::method" of a function or variable; NULL: it has no name. */
const char *hd_sym_qualified(struct hd_sym_module *m, Dwarf_Die *die);
/* @path relative to where @unit was compiled, if that is how it was given. */
const char *hd_sym_source_path(Dwarf_Die *unit, const char *path);
/*
 * The file that @attribute (DW_AT_decl_file or DW_AT_call_file) names, and its whole @path (may
 * be NULL: not asked for). NULL: unknown.
 */
const char *hd_sym_source_file(Dwarf_Die *die, unsigned attribute, const char **path);

/* sym_code.c: @addr lies in the call, @m is open. Returns the number of frames, at least 1. */
/* The first other line after that of @addr; 0: unknown. */
uint32_t hd_sym_line_after(struct hd_sym_module *m, uint64_t addr);
size_t hd_sym_frames(struct hd_sym_module *m, uint64_t addr, struct hd_frame *frames, size_t max);

/* The function at a DWARF address of an indexed unit; NULL: none. */
const struct hd_sym_function *hd_sym_function_at(const struct hd_sym_unit *u, Dwarf_Addr addr);
/* A block without addresses of its own may still hold inlined calls that have some. */
bool hd_sym_may_hold(Dwarf_Die *block, Dwarf_Addr addr);

/* sym_local.c: of what is shared with the outlined function at run address @function. */
bool hd_sym_shared_name(struct hd_sym_module *m, uint64_t function, uint64_t offset, uint64_t size,
			char *buf, size_t len);

/* sym_local.c: the name of the local variable at run address @addr; the call is in @m, which is open. */
bool hd_sym_local_name(struct hd_sym_module *m, const struct hd_local_frame *f, uint64_t addr,
		       uint64_t size, char *buf, size_t len);

/* sym_data.c: the variable that covers a file address; NULL: none is known. */
const struct hd_sym_variable *hd_sym_variable_at(struct hd_sym_module *m, uint64_t addr);

/* sym_type.c: size of @type in bytes, 0 if unknown or incomplete. */
uint64_t hd_sym_type_size(Dwarf_Die *type);
bool hd_sym_type_of(Dwarf_Die *die, Dwarf_Die *type);
/* The @i-th name of the type of the variable @die: hd_symbols_data_type(). */
const char *hd_sym_type_name(const Dwarf_Die *die, size_t i);
/* Append to @buf the path, from a @type at offset 0, of an access of @size at @offset. */
void hd_sym_member_path(Dwarf_Die *type, uint64_t offset, uint64_t size, char *buf, size_t len);
/* The other way round: where in a @type "[3].key" (or "key") is. */
bool hd_sym_follow_path(Dwarf_Die *type, const char *path, uint64_t *offset, uint64_t *size);
/* Of what kind values of the part @path ("": all) of @type are, or of its elements, and how large one is. */
enum hd_value_kind hd_sym_value_kind(Dwarf_Die *type, const char *path, uint64_t *each);
/* Is the variable @die a @name, or an array of them? */
bool hd_sym_is_of_type(Dwarf_Die *die, const char *name, uint64_t *elements, uint64_t *stride);

#endif
