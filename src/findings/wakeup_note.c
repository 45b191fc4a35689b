#include "wakeup_note.h"

#include <stdlib.h>

#include "report/explain.h"
#include "report/printable.h"

static void put_place(FILE *out, const struct hd_run *run, const struct hd_event *ev)
{
	struct hd_frame frame = { 0 };

	fputs(" at ", out);
	hd_run_frame(run, ev->pc, &frame);
	hd_put_site(out, &frame);
}

static void put_wait(FILE *out, const struct hd_run *run, const struct hd_lost_wakeup *lost)
{
	fputs(lost->other.op ? "a signal of " : "the wait for ", out);
	hd_put_object(out, run, lost->wait.addr, "condition variable");
	if (lost->other.op) {
		fputs(" may reach the one of two waits that is not meant,", out);
		put_place(out, run, &lost->wait);
		fputs(" and", out);
		put_place(out, run, &lost->other);
	} else {
		put_place(out, run, &lost->wait);
		fputs(" looks before at nothing that its wakers set under the same mutex", out);
	}
}

/* An imported run has no program that could be explored. */
static void put_command(FILE *out, const struct hd_trace *trace)
{
	if (!hd_trace_argc(trace))
		return;
	fputs("; `heddle explore --", out);
	for (int i = 0; i < hd_trace_argc(trace); i++) {
		putc(' ', out);
		hd_put_shell_word(out, hd_trace_argv(trace, i));
	}
	fputs("` tries every order", out);
}

char *hd_wakeup_note(const struct hd_run *run, const struct hd_lost_wakeup *lost)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	fputs("a wake-up may get lost in an order that was not run: ", out);
	put_wait(out, run, lost);
	put_command(out, run->trace);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

bool hd_wakeup_is_explained(const struct hd_run *run)
{
	for (size_t i = 0; i < run->nfindings; i++) {
		if (run->findings[i].kind == HD_KIND_DEADLOCK ||
		    run->findings[i].kind == HD_KIND_ORDER)
			return true;
	}
	return false;
}
