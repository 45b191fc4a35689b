#include "cli_options.h"
#include "progress.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/hash.h"
#include "trace/trace_size.h"

enum kind {
	KIND_FLAG,
	KIND_NUMBER,
	KIND_BYTES,
	KIND_SECONDS,
	KIND_DURATION,
	KIND_YESNO,
	KIND_WORD,
	KIND_STATUSES,
	KIND_PART,
	KIND_TEXT
};

struct option_info {
	const char *name;
	int run; /* enum hd_run_id, -1: it is the command's own affair */
	char letter;
	enum kind kind;
	const char *arg, *dflt;
	unsigned commands;
	const char *help;
};

static const struct option_info infos[HD_OPT_COUNT] = {
#define HD_OPTION(id, name, letter, kind, arg, dflt, commands, help)                               \
	{ name, -1, letter, KIND_##kind, arg, dflt, HD_FOR_##commands, help },
#define HD_RUN_OPTION(id, run, name, letter, kind, arg, commands, help)                            \
	{ name, HD_RUN_##run, letter, KIND_##kind, arg, NULL, HD_FOR_##commands, help },
#include "options.def"
#undef HD_OPTION
#undef HD_RUN_OPTION
};

/* The word for it in HEDDLE_OPTIONS; NULL: there is none. */
static const char *key_of(const struct option_info *info)
{
	return info->run >= 0 ? hd_run_infos[info->run].key : NULL;
}

static const char *default_of(const struct option_info *info)
{
	return info->run >= 0 ? hd_run_infos[info->run].dflt : info->dflt;
}

/* Edits (change, add, drop, swap neighbours) between two short words. */
static unsigned distance(const char *a, const char *b)
{
	enum { MAX = 24 };
	unsigned d[MAX + 1][MAX + 1];
	size_t na = strlen(a), nb = strlen(b);

	if (na > MAX || nb > MAX)
		return MAX;
	for (size_t i = 0; i <= na; i++) {
		for (size_t j = 0; j <= nb; j++) {
			unsigned best;

			if (!i || !j) {
				d[i][j] = (unsigned)(i + j);
				continue;
			}
			best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			if (d[i - 1][j] + 1 < best)
				best = d[i - 1][j] + 1;
			if (d[i][j - 1] + 1 < best)
				best = d[i][j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    d[i - 2][j - 2] + 1 < best)
				best = d[i - 2][j - 2] + 1;
			d[i][j] = best;
		}
	}
	return d[na][nb];
}

const char *hd_did_you_mean(const char *word, const char *const *words)
{
	const char *found = NULL;
	unsigned best = (unsigned)strlen(word) / 3 + 1; /* more edits than this is a guess */

	for (; *words; words++) {
		unsigned edits = distance(word, *words);

		if (edits <= best && (!found || edits < best)) {
			best = edits;
			found = *words;
		}
	}
	return found;
}

static int unknown_option(const struct hd_cli_options *o, const char *word)
{
	const char *names[HD_OPT_COUNT + 1];
	char bare[64];
	const char *meant;
	size_t n = 0;

	for (int i = 0; i < HD_OPT_COUNT; i++) {
		if (infos[i].commands & o->command)
			names[n++] = infos[i].name;
	}
	names[n] = NULL;
	snprintf(bare, sizeof(bare), "%.*s", (int)strcspn(word, "="), word);
	meant = hd_did_you_mean(bare + strspn(bare, "-"), names);
	if (meant)
		return hd_usage("there is no option '%s'; did you mean '--%s'?", bare, meant);
	return hd_usage("there is no option '%s'; --help lists them", bare);
}

/* A whole decimal number, with K, M or G behind it for sizes. */
bool hd_parse_number(const char *s, bool bytes, uint64_t *out)
{
	unsigned shift = 0;
	char *end;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	*out = strtoull(s, &end, 10);
	if (errno)
		return false;
	if (bytes && *end) {
		shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
		if (!shift || *out > UINT64_MAX >> shift)
			return false;
		end++;
	}
	*out <<= shift;
	return !*end;
}

static bool is_one_of(const char *word, const char *list)
{
	size_t n = strlen(word);

	for (;;) {
		size_t len = strcspn(list, "|");

		if (len == n && !strncmp(word, list, n))
			return true;
		if (!list[len])
			return false;
		list += len + 1;
	}
}

/* Digits, perhaps with a fraction. */
static bool is_seconds(const char *s)
{
	size_t whole = strspn(s, "0123456789"), rest = 0;

	if (s[whole] == '.')
		rest = 1 + strspn(s + whole + 1, "0123456789");
	return whole && whole < 10 && !s[whole + rest] && rest != 1;
}

/* "3" or "1,3,143". */
static bool are_statuses(const char *s)
{
	for (;;) {
		char *end;

		if (*s < '0' || *s > '9' || strtoul(s, &end, 10) > 255)
			return false;
		if (!*end)
			return true;
		if (*end != ',')
			return false;
		s = end + 1;
	}
}

/* "100ms", "2s", "1.5s", "50us" or plain nanoseconds, which is what @out gets. */
static bool parse_duration(const char *s, uint64_t *out)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { "", 1 } };
	size_t len = strspn(s, "0123456789.");
	char *end;
	double n;

	if (*s < '0' || *s > '9' || len > 18)
		return false;
	n = strtod(s, &end);
	for (size_t i = 0; end == s + len && i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(end, units[i].unit) && n * units[i].ns < 1e18) {
			*out = (uint64_t)(n * units[i].ns);
			return true;
		}
	}
	return false;
}

