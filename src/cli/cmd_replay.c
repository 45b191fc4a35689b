/*
 * heddle replay: the run that a schedule describes, once more.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conclude.h"
#include "trace/trace_reader.h"

static int help(void)
{
	fputs("usage: heddle replay SCHEDULE [options] [-- PROGRAM [ARGUMENTS]...]\n\n"
	      "Runs a program again as it ran before. SCHEDULE is a trace that `heddle run\n"
	      "--record` wrote, or a schedule as text (`--save`). Without a program, the recorded\n"
	      "command line is used.\n",
	      stdout);
	hd_cli_options_help(HD_FOR_REPLAY, stdout);
	fputs("\nExit status: 0 nothing found, 1 findings, 2 the command was wrong or the run\n"
	      "left the schedule, 3 heddle itself failed.\n",
	      stdout);
	return HD_EXIT_CLEAN;
}

static bool same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
	       sa.st_ino == sb.st_ino;
}

/* The build id of the program that the trace at @path was recorded from; NULL: unknown. */
static char *recorded_build_id(const char *path)
{
	const struct hd_event *events;
	struct hd_trace *trace;
	uint64_t base = 0;
	bool found = false;
	const char *id = NULL;
	char *copy;
	size_t n;

	if (hd_trace_open(&trace, path, NULL) != HD_OK)
		return NULL; /* a schedule as text has none */
	while (!id && hd_trace_next(trace, &events, &n, NULL) == HD_OK && n) {
		for (size_t i = 0; i < n && !found; i++) {
			found = events[i].op == HD_OP_MODULE;
			base = events[i].addr; /* the first is the program itself */
		}
		if (found)
			id = hd_trace_build_id(trace, base);
	}
	copy = id ? strdup(id) : NULL;
	hd_trace_close(trace);
	return copy;
}

/*
 * The trace gets the options of the recorded run, so that it comes out equal to
 * the first one; only the runtime is told that it follows a schedule.
 */
static char *make_config(const struct hd_cli_options *o, const struct hd_schedule *s)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	fputs("policy=replay\n", out);
	hd_cli_options_config(o, out);
	if (s->start_time) /* the last line counts */
		fprintf(out, "start-time=%llu\n", (unsigned long long)s->start_time);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

static int launch_and_conclude(struct hd_cli_options *o, const struct hd_schedule *s,
			       struct hd_launch *l, struct hd_conclusion *c)
{
	static const uint32_t none;
	struct hd_outputs outputs;
	struct hd_outcome outcome;
	int rc = hd_find_program(l->argv[0]);

	if (rc == HD_EXIT_CLEAN)
		rc = hd_outputs_open(&outputs, o);
	if (rc != HD_EXIT_CLEAN)
		return rc;
	c->outputs = &outputs;
	l->choices = s->nchoices ? s->choices : &none;
	l->nchoices = s->nchoices;
	hd_cli_options_meta(o, &l->meta);
	rc = hd_launch(l, &outcome);
	if (rc == HD_EXIT_CLEAN)
		rc = hd_conclude(c, &outcome);
	return hd_outputs_close(&outputs, rc);
}

static int replay(struct hd_cli_options *o, const struct hd_schedule *s, const char *path,
		  char **argv, int argc)
{
	const char *record = o->value[HD_OPT_RECORD];
	char *config = make_config(o, s), *command = hd_replay_command(path, o, argv);
	char *build_id = recorded_build_id(path);
	struct hd_launch l = { .argv = argv, .config = config, .record = record,
			       .meta = { .argc = argc, .argv = (const char *const *)argv } };
	struct hd_conclusion c = { .command = "replay", .options = o, .record = record,
				   .schedule = path, .replay = command, .build_id = build_id };
	char *origin = NULL;
	int rc;

	if (!config || !command || asprintf(&origin, "replayed from %s", path) < 0) {
		rc = hd_die(HD_EXIT_FAILED, "out of memory");
	} else {
		c.origin = origin;
		rc = launch_and_conclude(o, s, &l, &c);
	}
	free(origin);
	free(config);
	free(command);
	free(build_id);
	return rc;
}

static int load_and_replay(struct hd_cli_options *o, const char *path, char **argv, int argc)
{
	const char *save = o->value[HD_OPT_SAVE], *record = o->value[HD_OPT_RECORD];
	struct hd_schedule s = { 0 };
	struct hd_errbuf eb = { 0 };
	int rc;

	if ((record && same_file(record, path)) || (save && same_file(save, path)))
		return hd_die(HD_EXIT_USAGE, "'%s' is the schedule itself and would be overwritten",
			      path);
	if (hd_schedule_load(&s, path, &eb) != HD_OK)
		return hd_die(HD_EXIT_USAGE, "%s", eb.text);
	rc = hd_cli_options_from_schedule(o, &s, path);
	if (rc == HD_GO_ON && save && hd_schedule_save(&s, save, &eb) != HD_OK)
		rc = hd_die(HD_EXIT_USAGE, "%s", eb.text);
	if (rc == HD_GO_ON && !argc && !s.argc)
		rc = hd_die(HD_EXIT_USAGE,
			    "'%s' does not say which program to run; add -- PROGRAM ...", path);
	if (rc == HD_GO_ON && argc)
		rc = replay(o, &s, path, argv, argc);
	else if (rc == HD_GO_ON)
		rc = replay(o, &s, path, s.argv, s.argc);
	hd_schedule_free(&s);
	return rc;
}

int hd_cmd_replay(int argc, char **argv)
{
	struct hd_cli_options o;
	const char *path = NULL;
	bool dashes = false;
	int next = 1;
	int rc = hd_cli_options_init(&o, HD_FOR_REPLAY);

	if (rc == HD_GO_ON)
		rc = hd_cli_options_parse(&o, argc, argv, &next, &dashes);
	if (rc == HD_GO_ON && !dashes && next < argc) {
		path = argv[next++];
		rc = hd_cli_options_parse(&o, argc, argv, &next, &dashes);
	}
	if (rc == HD_GO_ON && o.value[HD_OPT_HELP])
		rc = help();
	if (rc == HD_GO_ON && !path)
		rc = hd_die(HD_EXIT_USAGE,
			    "which schedule? `heddle replay SCHEDULE [-- PROGRAM ...]`");
	if (rc == HD_GO_ON)
		rc = load_and_replay(&o, path, argv + next, argc - next);
	hd_cli_options_free(&o);
	return rc;
}
