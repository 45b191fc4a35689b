/*
 * heddle cc, heddle c++: become the compiler, with the flags heddle needs.
 *
 * The compiler replaces this process, so its exit status, its messages and its
 * dependency files are what they would be without heddle. Nothing is compiled
 * in steps of our own and nothing is left to clean up: the two files that may
 * be needed, gcc specs and a rewritten response file, are in memory.
 */
#include "common/path.h"
#include "common/transfer.h"
#include "common/addresses.h"
#include "cli.h"
#include "cc/cc_args.h"
#include "launch/own_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const char help[] =
	"usage: heddle cc  ARGS...     compile and link C for heddle\n"
	"       heddle c++ ARGS...     the same for C++\n"
	"\n"
	"ARGS are those of the compiler; its exit status and messages are passed on. The\n"
	"program is linked to libheddle.so. It also runs without heddle.\n"
	"\n"
	"  --native        as first of ARGS: build without heddle; a task program then runs on\n"
	"                  worker threads (HEDDLE_WORKERS, or as many as processors)\n"
	"\n"
	"  HEDDLE_CC       the compiler to use (gcc); \"ccache gcc\" works too\n"
	"  HEDDLE_CXX      the C++ compiler (g++, or the one that belongs to HEDDLE_CC)\n"
	"  HEDDLE_INLINE   hooks: accesses are calls within the program, although the plugin\n"
	"                  for gcc is there; no: they are calls into the library\n"
	"  HEDDLE_CHECK_FILES  a regular expression, with the plugin for gcc: accesses in source files\n"
	"                  that it does not match are left out, and reports say so\n"
	"  HEDDLE_CHECK_ONLY   the same of accesses to variables, types and fields without a matching name\n"
	"  HEDDLE_VERBOSE  1: print the compiler's command line\n"
	"\n"
	"heddle-cc and heddle-c++ are the same commands in one word.\n"
	"What follows is the compiler's help.\n\n";

#define FD_PATH_MAX 64
#define VERSION_MAX 512

/* ---- which compiler ---- */

/* The words of the compiler command: "ccache gcc" is two. */
static void choose_compiler(bool cxx, struct hd_cc_list *out)
{
	const char *c = getenv("HEDDLE_CC");
	const char *own = cxx ? getenv("HEDDLE_CXX") : c;
	char *name;

	if (own && *own) {
		hd_cc_split(out, own);
	} else if (!cxx || !c || !*c) {
		hd_cc_list_add(out, cxx ? "g++" : "gcc");
	} else {
		hd_cc_split(out, c);
		if (out->failed || !out->count)
			return;
		name = hd_cc_cxx_name(out->item[out->count - 1]);
		free(out->item[out->count - 1]);
		out->item[out->count - 1] = name;
		out->failed |= !name;
		out->count -= !name;
	}
}

