/*
 * Addresses to names, by DWARF (elfutils' libdw).
 *
 * Works on the modules that a trace lists: path, load address, length and build id, so
 * it never needs the process. Missing files or debug information make answers
 * poorer, never wrong: a module whose build id differs is not used, and hd_symbols
 * says so in hd_symbols_note().
 */
#ifndef HD_SYMBOLS_H
#define HD_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

struct hd_symbols;

enum hd_err hd_symbols_new(struct hd_symbols **out);
void hd_symbols_free(struct hd_symbols *s);

/* @base: address at which the first byte of the file is (or would be) mapped. */
void hd_symbols_add_module(struct hd_symbols *s, const char *path, uint64_t base, uint64_t len,
			   const char *build_id /* hex or NULL */);

/* The build id of the file at @path in hex; false: it has none, or is no such file. */
#define HD_BUILD_ID_MAX 129
bool hd_symbols_build_id(const char *path, char out[HD_BUILD_ID_MAX]);

struct hd_frame {
	const char *function;  /* NULL: unknown */
	const char *file;      /* as the compiler was given it; NULL: unknown */
	uint32_t line, column; /* 0: unknown */
	bool inlined;	       /* this frame was inlined into the next */
	const char *module;    /* path; NULL: in no module */
	uint64_t offset;       /* in the module */
	const char *path;      /* where the compiler found @file; NULL: known by its name alone */
};

/*
 * The frames at @pc, innermost first: more than one where functions were inlined.
 * @pc is a return address (the runtime records those), so the line is that of the
 * call before it. At most @max are filled; returns the number. Strings live as
 * long as @s.
 */
size_t hd_symbols_code(struct hd_symbols *s, uint64_t pc, struct hd_frame *frames, size_t max);

/* The first other line in the code behind the call that returns to @pc; 0: unknown. */
uint32_t hd_symbols_line_after(struct hd_symbols *s, uint64_t pc);

/*
 * The variable at @addr: "account[2].balance", "counter", "queue.c:head" is not
 * used: file-scope statics are named by their plain name, with function-scope statics as
 * "function::name". Writes the name into @buf; false if @addr is in no known variable.
 * @size is the access's size: it selects a member (0: the outermost that starts there).
 */
bool hd_symbols_data(struct hd_symbols *s, uint64_t addr, uint64_t size, char *buf, size_t len);

/* The same for a thread-local variable of the program itself, at @offset from a thread's pointer. */
bool hd_symbols_thread_local(struct hd_symbols *s, int64_t offset, char *buf, size_t len);

/* A function that has been called and not yet returned. */
struct hd_local_frame {
	uint64_t pc; /* return address of a call that it made */
	uint64_t sp; /* its stack pointer then */
	uint64_t fp; /* its frame pointer; 0: not known */
};

/* The local variable of @frame at @addr, as "function::name.member"; false: none is known. */
bool hd_symbols_local(struct hd_symbols *s, const struct hd_local_frame *frame, uint64_t addr,
		      uint64_t size, char *buf, size_t len);

/*
 * The variable that a parallel region shares: @offset into what its outlined function, which begins at
 * @function, is called with; as "function::name.member".
 */
bool hd_symbols_shared(struct hd_symbols *s, uint64_t function, uint64_t offset, uint64_t size,
		       char *buf, size_t len);

/* An access of @size bytes at @offset in a heap block of @block bytes. */
struct hd_block_use {
	uint64_t block, offset, size;
	const uint64_t *pcs;	  /* code that uses the block: the access, its allocation, ... */
	const char *const *lines; /* the source line of each; NULL: not known */
	size_t n;
};

/* The part of the block that it touches, as "type.member"; false: not known, or not sure. */
bool hd_symbols_block(struct hd_symbols *s, const struct hd_block_use *use, char *buf, size_t len);

/* Where a variable is declared; false if unknown. */
bool hd_symbols_data_decl(struct hd_symbols *s, uint64_t addr, const char **file, uint32_t *line);

/*
 * The names of the type of the variable at @addr, of arrays that of their elements: typedefs from
 * the outside in, then the type itself, without `struct`. The @i-th, from 0; NULL: no more.
 */
const char *hd_symbols_data_type(struct hd_symbols *s, uint64_t addr, size_t i);

/* Does @is, called with one after the other, hold for a source file, a variable or the type of one, ours apart? */
bool hd_symbols_any(struct hd_symbols *s, bool (*is)(const void *arg, const char *name),
		    const void *arg);

/*
 * The other way round. A variable or a part of one by name ("counter", "bank.total",
 * "slots[3].key", "function::name"); of several with one name, the first module's first.
 */
bool hd_symbols_find(struct hd_symbols *s, const char *name, uint64_t *addr, uint64_t *len);

/* What a variable, or a part of one, is made of. */
enum hd_value_kind {
	HD_VALUE_OTHER, /* a struct, a union, or unknown */
	HD_VALUE_SIGNED,
	HD_VALUE_UNSIGNED,
	HD_VALUE_BOOL,
	HD_VALUE_FLOAT,
	HD_VALUE_POINTER,
};

/*
 * Of what kind the values are in what hd_symbols_find() finds as @name, and how large each: an array has several,
 * one after the other.
 */
enum hd_value_kind hd_symbols_value(struct hd_symbols *s, const char *name, uint64_t *each);

/* A member ("key", "pos.x") of the struct or typedef @type. */
bool hd_symbols_member(struct hd_symbols *s, const char *type, const char *member, uint64_t *offset,
		       uint64_t *len);

/* The @i-th variable, from 0, that is a @type; each element of an array of them is one. */
bool hd_symbols_instance(struct hd_symbols *s, const char *type, size_t i, uint64_t *addr);

/* The i-th thing worth telling the user ("debug information of /bin/x not found"); NULL: no more. */
const char *hd_symbols_note(const struct hd_symbols *s, size_t i);

#endif
