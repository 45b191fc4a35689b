/*
 * What becomes of OpenMP pragmas before gcc sees them: which are changed and how, and that nothing else
 * is, whatever looks like one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cc/omp_lines.h"
#include "cc/omp_pragmas.h"
#include "common/rng.h"

#define N "0x4000000000000000" /* no ordered region: omp_pragmas.h */
#define C "0x0400000000000000" /* concurrent on one thread, too */

/* The text as gcc gets it; the caller frees it. */
static char *rewritten(const char *text)
{
	struct hd_omp_rewritten r = hd_omp_rewrite(text, strlen(text), false);
	char *out;

	if (!r.text)
		return strdup(text);
	out = strndup(r.text, r.len);
	free(r.text);
	return out;
}

/* Spaces in a row count as one, and those at the end of a line as none. */
static char *plain(const char *s)
{
	char *out = malloc(strlen(s) + 1), *o = out;

	for (; *s; s++) {
		bool space = *s == ' ' || *s == '\t';

		if (space && (s[1] == ' ' || s[1] == '\t' || s[1] == '\n' || !s[1]))
			continue;
		*o++ = space ? ' ' : *s;
	}
	*o = 0;
	return out;
}

static void assert_becomes(const char *from, const char *to)
{
	char *got = rewritten(from), *a = plain(got), *b = plain(to);

	assert_string_equal(a, b);
	free(got);
	free(a);
	free(b);
}

static void assert_stays(const char *text)
{
	char *got = rewritten(text);

	assert_string_equal(got, text);
	free(got);
}

/* One thread that the program wants itself is told from one that comes of an `if`. */
static void test_threads(void **state)
{
	assert_becomes("#pragma omp parallel num_threads(1)\n",
		       "#pragma omp parallel num_threads(0x40000000|(1))\n");
	assert_becomes(
		"#pragma omp parallel shared(a) num_threads(n + 1) private(b)\n",
		"#pragma omp parallel num_threads(0x40000000|(n + 1)) shared(a) private(b)\n");
	assert_becomes("#pragma omp parallel if(0) num_threads(3)\n",
		       "#pragma omp parallel num_threads(0x40000000|1)\n");
	assert_becomes("#pragma omp parallel if (parallel : false )\n",
		       "#pragma omp parallel num_threads(0x40000000|1)\n");
	assert_becomes("#pragma omp target parallel if(target: c) num_threads(n)\n",
		       "#pragma omp target parallel num_threads(0x40000000|(n)) if(target: c)\n");
	assert_becomes("#pragma omp parallel for num_threads(1)\n",
		       "#pragma omp parallel for num_threads(0x40000000|(1)) ordered "
		       "schedule(static," N ")\n");
	assert_stays("#pragma omp parallel\n");
	assert_stays("#pragma omp parallel num_threads(4)\n");
	assert_stays("#pragma omp parallel if(n > 3) num_threads(1)\n");
	assert_stays("#pragma omp parallel if(a::b) num_threads(n)\n");
	assert_stays("#pragma omp parallel if(00)\n");
	assert_stays("#pragma omp parallel master taskloop if(0)\n");
	assert_stays("#pragma omp teams num_teams(1)\n");
	(void)state;
}

static void test_static_loops(void **state)
{
	assert_becomes("#pragma omp for\n", "#pragma omp for ordered schedule(static," N ")\n");
	assert_becomes("#pragma omp parallel for\nfor (;;)\n\t;\n",
		       "#pragma omp parallel for ordered schedule(static," N ")\nfor (;;)\n\t;\n");
	assert_becomes("#pragma omp for schedule(static) nowait\n",
		       "#pragma omp for nowait ordered schedule(static," N ")\n");
	assert_becomes("#pragma omp for schedule(static, f(1, 2))\n",
		       "#pragma omp for ordered schedule(static," N "+( f(1, 2)))\n");
	assert_becomes("#pragma omp for schedule(auto)\n",
		       "#pragma omp for ordered schedule(static," N ")\n");
	assert_becomes("#pragma omp for schedule(nonmonotonic: static, 2)\n",
		       "#pragma omp for ordered schedule(static," N "+( 2))\n");
	assert_becomes("#pragma omp for schedule ( static , 2 )\n",
		       "#pragma omp for ordered schedule(static," N "+( 2 ))\n");
	assert_becomes("  #  pragma\tomp for\n",
		       " # pragma omp for ordered schedule(static," N ")\n");
	assert_becomes("#pragma omp for", "#pragma omp for ordered schedule(static," N ")");
	assert_becomes("#pragma omp for order(concurrent)\n",
		       "#pragma omp for ordered schedule(static," N ")\n");
}

