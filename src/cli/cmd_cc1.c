/*
 * heddle cc1 COMPILER ARGS...: what gcc's driver runs in place of its compiler proper when an OpenMP
 * program is compiled (-wrapper). The source is preprocessed, its pragmas are rewritten
 * (omp_pragmas.h), and the result is compiled. Whatever cannot be done that way is
 * compiled as it is: then heddle sees what threads do, but not single iterations.
 */
#include "common/path.h"
#include "cli.h"
#include "cc/cc_args.h"
#include "cc/omp_lines.h"
#include "cc/omp_pragmas.h"
#include "cc/omp_tests.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATH_ROOM 512

static bool is_compiler(const char *path)
{
	const char *base = hd_base_name(path);

	return !strcmp(base, "cc1") || !strcmp(base, "cc1plus");
}

/* Options of the compiler proper that the driver does not know: their argument is the next word, too. */
static bool takes_word(const char *opt)
{
	static const char *const more[] = { "-imultiarch", "-auxbase", "-auxbase-strip",
					    "-MD",	   "-MMD",     "-quiet-arg",
					    NULL };

	for (int i = 0; more[i]; i++) {
		if (!strcmp(opt, more[i]))
			return true;
	}
	return hd_cc_takes_next_word(opt);
}

/* Index of the source among @argv, 0: not found, or there is no need. */
static int find_source(int argc, char **argv)
{
	int at = 0;

	for (int i = 2; i < argc; i++) {
		if (!strcmp(argv[i], "-E"))
			return 0;
		if (argv[i][0] == '-' && argv[i][1]) {
			i += takes_word(argv[i]);
		} else {
			if (at)
				return 0;
			at = i;
		}
	}
	return at && strcmp(argv[at], "-") ? at : 0;
}

/* Run @args; stderr goes to @err if that is not -1. The exit status, -1 if there is none. */
static int run(char **args, int err)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (err >= 0)
			dup2(err, STDERR_FILENO);
		execvp(args[0], args);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static bool has_word(int argc, char **argv, const char *word)
{
	for (int i = 2; i < argc; i++) {
		if (!strcmp(argv[i], word))
			return true;
	}
	return false;
}

/* Are warnings asked for that comments about falling through prevent? Then these are to be kept. */
static bool heeds_comments(int argc, char **argv)
{
	bool heeds = false;

	for (int i = 2; i < argc; i++) {
		if (!strcmp(argv[i], "-W") || !strcmp(argv[i], "-Wextra") ||
		    !strncmp(argv[i], "-Wimplicit-fallthrough", strlen("-Wimplicit-fallthrough")))
			heeds = true;
		else if (!strcmp(argv[i], "-Wno-implicit-fallthrough"))
			heeds = false;
	}
	return heeds;
}

static int preprocess(int argc, char **argv, const char *to)
{
	struct hd_cc_list args = { 0 };
	int status;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-o") && i + 1 < argc) {
			i++;
			continue;
		}
		hd_cc_list_add(&args, argv[i]);
		if (i == 1)
			hd_cc_list_add(&args, "-E");
	}
	if (heeds_comments(argc, argv))
		hd_cc_list_add(&args, "-C");
	hd_cc_list_add(&args, "-o");
	hd_cc_list_add(&args, to);
	status = args.failed ? -1 : run(args.item, -1);
	hd_cc_list_free(&args);
	return status;
}

/* The same command for the preprocessed @source: what was for the preprocessor is done. */
static int compile(int argc, char **argv, int at, const char *source, int err)
{
	static const char *const done[] = { "-MD", "-MMD",     "-MF",	   "-MT",
					    "-MQ", "-include", "-imacros", NULL };
	struct hd_cc_list args = { 0 };
	int status;

	for (int i = 1; i < argc; i++) {
		bool skip = !strcmp(argv[i], "-MP") || !strcmp(argv[i], "-MG");

		for (int k = 0; done[k]; k++) {
			if (!strcmp(argv[i], done[k])) {
				skip = true;
				i++;
				break;
			}
		}
		if (!skip)
			hd_cc_list_add(&args, i == at ? source : argv[i]);
		if (i == 1 && !has_word(argc, argv, "-fpreprocessed"))
			hd_cc_list_add(&args, "-fpreprocessed");
	}
	status = args.failed ? -1 : run(args.item, err);
	hd_cc_list_free(&args);
	return status;
}

static char *read_all(const char *path, size_t *len)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = NULL;
	size_t got = 0;

	if (fd >= 0 && fstat(fd, &st) == 0 && (text = malloc((size_t)st.st_size + 1))) {
		ssize_t n;

		while (got < (size_t)st.st_size &&
		       (n = read(fd, text + got, (size_t)st.st_size - got)) > 0)
			got += (size_t)n;
	}
	if (fd >= 0)
		close(fd);
	*len = got;
	return text;
}

