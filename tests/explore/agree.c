/*
 * All ways to explore a program end in the same set of final states: random small programs, which
 * script.c executes, are explored by every strategy that tries everything, and what the executions
 * ended with is compared; states that are matched by their hashes are equal in full. A disagreement is made as small as it gets, and printed.
 *
 *   agree SCRIPT FOLDER COUNT SEED [OPS]  random programs; of these operations, with more in a thread
 *   agree SCRIPT FOLDER PROGRAM        one program, '/' in place of line ends
 *
 * Each way has a server (cli/executor.h) that starts once; programs come through its standard
 * input, a file that every execution reads anew.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "explore/explorer.h"
#include "launch/executor.h"
#include "trace/run_config_text.h"
#include "common/rng.h"
#include "script.h"

#define TEXT 512
/* Executions, for the ways that do not leave out enough to be sure of their end. */
#define BUDGET	       40
#define BUDGET_MATCHED 400
#define LIMIT	       20.0

static struct way {
	const char *name, *config;
	struct hd_xoptions how;
	bool reduces; /* it must come to an end; else it is left out where its budget ends */
	struct hd_executor executor;
	uint64_t compared, executions; /* programs; in all of them */
} ways[] = {
	{ .name = "dpor",
	  .config = "switch-at=atomics\nstates=0\n",
	  .how = { .strategy = HD_X_DPOR },
	  .reduces = true },
	{ .name = "naive",
	  .config = "switch-at=accesses\nstates=0\n",
	  .how = { .strategy = HD_X_NAIVE, .max_executions = BUDGET } },
	{ .name = "naive, states matched",
	  .config = "switch-at=accesses\nstates=1\nexact-states=1\n",
	  .how = { .strategy = HD_X_NAIVE,
		   .match = true,
		   .exact = true,
		   .max_executions = BUDGET_MATCHED } },
	{ .name = "all at atomics, states matched",
	  .config = "switch-at=atomics\nstates=1\nexact-states=1\n",
	  .how = { .strategy = HD_X_NAIVE, .match = true, .exact = true },
	  .reduces = true },
	{ .name = "dpor at accesses",
	  .config = "switch-at=accesses\nstates=0\n",
	  .how = { .strategy = HD_X_DPOR },
	  .reduces = true },
	{ .name = "dpor, snapshots",
	  .config = "switch-at=atomics\nstates=0\nsnapshots=all\n",
	  .how = { .strategy = HD_X_DPOR },
	  .reduces = true },
	{ .name = "bounded, states matched, snapshots",
	  .config = "switch-at=atomics\nstates=1\nsnapshots=all\n",
	  .how = { .strategy = HD_X_BOUNDED,
		   .match = true,
		   .preemptions = 1000,
		   .max_executions = BUDGET_MATCHED / 4 } },
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static int input;
static struct result *result;

static void die(const char *what)
{
	fprintf(stderr, "agree: %s\n", what);
	exit(3);
}

/* ---- what executions end with ---------------------------------------------------- */

/* How an execution ended: a bit for each kind of fault, and the program's own account. */
struct final {
	uint64_t faults;
	struct result result;
};

struct finals {
	struct final *list;
	size_t n, room;
	bool whole;	/* everything was tried */
	bool cut_short; /* by a fault, while others could go on */
	uint64_t executions, collisions;
	uint64_t faults; /* a bit for each kind that was met */
};

struct exploring {
	struct way *way;
	struct finals *finals;
};

static bool has(const struct finals *s, const struct final *f)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!memcmp(&s->list[i], f, sizeof(*f)))
			return true;
	}
	return false;
}

static enum hd_err execute(void *arg, const struct hd_xrequest *request, struct hd_xlog *log,
			   struct hd_errbuf *eb)
{
	const struct hd_lessons none = { 0 };

	return hd_executor_run(&((struct exploring *)arg)->way->executor, request, &none, log, eb);
}

/*
 * Has a fault ended the program before a thread could go on? How far others came by then makes no
 * difference to the fault, so not all of it is tried, and only the kinds of faults are compared.
 */
static bool is_cut_short(const struct hd_xlog *log)
{
	size_t first = log->nops - log->npending;

	for (size_t i = first; i < log->nops; i++) {
		uint32_t t = log->ops[i].thread;
		bool more = i + 1 < log->nops && log->ops[i + 1].thread == t;
		bool waits = more || log->ops[i].object != log->ops[first - 1].object;

		if (log->ops[i].begins && !waits && t <= THREADS && !result->finished[t - 1])
			return true;
	}
	return false;
}

static bool see(void *arg, const struct hd_xlog *log, const struct hd_xstats *stats)
{
	struct finals *s = ((struct exploring *)arg)->finals;
	struct final f;

	(void)stats;
	if (log->end != HD_X_END_DONE)
		return true;
	memset(&f, 0, sizeof(f));
	for (size_t i = 0; i < log->nfaults; i++)
		f.faults |= UINT64_C(1) << (log->faults[i].kind & 63);
	if (log->exited != 1 || (log->code && !log->nfaults))
		f.faults |= UINT64_C(1) << 63;
	s->faults |= f.faults;
	f.result = *result;
	memset(f.result.finished, 0, sizeof(f.result.finished));
	s->cut_short |= log->nfaults && is_cut_short(log);
	if (has(s, &f))
		return true;
	if (s->n == s->room) {
		s->room = s->room ? 2 * s->room : 64;
		s->list = realloc(s->list, s->room * sizeof(*s->list));
		if (!s->list)
			die("out of memory");
	}
	s->list[s->n++] = f;
	return true;
}