static void test_other_loops(void **state)
{
	assert_stays("#pragma omp for schedule(dynamic)\n");
	assert_stays("#pragma omp for schedule(guided, 4)\n");
	assert_stays("#pragma omp for schedule(runtime)\n");
	assert_stays("#pragma omp for ordered\n");
	assert_stays("#pragma omp for ordered(2) schedule(static)\n");
	assert_stays("#pragma omp for reduction(inscan, + : x)\n");
	assert_stays(
		"#pragma omp parallel num_threads(2)\n#pragma omp critical(for)\n#pragma omp barrier\n");
	assert_stays("#pragma omp declare reduction(for : int : omp_out += omp_in)\n");
	assert_stays("#pragma omp parallel private(schedule, ordered)\n");
	assert_stays("#pragma GCC ivdep\n#pragma omp\n#pragma\n#\n# 3 \"file.c\" 2\n");
	assert_becomes("#pragma omp distribute parallel for schedule(static, 3)\n",
		       "#pragma omp distribute parallel for schedule(dynamic,( 3))\n");
}

static void test_simd(void **state)
{
	assert_becomes("#pragma omp parallel for simd safelen(4) aligned(p : 16) if(simd : x)\n",
		       "#pragma omp parallel for ordered schedule(static," N ")\n");
	assert_stays("#pragma omp simd safelen(4)\n");
	assert_stays("#pragma omp declare simd\n");
	assert_becomes(
		"# 7 \"a.c\"\n#pragma omp simd safelen(4)\nfor (i = 0; i < n; i++)\n\tx[i] = 0;\n",
		"# 7 \"a.c\"\n# 7 \"a.c\"\n{ hd_omp_lanes(4, __builtin_frame_address(0));\n"
		"# 7 \"a.c\"\n#pragma omp simd safelen(4)\nfor (i = 0; i < n; i++)\n"
		"\t{ hd_omp_lane(); x[i] = 0; } hd_omp_lanes_end(); }\n");
}

static void test_cancelled(void **state)
{
	/* Loops with an ordered clause must not be cancelled. */
	char *got = rewritten("#pragma omp for\n{\n#pragma omp cancel for\n}\n");

	assert_null(strstr(got, "ordered"));
	free(got);
	assert_becomes("#pragma omp for\nx = \"\\\n#pragma omp cancel for\";\n",
		       "#pragma omp for ordered schedule(static," N
		       ")\nx = \"\\\n#pragma omp cancel for\";\n");
}

static void test_what_looks_like_one(void **state)
{
	assert_stays("s = \"#pragma omp for\";\n");
	assert_stays("x #pragma omp for\n");
	assert_stays("#pragmas omp for\n#pragma ompx for\n#pragma omp_for\n");
	assert_stays("s = R\"(\n#pragma omp for\n)\";\n");
	assert_stays("s = u8R\"x(\n)\"\n#pragma omp for\n)y\"\n#pragma omp for\n)x\";\n");
	assert_stays("s = LR\"(\n#pragma omp for\n"); /* no end */
	assert_stays("/*\n#pragma omp for\n*/\n");
	assert_stays("c = '\"'; /* \" \n#pragma omp for\n*/\n");
	/* And what does not hide one. */
	assert_becomes("int n = 1'000; s = \"R\\\"(\";\n#pragma omp for\n",
		       "int n = 1'000; s = \"R\\\"(\";\n#pragma omp for ordered schedule(static," N
		       ")\n");
	assert_becomes("s = R\"(\n)\";\n#pragma omp for\n",
		       "s = R\"(\n)\";\n#pragma omp for ordered schedule(static," N ")\n");
	assert_becomes("xR\"(\";\n#pragma omp for\n",
		       "xR\"(\";\n#pragma omp for ordered schedule(static," N ")\n");
	assert_becomes("don't // it's \"\n#pragma omp for\n",
		       "don't // it's \"\n#pragma omp for ordered schedule(static," N ")\n");
	assert_becomes("'\\''; '\"'; \"\\\"'\";\n#pragma omp for\n",
		       "'\\''; '\"'; \"\\\"'\";\n#pragma omp for ordered schedule(static," N ")\n");
	assert_becomes("s = R\"a delimiter that is too long(\";\n#pragma omp for\n",
		       "s = R\"a delimiter that is too long(\";\n"
		       "#pragma omp for ordered schedule(static," N ")\n");
}

