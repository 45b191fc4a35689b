/* The file of groups: what is read, what is refused, and what names become. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/groups.h"

static enum hd_err parse(struct hd_groups *g, const char *text, struct hd_errbuf *eb)
{
	return hd_groups_parse(g, text, strlen(text), "file", eb);
}

static const char example[] = "# what belongs together\n"
			      "\n"
			      "group account: balance, count\n"
			      "  group entry : struct entry.key,struct entry.value.low  # both\r\n"
			      "group cell: alloc src/bank.c:12 +0..8, +8..16";

static void test_reads(void **state)
{
	struct hd_errbuf eb;
	struct hd_groups g;

	(void)state;
	assert_int_equal(parse(&g, example, &eb), HD_OK);
	assert_int_equal(g.ngroups, 3);
	assert_string_equal(g.groups[0].name, "account");
	assert_int_equal(g.groups[0].kind, HD_GROUP_VARIABLES);
	assert_null(g.groups[0].place);
	assert_int_equal(g.groups[0].nmembers, 2);
	assert_string_equal(g.groups[0].members[0].name, "balance");
	assert_string_equal(g.groups[0].members[1].name, "count");
	assert_string_equal(g.groups[1].name, "entry");
	assert_int_equal(g.groups[1].kind, HD_GROUP_STRUCT);
	assert_string_equal(g.groups[1].place, "entry");
	assert_string_equal(g.groups[1].members[0].name, "key");
	assert_string_equal(g.groups[1].members[1].name, "value.low");
	assert_int_equal(g.groups[2].kind, HD_GROUP_ALLOC);
	assert_string_equal(g.groups[2].place, "src/bank.c");
	assert_int_equal(g.groups[2].line, 12);
	assert_int_equal(g.groups[2].members[0].from, 0);
	assert_int_equal(g.groups[2].members[0].to, 8);
	assert_int_equal(g.groups[2].members[1].from, 8);
	assert_int_equal(g.groups[2].members[1].to, 16);
	hd_groups_free(&g);
}

static void test_writes(void **state)
{
	static const char plain[] = "group account: balance, count\n"
				    "group entry: struct entry.key, struct entry.value.low\n"
				    "group cell: alloc src/bank.c:12 +0..8, +8..16\n";
	struct hd_errbuf eb;
	struct hd_groups g;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	assert_int_equal(parse(&g, example, &eb), HD_OK);
	hd_groups_write(&g, out);
	fclose(out);
	assert_string_equal(text, plain);
	free(text);
	hd_groups_free(&g);
}

#define A_LINE	 "line 1: a line is 'group NAME: MEMBER, MEMBER, ...' or a comment"
#define A_MEMBER "a member is missing, or has a character that names do not have"
#define AN_ALLOC "line 1: an allocation is 'alloc FILE:LINE +FROM..TO'"
#define ONE_KIND                                                                                   \
	"line 1: the members of a group are all variables, all of one struct, or all "             \
	"of one allocation"

static void test_refuses(void **state)
{
	static const struct {
		const char *text, *error;
	} bad[] = {
		{ "account: balance", A_LINE },
		{ "group", A_LINE },
		{ "group account balance", "line 1: a group is 'group NAME: MEMBER, MEMBER, ...'" },
		{ "group : x", "line 1: a group is 'group NAME: MEMBER, MEMBER, ...'" },
		{ "\ngroup a:", "line 2: " A_MEMBER },
		{ "group a: x,", "line 1: " A_MEMBER },
		{ "group a: x,,y", "line 1: " A_MEMBER },
		{ "group a: x y", "line 1: members are separated by commas" },
		{ "group a: x, x", "line 1: a member is named twice" },
		{ "group a: x\ngroup a: y", "line 2: there is a group of this name before" },
		{ "group a: struct s", "line 1: a member of a struct is 'struct TYPE.MEMBER'" },
		{ "group a: struct .m", "line 1: a member of a struct is 'struct TYPE.MEMBER'" },
		{ "group a: struct s.", "line 1: a member of a struct is 'struct TYPE.MEMBER'" },
		{ "group a: +0..8", "line 1: '+FROM..TO' comes after 'alloc FILE:LINE'" },
		{ "group a: alloc f +0..8", AN_ALLOC },
		{ "group a: alloc f:0 +0..8", AN_ALLOC },
		{ "group a: alloc :1 +0..8", AN_ALLOC },
		{ "group a: alloc f:1", "line 1: bytes of an allocation are '+FROM..TO'" },
		{ "group a: alloc f:1 0..8", "line 1: bytes of an allocation are '+FROM..TO'" },
		{ "group a: alloc f:1 +8..8",
		  "line 1: bytes of an allocation are '+FROM..TO', with TO above FROM" },
		{ "group a: alloc f:1 +0..99999999999999999999",
		  "line 1: bytes of an allocation are '+FROM..TO', with TO above FROM" },
		{ "group a: x, struct s.m", ONE_KIND },
		{ "group a: struct s.m, struct t.m", ONE_KIND },
		{ "group a: alloc f:1 +0..8, alloc f:2 +8..9", ONE_KIND },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct hd_errbuf eb;
		struct hd_groups g;
		char want[256];

		assert_int_equal(parse(&g, bad[i].text, &eb), HD_ERR_PARSE);
		snprintf(want, sizeof(want), "file: %s", bad[i].error);
		assert_string_equal(eb.text, want);
		assert_int_equal(g.ngroups, 0);
	}
}

static void test_no_file(void **state)
{
	struct hd_errbuf eb;
	struct hd_groups g;

	(void)state;
	assert_int_equal(hd_groups_load(&g, "/nonexistent/groups", &eb), HD_ERR_IO);
	assert_int_equal(g.ngroups, 0);
}

/* --- names to addresses: of a program with balance, count and two struct entry --- */

