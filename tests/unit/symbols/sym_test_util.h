/*
 * What the tests of symbolisation share: a fixture is a compiled file, read here
 * with libelf alone so that addresses do not come from the code under test.
 */
#ifndef HD_TEST_SYM_TEST_UTIL_H
#define HD_TEST_SYM_TEST_UTIL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "symbols/symbols.h"

#define MADE_UP_BASE 0x7f1234560000ull

struct sym_fixture {
	const char *path;
	uint64_t base, len; /* where it is said to be mapped */
	uint64_t low;	    /* the file's own lowest page */
	char build_id[129]; /* hex, "" if there is none */
};

/* Fails the test if @path is not an ELF program or library. */
struct sym_fixture sym_fixture_read(const char *path);

/* Run address of the symbol @name, or of the one that contains @name if @partly. */
uint64_t sym_address(const struct sym_fixture *f, const char *name, bool partly);

/* The one line of the source file that has @text in it, counted from 1. */
uint32_t sym_line_of(const char *source, const char *text);

struct hd_symbols *sym_load(const struct sym_fixture *f);

#endif