/* The beginning of what COMPILER prints if it is given @option; "" if that fails. */
static void ask(const struct hd_cc_list *compiler, const char *option, char text[VERSION_MAX])
{
	struct hd_cc_list words = { 0 };
	size_t used = 0;
	ssize_t got;
	int end[2];
	pid_t pid;

	text[0] = 0;
	for (size_t i = 0; i < compiler->count; i++)
		hd_cc_list_add(&words, compiler->item[i]);
	hd_cc_list_add(&words, option);
	if (words.failed || pipe2(end, O_CLOEXEC) != 0)
		return;
	pid = fork();
	if (pid == 0) {
		dup2(end[1], STDOUT_FILENO);
		execvp(words.item[0], words.item);
		_exit(127);
	}
	close(end[1]);
	while (pid > 0 && used < VERSION_MAX - 1 &&
	       (got = read(end[0], text + used, VERSION_MAX - 1 - used)) > 0)
		used += (size_t)got;
	text[used] = 0;
	close(end[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	hd_cc_list_free(&words);
}

/* Fill in what is to be known of the compiler, asking it only if its name does not tell. */
static void know_compiler(const struct hd_cc_list *compiler, const struct hd_cc_job *job,
			  struct hd_cc_setup *setup)
{
	const char *name = hd_base_name(compiler->item[compiler->count - 1]);
	bool named_clang = strstr(name, "clang") != NULL;
	char text[VERSION_MAX];

	setup->family = named_clang ? HD_CC_CLANG : HD_CC_GCC;
	if (strstr(name, "gcc") || strstr(name, "g++"))
		return;
	if (named_clang && !hd_cc_needs_version(job, HD_CC_CLANG))
		return;
	ask(compiler, "--version", text);
	setup->clang_major = hd_cc_clang_major(text);
	if (setup->clang_major > 0)
		setup->family = HD_CC_CLANG;
}

static bool inline_is(const char *value)
{
	const char *wanted = getenv("HEDDLE_INLINE");

	return wanted && !strcmp(wanted, value);
}

/* The object with the compiler's calls that is linked into each module, in @path; false: none is. */
static bool find_hooks(char path[PATH_MAX])
{
	const char *lib_dir = hd_path_libdir();

	return lib_dir && !inline_is("no") &&
	       snprintf(path, PATH_MAX, "%s/heddle-hooks.o", lib_dir) < PATH_MAX &&
	       access(path, R_OK) == 0;
}

/*
 * The plugin for gcc that fits this compiler, in @path; false: there is none, or it is not wanted.
 * It is named after the version that it was built for.
 */
static bool find_plugin(const struct hd_cc_list *compiler, char path[PATH_MAX])
{
	const char *lib_dir = hd_path_libdir();
	char version[VERSION_MAX];

	if (!lib_dir || inline_is("no") || inline_is("hooks"))
		return false;
	ask(compiler, "-dumpfullversion", version);
	version[strcspn(version, "\n")] = 0;
	return snprintf(path, PATH_MAX, "%s/heddle-gcc-%s.so", lib_dir, version) < PATH_MAX &&
	       access(path, R_OK) == 0;
}

/* How accesses are seen, and why. */
static void describe_how(const struct hd_cc_list *compiler, char *out, size_t size)
{
	struct hd_cc_setup setup = { 0 };
	struct hd_cc_job job = { 0 };
	char path[PATH_MAX];
	bool hooks = find_hooks(path);
	const char *how =
		hooks ? "accesses are calls within the program, which is slower than the plugin's tests"
		      : "accesses are calls into the library, which is slowest";
	const char *why =
		": heddle was built without a plugin for this gcc (its headers: gcc-N-plugin-dev)";

	know_compiler(compiler, &job, &setup);
	if (inline_is("no") || inline_is("hooks"))
		why = ": HEDDLE_INLINE says so";
	else if (setup.family == HD_CC_CLANG)
		why = ": the plugin is for gcc";
	else if (find_plugin(compiler, path))
		how = "accesses are tested in line, by the plugin ", why = path;
	snprintf(out, size, "%s%s", how, why);
}

void hd_cc_describe(char *out, size_t size)
{
	struct hd_cc_list compiler = { 0 };

	choose_compiler(false, &compiler);
	if (compiler.failed || !compiler.count)
		snprintf(out, size, "no compiler");
	else
		describe_how(&compiler, out, size);
	hd_cc_list_free(&compiler);
}

/* With --version: on standard error, for scripts read the rest. */
static void tell_how(const struct hd_cc_list *compiler)
{
	char text[PATH_MAX + 128];

	describe_how(compiler, text, sizeof(text));
	hd_say("%s", text);
}

/* ---- files in memory ---- */

/*
 * A file that the compiler can open as @path and that vanishes with it. The
 * descriptor is meant to survive exec, hence no MFD_CLOEXEC.
 */
static bool make_memory_file(const char *name, const char *text, char path[FD_PATH_MAX])
{
	int fd = memfd_create(name, 0);

	if (fd < 0 || !hd_write_all(fd, text, strlen(text)))
		return false;
	snprintf(path, FD_PATH_MAX, "/proc/self/fd/%d", fd);
	return true;
}

/* ---- run it ---- */

static void print_word(const char *word)
{
	if (*word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					"0123456789-_=+./,:@%")]) {
		fputs(word, stderr);
		return;
	}
	putc('\'', stderr);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", stderr);
		else
			putc(*word, stderr);
	}
	putc('\'', stderr);
}

