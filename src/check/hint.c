/*
 * heddle check predicts no wake-ups that come too early or reach the wrong thread. Where a run looks as if
 * that could happen, a note says so, with the command that tries it.
 */
#include <stdlib.h>

#include "analysis/locks/lost_wakeup.h"
#include "campaign/campaign.h"
#include "report/explain.h"
#include "report/printable.h"

static enum hd_err take_waits(void *arg, const struct hd_event *events, size_t n, uint64_t first)
{
	return hd_lost_wakeups_waits(arg, events, n);
}

static enum hd_err take_wakes(void *arg, const struct hd_event *events, size_t n, uint64_t first)
{
	return hd_lost_wakeups_wakes(arg, events, n);
}

/* Does a run have waits that a wake-up may miss? What cannot be told is not hinted at. */
static bool look(struct hd_run *run, struct hd_lost_wakeup *found)
{
	struct hd_lost_wakeups *l = hd_lost_wakeups_new();
	struct hd_errbuf eb = { 0 };
	bool yes = l && hd_run_each(run, take_waits, l, &eb) == HD_OK &&
		   hd_run_each(run, take_wakes, l, &eb) == HD_OK && hd_lost_wakeups_first(l, found);

	hd_lost_wakeups_free(l);
	return yes;
}

static void put_place(FILE *out, const struct hd_run *run, const struct hd_event *ev)
{
	struct hd_frame frame = { 0 };

	fputs(" at ", out);
	hd_run_frame(run, ev->pc, &frame);
	hd_put_site(out, &frame);
}

static void put_hint(FILE *out, const struct hd_check *c, const struct hd_run *run,
		     const struct hd_lost_wakeup *found)
{
	fputs("wake-ups that are lost are not predicted, and may be here: ", out);
	if (found->other.op)
		fputs("a signal of ", out);
	else
		fputs("the wait for ", out);
	hd_put_object(out, run, found->wait.addr, "condition variable");
	if (found->other.op) {
		fputs(" may reach the one of two waits that is not meant,", out);
		put_place(out, run, &found->wait);
		fputs(" and", out);
		put_place(out, run, &found->other);
	} else {
		put_place(out, run, &found->wait);
		fputs(" looks before at nothing that its wakers set under the same mutex", out);
	}
	fputs("; `heddle explore --", out);
	for (int i = 0; i < c->program.argc; i++) {
		putc(' ', out);
		hd_put_shell_word(out, c->program.argv[i]);
	}
	fputs("` tries every order", out);
}

/* By now the first run has all findings. */
static bool told_of_a_deadlock(const struct hd_check *c)
{
	const struct hd_run *run = &c->observations[0].trial->run;

	for (size_t i = 0; i < run->nfindings; i++) {
		if (run->findings[i].kind == HD_FIND_DEADLOCK)
			return true;
	}
	return false;
}

void hd_check_hint(struct hd_check *c)
{
	struct hd_lost_wakeup found;

	if (told_of_a_deadlock(c))
		return;
	for (size_t i = 0; i < c->nobservations; i++) {
		struct hd_run *run = &c->observations[i].trial->run;
		char *text = NULL;
		size_t len = 0;
		FILE *out;

		if (!look(run, &found))
			continue;
		out = open_memstream(&text, &len);
		if (!out)
			return;
		put_hint(out, c, run, &found);
		if (fclose(out) == 0)
			hd_check_note(c, "%s", text);
		free(text);
		return;
	}
}