static void put_duration(FILE *out, const char *ns)
{
	uint64_t n = strtoull(ns, NULL, 10);

	if (n % 1000000000 == 0)
		fprintf(out, "%" PRIu64 "s", n / 1000000000);
	else
		fprintf(out, "%" PRIu64 "ms", n / 1000000);
}

/* "2/5" */
static bool parse_part(const char *s, unsigned *part, unsigned *parts)
{
	const char *slash = strchr(s, '/');
	char *first = slash ? strndup(s, (size_t)(slash - s)) : NULL;
	uint64_t k = 0, n = 0;
	bool ok = first && hd_parse_number(first, false, &k) &&
		  hd_parse_number(slash + 1, false, &n) && k >= 1 && k <= n && n <= HD_MOST_PARTS;

	free(first);
	*part = ok ? (unsigned)k : 0;
	*parts = ok ? (unsigned)n : 0;
	return ok;
}

/* Check @value and put it into one spelling in @buf; false: it does not fit. */
static bool normalise(const struct option_info *info, const char *value, char **out)
{
	unsigned part, parts;
	uint64_t number;

	switch (info->kind) {
	case KIND_FLAG:
		if (strcmp(value, "1") && strcmp(value, "0"))
			return false;
		*out = strdup(value);
		return true;
	case KIND_NUMBER:
	case KIND_BYTES:
		if (!hd_parse_number(value, info->kind == KIND_BYTES, &number))
			return false;
		if (asprintf(out, "%" PRIu64, number) < 0)
			*out = NULL;
		return true;
	case KIND_DURATION:
		if (!parse_duration(value, &number))
			return false;
		if (asprintf(out, "%" PRIu64, number) < 0)
			*out = NULL;
		return true;
	case KIND_YESNO:
		if (!is_one_of(value, "yes|no|1|0"))
			return false;
		*out = strdup(*value == 'y' || *value == '1' ? "1" : "0");
		return true;
	case KIND_WORD:
		if (!is_one_of(value, info->arg))
			return false;
		*out = strdup(value);
		return true;
	case KIND_SECONDS:
		if (!is_seconds(value))
			return false;
		*out = strdup(value);
		return true;
	case KIND_STATUSES:
		if (!are_statuses(value))
			return false;
		*out = strdup(value);
		return true;
	case KIND_PART:
		if (!parse_part(value, &part, &parts))
			return false;
		if (asprintf(out, "%u/%u", part, parts) < 0)
			*out = NULL;
		return true;
	default:
		if (!*value)
			return false;
		*out = strdup(value);
		return true;
	}
}

