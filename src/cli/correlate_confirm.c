#include "correlate_confirm.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/check.h"
#include "cli_options.h"
#include "common/array.h"
#include "correlate_reader/correlate_model.h"
#include "launch/own_files.h"
#include "report/explain.h"

#define UNITS_MAX 64u

/* In a process of its own, so that the program's environment stays as it is. */
static void exec_build(const char *command)
{
	char cc[4200], cxx[4200];

	snprintf(cc, sizeof(cc), "%s cc", hd_path_self());
	snprintf(cxx, sizeof(cxx), "%s c++", hd_path_self());
	setenv("CC", cc, 1);
	setenv("CXX", cxx, 1);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

int hd_confirm_build(const char *command)
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0)
		exec_build(command);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return hd_failed("the command of --build could not be started");
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return hd_usage("the command of --build failed");
	return HD_EXIT_CLEAN;
}

/* ---- units ------------------------------------------------------------------------------ */

/* Where in the program, not in libc, the access is; false: nobody knows. */
static bool place(struct hd_run *run, const struct hd_cr_access *from, struct hd_unit_access *to)
{
	struct hd_stack stack;
	const struct hd_frame *top;
	const struct hd_member word = { .addr = from->addr, .size = from->size };
	bool known;

	if (hd_run_stack(run, from->pc, from->ctx, &stack) != HD_OK)
		return false;
	top = hd_stack_top(&stack);
	known = top && top->file && strlen(top->file) < sizeof(to->file);
	if (known) {
		snprintf(to->file, sizeof(to->file), "%s", top->file);
		to->line = top->line;
		to->write = from->op != HD_CR_READ;
		to->addr = from->addr;
		if (!hd_member_name(run, &word, to->variable, sizeof(to->variable)))
			to->variable[0] = 0;
	}
	hd_stack_free(&stack);
	return known;
}

/*
 * The accesses in the order that tears the unit. Where the tool names nobody who comes between, it is another
 * thread that does the same.
 */
static bool unit_of(struct hd_run *run, const struct hd_cr_finding *f, struct hd_unit *u)
{
	bool doubled = f->naccesses == 2 && f->kind != HD_CR_RACE && f->kind != HD_CR_ORDERED;

	*u = (struct hd_unit){ 0 };
	if (f->naccesses < 2 || f->naccesses > HD_UNIT_ACCESSES)
		return false;
	for (size_t i = 0; i < f->naccesses; i++) {
		for (int again = 0; again <= doubled; again++) {
			if (!place(run, &f->accesses[i], &u->access[u->naccesses++]))
				return false;
		}
	}
	return true;
}

static bool collect(struct hd_units *units, struct hd_run *run, const struct hd_cr_result *r)
{
	for (size_t i = 0; i < r->nfindings && units->n < UNITS_MAX; i++) {
		struct hd_unit u;

		if (!unit_of(run, &r->findings[i], &u))
			continue;
		u.finding = hd_cr_finding_of(r, i);
		if (!HD_ROOM(units->list, units->room, units->n + 1))
			return false;
		units->list[units->n++] = u;
	}
	return true;
}

/* ---- verdicts ------------------------------------------------------------------------------ */

/* What was tried for one finding. */
struct trials {
	const struct hd_attempt *best;
	size_t n;
	bool all_infeasible; /* and nothing was left out */
};

static int rank(enum hd_verdict v)
{
	return v == HD_VERDICT_CONFIRMED ? 3 : v == HD_VERDICT_REALISED ? 2 : 1;
}

/*
 * A plan that ignores values may come to its goal at the same places, but on other memory: what counts is
 * whether its run shows the accesses.
 */
static enum hd_verdict verdict_of(const struct hd_attempt *a)
{
	if (rank(a->verdict) == 1 || a->shown || !hd_found_is_pattern(&a->candidate->found))
		return a->verdict;
	return a->prediction.decision == HD_DECISION_INFEASIBLE ? HD_VERDICT_INFEASIBLE
								: HD_VERDICT_UNKNOWN;
}

