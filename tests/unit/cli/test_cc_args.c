/*
 * What `heddle cc` makes of a command line. Each case gives the command line as
 * text and says what it is, or which words must and must not come out of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cc/cc_args.h"

static struct hd_cc_job classify(const char *line)
{
	struct hd_cc_list words = { 0 };
	struct hd_cc_job job;

	hd_cc_split(&words, line);
	hd_cc_classify(&words, &job);
	hd_cc_list_free(&words);
	return job;
}

static bool random_addresses;

/* The words for the compiler, joined by single spaces, with one at each end. */
static const char *built(const char *line, enum hd_cc_family family, int clang_major)
{
	static char text[4096];
	struct hd_cc_setup setup = { .family = family,
				     .clang_major = clang_major,
				     .random_addresses = random_addresses,
				     .include_dir = "/inc",
				     .lib_dir = "/lib,dir",
				     .specs_file = "/specs" };
	struct hd_cc_list words = { 0 }, out = { 0 };
	struct hd_cc_job job;

	hd_cc_split(&words, line);
	hd_cc_classify(&words, &job);
	hd_cc_build(&words, &job, &setup, &out);
	assert_false(words.failed || out.failed);
	strcpy(text, " ");
	for (size_t i = 0; i < out.count; i++)
		strcat(strcat(text, out.item[i]), " ");
	hd_cc_list_free(&words);
	hd_cc_list_free(&out);
	return text;
}

static const char *by_gcc(const char *line)
{
	return built(line, HD_CC_GCC, 0);
}

static const char *by_clang(const char *line)
{
	return built(line, HD_CC_CLANG, 14);
}

static void assert_has(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("no '%s' in '%s'", words, text);
}

static void assert_lacks(const char *text, const char *words)
{
	if (strstr(text, words))
		fail_msg("'%s' in '%s'", words, text);
}

/* ---- words ---- */

static void assert_words(const char *text, const char *const expected[])
{
	struct hd_cc_list words = { 0 };
	size_t i;

	hd_cc_split(&words, text);
	for (i = 0; expected[i]; i++) {
		assert_true(i < words.count);
		assert_string_equal(words.item[i], expected[i]);
	}
	assert_int_equal(words.count, i);
	hd_cc_list_free(&words);
}

static void test_split(void **state)
{
	assert_words("", (const char *[]){ NULL });
	assert_words(" \n\t ", (const char *[]){ NULL });
	assert_words("a  b\nc\t", (const char *[]){ "a", "b", "c", NULL });
	assert_words("'a b' \"c d\" e\\ f", (const char *[]){ "a b", "c d", "e f", NULL });
	assert_words("-DX='\"y z\"'", (const char *[]){ "-DX=\"y z\"", NULL });
	assert_words("'' \"\"", (const char *[]){ "", "", NULL });
	assert_words("\"a\\\"b\" 'c\\'d'", (const char *[]){ "a\"b", "c'd", NULL });
	assert_words("'not closed", (const char *[]){ "not closed", NULL });
	assert_words("end\\", (const char *[]){ "end\\", NULL });
}

static void test_quote_is_inverse(void **state)
{
	static const char *const words[] = {
		"plain",     "",      "two words", "q\"u'o`te", "back\\slash\\",
		"new\nline", "@file", " ",	   NULL
	};
	struct hd_cc_list list = { 0 };
	char *text;

	for (int i = 0; words[i]; i++)
		hd_cc_list_add(&list, words[i]);
	text = hd_cc_quote(&list);
	assert_non_null(text);
	assert_words(text, words);
	free(text);
	hd_cc_list_free(&list);
}

/* ---- response files ---- */

struct folder {
	char path[64];
};

static int make_folder(void **state)
{
	struct folder *folder = calloc(1, sizeof(*folder));

	strcpy(folder->path, "/tmp/heddle-cc-args-XXXXXX");
	*state = folder;
	return mkdtemp(folder->path) && chdir(folder->path) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const files[] = { "outer", "inner", "self", NULL };
	struct folder *folder = *state;
	int failed;

	for (int i = 0; files[i]; i++)
		unlink(files[i]);
	failed = chdir("/") != 0 || rmdir(folder->path) != 0;
	free(folder);
	return failed;
}

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static enum hd_err expand(const char *line, struct hd_cc_list *out, bool *had, struct hd_errbuf *eb)
{
	struct hd_cc_list argv = { 0 };
	enum hd_err err;

	hd_cc_split(&argv, line);
	err = hd_cc_expand((int)argv.count, argv.item, out, had, eb);
	hd_cc_list_free(&argv);
	return err;
}

