/*
 * What is left when debug information, symbols or the file itself are missing,
 * moved or damaged:
 * test_symbols_degraded FULL NODEBUG STRIPPED DEBUGLINK SPLIT OBJECT SOURCE
 *
 * All but OBJECT are the same program, so addresses found in FULL hold in
 * NODEBUG, STRIPPED and DEBUGLINK.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/rng.h"
#include "sym_test_util.h"

static const char *full, *nodebug, *stripped, *debuglink, *split, *object, *source;

/* @f as if it had been loaded from @path. */
static struct hd_symbols *load_as(struct sym_fixture f, const char *path, const char *build_id)
{
	struct hd_symbols *s;

	assert_int_equal(hd_symbols_new(&s), HD_OK);
	hd_symbols_add_module(s, path, f.base, f.len, build_id);
	return s;
}

static void expect_note(struct hd_symbols *s, const char *path, const char *what)
{
	const char *note = hd_symbols_note(s, 0);

	assert_non_null(note);
	assert_non_null(strstr(note, path));
	assert_non_null(strstr(note, what));
	assert_null(hd_symbols_note(s, 1)); /* told once, however many questions */
}

static void expect_only_an_offset(struct hd_symbols *s, const struct sym_fixture *f,
				  const char *path)
{
	uint64_t pc = sym_address(f, "mark_plain", false);
	struct hd_frame fr[4];
	char buf[64];

	assert_int_equal(hd_symbols_code(s, pc, fr, 4), 1);
	assert_null(fr[0].function);
	assert_null(fr[0].file);
	assert_int_equal(fr[0].line, 0);
	assert_string_equal(fr[0].module, path);
	assert_int_equal(fr[0].offset, pc - f->base);
	assert_false(hd_symbols_data(s, sym_address(f, "table", false), 4, buf, sizeof(buf)));
}

static void symbols_without_debug_information(void **state)
{
	struct sym_fixture f = sym_fixture_read(full);
	struct hd_symbols *s = load_as(f, nodebug, f.build_id);
	struct hd_frame fr[4];
	char buf[64];

	assert_int_equal(hd_symbols_code(s, sym_address(&f, "mark_plain", false), fr, 4), 1);
	assert_string_equal(fr[0].function, "plain");
	assert_null(fr[0].file);
	assert_int_equal(fr[0].line, 0);
	/* The inlined calls cannot be known; the function around them can. */
	assert_int_equal(hd_symbols_code(s, sym_address(&f, "mark_innermost", false), fr, 4), 1);
	assert_string_equal(fr[0].function, "outer");
	assert_true(hd_symbols_data(s, sym_address(&f, "table", false), 4, buf, sizeof(buf)));
	assert_string_equal(buf, "table");
	assert_true(hd_symbols_data(s, sym_address(&f, "table", false) + 8, 4, buf, sizeof(buf)));
	assert_string_equal(buf, "table+8");
	expect_note(s, nodebug, "debug information");
	hd_symbols_free(s);
}

static void stripped_file_gives_an_offset(void **state)
{
	struct sym_fixture f = sym_fixture_read(full);
	struct hd_symbols *s = load_as(f, stripped, f.build_id);

	expect_only_an_offset(s, &f, stripped);
	expect_note(s, stripped, "debug information");
	hd_symbols_free(s);
}

static void separate_debug_file(void **state)
{
	struct sym_fixture f = sym_fixture_read(full);
	struct hd_symbols *s = load_as(f, debuglink, f.build_id);
	struct hd_frame fr[4];
	char buf[64];

	assert_int_equal(hd_symbols_code(s, sym_address(&f, "mark_innermost", false), fr, 4), 3);
	assert_string_equal(fr[0].function, "innermost");
	assert_int_equal(fr[0].line, sym_line_of(source, "MARK(mark_innermost)"));
	assert_string_equal(fr[2].function, "outer");
	assert_true(hd_symbols_data(s, sym_address(&f, "table", false) + 8, 4, buf, sizeof(buf)));
	assert_string_equal(buf, "table[2]");
	assert_null(hd_symbols_note(s, 0));
	hd_symbols_free(s);
}

/* The .dwo file is gone: lines are in the program itself, functions in its symbols. */
static void split_debug_information_lost(void **state)
{
	struct sym_fixture f = sym_fixture_read(split);
	struct hd_symbols *s = sym_load(&f);
	struct hd_frame fr[4];
	char buf[64];

	assert_int_equal(hd_symbols_code(s, sym_address(&f, "mark_plain", false), fr, 4), 1);
	assert_string_equal(fr[0].function, "plain");
	assert_int_equal(fr[0].line, sym_line_of(source, "MARK(mark_plain)"));
	assert_true(hd_symbols_data(s, sym_address(&f, "table", false) + 8, 4, buf, sizeof(buf)));
	assert_string_equal(buf, "table+8");
	hd_symbols_free(s);
}

