/*
 * Options of the commands that run a program: what is understood, what is
 * refused, and what the runtime, a trace and a replay are told of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cli/cli_options.h"
#include "cli/progress.h"
#include "trace/run_config_text.h"

/* The message of the last failure, in place of the command's own. */
static char said[512];

#define SAY(status)                                                                                \
	va_list ap;                                                                                \
	va_start(ap, fmt);                                                                         \
	vsnprintf(said, sizeof(said), fmt, ap);                                                    \
	va_end(ap);                                                                                \
	return status

int hd_usage(const char *fmt, ...)
{
	SAY(HD_EXIT_USAGE);
}

int hd_failed(const char *fmt, ...)
{
	SAY(HD_EXIT_FAILED);
}

void hd_progress_init(bool wanted)
{
}

#define PARSE(o, next, ...)                                                                        \
	parse(o, next, (const char *[]){ "run", __VA_ARGS__ },                                     \
	      sizeof((const char *[]){ "run", __VA_ARGS__ }) / sizeof(char *))

static int parse(struct hd_cli_options *o, int *next, const char **argv, size_t argc)
{
	bool dashes = false;

	*next = 1;
	assert_int_equal(hd_cli_options_init(o, HD_FOR_RUN), HD_GO_ON);
	return hd_cli_options_parse(o, (int)argc, (char **)argv, next, &dashes);
}

static void defaults(void **state)
{
	struct hd_cli_options o;
	int next;

	assert_int_equal(PARSE(&o, &next, "./prog", "--seed", "9"), HD_GO_ON);
	assert_int_equal(next, 1); /* the program ends the options */
	assert_string_equal(o.value[HD_OPT_POLICY], "random");
	assert_string_equal(o.value[HD_OPT_SEED], "1");
	assert_string_equal(o.value[HD_OPT_SWITCH_AT], "atomics");
	assert_null(o.value[HD_OPT_RECORD]);
	assert_null(o.value[HD_OPT_QUIET]);
	hd_cli_options_free(&o);
}

static void all_spellings(void **state)
{
	struct hd_cli_options o;
	int next;

	assert_int_equal(PARSE(&o, &next, "--seed=007", "--policy", "pct", "-q", "--stack-size",
			       "256K", "--", "--prog"),
			 HD_GO_ON);
	assert_int_equal(next, 8);
	assert_string_equal(o.value[HD_OPT_SEED], "7");
	assert_string_equal(o.value[HD_OPT_POLICY], "pct");
	assert_string_equal(o.value[HD_OPT_STACK_SIZE], "262144");
	assert_non_null(o.value[HD_OPT_QUIET]);
	hd_cli_options_free(&o);
}

#define EXPECT_REFUSED(message, ...)                                                               \
	do {                                                                                       \
		struct hd_cli_options o;                                                           \
		int next;                                                                          \
		said[0] = 0;                                                                       \
		assert_int_equal(PARSE(&o, &next, __VA_ARGS__), HD_EXIT_USAGE);                    \
		assert_string_equal(said, message);                                                \
		hd_cli_options_free(&o);                                                           \
	} while (0)

static void refusals(void **state)
{
	EXPECT_REFUSED("there is no option '--sed'; did you mean '--seed'?", "--sed=3");
	EXPECT_REFUSED("there is no option '--jsno'; did you mean '--json'?", "--jsno", "x");
	EXPECT_REFUSED("there is no option '--frobnicate'; --help lists them", "--frobnicate");
	EXPECT_REFUSED("there is no option '--save'; did you mean '--state'?", "--save", "x");
	EXPECT_REFUSED("--seed needs a value: --seed N", "--seed");
	EXPECT_REFUSED("--seed must be a number, not '-1'", "--seed", "-1");
	EXPECT_REFUSED("--seed must be a number, not '18446744073709551616'", "--seed",
		       "18446744073709551616");
	EXPECT_REFUSED("--policy must be one of random|pct|rr, not 'replay'", "--policy", "replay");
	EXPECT_REFUSED("--policy must be one of random|pct|rr, not 'rand'", "--policy", "rand");
	EXPECT_REFUSED("--stack-size must be a number of bytes, such as 65536 or 256K, not "
		       "'17179869184G'",
		       "--stack-size", "17179869184G");
	EXPECT_REFUSED("--races must be yes or no, not 'maybe'", "--races", "maybe");
	EXPECT_REFUSED("there is no option '--only'; --help lists them", "--only", "race");
	EXPECT_REFUSED("--calls takes no value", "--calls=1");
	EXPECT_REFUSED("--record must be a name, not ''", "--record=");
}