static void test_nested_response_files(void **state)
{
	static const char *const expected[] = { "-c", "a.c", "-DX=1 2", "b.c", "z.c" };
	struct hd_cc_list words = { 0 };
	struct hd_errbuf eb;
	bool had;

	write_file("inner", "'-DX=1 2'\nb.c");
	write_file("outer", "a.c @inner");
	assert_int_equal(expand("cc -c @outer z.c", &words, &had, &eb), HD_OK);
	assert_true(had);
	assert_int_equal(words.count, 5);
	for (int i = 0; i < 5; i++)
		assert_string_equal(words.item[i], expected[i]);
	hd_cc_list_free(&words);
}

static void test_missing_response_file_stays(void **state)
{
	struct hd_cc_list words = { 0 };
	struct hd_errbuf eb;
	bool had;

	assert_int_equal(expand("cc @nowhere @.", &words, &had, &eb), HD_OK);
	assert_false(had);
	assert_int_equal(words.count, 2);
	assert_string_equal(words.item[0], "@nowhere");
	assert_string_equal(words.item[1], "@."); /* a folder */
	hd_cc_list_free(&words);
}

static void test_response_file_in_itself(void **state)
{
	struct hd_cc_list words = { 0 };
	struct hd_errbuf eb;
	bool had;

	write_file("self", "x @self");
	assert_int_equal(expand("cc @self", &words, &had, &eb), HD_ERR_LIMIT);
	assert_non_null(strstr(eb.text, "self"));
	hd_cc_list_free(&words);
}

/* ---- stages ---- */

static void test_stages(void **state)
{
	static const struct {
		const char *line;
		enum hd_cc_stage stage;
	} cases[] = {
		{ "", HD_CC_ASK },
		{ "-v", HD_CC_ASK },
		{ "-O2 -Wall", HD_CC_ASK },
		{ "--version a.c", HD_CC_ASK },
		{ "-### a.c", HD_CC_ASK },
		{ "-print-file-name=libc.so", HD_CC_ASK },
		{ "-dumpversion", HD_CC_ASK },
		{ "-Wl,--version", HD_CC_ASK },
		{ "-o x", HD_CC_ASK },
		{ "a.c", HD_CC_LINK },
		{ "a.o", HD_CC_LINK },
		{ "-v a.c", HD_CC_LINK },
		{ "-lm", HD_CC_LINK },
		{ "-dumpdir x- a.c", HD_CC_LINK },
		{ "-shared a.o", HD_CC_LINK },
		{ "-MD a.c", HD_CC_LINK },
		{ "-c a.c", HD_CC_COMPILE },
		{ "a.c -S", HD_CC_COMPILE },
		{ "-fsyntax-only a.c", HD_CC_COMPILE },
		{ "-E a.c", HD_CC_PREPROCESS },
		{ "-E -", HD_CC_PREPROCESS },
		{ "-MM a.c", HD_CC_PREPROCESS },
		{ "-c -E a.c", HD_CC_PREPROCESS },
		{ "-r a.o b.o -o c.o", HD_CC_PARTIAL },
		{ "pre.h", HD_CC_COMPILE },
		{ "-x c-header pre", HD_CC_COMPILE },
		{ "pre.h a.c", HD_CC_LINK },
		{ "-- -c", HD_CC_LINK },	  /* a file named -c */
		{ "-o -c a.c", HD_CC_LINK },	  /* output named -c */
		{ "-Xlinker -r a.c", HD_CC_LINK } /* for the linker, not for us */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (classify(cases[i].line).stage != cases[i].stage)
			fail_msg("'%s' is stage %d", cases[i].line, classify(cases[i].line).stage);
	}
}