static void test_not_understood(void **state)
{
	/* Whatever is wrong stays there, so that the compiler can say so. */
	char *got = rewritten("#pragma omp for schedule(static, 2 private(x\n");

	assert_non_null(strstr(got, "schedule(static, 2 private(x"));
	free(got);
	got = rewritten("#pragma omp for private(a) ) lastprivate(b)\n");
	assert_non_null(strstr(got, ") lastprivate(b)"));
	free(got);
}

static void test_line_ends(void **state)
{
	assert_becomes("a\r\n#pragma omp for\r\nb\r\n",
		       "a\r\n#pragma omp for \r ordered schedule(static," N ")\nb\r\n");
	assert_stays("");
	assert_stays("\n\n");
}

static void test_long_line(void **state)
{
	size_t n = 1 << 20;
	char *text = malloc(n + 64), *got, *p = text + sprintf(text, "#pragma omp for private(a");

	while (p < text + n)
		p += sprintf(p, ",a%zu", (size_t)(p - text));
	strcpy(p, ")\nint last;\n");
	got = rewritten(text);
	assert_non_null(strstr(got, "ordered schedule(static," N ")\nint last;\n"));
	assert_true(strlen(got) >= strlen(text));
	free(got);
	free(text);
}

static void test_comments(void **state)
{
	static const char from[] =
		"a /* b\n\"c */ d // \"e'\ns = \"/* f */\" R\"(// g)\"; /* fall through */\n"
		"// falls through\n'/*' /*h*/";
	static const char to[] =
		"a     \n      d       \ns = \"/* f */\" R\"(// g)\"; /* fall through */\n"
		"// falls through\n'/*'      ";
	char text[sizeof(from)];

	memcpy(text, from, sizeof(from));
	hd_omp_blank_comments(text, sizeof(from) - 1);
	assert_string_equal(text, to);
}

/* ---- random sources -------------------------------------------------------------------------------- */

static const char *const pieces[] = {
	"#pragma omp ",
	"#pragma ",
	"parallel ",
	"for ",
	"simd ",
	"task ",
	"taskloop ",
	"loop ",
	"distribute ",
	"schedule(static",
	"schedule(dynamic",
	",4",
	")",
	"(",
	"ordered ",
	"private(x) ",
	"shared(x) ",
	"cancel ",
	"reduction(inscan,+:x) ",
	"\"",
	"'",
	"R\"(",
	")\"",
	"R\"d(",
	")d\"",
	"/*",
	"*/",
	"//",
	"\\",
	"\n",
	"\n",
	"\n",
	"{",
	"}",
	";",
	"int x = 1;",
	"int i, *p;",
	"for (i = 0; i < n; i++) ",
	"x += i;",
	"a[x] = 2;",
	"\r",
	"# 7 \"f\"",
	"\x80\xff",
	"1'000",
	"if (x) ",
	"priority(3) ",
	"=",
	"[",
	"]",
	"\t",
};

static bool is_pragma(const char *line, size_t n)
{
	while (n && (*line == ' ' || *line == '\t'))
		line++, n--;
	return n > 10 && *line == '#' && memmem(line, n, "pragma", 6) && memmem(line, n, "omp", 3);
}

/* Lines stay where they are, and those that cannot be pragmas as they are. */
static void assert_only_pragmas(const char *a, const char *b)
{
	while (*a || *b) {
		size_t n = strcspn(a, "\n"), m = strcspn(b, "\n");

		assert_int_equal(a[n], b[m]);
		if (!is_pragma(a, n)) {
			if (n != m || memcmp(a, b, n))
				print_error("'%.*s' became '%.*s'\n", (int)n, a, (int)m, b);
			assert_int_equal(n, m);
			assert_memory_equal(a, b, n);
		}
		a += n + (a[n] == '\n');
		b += m + (b[m] == '\n');
	}
}

static void test_random(void **state)
{
	struct hd_rng rng;
	char text[4096];

	hd_rng_seed(&rng, 20);
	for (int round = 0; round < 20000; round++) {
		size_t len = 0, count = 1 + hd_rng_below(&rng, 60);

		for (size_t i = 0; i < count; i++) {
			const char *piece =
				pieces[hd_rng_below(&rng, sizeof(pieces) / sizeof(pieces[0]))];

			len += (size_t)sprintf(text + len, "%s", piece);
		}
		for (int guess = 0; guess < 2; guess++) {
			struct hd_omp_rewritten r = hd_omp_rewrite(text, len, guess);
			char *got = r.text ? strndup(r.text, r.len) : strdup(text);

			assert_only_pragmas(text, got);
			if (!strstr(text, "pragma"))
				assert_string_equal(got, text);
			free(r.text);
			free(got);
		}
	}
}