/* In front: what rewritten loops call. At the end: what the runtime is to say about loops that it does not hear of. */
static bool write_source(const char *path, const struct hd_omp_rewritten *r, bool cxx)
{
	const char *linkage = cxx ? "extern \"C\" " : "extern ";
	FILE *f = fopen(path, "w");
	bool ok;

	if (!f)
		return false;
	if (r->lanes)
		fprintf(f,
			"%svoid hd_omp_lanes(unsigned long, const void *); %svoid hd_omp_lane(void); "
			"%svoid hd_omp_lanes_end(void); %svoid hd_omp_lanes_share(const volatile void *, "
			"unsigned long); %svoid hd_omp_scan(void); "
			"%svoid hd_omp_scan_lane(int, const void *);\n",
			linkage, linkage, linkage, linkage, linkage, linkage);
	if (r->unheeded)
		fprintf(f,
			"%sint " HD_OMP_UNHEEDED "omp_test_lock(void *); "
			"%sint " HD_OMP_UNHEEDED "omp_test_nest_lock(void *);\n",
			linkage, linkage);
	ok = fwrite(r->text, 1, r->len, f) == r->len;
	if (r->simd)
		fprintf(f,
			"\n%svoid hd_omp_note_simd(unsigned);\n"
			"__attribute__((constructor, no_sanitize_thread)) static void "
			"hd_omp_note_(void)\n{\n\thd_omp_note_simd(%zu);\n}\n",
			linkage, r->simd);
	return fclose(f) == 0 && ok;
}

static void pass_on(int err)
{
	char buf[4096];
	ssize_t n;

	lseek(err, 0, SEEK_SET);
	while ((n = read(err, buf, sizeof(buf))) > 0) {
		if (write(STDERR_FILENO, buf, (size_t)n) != n)
			break;
	}
}

/* Compile by way of a rewritten source; -1: that is not possible, compile it as it is. */
static int compile_rewritten(int argc, char **argv, int at, const char *dir)
{
	bool cxx = strstr(argv[1], "cc1plus") != NULL;
	char pre[PATH_ROOM], post[PATH_ROOM], errors[PATH_ROOM];
	struct hd_omp_rewritten r;
	int status, err;
	size_t len;
	char *text;

	snprintf(pre, sizeof(pre), "%s/pre.%s", dir, cxx ? "ii" : "i");
	snprintf(post, sizeof(post), "%s/post.%s", dir, cxx ? "ii" : "i");
	snprintf(errors, sizeof(errors), "%s/errors", dir);
	if (has_word(argc, argv, "-fpreprocessed")) {
		text = read_all(argv[at], &len);
	} else {
		status = preprocess(argc, argv, pre);
		if (status > 0)
			return status;
		text = status == 0 ? read_all(pre, &len) : NULL;
		unlink(pre);
	}
	if (!text)
		return -1;
	hd_omp_blank_comments(text, len);
	status = -1;
	for (int guess = 1; guess >= 0 && status; guess--) {
		r = hd_omp_rewrite(text, len, guess);
		if (!r.text)
			break;
		err = open(errors, O_RDWR | O_CREAT | O_CLOEXEC | O_TRUNC, 0600);
		status = err >= 0 && write_source(post, &r, cxx)
				 ? compile(argc, argv, at, post, err)
				 : -1;
		free(r.text);
		/* An error may be ours: then the source as it is says what is wrong, if anything is. */
		if (status == 0)
			pass_on(err);
		if (err >= 0)
			close(err);
		unlink(errors);
		unlink(post);
	}
	free(text);
	return status == 0 ? 0 : -1;
}

int hd_cmd_cc1(int argc, char **argv)
{
	const char *tmp = getenv("TMPDIR");
	char dir[256];
	int at, status = -1;

	if (argc < 2)
		return hd_usage("heddle cc1 is for gcc's driver: use heddle cc");
	at = is_compiler(argv[1]) ? find_source(argc, argv) : 0;
	if (at) {
		snprintf(dir, sizeof(dir), "%.200s/heddle-cc1-XXXXXX", tmp && *tmp ? tmp : "/tmp");
		if (mkdtemp(dir)) {
			status = compile_rewritten(argc, argv, at, dir);
			rmdir(dir);
		}
	}
	if (status >= 0)
		return status;
	execvp(argv[1], argv + 1);
	return hd_failed("cannot run %s", argv[1]);
}
