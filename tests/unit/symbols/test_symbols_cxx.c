/*
 * Names with scopes in a C++ program: test_symbols_cxx FIXTURE SOURCE.
 */
#include <string.h>

#include "sym_test_util.h"

static const char *fixture_path, *source_path;
static struct sym_fixture fixture;
static struct hd_symbols *symbols;

static int load(void **state)
{
	fixture = sym_fixture_read(fixture_path);
	symbols = sym_load(&fixture);
	return 0;
}

static int unload(void **state)
{
	hd_symbols_free(symbols);
	return 0;
}

static void expect_data(const char *symbol, uint64_t offset, const char *name)
{
	char buf[128] = "";

	assert_true(hd_symbols_data(symbols, sym_address(&fixture, symbol, false) + offset, 4, buf,
				    sizeof(buf)));
	assert_string_equal(buf, name);
}

static void expect_code(const char *mark, const char *name)
{
	char text[64];
	struct hd_frame fr[8];
	size_t n = hd_symbols_code(symbols, sym_address(&fixture, mark, false), fr, 8);

	snprintf(text, sizeof(text), "MARK(%s)", mark);
	assert_int_equal(n, 1);
	assert_string_equal(fr[0].function, name);
	assert_int_equal(fr[0].line, sym_line_of(source_path, text));
}

static void variables(void **state)
{
	expect_data("_ZN4bank13open_accountsE", 0, "bank::open_accounts");
	expect_data("_ZN4bank7Account5totalE", 0, "bank::Account::total");
	expect_data("_ZZN4bank7Account7depositEiE8deposits", 0, "bank::Account::deposit::deposits");
	expect_data("_ZN4bank12_GLOBAL__N_112hidden_countE", 0,
		    "bank::(anonymous namespace)::hidden_count");
}

static void base_classes(void **state)
{
	expect_data("derived", 0, "derived.in_base");
	expect_data("derived", 4, "derived.in_derived");
}

static void functions(void **state)
{
	expect_code("mark_deposit", "bank::Account::deposit");
	expect_code("mark_twice", "bank::twice<int>");
	expect_code("mark_hidden", "bank::(anonymous namespace)::hidden");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables),
		cmocka_unit_test(base_classes),
		cmocka_unit_test(functions),
	};

	if (argc != 3)
		return 2;
	fixture_path = argv[1];
	source_path = argv[2];
	return cmocka_run_group_tests(tests, load, unload);
}