static char *printed(const struct hd_cli_options *o,
		     void (*print)(const struct hd_run_config *, FILE *))
{
	struct hd_run_config run;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	hd_cli_options_run(o, &run);
	print(&run, out);
	fclose(out);
	return text;
}

/* The environment is under the command line; a switch in it can be 0. */
static void environment(void **state)
{
	struct hd_cli_options o;
	char *config;
	int next;

	setenv("HEDDLE_OPTIONS", "seed=5:policy=rr:exact=1:calls=0:record=all:novel=3:odd", 1);
	assert_int_equal(PARSE(&o, &next, "--seed", "6"), HD_GO_ON);
	assert_string_equal(o.value[HD_OPT_POLICY], "rr");
	config = printed(&o, hd_run_config_print);
	assert_string_equal(
		config,
		"policy=rr\nseed=6\nswitch-at=atomics\npct-depth=3\npct-length=10000\nmodel=sc\n"
		"volatile=race\n"
		"rr-quantum=1\nquantum=50000\nspurious=0\nearly=1\nstart-time=0\n"
		"stack-size=0\nheap=1\nquarantine=1048576\nthreads=0\nmax-steps=0\ncalls=0\n"
		"exact=1\nraces=1\nwide=0\nany-time=0\nend-points=0\noutput-points=0\nstate-points=0\nlast-exit=0\n"
		"atomic-steps=0\ntasks=unsaid\nparallel=0\nstats=0\nchildren=follow\n");
	free(config);
	hd_cli_options_free(&o);

	setenv("HEDDLE_OPTIONS", "seed=x", 1);
	assert_int_equal(hd_cli_options_init(&o, HD_FOR_RUN), HD_EXIT_USAGE);
	assert_string_equal(said, "'seed' in HEDDLE_OPTIONS must be a number, not 'x'");
	hd_cli_options_free(&o);
	unsetenv("HEDDLE_OPTIONS");
}

/* A trace knows what shaped the run, and not where it was written. */
static void meta_and_words(void **state)
{
	struct hd_trace_meta meta = { 0 };
	struct hd_run_config run;
	struct hd_run_meta m;
	struct hd_cli_options o;
	char *text;
	int next;

	assert_int_equal(
		PARSE(&o, &next, "--spurious", "--seed", "4", "--record", "f", "--json", "-"),
		HD_GO_ON);
	hd_cli_options_run(&o, &run);
	hd_run_config_meta(&run, &m, &meta);
	assert_int_equal(meta.nkeys, 4);
	assert_string_equal(meta.keys[0], "policy");
	assert_string_equal(meta.keys[1], "seed");
	assert_string_equal(meta.values[1], "4");
	assert_string_equal(meta.keys[2], "switch-at");
	assert_string_equal(meta.keys[3], "spurious");
	text = printed(&o, hd_run_config_words);
	assert_string_equal(text, " --policy random --seed 4 --spurious");
	free(text);
	hd_cli_options_free(&o);

	/* The runtime knows yes and no as numbers, people do not. */
	assert_int_equal(PARSE(&o, &next, "--races", "no"), HD_GO_ON);
	hd_cli_options_run(&o, &run);
	hd_run_config_meta(&run, &m, &meta);
	assert_string_equal(meta.keys[meta.nkeys - 1], "races");
	assert_string_equal(meta.values[meta.nkeys - 1], "0");
	text = printed(&o, hd_run_config_words);
	assert_string_equal(text, " --policy random --seed 1 --races no");
	free(text);
	hd_cli_options_free(&o);
}