static void explore(struct way *w, const char *text, struct finals *s)
{
	struct exploring x = { .way = w, .finals = s };
	struct hd_xstats stats;
	struct hd_errbuf eb;

	*s = (struct finals){ 0 };
	if (pwrite(input, text, strlen(text), 0) < 0 || ftruncate(input, (off_t)strlen(text)))
		die("the program cannot be handed over");
	if (hd_explore(&w->how, execute, see, &x, &stats, &eb)) {
		fprintf(stderr, "agree: %s: %s, in\n%s", w->name, eb.text, text);
		exit(3);
	}
	s->whole = stats.complete && !stats.cut;
	s->executions = stats.executions;
	s->collisions = stats.collisions;
}

/* ---- comparing ------------------------------------------------------------------- */

static void print_final(const struct final *f)
{
	printf("faults %llx", (unsigned long long)f->faults);
	for (int t = 0; t < THREADS; t++)
		printf(" T%d %u@%u", t, f->result.sum[t], f->result.at[t] / 2);
	printf(" atomics %u %u guarded %u %u\n", f->result.atomics[0], f->result.atomics[1],
	       f->result.guarded[0], f->result.guarded[1]);
}

static size_t missing(const struct finals *all, const struct finals *s, bool print)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		if (has(s, &all->list[i]) || (all->cut_short && all->list[i].faults))
			continue;
		if (print && n < 5) {
			printf("    without: ");
			print_final(&all->list[i]);
		}
		n++;
	}
	return n;
}

/* Explore @text in all ways; false: they differ. */
static bool agree(const char *text, bool print, bool count)
{
	struct finals s[WAYS], all = { 0 };
	bool same = true;

	for (size_t i = 0; i < WAYS; i++) {
		explore(&ways[i], text, &s[i]);
		if (!s[i].whole && ways[i].reduces)
			die("an exploration did not come to its end");
		all.faults |= s[i].faults;
		all.cut_short |= s[i].cut_short;
		for (size_t k = 0; k < s[i].n; k++) {
			if (has(&all, &s[i].list[k]))
				continue;
			all.list = realloc(all.list, (all.n + 1) * sizeof(*all.list));
			if (!all.list)
				die("out of memory");
			all.list[all.n++] = s[i].list[k];
		}
	}
	for (size_t i = 0; i < WAYS; i++) {
		if (print)
			printf("  %s: %zu final states, %llu executions%s, %llu wrong matches\n",
			       ways[i].name, s[i].n, (unsigned long long)s[i].executions,
			       s[i].whole ? "" : " (not all)", (unsigned long long)s[i].collisions);
		if (s[i].whole)
			same &= missing(&all, &s[i], print) == 0 && s[i].faults == all.faults;
		same &= s[i].collisions == 0;
		ways[i].compared += count && s[i].whole;
		ways[i].executions += count ? s[i].executions : 0;
		free(s[i].list);
	}
	for (size_t i = 0; i < all.n; i++)
		if (print && all.n < 12)
			print_final(&all.list[i]);
	free(all.list);
	return same;
}

/* ---- random programs -------------------------------------------------------------- */

struct program {
	char line[THREADS][64];
	int n;
};

static void add(char *line, char op, unsigned object)
{
	size_t n = strlen(line);

	line[n] = op;
	line[n + 1] = (char)('0' + object);
	line[n + 2] = 0;
}

/*
 * What the threads of a program do is of few kinds and mostly to one object, or else they would hardly
 * ever meet.
 */
static const char simple[] = "rrwwaacipdDsboyBe";
static const char *only; /* operations of all programs; NULL: of any kind */

struct kind {
	unsigned section; /* of several operations; from 6 on: a simple one */
	char op;
};

static struct kind random_kind(struct hd_rng *rng)
{
	struct kind k = { .section = (unsigned)hd_rng_below(rng, 12) };

	k.op = simple[hd_rng_below(rng, sizeof(simple) - 1)];
	if (only)
		k = (struct kind){ UINT_MAX, only[hd_rng_below(rng, strlen(only))] };
	return k;
}

