/*
 * How the program ended, and the findings that are concluded from that alone.
 */
#include "run_gather.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * A program that died of a fault's signal has crashed even where the runtime
 * could not say so any more (its own stack was gone, say).
 */
static bool died_of_fault(const struct hd_run *run)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS };

	if (run->exited != 0)
		return false;
	for (size_t i = 0; i < run->nfindings; i++) {
		if (hd_finding_ends_run(&run->findings[i]))
			return false;
	}
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		if (run->code == faults[i])
			return true;
	}
	return false;
}

/*
 * Where nobody waited for the program, its EXIT event is all there is; before a
 * crash the runtime puts there what a shell would say.
 */
static void correct_exit(struct hd_run *run)
{
	const struct hd_finding *last = run->nfindings ? &run->findings[run->nfindings - 1] : NULL;

	if (run->exited != 1 || run->code <= 128 || !last)
		return;
	if ((last->kind == HD_KIND_CRASH && last->value == (uint64_t)run->code - 128) ||
	    (last->kind == HD_KIND_ASSERTION && run->code == 128 + SIGABRT)) {
		run->exited = 0;
		run->code -= 128;
	}
}

static bool conclude_crash(struct hd_gather *g)
{
	struct hd_event ev = { .op = HD_OP_FINDING,
			       .arg = HD_KIND_CRASH,
			       .thread = g->last.thread,
			       .value = (uint64_t)g->run->code };

	if (!died_of_fault(g->run))
		return true;
	if (!hd_gather_begin(g, &ev))
		return false;
	if (g->open)
		g->open->certainty.guessed = true;
	return true;
}

bool hd_status_is_listed(const char *list, unsigned long status)
{
	while (*list) {
		char *end;

		if (strtoul(list, &end, 10) == status && end != list)
			return true;
		list = *end ? end + 1 : end;
	}
	return false;
}

/* A program that says by its end that something is wrong, unless that was told already. */
static bool conclude_exit(struct hd_gather *g)
{
	struct hd_run *run = g->run;
	const char *expected = hd_trace_option(run->trace, "expect-exit");
	unsigned long status = (unsigned long)run->code + (run->exited ? 0 : 128);
	struct hd_event ev = {
		.op = HD_OP_FINDING, .arg = HD_KIND_EXIT, .thread = g->last.thread, .value = status
	};

	if (run->exited < 0 || !status || (expected && hd_status_is_listed(expected, status)))
		return true;
	for (size_t i = 0; i < run->nfindings; i++) {
		const struct hd_finding *f = &run->findings[i];

		if (hd_finding_ends_run(f) || f->kind == HD_KIND_DIVERGENCE)
			return true;
	}
	if (!hd_gather_begin(g, &ev))
		return false;
	if (!g->open)
		return true;
	g->open->certainty.guessed = true;
	if (asprintf(&g->open->why, "--expect-exit %lu accepts it", status) >= 0)
		return true;
	g->open->why = NULL;
	return false;
}

void hd_run_forget_exit(struct hd_run *run)
{
	size_t n = 0;

	for (size_t i = 0; i < run->nfindings; i++) {
		if (run->findings[i].kind == HD_KIND_EXIT)
			hd_finding_clear(&run->findings[i]);
		else
			run->findings[n++] = run->findings[i];
	}
	run->nfindings = n;
}

bool hd_gather_exit(struct hd_gather *g)
{
	struct hd_run *run = g->run;
	int exited, code;

	if (hd_trace_ended(run->trace, &exited, &code, &run->start_time) && exited >= 0) {
		run->exited = exited;
		run->code = code;
	} else {
		correct_exit(run);
	}
	return conclude_crash(g) && conclude_exit(g);
}