static const char *wanted(enum kind kind)
{
	switch (kind) {
	case KIND_FLAG:
		return "0 or 1";
	case KIND_NUMBER:
		return "a number";
	case KIND_BYTES:
		return "a number of bytes, such as 65536 or 256K";
	case KIND_SECONDS:
		return "a number of seconds, such as 10 or 0.5";
	case KIND_DURATION:
		return "a time, such as 100ms or 2s";
	case KIND_YESNO:
		return "yes or no";
	case KIND_STATUSES:
		return "exit statuses from 0 to 255, such as 3 or 1,3";
	case KIND_PART:
		return "K/N with K from 1 to N, such as 2/5";
	default:
		return "a name";
	}
}

/* @where is how the user wrote the option, for the message. */
static int set(struct hd_cli_options *o, int id, const char *value, const char *where)
{
	char *text;

	if (!normalise(&infos[id], value, &text))
		return hd_usage("%s must be %s%s, not '%s'", where,
				infos[id].kind == KIND_WORD ? "one of " : "",
				infos[id].kind == KIND_WORD ? infos[id].arg
							    : wanted(infos[id].kind),
				value);
	if (!text)
		return hd_failed("out of memory");
	free(o->owned[id]);
	o->owned[id] = text;
	o->value[id] = text;
	if (infos[id].kind == KIND_FLAG && !strcmp(text, "0"))
		o->value[id] = NULL;
	return HD_GO_ON;
}

/* A trace has what shaped its run: only the rest can be another one where a command starts from a trace. */
static bool is_asked(const struct hd_cli_options *o, int id)
{
	return o->command & HD_FOR_SHAPING ||
	       (infos[id].commands & o->command && !hd_run_infos[infos[id].run].recorded);
}

int hd_cli_options_set_key(struct hd_cli_options *o, const char *key, const char *value,
			   const char *where)
{
	for (int i = 0; i < HD_OPT_COUNT; i++) {
		char full[96];

		if (!key_of(&infos[i]) || strcmp(key_of(&infos[i]), key) || !is_asked(o, i))
			continue;
		snprintf(full, sizeof(full), "'%s' in %s", key, where);
		return set(o, i, value, full);
	}
	return HD_GO_ON;
}

/* "a=1:b=2". Keys that only the runtime knows are its own affair. */
static int from_environment(struct hd_cli_options *o)
{
	const char *env = getenv("HEDDLE_OPTIONS");
	char *copy = env ? strdup(env) : NULL;
	char *save = NULL;
	int rc = HD_GO_ON;

	if (env && !copy)
		return hd_failed("out of memory");
	for (char *item = copy ? strtok_r(copy, ":", &save) : NULL; item && rc == HD_GO_ON;
	     item = strtok_r(NULL, ":", &save)) {
		char *equals = strchr(item, '=');

		if (!equals)
			continue;
		*equals = 0;
		rc = hd_cli_options_set_key(o, item, equals + 1, "HEDDLE_OPTIONS");
	}
	free(copy);
	return rc;
}

static void to_default(struct hd_cli_options *o, int id)
{
	free(o->owned[id]);
	o->owned[id] = NULL;
	o->value[id] = default_of(&infos[id]);
}

int hd_cli_options_init(struct hd_cli_options *o, enum hd_option_for command)
{
	*o = (struct hd_cli_options){ .command = command };
	for (int i = 0; i < HD_OPT_COUNT; i++)
		to_default(o, i);
	return from_environment(o);
}

void hd_cli_options_free(struct hd_cli_options *o)
{
	for (int i = 0; i < HD_OPT_COUNT; i++)
		free(o->owned[i]);
	*o = (struct hd_cli_options){ 0 };
}

/* Does @word ("--seed", "--seed=3", "-q") name option @id? *@value is what follows '='. */
static bool names_option(const char *word, int id, const char **value)
{
	size_t len = strlen(infos[id].name);

	*value = NULL;
	if (word[1] != '-')
		return infos[id].letter && word[1] == infos[id].letter && !word[2];
	if (strncmp(word + 2, infos[id].name, len))
		return false;
	if (word[2 + len] == '=')
		*value = word + 3 + len;
	return !word[2 + len] || *value;
}