static bool variable(void *arg, const char *name, uint64_t *addr, uint64_t *len)
{
	(void)arg;
	*addr = !strcmp(name, "balance") ? 0x1000 : 0x1010;
	*len = 8;
	return !strcmp(name, "balance") || !strcmp(name, "count");
}

static bool member(void *arg, const char *type, const char *name, uint64_t *offset, uint64_t *len)
{
	(void)arg;
	if (strcmp(type, "entry") != 0)
		return false;
	*offset = !strcmp(name, "key") ? 0 : 16;
	*len = 4;
	return !strcmp(name, "key") || !strcmp(name, "value.low");
}

static bool instance(void *arg, const char *type, size_t i, uint64_t *addr)
{
	(void)arg;
	assert_string_equal(type, "entry");
	*addr = 0x2000 + i * 0x100;
	return i < 2;
}

static void allocation(void *arg, const struct hd_event *alloc, const char **file, uint32_t *line,
		       const char **type, uint64_t *type_size)
{
	(void)arg;
	if (alloc->pc == 1)
		*file = "/home/src/bank.c";
	else if (alloc->pc == 2)
		*file = "/home/other_src/bank.c";
	*line = 12;
	if (alloc->pc == 3) {
		*type = "entry";
		*type_size = 24;
	}
}

static const struct hd_group_resolver resolver = {
	.variable = variable,
	.member = member,
	.instance = instance,
	.allocation = allocation,
};

struct piece {
	uint32_t number;
	uint64_t addr, len;
};

static struct piece pieces[16];
static size_t npieces;

static void take_piece(void *arg, const struct hd_group *group, uint32_t number, uint64_t addr,
		       uint64_t len)
{
	(void)arg;
	(void)group;
	assert_true(npieces < 16);
	pieces[npieces++] = (struct piece){ number, addr, len };
}

static void expect_pieces(const struct piece *want, size_t n)
{
	assert_int_equal(npieces, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(pieces[i].number, want[i].number);
		assert_int_equal(pieces[i].addr, want[i].addr);
		assert_int_equal(pieces[i].len, want[i].len);
	}
	npieces = 0;
}

static void test_resolves(void **state)
{
	static const struct piece statics[] = {
		{ 5, 0x1000, 8 }, { 5, 0x1010, 8 }, { 6, 0x2000, 4 },
		{ 6, 0x2010, 4 }, { 7, 0x2100, 4 }, { 7, 0x2110, 4 },
	};
	/* 12 bytes at the line: the second member is cut, 8 bytes: it is not there. */
	static const struct piece cut[] = { { 8, 0x5000, 8 }, { 8, 0x5008, 4 } };
	static const struct piece shorter[] = { { 9, 0x6000, 8 } };
	/* Room for two elements of 24 bytes. */
	static const struct piece elements[] = {
		{ 10, 0x7000, 4 },
		{ 10, 0x7010, 4 },
		{ 11, 0x7018, 4 },
		{ 11, 0x7028, 4 },
	};
	struct hd_event ev = { .op = HD_OP_ALLOC, .addr = 0x5000, .value = 12, .pc = 1 };
	struct hd_errbuf eb;
	struct hd_groups g;
	uint32_t next = 5;

	(void)state;
	npieces = 0;
	assert_int_equal(parse(&g, example, &eb), HD_OK);
	assert_int_equal(hd_groups_resolve(&g, &resolver, &next, take_piece, NULL, &eb), HD_OK);
	expect_pieces(statics, 6);
	hd_groups_allocated(&g, &resolver, &ev, &next, take_piece, NULL);
	expect_pieces(cut, 2);
	ev.addr = 0x6000;
	ev.value = 8;
	hd_groups_allocated(&g, &resolver, &ev, &next, take_piece, NULL);
	expect_pieces(shorter, 1);
	ev.pc = 2; /* other_src/bank.c is not src/bank.c */
	hd_groups_allocated(&g, &resolver, &ev, &next, take_piece, NULL);
	expect_pieces(NULL, 0);
	ev = (struct hd_event){ .op = HD_OP_ALLOC, .addr = 0x7000, .value = 60, .pc = 3 };
	hd_groups_allocated(&g, &resolver, &ev, &next, take_piece, NULL);
	expect_pieces(elements, 4);
	ev.pc = 4;
	hd_groups_allocated(&g, &resolver, &ev, &next, take_piece, NULL);
	expect_pieces(NULL, 0);
	hd_groups_free(&g);
}

static void test_unknown_names(void **state)
{
	static const struct {
		const char *text, *error;
	} unknown[] = {
		{ "group a: balance, nothing", "group 'a': the program has no variable 'nothing'" },
		{ "group a: struct entry.nothing",
		  "group 'a': the program has no member 'nothing' in a struct 'entry'" },
		{ "group a: struct thing.key",
		  "group 'a': the program has no member 'key' in a struct 'thing'" },
	};
	struct hd_errbuf eb;
	struct hd_groups g;
	uint32_t next = 0;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		npieces = 0;
		assert_int_equal(parse(&g, unknown[i].text, &eb), HD_OK);
		assert_int_equal(hd_groups_resolve(&g, &resolver, &next, take_piece, NULL, &eb),
				 HD_ERR_NOT_FOUND);
		assert_string_equal(eb.text, unknown[i].error);
		hd_groups_free(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads),	 cmocka_unit_test(test_writes),
		cmocka_unit_test(test_refuses),	 cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_resolves), cmocka_unit_test(test_unknown_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