static void test_inputs(void **state)
{
	static const struct {
		const char *line;
		bool source, cpp;
	} cases[] = {
		{ "a.c", true, true },
		{ "dir.c/a.o", false, false },
		{ "dir.x/a", false, false },
		{ "a.i", true, false },
		{ "a.cpp", true, true },
		{ "a.s", false, false },
		{ "a.S", false, true },
		{ "liba.a b.so.1", false, false },
		{ "-x c a.txt", true, true },
		{ "-xc++ a.o", true, true },
		{ "-x c -x none a.o", false, false },
		{ "-x assembler a.c", false, false },
		{ "-x assembler-with-cpp a.c", false, true },
		{ "-x cpp-output a", true, false },
		{ "-x c++-cpp-output a", true, false },
		{ "--language=c a", true, true },
		{ "-o a.c b.o", false, false },
		{ "-include a.c b.o", false, false },
		{ "-MF a.c b.o", false, false },
		{ "-T script.c a.o", false, false },
		{ "-", true, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct hd_cc_job job = classify(cases[i].line);

		if (job.has_source != cases[i].source || job.has_cpp != cases[i].cpp)
			fail_msg("'%s': source %d, cpp %d", cases[i].line, job.has_source,
				 job.has_cpp);
	}
}

static void test_freestanding(void **state)
{
	assert_false(classify("a.c").freestanding);
	assert_true(classify("-nostdlib a.c").freestanding);
	assert_true(classify("-nodefaultlibs a.c").freestanding);
	assert_true(classify("-ffreestanding -c a.c").freestanding);
	assert_false(classify("-ffreestanding -fhosted -c a.c").freestanding);
	assert_false(classify("-nostdlib a.o -lc").freestanding);
	assert_false(classify("-nostdlib a.o -l c").freestanding);
	assert_true(classify("-nostdlib a.o -lcrypt").freestanding);
}

static void test_conflicts(void **state)
{
	assert_string_equal(classify("-fsanitize=address a.c").conflict, "address");
	assert_string_equal(classify("-fsanitize=undefined,leak a.c").conflict, "leak");
	assert_string_equal(classify("-fsanitize=thread a.c").conflict, "");
	assert_string_equal(classify("-fsanitize=undefined a.c").conflict, "");
	assert_string_equal(classify("-fsanitize=pointer-compare a.c").conflict, "");
	assert_string_equal(classify("-fsanitize=hwaddress a.c").conflict, "hwaddress");
	assert_string_equal(classify("-fsanitize=address -fno-sanitize=address a.c").conflict, "");
	assert_string_equal(classify("-fsanitize=address -fno-sanitize=all a.c").conflict, "");
	assert_true(classify("-fno-sanitize=thread a.c").excluded);
	assert_true(classify("-fno-sanitize=all a.c").excluded);
	assert_false(classify("-fno-sanitize=thread -fsanitize=thread a.c").excluded);
}

/* ---- command lines ---- */

static void test_compile_only(void **state)
{
	const char *gcc = by_gcc("-O2 -c a.c");

	assert_has(gcc, " -g -O2 -c a.c ");
	assert_has(gcc, " -I /inc ");
	assert_has(gcc, " -fsanitize=thread ");
	assert_has(gcc, " -fno-ipa-reference ");
	assert_has(gcc, " -fno-tree-loop-im ");
	assert_lacks(gcc, "-specs");
	assert_lacks(gcc, "libheddle");
	assert_lacks(gcc, "-Xlinker");
	assert_lacks(by_gcc("-g0 -c a.c"), " -g ");
	assert_lacks(by_gcc("-ggdb -c a.c"), " -g ");
}

/* The driver must not see the flag when it links, or it links libtsan. */
static void test_link_hides_the_flag_from_the_driver(void **state)
{
	const char *text = by_gcc("a.c");

	assert_has(text, " -specs=/specs ");
	assert_lacks(text, "-fsanitize=thread");
	assert_has(by_gcc("a.o"), " -specs=/specs "); /* for link-time optimisation */
	text = by_clang("a.c");
	assert_has(text, " -Xclang -fsanitize=thread ");
	assert_lacks(text, "-specs");
	assert_lacks(by_clang("a.o"), "-fsanitize=thread");
	assert_has(by_clang("-c a.c"), " -c a.c -I /inc -fsanitize=thread ");
	assert_non_null(strstr(hd_cc_specs, "-fsanitize=thread"));
}

static void test_link_puts_runtime_first(void **state)
{
	const char *text = by_gcc("a.o -lpthread -o prog");
	const char *runtime = strstr(text, "-Xlinker /lib,dir/libheddle.so");

	assert_non_null(runtime);
	assert_true(runtime < strstr(text, "a.o"));
	assert_has(text, " -Xlinker -rpath -Xlinker /lib,dir ");
	assert_has(text, " -Xlinker -z -Xlinker now ");
	assert_lacks(by_gcc("-r a.o -o b.o"), "libheddle");
	assert_lacks(by_gcc("-nostdlib a.c"), "libheddle");
	assert_has(by_gcc("-shared a.o"), "libheddle");
}

static void test_freestanding_is_left_alone(void **state)
{
	assert_string_equal(by_gcc("-nostdlib -static a.c"), " -nostdlib -static a.c -I /inc ");
	assert_string_equal(by_gcc("-ffreestanding -c a.c"), " -ffreestanding -c a.c -I /inc ");
}

static void test_static_becomes_dynamic(void **state)
{
	assert_has(by_gcc("-static a.o"), " -no-pie a.o ");
	assert_lacks(by_gcc("-static a.o"), "-static");
	assert_has(by_gcc("-static-pie a.o"), " -pie a.o ");
	assert_lacks(by_gcc("-static -shared a.o"), "pie");
	assert_lacks(by_gcc("-static -pie a.o"), "-no-pie");
	assert_has(by_gcc("-static -c a.c"), " -static "); /* no program is linked */
	assert_has(by_gcc("-static-libgcc a.o"), " -static-libgcc ");
}

/* Where addresses cannot be fixed for a run, programs are linked at fixed ones, if nobody says otherwise. */
static void test_fixed_addresses(void **state)
{
	assert_lacks(by_gcc("a.o"), "pie");
	random_addresses = true;
	assert_has(by_gcc("a.o"), " -no-pie ");
	assert_has(by_clang("a.c"), " -no-pie ");
	assert_lacks(by_gcc("-pie a.o"), "-no-pie");
	assert_lacks(by_gcc("-static-pie a.o"), "-no-pie");
	assert_lacks(by_gcc("-shared a.o"), "pie");
	assert_lacks(by_gcc("-c a.c"), "pie");
	assert_lacks(by_gcc("-nostdlib a.o"), "pie");
	random_addresses = false;
}

static void test_users_sanitizers(void **state)
{
	const char *text = by_gcc("-fsanitize=undefined,thread,bounds a.c");

	assert_has(text, " -fsanitize=undefined,bounds ");
	assert_lacks(by_gcc("-fsanitize=thread a.c"), "-fsanitize");
	text = by_gcc("-static-libtsan -ltsan -l tsan a.c");
	assert_lacks(text, "libtsan");
	assert_lacks(text, " -l");
	assert_lacks(text, " tsan ");
	assert_has(by_gcc("-l m a.c"), " -l m a.c ");
	assert_lacks(by_gcc("-fno-sanitize=thread a.c"), "-specs");
	assert_has(by_gcc("-fno-sanitize=thread a.c"), "libheddle");
	/* The argument of another option only looks like one. */
	assert_has(by_gcc("-o -ltsan a.c"), " -o -ltsan a.c ");
}

static void test_preprocess_has_no_code_flags(void **state)
{
	assert_string_equal(by_clang("-E a.c"), " -E a.c -I /inc -fsanitize=thread ");
	assert_string_equal(by_gcc("-c a.s"), " -c a.s ");
	assert_string_equal(by_gcc("-c a.S"), " -c a.S -I /inc ");
}

static void test_words_after_dashes_stay_last(void **state)
{
	const char *text = by_clang("-c -- a.c");

	assert_string_equal(text + strlen(text) - strlen(" -- a.c "), " -- a.c ");
}

static void test_clang_versions(void **state)
{
	assert_has(built("-c a.c", HD_CC_CLANG, 14), " -flegacy-pass-manager ");
	assert_has(built("-c a.c", HD_CC_CLANG, 16), " -mllvm -enable-global-analyses=0 ");
	assert_lacks(built("-c a.c", HD_CC_CLANG, 16), "legacy");
	assert_lacks(built("-c a.c", HD_CC_CLANG, 0), "legacy");
	assert_int_equal(hd_cc_clang_major("Debian clang version 14.0.6\nTarget: x\n"), 14);
	assert_int_equal(hd_cc_clang_major("clang version 17.0.0"), 17);
	assert_int_equal(hd_cc_clang_major("gcc (Debian 12.2.0) 12.2.0"), 0);
	assert_int_equal(hd_cc_clang_major(""), 0);
}

static void test_cxx_names(void **state)
{
	static const char *const pairs[][2] = {
		{ "gcc", "g++" },
		{ "gcc-12", "g++-12" },
		{ "clang", "clang++" },
		{ "/opt/gcc/bin/clang-14", "/opt/gcc/bin/clang++-14" },
		{ "x86_64-linux-gnu-gcc", "x86_64-linux-gnu-g++" },
		{ "cc", "c++" },
		{ "tcx", "g++" },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		char *name = hd_cc_cxx_name(pairs[i][0]);

		assert_string_equal(name, pairs[i][1]);
		free(name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_quote_is_inverse),
		cmocka_unit_test_setup_teardown(test_nested_response_files, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_missing_response_file_stays, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_response_file_in_itself, make_folder,
						remove_folder),
		cmocka_unit_test(test_stages),
		cmocka_unit_test(test_inputs),
		cmocka_unit_test(test_freestanding),
		cmocka_unit_test(test_conflicts),
		cmocka_unit_test(test_compile_only),
		cmocka_unit_test(test_link_hides_the_flag_from_the_driver),
		cmocka_unit_test(test_link_puts_runtime_first),
		cmocka_unit_test(test_freestanding_is_left_alone),
		cmocka_unit_test(test_static_becomes_dynamic),
		cmocka_unit_test(test_users_sanitizers),
		cmocka_unit_test(test_preprocess_has_no_code_flags),
		cmocka_unit_test(test_fixed_addresses),
		cmocka_unit_test(test_words_after_dashes_stay_last),
		cmocka_unit_test(test_clang_versions),
		cmocka_unit_test(test_cxx_names),
	};

	return cmocka_run_group_tests_name("cc arguments", tests, NULL, NULL);
}