static int parse_one(struct hd_cli_options *o, int argc, char **argv, int *next)
{
	const char *word = argv[(*next)++], *value;
	int id;
	char where[64];

	for (id = 0; id < HD_OPT_COUNT; id++) {
		if ((infos[id].commands & o->command) && names_option(word, id, &value))
			break;
	}
	if (id == HD_OPT_COUNT)
		return unknown_option(o, word);
	if (infos[id].kind == KIND_FLAG) {
		if (value)
			return hd_usage("--%s takes no value", infos[id].name);
		return set(o, id, "1", word);
	}
	if (!value && *next < argc)
		value = argv[(*next)++];
	if (!value)
		return hd_usage("--%s needs a value: --%s %s", infos[id].name, infos[id].name,
				infos[id].arg);
	snprintf(where, sizeof(where), "--%s", infos[id].name);
	return set(o, id, value, where);
}

int hd_cli_options_parse(struct hd_cli_options *o, int argc, char **argv, int *next, bool *dashes)
{
	int rc = HD_GO_ON;

	while (rc == HD_GO_ON && *next < argc) {
		const char *word = argv[*next];

		if (!strcmp(word, "--")) {
			++*next;
			*dashes = true;
			break;
		}
		if (word[0] != '-' || !word[1])
			break;
		rc = parse_one(o, argc, argv, next);
	}
	if (rc == HD_GO_ON)
		hd_progress_init(!o->value[HD_OPT_QUIET]);
	return rc;
}

int hd_cli_options_parse_trace(struct hd_cli_options *o, int argc, char **argv, const char **path)
{
	bool dashes = false;
	int next = 1, rc = HD_GO_ON;

	*path = NULL;
	while (rc == HD_GO_ON && next < argc) {
		rc = hd_cli_options_parse(o, argc, argv, &next, &dashes);
		if (rc == HD_GO_ON && next < argc && *path)
			rc = hd_usage("only one trace at a time: '%s' is one too many", argv[next]);
		else if (rc == HD_GO_ON && next < argc)
			*path = argv[next++];
	}
	return rc;
}

uint64_t hd_cli_options_number(const struct hd_cli_options *o, enum hd_option_id id)
{
	return o->value[id] ? strtoull(o->value[id], NULL, 10) : 0;
}

int hd_cli_options_check_trace(const struct hd_cli_options *o, const char *path)
{
	struct hd_errbuf eb = { 0 };

	if (hd_trace_check_size(path, hd_cli_options_number(o, HD_OPT_MAX_UNPACKED), &eb) != HD_OK)
		return hd_usage("%s", eb.text);
	return HD_GO_ON;
}

void hd_cli_options_run(const struct hd_cli_options *o, struct hd_run_config *run)
{
	hd_run_config_init(run);
	for (int i = 0; i < HD_OPT_COUNT; i++) {
		if (infos[i].run >= 0 && o->value[i])
			hd_run_config_set(run, (enum hd_run_id)infos[i].run, o->value[i]);
	}
	run->suppressions = NULL; /* no affair of the program's */
}

/* The program's own output is on standard output; so may be a file of findings. */
static FILE *stream_for_text(const struct hd_cli_options *o)
{
	static const int files[] = {
#define HD_FORMAT(name, word, writer, option, report) HD_OPT_##name,
#include "heddle/engine/formats.def"
#undef HD_FORMAT
	};

	if (o->command & (HD_FOR_RUN | HD_FOR_REPLAY | HD_FOR_COLLECT | HD_FOR_CORRELATE))
		return stderr;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (o->value[files[i]] && !strcmp(o->value[files[i]], "-"))
			return stderr;
	}
	return stdout;
}