/* FULL was compiled from a bare file name, SPLIT from SOURCE with its full path. */
static void source_is_named_as_the_compiler_was_told(void **state)
{
	const char *program[2] = { full, split }, *expected[2] = { "sym_fixture.c", source };

	for (int i = 0; i < 2; i++) {
		struct sym_fixture f = sym_fixture_read(program[i]);
		struct hd_symbols *s = sym_load(&f);
		struct hd_frame fr[4];

		hd_symbols_code(s, sym_address(&f, "mark_plain", false), fr, 4);
		assert_non_null(fr[0].file);
		assert_string_equal(fr[0].file, expected[i]);
		hd_symbols_free(s);
	}
}

static void another_build_is_not_used(void **state)
{
	struct sym_fixture f = sym_fixture_read(full);
	struct hd_symbols *s;

	assert_true(strlen(f.build_id) > 2);
	f.build_id[0] = f.build_id[0] == '0' ? '1' : '0';
	s = load_as(f, full, f.build_id);
	expect_only_an_offset(s, &f, full);
	expect_note(s, full, "build id");
	hd_symbols_free(s);

	f.build_id[2] = '\0'; /* a prefix is not the id */
	f.build_id[0] = f.build_id[0] == '0' ? '1' : '0';
	s = load_as(f, full, f.build_id);
	expect_only_an_offset(s, &f, full);
	hd_symbols_free(s);
}

static void unknown_build_id_is_trusted(void **state)
{
	struct sym_fixture f = sym_fixture_read(full);
	const char *unknown[] = { NULL, "" };
	struct hd_frame fr[4];

	for (int i = 0; i < 2; i++) {
		struct hd_symbols *s = load_as(f, full, unknown[i]);

		assert_int_equal(hd_symbols_code(s, sym_address(&f, "mark_plain", false), fr, 4),
				 1);
		assert_string_equal(fr[0].function, "plain");
		hd_symbols_free(s);
	}
}

static void files_that_cannot_be_used(void **state)
{
	struct sym_fixture f = sym_fixture_read(full);
	const char *what[][2] = {
		{ "/nonexistent/program", "cannot be read" },
		{ "/", "not a regular file" },
		{ source, "ELF" },
		{ object, "not a program or library" },
	};

	for (size_t i = 0; i < sizeof(what) / sizeof(what[0]); i++) {
		struct hd_symbols *s = load_as(f, what[i][0], NULL);

		expect_only_an_offset(s, &f, what[i][0]);
		expect_note(s, what[i][0], what[i][1]);
		hd_symbols_free(s);
	}
}

static void kernel_page_has_no_note(void **state)
{
	struct sym_fixture f = sym_fixture_read(full);
	struct hd_symbols *s = load_as(f, "[vdso]", NULL);

	expect_only_an_offset(s, &f, "[vdso]");
	assert_null(hd_symbols_note(s, 0));
	hd_symbols_free(s);
}

/* Unloading one library and loading another may reuse addresses: the later one counts. */
static void later_module_takes_the_place(void **state)
{
	struct sym_fixture f = sym_fixture_read(full);
	struct hd_symbols *s = load_as(f, stripped, f.build_id);
	uint64_t pc = sym_address(&f, "mark_plain", false);
	struct hd_frame fr[4];

	assert_int_equal(hd_symbols_code(s, pc, fr, 4), 1);
	assert_null(fr[0].function);
	hd_symbols_add_module(s, full, f.base, f.len, f.build_id);
	assert_int_equal(hd_symbols_code(s, pc, fr, 4), 1);
	assert_string_equal(fr[0].function, "plain");
	hd_symbols_free(s);
}

/* A debuginfod server is offered, on a socket that shows whether anyone called. */
static void network_is_never_asked(void **state)
{
	struct sym_fixture f = sym_fixture_read(full);
	struct hd_symbols *s = load_as(f, stripped, f.build_id);
	struct sockaddr_in in = { .sin_family = AF_INET };
	socklen_t len = sizeof(in);
	int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct pollfd p = { .fd = server, .events = POLLIN };
	char url[64];

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(server, (struct sockaddr *)&in, sizeof(in)), 0);
	assert_int_equal(listen(server, 8), 0);
	assert_int_equal(getsockname(server, (struct sockaddr *)&in, &len), 0);
	snprintf(url, sizeof(url), "http://127.0.0.1:%d", ntohs(in.sin_port));
	setenv("DEBUGINFOD_URLS", url, 1);
	setenv("DEBUGINFOD_TIMEOUT", "1", 1);
	expect_only_an_offset(s, &f, stripped);
	assert_int_equal(poll(&p, 1, 0), 0);
	assert_string_equal(getenv("DEBUGINFOD_URLS"), url);
	unsetenv("DEBUGINFOD_URLS");
	close(server);
	hd_symbols_free(s);
}

