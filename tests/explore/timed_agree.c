/*
 * Exploring real programs with time in them ends in what a model of them (timed_model.c) says, no
 * more and no less: random small programs, which timed_script.c executes, are explored by every
 * strategy. One that tries everything must come to its end and meet every outcome, one that takes
 * samples a part of them. A program on which they disagree is made as small as it gets, and printed.
 *
 *   timed_agree SCRIPT FOLDER random COUNT SEED FEATURES SECONDS  a letter for each feature
 *   timed_agree SCRIPT FOLDER PROGRAM...   programs, see timed_script.h
 *   timed_agree PROGRAM                    only what the model says of it
 *
 * Features: t deadlines and sleeps, s loops that wait, o loops of several looks, r loops around waits with deadlines, e ends of
 * the process, q quick_exit.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "explore/explorer.h"
#include "launch/executor.h"
#include "trace/run_config_text.h"
#include "common/rng.h"
#include "timed_model.h"
#include "trace/event.h"

#define TEXT (THREADS * LINE)
/* Executions, after which an exploration is given up, and is no proof then. */
#define MANY	300
#define SOME	100
#define SAMPLES 12
#define LIMIT	5.0

/* As the command has it, with --keep-going. */
#define COMMON "spins=100\nany-time=1\nend-points=1\n"