static void print_command(const struct hd_cc_list *compiler, char *const *args)
{
	const char *verbose = getenv("HEDDLE_VERBOSE");

	if (!verbose || !*verbose || !strcmp(verbose, "0"))
		return;
	fputs("heddle:", stderr);
	for (size_t i = 0; i < compiler->count; i++) {
		putc(' ', stderr);
		print_word(compiler->item[i]);
	}
	for (; *args; args++) {
		putc(' ', stderr);
		print_word(*args);
	}
	putc('\n', stderr);
}

/* Become @compiler with @args. Returns only to say why not. */
static int become(const struct hd_cc_list *compiler, char *const *args)
{
	struct hd_cc_list whole = { 0 };

	for (size_t i = 0; i < compiler->count; i++)
		hd_cc_list_add(&whole, compiler->item[i]);
	for (char *const *a = args; *a; a++)
		hd_cc_list_add(&whole, *a);
	if (whole.failed)
		return hd_failed("out of memory");
	fflush(NULL);
	execvp(whole.item[0], whole.item);
	return hd_usage("cannot run the compiler '%s': %s; HEDDLE_CC and HEDDLE_CXX choose another",
			whole.item[0], strerror(errno));
}

/*
 * Run the compiler with the words of @args, through a response file if the user
 * used one: the words may be too many for exec.
 */
static int become_with(const struct hd_cc_list *compiler, const struct hd_cc_list *args,
		       bool by_response_file)
{
	char at_path[FD_PATH_MAX + 1] = "@";
	char *as_file[] = { at_path, NULL };
	char *text;

	print_command(compiler, args->item);
	if (!by_response_file)
		return become(compiler, args->item);
	text = hd_cc_quote(args);
	if (!text || !make_memory_file("heddle-args", text, at_path + 1))
		return hd_failed("cannot write a response file: %s", strerror(errno));
	free(text);
	return become(compiler, as_file);
}

static int check_job(const struct hd_cc_job *job, const struct hd_cc_setup *setup)
{
	if (job->conflict[0] && !job->freestanding)
		return hd_usage("-fsanitize=%s cannot be combined with heddle, which instruments "
				"as -fsanitize=thread does; build without it",
				job->conflict);
	if (!hd_cc_links_runtime(job))
		return HD_EXIT_CLEAN;
	if (!setup->lib_dir)
		return hd_failed("libheddle.so is neither beside %s nor where it "
				 "would be installed",
				 hd_path_self());
	if (job->is_static)
		hd_say("-static is ignored: libheddle is a shared library");
	return HD_EXIT_CLEAN;
}

/*
 * HEDDLE_CHECK_FILES and HEDDLE_CHECK_ONLY are the plugin's affair. ccache does not know of them: what is
 * compiled under different ones must not be mixed up.
 */
static void limit_accesses(const char *plugin, bool compiles)
{
	const char *files = getenv("HEDDLE_CHECK_FILES"), *names = getenv("HEDDLE_CHECK_ONLY");
	char *both = NULL;

	files = files ? files : "";
	names = names ? names : "";
	if ((!*files && !*names) || !compiles)
		return;
	if (!plugin)
		hd_say("%s needs the plugin for gcc: accesses in all files are seen",
		       *files ? "HEDDLE_CHECK_FILES" : "HEDDLE_CHECK_ONLY");
	if (asprintf(&both, "%s%s%s", files, *names ? "\n" : "", names) >= 0)
		setenv("CCACHE_NAMESPACE", both, 0);
	free(both);
}