/* --- damage ------------------------------------------------------------- */

static unsigned char *read_all(const char *path, size_t *len)
{
	FILE *in = fopen(path, "rb");
	unsigned char *bytes;
	struct stat st;

	assert_non_null(in);
	assert_int_equal(fstat(fileno(in), &st), 0);
	*len = (size_t)st.st_size;
	bytes = malloc(*len);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, *len, in), *len);
	fclose(in);
	return bytes;
}

/* Write @bytes to a file, ask about everything in it, remove it. */
static void ask_about(const struct sym_fixture *f, const unsigned char *bytes, size_t len,
		      const uint64_t *addrs, size_t n)
{
	char path[] = "/tmp/heddle-symbols-XXXXXX", buf[64];
	int fd = mkstemp(path);
	struct hd_frame fr[4];
	struct hd_symbols *s;
	const char *file;
	uint32_t line;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
	s = load_as(*f, path, NULL);
	for (size_t i = 0; i < n; i++) {
		size_t frames = hd_symbols_code(s, addrs[i], fr, 4);

		assert_in_range(frames, 1, 4);
		hd_symbols_data(s, addrs[i], 4, buf, sizeof(buf));
		hd_symbols_data_decl(s, addrs[i], &file, &line);
	}
	hd_symbols_free(s);
	unlink(path);
}

static size_t interesting(const struct sym_fixture *f, uint64_t addrs[8])
{
	static const char *const names[] = { "mark_plain", "mark_innermost", "main",  "account",
					     "pool",	   "number",	     "flags", "tail" };

	for (int i = 0; i < 8; i++)
		addrs[i] = sym_address(f, names[i], false) + 4;
	return 8;
}

static void truncated_anywhere(void **state)
{
	struct sym_fixture f = sym_fixture_read(full);
	uint64_t addrs[8];
	size_t len, n = interesting(&f, addrs);
	unsigned char *bytes = read_all(full, &len);

	for (size_t cut = 0; cut < len; cut += cut < 1024 ? 64 : 997)
		ask_about(&f, bytes, cut, addrs, n);
	free(bytes);
}

static void bytes_overwritten(void **state)
{
	struct sym_fixture f = sym_fixture_read(full);
	uint64_t addrs[8];
	size_t len, n = interesting(&f, addrs);
	unsigned char *bytes = read_all(full, &len), *hurt = malloc(len);
	const char *rounds = getenv("HD_SYM_DAMAGE_ROUNDS"); /* for longer hunts by hand */
	struct hd_rng rng;

	assert_non_null(hurt);
	hd_rng_seed(&rng, rounds ? strtoull(rounds, NULL, 10) : 1);
	for (int i = rounds ? atoi(rounds) : 200; i > 0; i--) {
		memcpy(hurt, bytes, len);
		for (uint64_t k = hd_rng_below(&rng, 64) + 1; k; k--)
			hurt[hd_rng_below(&rng, len)] = (unsigned char)hd_rng_next(&rng);
		ask_about(&f, hurt, len, addrs, n);
	}
	free(hurt);
	free(bytes);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_without_debug_information),
		cmocka_unit_test(stripped_file_gives_an_offset),
		cmocka_unit_test(separate_debug_file),
		cmocka_unit_test(split_debug_information_lost),
		cmocka_unit_test(source_is_named_as_the_compiler_was_told),
		cmocka_unit_test(another_build_is_not_used),
		cmocka_unit_test(unknown_build_id_is_trusted),
		cmocka_unit_test(files_that_cannot_be_used),
		cmocka_unit_test(kernel_page_has_no_note),
		cmocka_unit_test(later_module_takes_the_place),
		cmocka_unit_test(network_is_never_asked),
		cmocka_unit_test(truncated_anywhere),
		cmocka_unit_test(bytes_overwritten),
	};

	if (argc != 8)
		return 2;
	full = argv[1];
	nodebug = argv[2];
	stripped = argv[3];
	debuglink = argv[4];
	split = argv[5];
	object = argv[6];
	source = argv[7];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