static struct way {
	const char *name, *config;
	struct hd_xoptions how;
	bool samples;  /* it never says that this was all */
	unsigned turn; /* it is tried on one program in so many */
	struct hd_executor executor;
	uint64_t compared, whole, executions; /* programs; explored to the end; in all of them */
} ways[] = {
	{ .name = "dpor",
	  .config = "switch-at=atomics\nstates=0\ncommute=1\n" COMMON,
	  .how = { .strategy = HD_X_DPOR, .max_executions = MANY },
	  .turn = 1 },
	{ .name = "naive, states matched",
	  .config = "switch-at=accesses\nstates=1\n" COMMON,
	  .how = { .strategy = HD_X_NAIVE, .match = true, .max_executions = SOME },
	  .turn = 9 },
	{ .name = "all at atomics, states matched",
	  .config = "switch-at=atomics\nstates=1\nexact-states=1\n" COMMON,
	  .how = { .strategy = HD_X_NAIVE, .match = true, .exact = true, .max_executions = MANY },
	  .turn = 5 },
	{ .name = "naive",
	  .config = "switch-at=accesses\nstates=0\n" COMMON,
	  .how = { .strategy = HD_X_NAIVE, .max_executions = SOME / 4 },
	  .turn = 11 },
	{ .name = "dpor at accesses",
	  .config = "switch-at=accesses\nstates=0\n" COMMON,
	  .how = { .strategy = HD_X_DPOR, .max_executions = MANY },
	  .turn = 5 },
	{ .name = "dpor, snapshots",
	  .config = "switch-at=atomics\nstates=0\nsnapshots=all\ncommute=1\n" COMMON,
	  .how = { .strategy = HD_X_DPOR, .max_executions = MANY },
	  .turn = 4 },
	{ .name = "bounded, states matched, snapshots",
	  .config = "switch-at=atomics\nstates=1\nsnapshots=all\n" COMMON,
	  .how = { .strategy = HD_X_BOUNDED,
		   .match = true,
		   .preemptions = 1000,
		   .max_executions = SOME },
	  .turn = 9 },
	{ .name = "random",
	  .config = "switch-at=atomics\nstates=0\n" COMMON,
	  .how = { .strategy = HD_X_RANDOM, .seed = 1, .max_executions = SAMPLES },
	  .samples = true,
	  .turn = 4 },
	{ .name = "pct",
	  .config = "switch-at=atomics\nstates=0\n" COMMON,
	  .how = { .strategy = HD_X_PCT, .seed = 1, .pct_depth = 3, .max_executions = SAMPLES },
	  .samples = true,
	  .turn = 4 },
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static int input;
static struct result *result;

static void die(const char *what)
{
	fprintf(stderr, "timed_agree: %s\n", what);
	exit(3);
}

/* ---- what executions end with ---------------------------------------------------- */

struct explored {
	struct way *way;
	const struct outcomes *model;
	struct outcomes met;
	bool whole;   /* everything was tried, and the exploration says so */
	bool gave_up; /* it has more executions than are worth it here */
	uint64_t executions;
	const char *wrong; /* what there is to say, where it is no outcome that is missing */
};

/* Threads that wait for each other end an execution at once: there is no more to compare then. */
static void make_stuck(struct explored *x, struct outcome *o)
{
	struct outcome cycle = { .how = CYCLE };

	o->how = STUCK;
	o->status = 0;
	if (!outcomes_have(x->model, o) && outcomes_have(x->model, &cycle))
		*o = cycle;
}

static void make_fault(struct outcome *o, enum how how, uint32_t thread)
{
	struct outcome fault = { .how = (unsigned char)how, .who = (unsigned char)(thread - 1) };

	if (thread >= 1 && thread <= THREADS) {
		fault.sum[thread - 1] = o->sum[thread - 1];
		fault.at[thread - 1] = o->at[thread - 1];
	}
	*o = fault;
}

static struct outcome outcome_of(struct explored *x, const struct hd_xlog *log)
{
	struct outcome o = { .how = log->exited == 1 ? ENDS : OTHER,
			     .status = (unsigned char)log->code };

	memcpy(o.sum, result->sum, sizeof(o.sum));
	memcpy(o.at, result->at, sizeof(o.at));
	memcpy(o.atomics, result->atomics, sizeof(o.atomics));
	if (result->orderly)
		memcpy(o.guarded, result->guarded, sizeof(o.guarded));
	else if (o.how == ENDS && !log->nfaults)
		forget_others(&o);
	for (size_t i = 0; i < log->nfaults; i++) {
		uint32_t kind = log->faults[i].kind;

		if (kind == HD_KIND_DEADLOCK || kind == HD_KIND_LIVELOCK)
			make_stuck(x, &o);
		else if (kind == HD_KIND_ASSERTION)
			make_fault(&o, FAILS, log->faults[i].thread);
		else if (kind == HD_KIND_CRASH)
			make_fault(&o, ABORTS, log->faults[i].thread);
		else if (kind == HD_KIND_RACE)
			x->wrong = "a race";
		if (kind == HD_KIND_LIVELOCK && !x->model->loops)
			x->wrong = "a livelock where nobody waits in a loop";
	}
	return o;
}

static enum hd_err execute(void *arg, const struct hd_xrequest *request, struct hd_xlog *log,
			   struct hd_errbuf *eb)
{
	const struct hd_lessons none = { 0 };

	return hd_executor_run(&((struct explored *)arg)->way->executor, request, &none, log, eb);
}

static bool see(void *arg, const struct hd_xlog *log, const struct hd_xstats *stats)
{
	struct explored *x = arg;
	struct outcome o;

	(void)stats;
	if (log->uses & HD_X_USES_PATIENCE)
		x->wrong = "a loop that waits was not followed to its end";
	if (log->end != HD_X_END_DONE)
		return true;
	o = outcome_of(x, log);
	outcomes_add(&x->met, &o);
	return true;
}

static void explore(struct explored *x, const char *text)
{
	struct hd_xstats stats;
	struct hd_errbuf eb;

	if (pwrite(input, text, strlen(text), 0) < 0 || ftruncate(input, (off_t)strlen(text)))
		die("the program cannot be handed over");
	if (hd_explore(&x->way->how, execute, see, x, &stats, &eb)) {
		static char why[600];

		snprintf(why, sizeof(why), "an error: %s", eb.text);
		x->wrong = why;
		return;
	}
	x->whole = stats.complete && !stats.cut;
	x->gave_up = !x->whole && stats.executions >= x->way->how.max_executions;
	x->executions = stats.executions;
	if (stats.collisions)
		x->wrong = "states with the same hash";
	if (!x->whole && !x->gave_up)
		x->wrong = "not complete";
}

/* ---- comparing ------------------------------------------------------------------- */

static void print_outcome(const struct outcome *o)
{
	static const char *const names[] = { "ends", "stuck", "cycle", "fails", "aborts", "other" };

	printf("%s", names[o->how]);
	if (o->how == ENDS || o->how == OTHER)
		printf(" with %u", o->status);
	if (o->how == FAILS || o->how == ABORTS)
		printf(" by T%u", o->who);
	for (int t = 0; t < THREADS && o->how != CYCLE; t++)
		printf(" T%d %u@%u", t, o->sum[t], o->at[t]);
	printf(" atomics %u %u guarded %u %u\n", o->atomics[0], o->atomics[1], o->guarded[0],
	       o->guarded[1]);
}

static void print_outcomes(const char *label, const struct outcomes *o, const struct outcomes *but)
{
	size_t n = 0;

	for (size_t i = 0; i < o->n; i++) {
		if (but && outcomes_have(but, &o->list[i]))
			continue;
		if (n++ < 12) {
			printf("    %s: ", label);
			print_outcome(&o->list[i]);
		}
	}
	if (n > 12)
		printf("    and %zu more\n", n - 12);
}

static bool is_part(const struct outcomes *a, const struct outcomes *b)
{
	for (size_t i = 0; i < a->n; i++) {
		if (!outcomes_have(b, &a->list[i]))
			return false;
	}
	return true;
}

static bool agree_in_one(struct way *w, const char *text, const struct outcomes *model, bool print,
			 bool count)
{
	struct explored x = { .way = w, .model = model };
	bool same;

	explore(&x, text);
	if (w->samples && x.wrong && !strcmp(x.wrong, "not complete"))
		x.wrong = NULL;
	same = !x.wrong && is_part(&x.met, model) && (!x.whole || is_part(model, &x.met));
	if (print) {
		printf("  %s: %zu outcomes, %llu executions%s%s%s\n", w->name, x.met.n,
		       (unsigned long long)x.executions, x.whole ? "" : " (not all)",
		       same ? "" : ": WRONG ", x.wrong ? x.wrong : "");
		print_outcomes("should not be", &x.met, model);
		if (x.whole)
			print_outcomes("missed", model, &x.met);
	}
	w->compared += count;
	w->whole += count && x.whole;
	w->executions += count ? x.executions : 0;
	free(x.met.list);
	return same;
}

/* Explore @text in all ways, or those whose turn it is; false: one does not agree. */
static bool agree(const char *text, uint64_t turn, bool print, bool count)
{
	struct outcomes model = { 0 };
	bool same = true;

	enumerate(text, &model);
	if (model.too_many)
		return true;
	for (size_t i = 0; i < WAYS && (same || print); i++) {
		if (turn == 0 || (turn + i) % ways[i].turn == 0)
			same &= agree_in_one(&ways[i], text, &model, print, count);
	}
	if (print)
		print_outcomes("model", &model, NULL);
	free(model.list);
	return same;
}

/* ---- random programs -------------------------------------------------------------- */

struct program {
	char line[THREADS][LINE];
	int n;
};

static const char *features = "";

static bool has_feature(char c)
{
	return strchr(features, c) != NULL;
}

static void add(char *line, char op, unsigned digit)
{
	size_t n = strlen(line);

	if (n + 3 >= LINE)
		return;
	line[n] = op;
	line[n + 1] = (char)('0' + digit);
	line[n + 2] = 0;
}

/* The numbers of objects in it may be exchanged. */
static const struct section {
	char feature; /* 0: none */
	const char *text;
} sections[] = {
	{ 0, "r0" },	     { 0, "r0" },	  { 0, "w0" },	       { 0, "w0" },
	{ 0, "a0" },	     { 0, "a0" },	  { 0, "c0" },	       { 0, "n0" },
	{ 0, "i0r1" },	     { 0, "i0w1" },	  { 0, "p0" },	       { 0, "d0" },
	{ 0, "l0g0u0" },     { 0, "l0h0u0" },	  { 0, "l0g0h0u0" },   { 0, "l0" },
	{ 0, "l0l1u1u0" },   { 0, "l0t1u1u0" },	  { 0, "t0h0u0" },     { 0, "t0a0u0" },
	{ 0, "l0v0g0u0" },   { 0, "l0h0s0u0" },	  { 0, "s0" },	       { 0, "l0b0u0" },
	{ 0, "y0" },	     { 't', "z0" },	  { 't', "z0r0" },     { 't', "z0w0" },
	{ 't', "z0a0" },     { 't', "D0" },	  { 't', "D0r0" },     { 't', "m0g0u0" },
	{ 't', "m0h0u0" },   { 't', "l0m1u1u0" }, { 't', "m0w0u0" },   { 't', "l0V0g0u0" },
	{ 't', "l0V0u0" },   { 't', "l0h0s0u0" }, { 'r', "T0g0u0" },   { 'r', "R0" },
	{ 't', "l0z0h0u0" }, { 'r', "l0M0u0" },	  { 't', "p0" },       { 't', "l0a0V0u0" },
	{ 'r', "l0T1u1u0" }, { 's', "S0" },	  { 's', "S0r1" },     { 's', "E0" },
	{ 's', "L0O0" },     { 's', "L0a1O0" },	  { 's', "L0L1O1O0" }, { 's', "Q0g0u0" },
	{ 's', "Q0Q1u1u0" }, { 's', "w0" },	  { 's', "a0" },       { 's', "L0" },
	{ 'r', "l0h0u0" },   { 's', "Q0h0u0" },	  { 's', "L0i1w0O0" }, { 'e', "x0" },
	{ 'e', "x1" },	     { 'e', "X0" },	  { 'q', "q1" },       { 'q', "i0q1" },
	{ 'e', "i0x0" },     { 'e', "i0F0" },	  { 'e', "F0" },       { 'e', "r0F0" },
	{ 'e', "a0F0" },     { 'e', "x1" },	  { 'e', "l0g0u0F0" }, { 'e', "c0F0" },
	{ 'e', "i0x1" },     { 'e', "e0" },	  { 'e', "i0A0" },     { 'e', "f0" },
	{ 'e', "r0F0" },     { 'e', "i0X1" },	  { 'e', "i0e0" },     { 'o', "K0O0" },
	{ 'o', "K0O0" },     { 'o', "K0a1O0" },	  { 'o', "K0K1O1O0" }, { 'o', "P0O0" },
	{ 'o', "P0O0" },     { 'o', "P0r1O0" },	  { 'o', "B0" },       { 'o', "B0r1" },
	{ 'o', "N0" },	     { 'o', "N0N0" },	  { 'o', "w0" },       { 'o', "n0" },
	{ 'o', "a0" },	     { 'o', "K0" },	  { 'o', "c0n0" },     { 'o', "K0i1w0O0" },
	{ 'o', "w0w1" },     { 'o', "w0n0w0" },	  { 'a', "U0" },       { 'a', "U0U0" },
	{ 'a', "U0r0" },     { 'a', "U0U1" },	  { 'a', "U0" },       { 'a', "i0U0" },
	{ 'a', "S0U0" },     { 'a', "l0U0u0" },	  { 'a', "K0U1O0" },   { 'a', "U0c0" },
	{ 'a', "r0" },	     { 'a', "U0p0" },
};
#define SECTIONS (sizeof(sections) / sizeof(sections[0]))

static const struct section *random_section(struct hd_rng *rng)
{
	for (;;) {
		const struct section *s = &sections[hd_rng_below(rng, SECTIONS)];

		/* Half of it is what the features are for. */
		if (s->feature ? has_feature(s->feature) : !*features || hd_rng_below(rng, 3) == 0)
			return s;
	}
}

static void add_section(struct hd_rng *rng, char *line, const struct section *s)
{
	unsigned other = hd_rng_below(rng, 4) == 0;

	for (const char *p = s->text; *p; p += 2) {
		unsigned digit = (unsigned)(p[1] - '0');

		if (strchr("xXqfA", *p))
			;
		else if (*p == 'z')
			digit = (unsigned)hd_rng_below(rng, 4);
		else
			digit ^= other;
		if (strchr("SLEQKPB", *p))
			digit += 2 * (unsigned)hd_rng_below(rng, 4);
		add(line, *p, digit);
	}
}

static void random_program(struct hd_rng *rng, struct program *p)
{
	const struct section *kinds[3];

	for (unsigned i = 0; i < 3; i++)
		kinds[i] = random_section(rng);
	memset(p, 0, sizeof(*p));
	p->n = hd_rng_below(rng, 4) ? 3 : hd_rng_below(rng, 3) ? 2 : 4;
	for (int t = 0; t < p->n; t++) {
		/* Main has little to do: that it makes the others is enough. */
		unsigned n = t ? 1 + (unsigned)hd_rng_below(rng, p->n < 4 ? 2 : 1)
			       : p->n == 2 || hd_rng_below(rng, 3) == 0;

		if (t == 0 && p->n > 2 && hd_rng_below(rng, 5) == 0)
			add(p->line[0], has_feature('e') && hd_rng_below(rng, 2) ? 'k' : 'j',
			    1 + (unsigned)hd_rng_below(rng, (uint64_t)p->n - 1));
		while (n--)
			add_section(rng, p->line[t], kinds[hd_rng_below(rng, 3)]);
		if (t == 0 && has_feature('e') && hd_rng_below(rng, 4) == 0)
			add(p->line[0], "fxXe"[hd_rng_below(rng, 4)], 0);
	}
}

static void text_of(const struct program *p, char *text)
{
	*text = 0;
	for (int t = 0; t < p->n; t++) {
		strcat(text, t ? "/" : "");
		strcat(text, p->line[t]);
	}
}

/* Leave out operations as long as some way does not agree. */
static void shrink(struct program *p)
{
	char text[TEXT];
	bool better = true;

	while (better) {
		better = false;
		for (int t = 0; t < p->n; t++) {
			for (size_t i = 0; p->line[t][i]; i += 2) {
				struct program less = *p;

				memmove(less.line[t] + i, p->line[t] + i + 2,
					strlen(p->line[t] + i + 2) + 1);
				text_of(&less, text);
				if (agree(text, 0, false, false))
					continue;
				*p = less;
				better = true;
				i -= 2;
			}
		}
		if (p->n > 1 && !p->line[p->n - 1][0]) {
			p->n--;
			text_of(p, text);
			better = !agree(text, 0, false, false);
			p->n += !better;
		}
	}
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int compare(uint64_t count, uint64_t seed, double limit)
{
	char text[TEXT];
	int differ = 0;
	double end = seconds() + limit;
	uint64_t i;

	for (i = 0; i < count && differ < 4 && seconds() < end; i++) {
		struct hd_rng rng;
		struct program p;

		hd_rng_seed(&rng, seed + i);
		random_program(&rng, &p);
		text_of(&p, text);
		if (agree(text, seed + i, false, true))
			continue;
		printf("seed %llu: they do not agree: '%s'\n", (unsigned long long)(seed + i),
		       text);
		fflush(stdout);
		shrink(&p);
		text_of(&p, text);
		printf("smaller: '%s'\n", text);
		agree(text, 0, true, false);
		fflush(stdout);
		differ++;
	}
	printf("%llu programs from seed %llu, features '%s'\n", (unsigned long long)i,
	       (unsigned long long)seed, features);
	for (size_t k = 0; k < WAYS; k++)
		printf("%s: %llu programs, %llu of them to the end, %llu executions\n",
		       ways[k].name, (unsigned long long)ways[k].compared,
		       (unsigned long long)ways[k].whole, (unsigned long long)ways[k].executions);
	return differ ? 1 : 0;
}

/* ---- the command ------------------------------------------------------------------ */

static int open_file(const char *folder, const char *name, char *path, size_t size)
{
	int fd;

	snprintf(path, size, "%s/%s", folder, name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0)
		die("cannot make a file");
	return fd;
}

/* With the defaults and "key=value" lines. */
static bool start_way(struct hd_executor *e, char **argv, const char *lines, int in)
{
	char text[256];
	struct hd_run_config run;

	snprintf(text, sizeof(text), "%s", lines);
	hd_run_config_init(&run);
	if (hd_run_config_read(&run, text, "this test"))
		die(hd_last_error()->text);
	return hd_executor_start(e, argv, &run, in) != HD_OK;
}

static void start(char *script, const char *folder)
{
	char path[4096], result_path[4096];
	char *argv[] = { script, result_path, NULL };
	int fd = open_file(folder, "timed-result", result_path, sizeof(result_path));

	input = open_file(folder, "timed-input", path, sizeof(path));
	if (ftruncate(fd, sizeof(*result)))
		die("cannot make a file");
	result = mmap(NULL, sizeof(*result), PROT_READ, MAP_SHARED, fd, 0);
	if (result == MAP_FAILED)
		die("cannot map a file");
	for (size_t i = 0; i < WAYS; i++) {
		int in = open(path, O_RDONLY | O_CLOEXEC); /* each has a place in it of its own */

		ways[i].executor.limit = LIMIT;
		ways[i].executor.max_nodes = 20000;
		if (in < 0 || start_way(&ways[i].executor, argv, ways[i].config, in))
			die("the program does not start");
		close(in);
	}
}

static int print_model(const char *text)
{
	struct outcomes model = { 0 };

	enumerate(text, &model);
	print_outcomes("model", &model, NULL);
	printf("%zu outcomes%s%s%s\n", model.n, model.too_many ? ", not all" : "",
	       model.loops ? ", stuck in a loop" : "", model.blocks ? ", stuck without loops" : "");
	return 0;
}

int main(int argc, char **argv)
{
	int rc = 0;

	if (argc == 2)
		return print_model(argv[1]);
	if (argc < 4)
		die("what? See the beginning of timed_agree.c");
	start(argv[1], argv[2]);
	if (argc == 8 && !strcmp(argv[3], "random")) {
		features = argv[6];
		rc = compare(strtoull(argv[4], NULL, 10), strtoull(argv[5], NULL, 10),
			     atof(argv[7]));
	} else {
		for (size_t i = 0; i < WAYS; i++)
			ways[i].how.max_executions *= getenv("HEDDLE_TEST_FULL") ? 4 : 1;
		for (int i = 3; i < argc; i++) {
			printf("%s\n", argv[i]);
			rc |= !agree(argv[i], 0, true, false);
		}
	}
	for (size_t i = 0; i < WAYS; i++)
		hd_executor_stop(&ways[i].executor);
	return rc;
}