/* One operation, or a section of a few. */
static void add_some(struct hd_rng *rng, char *line, struct kind kind)
{
	unsigned x = hd_rng_below(rng, 4) == 0;

	switch (kind.section) {
	case 0: /* a section that uses what the mutex guards */
	case 1:
		add(line, 'l', x);
		add(line, "ggh"[hd_rng_below(rng, 3)], x);
		if (hd_rng_below(rng, 2))
			add(line, 'h', x);
		if (hd_rng_below(rng, 8))
			add(line, 'u', x);
		break;
	case 2: /* two locks, one in the other */
		add(line, 'l', x);
		add(line, "lt"[hd_rng_below(rng, 2)], !x);
		add(line, 'u', !x);
		add(line, 'u', x);
		break;
	case 3:
		add(line, 't', x);
		add(line, "wr"[hd_rng_below(rng, 2)], x);
		add(line, 'u', x);
		break;
	case 4:
		add(line, "RRWT"[hd_rng_below(rng, 4)], x);
		add(line, "wr"[hd_rng_below(rng, 2)], x);
		if (hd_rng_below(rng, 8))
			add(line, 'U', x);
		break;
	case 5: /* a wait for a condition, which may come too late */
		add(line, 'l', x);
		if (hd_rng_below(rng, 2))
			add(line, 'i', x);
		add(line, 'v', x);
		add(line, 'u', x);
		break;
	default:
		add(line, kind.op, x);
		break;
	}
}

static void random_program(struct hd_rng *rng, struct program *p)
{
	struct kind kinds[3];

	for (unsigned i = 0; i < 3; i++)
		kinds[i] = random_kind(rng);
	memset(p, 0, sizeof(*p));
	p->n = hd_rng_below(rng, 4) ? 3 : hd_rng_below(rng, 2) ? 2 : 4;
	for (int t = 0; t < p->n; t++) {
		/* Main has little to do: that it makes the others is enough. */
		unsigned n = t ? 1 + (unsigned)hd_rng_below(rng, p->n < 4 ? 2 : 1)
			       : p->n == 2 || hd_rng_below(rng, 4) == 0;

		if (only && t)
			n += (unsigned)hd_rng_below(rng, 3);
		if (t == 0 && p->n > 2 && hd_rng_below(rng, 4) == 0)
			add(p->line[0], 'j', 1 + (unsigned)hd_rng_below(rng, (uint64_t)p->n - 1));
		while (n--)
			add_some(rng, p->line[t], kinds[hd_rng_below(rng, 3)]);
	}
}

static void text_of(const struct program *p, char *text)
{
	*text = 0;
	for (int t = 0; t < p->n; t++) {
		strcat(text, p->line[t]);
		strcat(text, "\n");
	}
}

/* Leave out operations as long as the ways still differ. */
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
				if (agree(text, false, false))
					continue;
				*p = less;
				better = true;
				i -= 2;
			}
		}
		if (p->n > 1 && !p->line[p->n - 1][0]) {
			p->n--;
			text_of(p, text);
			better = !agree(text, false, false);
			p->n += !better;
		}
	}
}

static int compare(uint64_t count, uint64_t seed)
{
	char text[TEXT];
	int differ = 0;

	for (uint64_t i = 0; i < count && differ < 4; i++) {
		struct hd_rng rng;
		struct program p;

		hd_rng_seed(&rng, seed + i);
		random_program(&rng, &p);
		text_of(&p, text);
		if (agree(text, false, true))
			continue;
		printf("seed %llu: they differ\n%s", (unsigned long long)(seed + i), text);
		shrink(&p);
		text_of(&p, text);
		printf("smaller:\n%s", text);
		agree(text, true, false);
		fflush(stdout);
		differ++;
	}
	for (size_t i = 0; i < WAYS; i++)
		printf("%s: %llu programs compared, %llu executions\n", ways[i].name,
		       (unsigned long long)ways[i].compared,
		       (unsigned long long)ways[i].executions);
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
	int fd = open_file(folder, "result", result_path, sizeof(result_path));

	input = open_file(folder, "input", path, sizeof(path));
	if (ftruncate(fd, sizeof(*result)))
		die("cannot make a file");
	result = mmap(NULL, sizeof(*result), PROT_READ, MAP_SHARED, fd, 0);
	if (result == MAP_FAILED)
		die("cannot map a file");
	for (size_t i = 0; i < WAYS; i++) {
		int in = open(path, O_RDONLY | O_CLOEXEC); /* each has a place in it of its own */

		ways[i].executor.limit = LIMIT;
		ways[i].executor.max_nodes = 100000;
		if (in < 0 || start_way(&ways[i].executor, argv, ways[i].config, in))
			die("the program does not start");
		close(in);
	}
}

int main(int argc, char **argv)
{
	char text[TEXT];
	int rc;

	if (argc < 4 || argc > 6)
		die("what? agree SCRIPT FOLDER COUNT SEED [OPS], or agree SCRIPT FOLDER PROGRAM");
	start(argv[1], argv[2]);
	only = argv[argc > 5 ? 5 : argc];
	if (argc >= 5) {
		rc = compare(strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10));
	} else {
		snprintf(text, sizeof(text) - 1, "%s", argv[3]);
		for (char *p = text; *p; p++)
			*p = *p == '/' ? '\n' : *p;
		strcat(text, "\n");
		for (size_t i = 0; i < WAYS; i++)
			ways[i].how.max_executions *= 50;
		rc = agree(text, true, false) ? 0 : 1;
	}
	for (size_t i = 0; i < WAYS; i++)
		hd_executor_stop(&ways[i].executor);
	return rc;
}