static struct trials trials_of(const struct hd_campaign *c, const struct hd_units *units,
			       size_t finding)
{
	struct trials t = { .all_infeasible = true };

	for (size_t i = 0; i < units->n; i++) {
		if (units->list[i].finding == finding)
			t.all_infeasible &= units->list[i].all;
	}
	for (size_t i = 0; i < c->nattempts; i++) {
		const struct hd_attempt *a = &c->attempts[i];

		if (!a->candidate->unit || !a->decided ||
		    units->list[a->candidate->unit - 1].finding != finding)
			continue;
		t.n++;
		t.all_infeasible &= verdict_of(a) == HD_VERDICT_INFEASIBLE;
		if (!t.best || rank(verdict_of(a)) > rank(verdict_of(t.best)))
			t.best = a;
	}
	t.all_infeasible &= t.n > 0;
	return t;
}

static const char *words_of(const struct trials *t, enum hd_verdict verdict)
{
	if (!t->n)
		return "not tried: the run with `heddle` did not have these accesses";
	if (verdict == HD_VERDICT_INFEASIBLE)
		return "no order of the accesses that were observed leads there";
	return verdict == HD_VERDICT_UNKNOWN ? "no run came to that order" : t->best->why;
}

/* What came of it becomes part of the finding; false: no memory. */
static bool adorn(struct hd_finding *f, const struct trials *t)
{
	const struct hd_witness *w = t->best ? &t->best->witness : NULL;
	enum hd_verdict verdict = t->all_infeasible ? HD_VERDICT_INFEASIBLE : HD_VERDICT_UNKNOWN;
	char *why;
	const char *words;

	if (t->best && rank(verdict_of(t->best)) > 1)
		verdict = t->best->verdict;
	f->certainty.verdict = verdict;
	f->certainty.candidate |= verdict == HD_VERDICT_INFEASIBLE;
	words = words_of(t, verdict);
	if (*words) {
		if (asprintf(&why, "%s. With --confirm: %s", f->why ? f->why : "", words) < 0)
			return false;
		free(f->why);
		f->why = why;
	}
	if (rank(verdict) == 1 || !w->trial)
		return true;
	f->witness.outcome = w->failure.what != HD_FAIL_NONE ? strdup(w->failure.words) : NULL;
	f->witness.word = w->failure.what != HD_FAIL_NONE ? hd_failure_word(&w->failure) : NULL;
	f->witness.schedule = w->file ? strdup(w->file) : NULL;
	f->witness.replay = w->replay ? strdup(w->replay) : NULL;
	return (!w->file || f->witness.schedule) && (!w->replay || f->witness.replay);
}

static int check(struct hd_run *run, struct hd_units *units,
		 const struct hd_campaign_config *config, char **argv)
{
	struct hd_campaign *c = calloc(1, sizeof(*c));
	bool ok = c != NULL;
	int rc = HD_EXIT_CLEAN;

	if (!ok)
		return hd_failed("out of memory");
	c->config = config;
	c->program.argv = argv;
	while (argv[c->program.argc])
		c->program.argc++;
	rc = hd_exit_for(hd_check_units(c, units));
	for (size_t i = 0; rc == HD_EXIT_CLEAN && ok && i < run->nfindings; i++) {
		struct trials t = trials_of(c, units, i);

		ok = adorn(&run->findings[i], &t);
	}
	hd_campaign_tear_down(c);
	free(c);
	return ok ? rc : hd_failed("out of memory");
}

int hd_confirm(struct hd_run *run, const struct hd_cr_result *r, char **argv, double seconds)
{
	struct hd_campaign_config config;
	struct hd_units units = { 0 };
	struct hd_cli_options o;
	int rc = hd_cli_options_init(&o, HD_FOR_CHECK);

	if (rc == HD_GO_ON)
		rc = hd_cli_options_campaign(&o, &config);
	if (rc == HD_GO_ON) {
		config.keep_going = true;
		config.outputs.text = NULL;
		config.outputs.quiet = true;
		config.outputs.seconds = seconds;
		rc = collect(&units, run, r) ? check(run, &units, &config, argv)
					     : hd_failed("out of memory");
	}
	free(units.list);
	hd_cli_options_free(&o);
	return rc;
}