/* What a replay is given on top of a schedule's options would make another run. */
static void schedule_decides(void **state)
{
	char *keys[] = { (char *)"policy", (char *)"pct-depth" };
	char *values[] = { (char *)"pct", (char *)"4" };
	char *wrong[] = { (char *)"magic", (char *)"4" };
	struct hd_schedule s = { .keys = keys, .values = values, .nkeys = 2 };
	struct hd_run_config run;

	hd_run_config_init(&run);
	run.seed = 5;
	run.carriers = HD_CARRIERS_THREADS;
	run.switch_sites = "1+2";
	assert_int_equal(hd_run_config_from_schedule(&run, &s, "x.htr"), HD_OK);
	assert_int_equal(run.policy, HD_POLICY_PCT);
	assert_int_equal(run.pct_depth, 4);
	assert_int_equal(run.seed, 1);
	assert_null(run.switch_sites);
	assert_int_equal(run.carriers, HD_CARRIERS_THREADS); /* no trace keeps that */
	s.values = wrong;
	assert_int_equal(hd_run_config_from_schedule(&run, &s, "x.htr"), HD_ERR_REQUEST);
	assert_string_equal(hd_last_error()->text,
			    "x.htr: 'magic' is not a value for the option policy");
}

/* What is printed for the runtime says the same to whoever reads it; a wrong value is no other one. */
static void lines(void **state)
{
	static const char *const wrong[] = {
		"seed=",   "seed=1x",	  "seed=18446744073709551616", "wide=2",
		"policy=", "policy=rand", "policy=randomly",	       "ring-fd=4294967296"
	};
	struct hd_run_config run, again;
	char *text = NULL, line[64];
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	hd_run_config_init(&run);
	run = (struct hd_run_config){ .policy = HD_POLICY_SEGMENTS,
				      .seed = UINT64_MAX,
				      .heap = true,
				      .switch_sites = "a+1,b+2",
				      .snapshots = HD_SNAP_ALL,
				      .ring_fd = 7,
				      .schedule_fd = -1,
				      .plan_fd = -1,
				      .segments_fd = 0,
				      .explore_fd = -1,
				      .known_fd = -1,
				      .files_fd = -1,
				      .tasks = HD_ALGORITHM_PAPER };
	hd_run_config_print(&run, out);
	fclose(out);
	assert_non_null(strstr(text, "ring-fd=0007\n"));
	hd_run_config_init(&again);
	assert_int_equal(hd_run_config_read(&again, text, "lines"), HD_OK);
	assert_string_equal(again.switch_sites, run.switch_sites);
	again.switch_sites = run.switch_sites;
	again.exitcode = run.exitcode; /* 0 was no default: it is printed */
	assert_memory_equal(&again, &run, sizeof(run));
	free(text);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(line, sizeof(line), "%s", wrong[i]);
		assert_int_equal(hd_run_config_read(&again, line, "lines"), HD_ERR_REQUEST);
	}
}

static void suggestions(void **state)
{
	static const char *const words[] = { "run", "replay", "trace", NULL };

	assert_string_equal(hd_did_you_mean("rnu", words), "run");
	assert_string_equal(hd_did_you_mean("relay", words), "replay");
	assert_string_equal(hd_did_you_mean("traces", words), "trace");
	assert_null(hd_did_you_mean("explore", words));
	assert_null(hd_did_you_mean("x", words));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),	  cmocka_unit_test(all_spellings),
		cmocka_unit_test(refusals),	  cmocka_unit_test(environment),
		cmocka_unit_test(meta_and_words), cmocka_unit_test(schedule_decides),
		cmocka_unit_test(suggestions),	  cmocka_unit_test(lines),
	};

	unsetenv("HEDDLE_OPTIONS");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