/* What `loop` binds to: its clause, or what is around it. */
static void test_loop(void **state)
{
	assert_becomes("#pragma omp parallel\n{\n#pragma omp loop\nfor (;;) x;\n}\n",
		       "#pragma omp parallel\n{\n#pragma omp for ordered schedule(static," N "+" C
		       ")\nfor (;;) x;\n}\n");
	assert_becomes("#pragma omp teams\n#pragma omp loop\nfor (;;) x;\n",
		       "#pragma omp teams\n#pragma omp distribute parallel for schedule(dynamic," C
		       "+1)\n"
		       "for (;;) x;\n");
	assert_becomes("#pragma omp teams loop order(concurrent)\nfor (;;) x;\n",
		       "#pragma omp teams distribute parallel for schedule(dynamic," C
		       "+1)\nfor (;;) x;\n");
	/* The region is over. */
	assert_stays("#pragma omp parallel\n{ }\n#pragma omp loop\nfor (;;) x;\n");
	assert_stays("#pragma omp single\n{\n#pragma omp loop\nfor (;;) x;\n}\n");
	assert_becomes("# 1 \"f.c\"\n#pragma omp loop bind(thread)\nfor (;;) x;\n",
		       "# 1 \"f.c\"\n# 1 \"f.c\"\n{ hd_omp_lanes(-1ul, "
		       "__builtin_frame_address(0));\n# 1 \"f.c\"\n#pragma omp loop bind(thread)\n"
		       "for (;;) { hd_omp_lane(); x; } hd_omp_lanes_end(); }\n");
}

static void test_scan(void **state)
{
	const char *lane = "hd_omp_scan_lane(1, __builtin_frame_address(0));";
	const char *head = "# 1 \"f.c\"\n#pragma omp parallel for reduction(inscan, +: s)\n";
	char to[512];

	snprintf(to, sizeof(to),
		 "%sfor (;;) {{ %s a; }\n# 3 \"f.c\"\n#pragma omp scan inclusive(s)\n"
		 "# 4 \"f.c\"\n{ %s b; }}\n",
		 head, lane, lane);
	assert_becomes("# 1 \"f.c\"\n#pragma omp parallel for reduction(inscan, +: s)\n"
		       "for (;;) { a;\n# 3 \"f.c\"\n#pragma omp scan inclusive(s)\n"
		       "# 4 \"f.c\"\nb; }\n",
		       to);
	/* Data by thread. */
	assert_stays("# 1 \"f.c\"\n#pragma omp parallel for reduction(inscan, +: s)\n"
		     "for (;;) { a[omp_get_thread_num()];\n#pragma omp scan inclusive(s)\nb; }\n");
}

/* Tests of locks at whose results nobody looks. */
static void test_unheeded(void **state)
{
#define U "hd_unheeded_"
	assert_becomes("{ omp_test_lock(&l); }", "{ " U "omp_test_lock(&l); }");
	assert_becomes("f(); (void)omp_test_nest_lock(l[f(1)]);",
		       "f(); (void)" U "omp_test_nest_lock(l[f(1)]);");
	assert_becomes("{\n#pragma omp parallel\n omp_test_lock(&l);\n}",
		       "{\n#pragma omp parallel\n " U "omp_test_lock(&l);\n}");
	assert_stays("{ f();\n#define TRY omp_test_lock(&l);\n}");
	assert_stays("{ f();\n # define my_omp_test_lock(l);\n}");
	assert_stays("{ if (omp_test_lock(&l)) x; }");
	assert_stays("{ ok = omp_test_lock(&l); }");
	assert_stays("{ ok = (int)omp_test_lock(&l); }");
	assert_stays("{ for (;omp_test_lock(&l);) x; }");
	assert_stays("{ for (i = 0; omp_test_lock(&l); i++) x; }");
	assert_stays("{ ok = ({ omp_test_lock(&l); }); }");
	assert_stays("{ return omp_test_lock(&l); }");
	assert_stays("{ omp_test_lock(&l), x; }");
	assert_stays("{ my_omp_test_lock(&l); }");
	assert_stays("int omp_test_lock(int *); int f();");
#undef U
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loop),
		cmocka_unit_test(test_scan),
		cmocka_unit_test(test_unheeded),
		cmocka_unit_test(test_static_loops),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_other_loops),
		cmocka_unit_test(test_simd),
		cmocka_unit_test(test_cancelled),
		cmocka_unit_test(test_what_looks_like_one),
		cmocka_unit_test(test_not_understood),
		cmocka_unit_test(test_line_ends),
		cmocka_unit_test(test_long_line),
		cmocka_unit_test(test_comments),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