static int compile(const struct hd_cc_list *compiler, const struct hd_cc_list *words,
		   const struct hd_cc_job *job, bool had_response_file)
{
	char specs[FD_PATH_MAX], note[PATH_MAX + 16], plugin[PATH_MAX], hooks[PATH_MAX];
	struct hd_cc_list args = { 0 };
	struct hd_cc_setup setup = {
		.include_dir = hd_path_include(),
		.random_addresses = !hd_addresses_can_be_fixed(),
		.lib_dir = hd_path_libdir(),
		.specs_file = specs,
		.self = hd_path_self(),
	};
	int status = check_job(job, &setup);

	if (status != HD_EXIT_CLEAN)
		return status;
	snprintf(note, sizeof(note), "%s/heddle-built.o", setup.lib_dir ? setup.lib_dir : "");
	setup.note = access(note, R_OK) == 0 ? note : NULL;
	setup.hooks = find_hooks(hooks) ? hooks : NULL;
	know_compiler(compiler, job, &setup);
	if (setup.family == HD_CC_GCC && hd_cc_instruments(job) && job->stage > HD_CC_PREPROCESS &&
	    find_plugin(compiler, plugin))
		setup.plugin = plugin;
	limit_accesses(setup.plugin, hd_cc_instruments(job) && job->stage > HD_CC_PREPROCESS);
	if (job->openmp && setup.family == HD_CC_CLANG && !job->freestanding)
		return hd_usage("OpenMP programs need gcc: heddle does not support the calls "
				"that clang makes for -fopenmp");
	if (hd_cc_needs_specs(job, setup.family) &&
	    !make_memory_file("heddle-specs", hd_cc_specs_for(job), specs))
		return hd_failed("cannot write gcc specs: %s", strerror(errno));
	hd_cc_build(words, job, &setup, &args);
	if (args.failed)
		return hd_failed("out of memory");
	return become_with(compiler, &args, had_response_file);
}

/*
 * `heddle cc --native`: nothing is instrumented; programs of tasks get the library that carries tasks
 * out on worker threads.
 */
static int compile_native(const struct hd_cc_list *compiler, const struct hd_cc_list *words,
			  const struct hd_cc_job *job, bool had_response_file)
{
	const char *include = hd_path_include(), *lib = hd_path_libdir();
	struct hd_cc_list args = { 0 };
	char text[PATH_MAX + 16];

	for (size_t i = 0; i < words->count; i++)
		hd_cc_list_add(&args, words->item[i]);
	if (include) {
		hd_cc_list_add(&args, "-isystem");
		hd_cc_list_add(&args, include);
	}
	if (hd_cc_links_runtime(job)) {
		if (!lib)
			return hd_failed("libheddle-parallel.so is neither beside %s "
					 "nor where it would be installed",
					 hd_path_self());
		snprintf(text, sizeof(text), "-L%s", lib);
		hd_cc_list_add(&args, text);
		snprintf(text, sizeof(text), "-Wl,-rpath,%s", lib);
		hd_cc_list_add(&args, text);
		hd_cc_list_add(&args, "-lheddle-parallel");
	}
	if (args.failed)
		return hd_failed("out of memory");
	return become_with(compiler, &args, had_response_file);
}

static int drive(int argc, char **argv, bool cxx)
{
	struct hd_cc_list compiler = { 0 }, words = { 0 };
	struct hd_errbuf eb;
	struct hd_cc_job job;
	bool had_response_file, native = argc > 1 && !strcmp(argv[1], "--native");

	argc -= native;
	argv += native;
	choose_compiler(cxx, &compiler);
	if (compiler.failed || !compiler.count)
		return hd_usage("HEDDLE_CC and HEDDLE_CXX must name a compiler");
	if (!strncmp(hd_base_name(compiler.item[0]), "heddle", strlen("heddle")))
		return hd_usage("HEDDLE_CC and HEDDLE_CXX must name the compiler "
				"under heddle, not heddle itself");
	if (hd_cc_expand(argc, argv, &words, &had_response_file, &eb) != HD_OK)
		return hd_usage("%s", eb.text);
	hd_cc_classify(&words, &job);
	if (job.stage == HD_CC_ASK) {
		if (argc == 2 && !strcmp(argv[1], "--help"))
			fputs(help, stdout);
		if (argc == 2 && !strcmp(argv[1], "--version"))
			tell_how(&compiler);
		print_command(&compiler, argv + 1);
		return become(&compiler, argv + 1);
	}
	return native ? compile_native(&compiler, &words, &job, had_response_file)
		      : compile(&compiler, &words, &job, had_response_file);
}

int hd_cmd_cc(int argc, char **argv)
{
	return drive(argc, argv, false);
}

int hd_cmd_cxx(int argc, char **argv)
{
	return drive(argc, argv, true);
}
