#include "divergence.h"

#include <inttypes.h>

#include "explain.h"
#include "printable.h"

static void put_at(FILE *out, const struct hd_run *run, uint64_t pc)
{
	struct hd_frame frame;

	if (!pc)
		return;
	fputs(" at ", out);
	if (hd_run_frame(run, pc, &frame))
		hd_put_site(out, &frame);
	else
		fprintf(out, "0x%" PRIx64, pc);
}

static const char *word(const struct hd_event *ev)
{
	return ev->op && hd_op_info[ev->op].name ? hd_op_info[ev->op].name : "nothing";
}

/* "'acquire' at bank.c:12 in pay" */
static void put_event(FILE *out, const struct hd_run *run, const struct hd_event *ev)
{
	fprintf(out, "'%s'", word(ev));
	put_at(out, run, ev->pc);
}

/* Small ones as people write them, addresses and the like as such. */
static void put_value(FILE *out, uint64_t v, uint32_t size)
{
	int64_t s = size == 1	? (int8_t)v
		    : size == 2 ? (int16_t)v
		    : size == 4 ? (int32_t)v
				: (int64_t)v;

	if (s >= -1000000000 && s <= 1000000000)
		fprintf(out, "%" PRId64, s);
	else
		fprintf(out, "0x%" PRIx64, v);
}

/* What it saw that was not planned. */
static void put_surprise(FILE *out, const struct hd_run *run, const struct hd_divergence *l)
{
	const struct hd_event *d = &l->differs;

	switch (d->op) {
	case HD_OP_WAKE:
		fputs("its wait", out);
		put_at(out, run, d->pc);
		fputs(" returned ", out);
		break;
	case HD_OP_ACQUIRE_FAIL:
	case HD_OP_ACQUIRE:
		fputs("its try", out);
		put_at(out, run, d->pc);
		fputs(" returned ", out);
		break;
	default:
		fputs("it read ", out);
		put_value(out, l->got, d->size);
		put_at(out, run, d->pc);
		fputs(", the plan has ", out);
		put_value(out, l->want, d->size);
		return;
	}
	fprintf(out, "%" PRIu64 ", the plan has %" PRIu64, l->got, l->want);
}

static void put_left_plan(FILE *out, const struct hd_run *run, const struct hd_divergence *l)
{
	bool reason = l->differs.op != 0;

	fprintf(out, "T%" PRIu32 " left the plan", l->planned.thread);
	if (l->why != HD_DIVERGED_PROGRAM_ENDED && l->why != HD_DIVERGED_ENDED)
		put_at(out, run, l->did.pc);
	fputs(": ", out);
	if (reason)
		put_surprise(out, run, l);
	switch (l->why) {
	case HD_DIVERGED_OTHER_EVENT:
		if (reason)
			return;
		fprintf(out, "it does '%s', the plan has ", word(&l->did));
		put_event(out, run, &l->planned);
		return;
	case HD_DIVERGED_OTHER_OBJECT:
		fprintf(out, "%sits '%s' is of another object than the goal's accesses before it",
			reason ? "; " : "", word(&l->planned));
		return;
	case HD_DIVERGED_TOO_EARLY:
		fprintf(out, "%sit does '%s' too early, because it cannot be stopped there",
			reason ? "; " : "", word(&l->planned));
		return;
	case HD_DIVERGED_BLOCKED:
		fprintf(out, "%sit waits, and nothing in the plan ends that", reason ? "; " : "");
		break;
	case HD_DIVERGED_ENDED:
		fprintf(out, "%sit has ended", reason ? "; " : "");
		break;
	case HD_DIVERGED_NOT_THERE:
		fprintf(out, "%sit has not been created", reason ? "; " : "");
		break;
	default:
		fprintf(out, "%sthe program has ended", reason ? "; " : "");
	}
	fputs(", the plan has ", out);
	put_event(out, run, &l->planned);
	fputs(" next", out);
}

void hd_put_divergence(FILE *out, const struct hd_run *run, const struct hd_finding *f)
{
	const char *text = f->text ? hd_trace_string(run->trace, f->text) : NULL;

	if (f->divergence.why) {
		put_left_plan(out, run, &f->divergence);
		return;
	}
	fputs("the replay left its schedule", out);
	if (text && *text) {
		fputs(": ", out);
		hd_put_printable(out, text);
	}
}
