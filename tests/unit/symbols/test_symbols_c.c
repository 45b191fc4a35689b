/*
 * Names of a C program, whichever compiler, optimisation and DWARF version made
 * it: test_symbols_c FIXTURE SOURCE.
 */
#include <string.h>

#include "sym_layout.h"
#include "sym_test_util.h"

static const char *fixture_path, *source_path;

struct loaded {
	struct sym_fixture f;
	struct hd_symbols *s;
};

static int load(void **state)
{
	static struct loaded l;

	l.f = sym_fixture_read(fixture_path);
	l.s = sym_load(&l.f);
	*state = &l;
	return 0;
}

static int unload(void **state)
{
	hd_symbols_free(((struct loaded *)*state)->s);
	return 0;
}

static void expect_name(struct loaded *l, const char *symbol, uint64_t offset, uint64_t size,
			const char *name)
{
	char buf[128] = "";

	assert_true(hd_symbols_data(l->s, sym_address(&l->f, symbol, false) + offset, size, buf,
				    sizeof(buf)));
	assert_string_equal(buf, name);
}

static const char *base_name(const char *path)
{
	const char *slash;

	assert_non_null(path);
	slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static void expect_frame(const struct hd_frame *fr, const char *function, uint32_t line,
			 bool inlined)
{
	assert_non_null(fr->function);
	assert_string_equal(fr->function, function);
	assert_string_equal(base_name(fr->file), "sym_fixture.c");
	assert_int_equal(fr->line, line);
	assert_int_not_equal(fr->column, 0);
	assert_int_equal(fr->inlined, inlined);
	assert_string_equal(fr->module, fixture_path);
}

static void plain_function(void **state)
{
	struct loaded *l = *state;
	uint64_t pc = sym_address(&l->f, "mark_plain", false);
	struct hd_frame fr[4];

	assert_int_equal(hd_symbols_code(l->s, pc, fr, 4), 1);
	expect_frame(&fr[0], "plain", sym_line_of(source_path, "MARK(mark_plain)"), false);
	assert_int_equal(fr[0].offset, pc - l->f.base);
}

/* What an access at @mark, on @line, touches in a block; NULL: that must not be claimed. */
static void expect_part(struct loaded *l, const char *mark, const char *line, uint64_t block,
			uint64_t offset, uint64_t size, const char *part)
{
	uint64_t pc = sym_address(&l->f, mark, false);
	struct hd_block_use use = { block, offset, size, &pc, &line, 1 };
	char buf[128] = "";

	assert_int_equal(hd_symbols_block(l->s, &use, buf, sizeof(buf)), part != NULL);
	if (part)
		assert_string_equal(buf, part);
}

static void parts_of_heap_blocks(void **state)
{
	struct loaded *l = *state;
	uint64_t one = sizeof(struct account), slot = sizeof(struct slot);
	uint64_t balance = offsetof(struct account, balance);

	expect_part(l, "mark_heap", "a->balance++;", one, balance, 8, "account.balance");
	expect_part(l, "mark_heap", "a->route.to.y = 1;", one, offsetof(struct account, route.to.y),
		    4, "account.route.to.y");
	/* An array of them; and one in front of something else. */
	expect_part(l, "mark_heap", "s[i].corner[j].y", 3 * slot,
		    2 * slot + offsetof(struct slot, corner[1].y), 4, "slot[2].corner[1].y");
	expect_part(l, "mark_heap", "a->balance", one + 100, balance, 8, "account.balance");
	/* The line is about something else, or not known; so is a part of a longer word. */
	expect_part(l, "mark_heap", "total++;", one, balance, 8, NULL);
	expect_part(l, "mark_heap", "other->total = balance;", one, balance, 8, NULL);
	expect_part(l, "mark_heap", "old_balance++; balanced++;", one, balance, 8, NULL);
	expect_part(l, "mark_heap", NULL, one, balance, 8, NULL);
	/* Too small to be one; within a member; and what the code has no pointer to. */
	expect_part(l, "mark_heap", "a->balance", 8, 0, 8, NULL);
	expect_part(l, "mark_heap", "a->balance", one, balance + 1, 1, NULL);
	expect_part(l, "mark_plain", "c->length", sizeof(struct chain), 8, 4, NULL);
	/* Both fit, so neither is told. */
	expect_part(l, "mark_two", "rope->length++", sizeof(struct rope), 8, 4, NULL);
	expect_part(l, "mark_two", "rope->tied_to", sizeof(struct rope), 0, 8, "rope.tied_to");
}

static void inlined_functions_innermost_first(void **state)
{
	struct loaded *l = *state;
	uint64_t pc = sym_address(&l->f, "mark_innermost", false);
	struct hd_frame fr[4];

	for (int again = 0; again < 2; again++) { /* the second answer is a remembered one */
		memset(fr, 0xff, sizeof(fr));
		assert_int_equal(hd_symbols_code(l->s, pc, fr, 4), 3);
		expect_frame(&fr[0], "innermost", sym_line_of(source_path, "MARK(mark_innermost)"),
			     true);
		expect_frame(&fr[1], "middle", sym_line_of(source_path, "\tinnermost(twice)"),
			     true);
		expect_frame(&fr[2], "outer", sym_line_of(source_path, "\tmiddle(n + 1)"), false);
	}
}

static void fewer_frames_than_there_are(void **state)
{
	struct loaded *l = *state;
	struct hd_frame fr[2];

	memset(fr, 0, sizeof(fr));
	assert_int_equal(hd_symbols_code(l->s, sym_address(&l->f, "mark_innermost", false), fr, 1),
			 1);
	assert_string_equal(fr[0].function, "innermost");
	assert_null(fr[1].function);
}

/* A return address may be the first byte of the next function: the call is before it. */
static void the_end_of_a_function_is_in_it(void **state)
{
	struct loaded *l = *state;
	uint64_t start = sym_address(&l->f, "plain", false);
	struct hd_frame fr[4];

	assert_int_equal(hd_symbols_code(l->s, start + 1, fr, 4), 1);
	assert_string_equal(fr[0].function, "plain");
	assert_true(hd_symbols_code(l->s, start, fr, 4) >= 1);
	assert_true(!fr[0].function || strcmp(fr[0].function, "plain"));
}

static void scalars(void **state)
{
	struct loaded *l = *state;

	expect_name(l, "counter", 0, 4, "counter");
	expect_name(l, "counter", 0, 0, "counter");
	expect_name(l, "counter", 0, 1, "counter");
	expect_name(l, "counter", 2, 1, "counter+2");
	expect_name(l, "file_static", 0, 4, "file_static");
	expect_name(l, "bss_variable", 0, 4, "bss_variable");
	expect_name(l, "shared", 0, 4, "shared");
	expect_name(l, "view", 0, 8, "view"); /* pointers are not followed */
}

static void function_statics(void **state)
{
	struct loaded *l = *state;
	char buf[64];

	assert_true(hd_symbols_data(l->s, sym_address(&l->f, "calls", true), 4, buf, sizeof(buf)));
	assert_string_equal(buf, "plain::calls");
}

static void members(void **state)
{
	struct loaded *l = *state;

	expect_name(l, "account", 0, 0, "account");
	expect_name(l, "account", 0, sizeof(struct account), "account");
	expect_name(l, "account", 0, 4, "account.id");
	expect_name(l, "account", offsetof(struct account, balance), 8, "account.balance");
	expect_name(l, "account", offsetof(struct account, balance) + 4, 4, "account.balance+4");
	expect_name(l, "account", offsetof(struct account, route), 0, "account.route");
	expect_name(l, "account", offsetof(struct account, route),
		    sizeof(((struct account *)0)->route), "account.route");
	expect_name(l, "account", offsetof(struct account, route), 8, "account.route.from");
	expect_name(l, "account", offsetof(struct account, route), 4, "account.route.from.x");
	expect_name(l, "account", offsetof(struct account, route.to.y), 4, "account.route.to.y");
	expect_name(l, "moving", 4, 4, "moving.y");
	/* A struct with one member is as long as the member, which is what was touched. */
	expect_name(l, "single", 0, 4, "single.value");
}

static void unnamed_members(void **state)
{
	struct loaded *l = *state;

	expect_name(l, "account", offsetof(struct account, code), 4, "account.code");
	expect_name(l, "account", offsetof(struct account, tag) + 2, 1, "account.tag[2]");
}

static void arrays(void **state)
{
	struct loaded *l = *state;

	expect_name(l, "table", 0, 0, "table");
	expect_name(l, "table", 0, 32, "table");
	expect_name(l, "table", 0, 4, "table[0]");
	expect_name(l, "table", 12, 4, "table[3]");
	expect_name(l, "table", 16, 16, "table[4]"); /* a wide access is named by its start */
	expect_name(l, "table", 13, 1, "table[3]+1");
	expect_name(l, "grid", 20, 4, "grid[1][2]");
	expect_name(l, "grid", 12, 12, "grid[1]");
	expect_name(l, "grid", 12, 0, "grid[1]");
	expect_name(l, "grid", 0, 24, "grid");
	expect_name(l, "pool", 4 * sizeof(struct slot) + offsetof(struct slot, lock), 4,
		    "pool[4].lock");
	expect_name(l, "pool", 4 * sizeof(struct slot) + offsetof(struct slot, lock), 0,
		    "pool[4].lock");
	expect_name(l, "pool", 4 * sizeof(struct slot), sizeof(struct slot), "pool[4]");
	expect_name(l, "pool", 5 * sizeof(struct slot) + offsetof(struct slot, corner[1].y), 4,
		    "pool[5].corner[1].y");
}

static void flexible_array_member(void **state)
{
	struct loaded *l = *state;

	expect_name(l, "tail", 0, 4, "tail.n");
	expect_name(l, "tail", offsetof(struct tail, item) + 4, 4, "tail.item[1]");
}

static void unions(void **state)
{
	struct loaded *l = *state;

	expect_name(l, "number", 0, 4, "number.small");
	expect_name(l, "number", 0, 8, "number.real");
	expect_name(l, "number", 5, 1, "number.bytes[5]");
	expect_name(l, "number", 0, 0, "number");
}

static void bitfields(void **state)
{
	struct loaded *l = *state;

	expect_name(l, "flags", 0, 4, "flags.before");
	expect_name(l, "flags", 4, 1, "flags.ready|done|kind");
	expect_name(l, "flags", 4, 4, "flags.ready|done|kind");
	expect_name(l, "flags", 8, 4, "flags.after");
}

static void declaration(void **state)
{
	struct loaded *l = *state;
	const char *file = NULL;
	uint32_t line = 0;

	assert_true(
		hd_symbols_data_decl(l->s, sym_address(&l->f, "pool", false) + 8, &file, &line));
	assert_string_equal(base_name(file), "sym_fixture.c");
	assert_int_equal(line, sym_line_of(source_path, "struct slot pool[6]"));
	assert_false(hd_symbols_data_decl(l->s, l->f.base + l->f.len, &file, &line));
}

static void addresses_of_nothing(void **state)
{
	struct loaded *l = *state;
	struct hd_frame fr[2];
	char buf[64] = "untouched";

	assert_false(hd_symbols_data(l->s, 8, 4, buf, sizeof(buf)));
	assert_false(hd_symbols_data(l->s, l->f.base + l->f.len, 4, buf, sizeof(buf)));
	assert_false(hd_symbols_data(l->s, l->f.base, 4, buf, sizeof(buf)));
	assert_string_equal(buf, "untouched");
	assert_int_equal(hd_symbols_code(l->s, 0x1234, fr, 2), 1);
	assert_null(fr[0].function);
	assert_null(fr[0].module);
	assert_int_equal(fr[0].offset, 0x1234);
	assert_int_equal(hd_symbols_code(l->s, 0, fr, 2), 1);
	assert_int_equal(hd_symbols_code(l->s, 0, fr, 0), 0);
}

static void short_buffer_is_cut_off(void **state)
{
	struct loaded *l = *state;
	char buf[10];

	assert_true(hd_symbols_data(l->s, sym_address(&l->f, "account", false) + 8, 8, buf, 10));
	assert_string_equal(buf, "account.b");
}

static void good_file_has_no_notes(void **state)
{
	assert_null(hd_symbols_note(((struct loaded *)*state)->s, 0));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_function),
		cmocka_unit_test(parts_of_heap_blocks),
		cmocka_unit_test(inlined_functions_innermost_first),
		cmocka_unit_test(fewer_frames_than_there_are),
		cmocka_unit_test(the_end_of_a_function_is_in_it),
		cmocka_unit_test(scalars),
		cmocka_unit_test(function_statics),
		cmocka_unit_test(members),
		cmocka_unit_test(unnamed_members),
		cmocka_unit_test(arrays),
		cmocka_unit_test(flexible_array_member),
		cmocka_unit_test(unions),
		cmocka_unit_test(bitfields),
		cmocka_unit_test(declaration),
		cmocka_unit_test(addresses_of_nothing),
		cmocka_unit_test(short_buffer_is_cut_off),
		cmocka_unit_test(good_file_has_no_notes),
	};

	if (argc != 3)
		return 2;
	fixture_path = argv[1];
	source_path = argv[2];
	return cmocka_run_group_tests(tests, load, unload);
}