void hd_cli_options_outputs(const struct hd_cli_options *o, struct hd_output_config *out)
{
	const char *color = o->value[HD_OPT_COLOR];

	*out = (struct hd_output_config){
		.text = stream_for_text(o),
		.signals = true,
#define HD_FORMAT(name, word, writer, option, report)                                              \
	.file[HD_OUTPUT_##name] = o->value[HD_OPT_##name],
#include "heddle/engine/formats.def"
#undef HD_FORMAT
		.suppressions = o->value[HD_OPT_SUPPRESSIONS],
		.baseline = o->value[HD_OPT_BASELINE],
		.only_named =
			o->command & (HD_FOR_RUN | HD_FOR_CHECK | HD_FOR_REPLAY | HD_FOR_ANALYZE),
		.check_only = o->value[HD_OPT_CHECK_ONLY],
		.all = o->value[HD_OPT_ALL],
		.quiet = o->value[HD_OPT_QUIET],
		.gen_suppressions = o->value[HD_OPT_GEN_SUPPRESSIONS],
		.harmful = o->value[HD_OPT_FAIL_ON] && *o->value[HD_OPT_FAIL_ON] == 'h',
		.color = !color || *color == 'n'    ? HD_COLOR_NEVER
			 : !strcmp(color, "always") ? HD_COLOR_ALWAYS
						    : HD_COLOR_AUTO,
		.seconds = o->value[HD_OPT_TIME] ? strtod(o->value[HD_OPT_TIME], NULL) : 0,
		/* Of `predict`, the option is for the search alone. */
		.memory =
			o->command == HD_FOR_PREDICT ? 0 : hd_cli_options_number(o, HD_OPT_MEMORY),
	};
}

void hd_cli_options_analysis(const struct hd_cli_options *o, struct hd_analysis_config *out)
{
	struct hd_run_config run;

	hd_cli_options_run(o, &run);
	*out = (struct hd_analysis_config){
		.only = o->value[HD_OPT_ONLY],
		.atomic = o->value[HD_OPT_ATOMIC],
		.groups = o->value[HD_OPT_GROUPS],
		.atomic_functions = o->value[HD_OPT_ATOMIC_FUNCTIONS],
		.atomic_steps = run.atomic_steps,
		.tasks = run.tasks,
	};
}

/* Does it say where to write, how long or with how many, and not what is looked for? */
static bool is_of_one_part(int id)
{
	static const enum hd_option_id ids[] = {
		HD_OPT_TIME,
		HD_OPT_MEMORY,
		HD_OPT_EXECUTIONS,
		HD_OPT_JOBS,
		HD_OPT_RANKS,
		HD_OPT_MPI,
		HD_OPT_PART,
		HD_OPT_RESUME,
		HD_OPT_STATE,
		HD_OPT_SNAPSHOTS,
		HD_OPT_OUTPUT,
		HD_OPT_DOT,
		HD_OPT_SUPPRESSIONS,
		HD_OPT_BASELINE,
		HD_OPT_QUIET,
		HD_OPT_COLOR,
		HD_OPT_GEN_SUPPRESSIONS,
#define HD_FORMAT(name, word, writer, option, report) HD_OPT_##name,
#include "heddle/engine/formats.def"
#undef HD_FORMAT
	};

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		if ((int)ids[i] == id)
			return true;
	}
	return false;
}

static uint64_t hash_options(const struct hd_cli_options *o)
{
	uint64_t h = HD_FNV_START;

	for (int i = 0; i < HD_OPT_COUNT; i++) {
		const char *value = o->value[i] ? o->value[i] : "";

		if (!is_of_one_part(i)) {
			h = hd_fnv_bytes(h, infos[i].name, strlen(infos[i].name) + 1);
			h = hd_fnv_bytes(h, value, strlen(value) + 1);
		}
	}
	return h;
}

enum hd_mpi hd_cli_options_mpi(const struct hd_cli_options *o)
{
	const char *word = o->value[HD_OPT_MPI];

	return !strcmp(word, "yes")	  ? HD_MPI_YES
	       : !strcmp(word, "no")	  ? HD_MPI_NO
	       : !strcmp(word, "openmpi") ? HD_MPI_OPENMPI
	       : !strcmp(word, "mpich")	  ? HD_MPI_MPICH
					  : HD_MPI_AUTO;
}

unsigned hd_cli_options_ranks(const struct hd_cli_options *o)
{
	uint64_t ranks = hd_cli_options_number(o, HD_OPT_RANKS);

	return ranks > UINT_MAX ? UINT_MAX : (unsigned)ranks;
}

int hd_cli_options_campaign(const struct hd_cli_options *o, struct hd_campaign_config *out)
{
	*out = (struct hd_campaign_config){
		.jobs = o->owned[HD_OPT_JOBS] ? (unsigned)hd_cli_options_number(o, HD_OPT_JOBS) : 0,
		.chosen = o->owned[HD_OPT_POLICY] || o->owned[HD_OPT_SEED],
		.keep_going = hd_cli_options_keep_going(o),
		.folder = o->value[HD_OPT_OUTPUT],
		.dot = o->value[HD_OPT_DOT],
		.goals = o->value[HD_OPT_GOAL],
		.state = o->value[HD_OPT_STATE],
		.oracle = o->value[HD_OPT_ORACLE],
		.stalls = hd_cli_options_number(o, HD_OPT_STALLS),
		.runs = hd_cli_options_number(o, HD_OPT_RUNS),
		.shuffle = hd_cli_options_number(o, HD_OPT_SHUFFLE),
		.standard_input = true,
		.options = hash_options(o),
		.nranks = hd_cli_options_ranks(o),
		.mpi = hd_cli_options_mpi(o),
	};
	if (o->value[HD_OPT_PART])
		parse_part(o->value[HD_OPT_PART], &out->part, &out->parts);
	hd_cli_options_run(o, &out->run);
	hd_cli_options_analysis(o, &out->analysis);
	hd_cli_options_outputs(o, &out->outputs);
	if (o->owned[HD_OPT_JOBS] && !out->jobs)
		return hd_usage("--jobs must be at least 1");
	if (o->owned[HD_OPT_RUNS] && !out->runs)
		return hd_usage("--runs must be at least 1");
	return HD_GO_ON;
}

void hd_cli_options_help(enum hd_option_for command, FILE *out)
{
	fputs("\noptions:\n", out);
	for (int i = 0; i < HD_OPT_COUNT; i++) {
		const struct option_info *info = &infos[i];
		char left[64];

		if (!(info->commands & command))
			continue;
		if (info->letter)
			snprintf(left, sizeof(left), "-%c, --%s", info->letter, info->name);
		else
			snprintf(left, sizeof(left), "--%s%s%s", info->name, info->arg ? " " : "",
				 info->arg ? info->arg : "");
		fprintf(out, "  %s\n        %s", left, info->help);
		if (info->kind == KIND_YESNO)
			fprintf(out, " (default: %s)", *default_of(info) == '1' ? "yes" : "no");
		else if (info->kind == KIND_DURATION) {
			fputs(" (default: ", out);
			put_duration(out, default_of(info));
			putc(')', out);
		} else if (default_of(info) && strcmp(default_of(info), "0"))
			fprintf(out, " (default: %s)", default_of(info));
		putc('\n', out);
	}
}

bool hd_cli_options_next(enum hd_option_for command, int *next, struct hd_option_shape *out)
{
	for (; *next < HD_OPT_COUNT; ++*next) {
		const struct option_info *info = &infos[*next];

		if (!(info->commands & command))
			continue;
		*out = (struct hd_option_shape){
			.name = info->name,
			.help = info->help,
			.letter = info->letter,
			.arg = info->kind == KIND_FLAG ? NULL : info->arg,
			.words = info->kind == KIND_WORD || info->kind == KIND_YESNO ? info->arg
										     : NULL,
			.file = info->kind == KIND_TEXT,
		};
		++*next;
		return true;
	}
	return false;
}

bool hd_cli_options_keep_going(const struct hd_cli_options *o)
{
	return o->value[HD_OPT_KEEP_GOING] || o->value[HD_OPT_BASELINE] ||
	       o->value[HD_OPT_SUPPRESSIONS] || o->value[HD_OPT_CHECK_ONLY];
}
