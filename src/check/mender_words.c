/*
 * What mends a finding, in a sentence.
 */
#include "mender.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/block_names.h"
#include "report/explain.h"
#include "report/printable.h"
#include "trace/event_meaning.h"

static void put_lock(FILE *out, const struct hd_mender *r, uint64_t lock)
{
	if (lock == HD_NEW_LOCK)
		fputs("a new lock", out);
	else
		hd_put_object(out, r->run, lock, "mutex");
}

static void put_place(FILE *out, const struct hd_mender *r, uint64_t pc)
{
	struct hd_frame frame;

	if (hd_run_frame(r->run, pc, &frame))
		hd_put_site(out, &frame);
	else
		fprintf(out, "0x%" PRIx64, pc);
}

static bool is_told(const struct hd_mender *r, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (hd_run_same_line(r->run, r->sections[k].from, r->sections[i].from) &&
		    hd_run_same_line(r->run, r->sections[k].to, r->sections[i].to))
			return true;
	}
	return false;
}

static void put_verified(FILE *out, const struct hd_mender *r)
{
	fprintf(out, " prevents it: %u schedules tried, none fails, no new deadlock", r->ran);
}

/* The end of the function that the section is not to leave. */
static void put_function_end(FILE *out, const struct hd_mender *r, const struct hd_mend_section *s)
{
	const struct hd_stack *stack = &r->f->accesses[s->access].stack;
	struct hd_frame frame;

	if (s->up < stack->npcs && hd_run_frame(r->run, stack->pcs[s->up], &frame) &&
	    frame.function) {
		fputs(" until ", out);
		hd_put_printable(out, frame.function);
		fputs(" ends", out);
	}
}

/* Where the function is that @pc was inlined into; false: it was not. */
static bool inlined_at(const struct hd_mender *r, uint64_t pc, struct hd_frame *out)
{
	struct hd_frame frames[16];
	size_t n = r->run->symbols ? hd_symbols_code(r->run->symbols, pc, frames, 16) : 0;

	if (n > 1)
		*out = frames[n - 1];
	return n > 1;
}

/* One line of a function that was inlined at two places. */
static bool put_copies(FILE *out, const struct hd_mender *r, const struct hd_mend_section *s)
{
	struct hd_frame from, to;

	if (!inlined_at(r, s->from, &from) || !inlined_at(r, s->to, &to) || from.line == to.line)
		return false;
	fputs(" from ", out);
	hd_put_site(out, &from);
	fputs(" to ", out);
	hd_put_site(out, &to);
	return true;
}

static void put_section(FILE *out, const struct hd_mender *r, const struct hd_mend_section *s)
{
	bool one = hd_run_same_line(r->run, s->from, s->to);

	if (one && put_copies(out, r, s))
		return;
	fputs(one ? " at " : " from ", out);
	put_place(out, r, s->from);
	if (!s->to) {
		put_function_end(out, r, s);
	} else if (!one) {
		fputs(" to ", out);
		put_place(out, r, s->to);
	}
}

/* Looked at without the lock that it is used under, as in double-checked code: then a second look may be missing. */
static void put_second_look(FILE *out, const struct hd_mender *r)
{
	const struct hd_access *look = r->f->accesses, *use = &look[r->f->naccesses - 1];

	char name[256];

	if (r->f->naccesses != 3 || !hd_op_is_read(look->event.op) || !use->nheld ||
	    !hd_is_mutex(use->held[0].mode) || hd_access_holds(look, use->held[0].addr) ||
	    !hd_event_label(r->run, &look->event, name, sizeof(name)))
		return;
	fputs("; or look at ", out);
	hd_put_quoted(out, name);
	fputs(" again under ", out);
	hd_put_object(out, r->run, use->held[0].addr, "mutex");
	fputs(", before ", out);
	put_place(out, r, use->event.pc);
	fputs(" (not tried)", out);
}

void hd_put_held_sections(FILE *out, const struct hd_mender *r)
{
	fputs("holding ", out);
	put_lock(out, r, r->sections[0].lock);
	for (size_t i = 0; i < r->nsections; i++) {
		if (is_told(r, i))
			continue;
		fputs(i ? " and" : "", out);
		put_section(out, r, &r->sections[i]);
	}
	put_verified(out, r);
	put_second_look(out, r);
}

void hd_put_lock_order(FILE *out, const struct hd_mender *r)
{
	const struct hd_mend_section *s = &r->sections[0];

	fputs("taking ", out);
	put_lock(out, r, s->lock);
	fputs(" before what is taken at ", out);
	put_place(out, r, s->from);
	fputs(", not only at ", out);
	put_place(out, r, s->to);
	put_verified(out, r);
}

void hd_put_waiting_again(FILE *out, const struct hd_mender *r)
{
	fputs("waiting again at ", out);
	put_place(out, r, r->wait);
	fputs(" while ", out);
	hd_put_location(out, r->run, r->f);
	for (size_t i = 0; i < r->nvalues; i++)
		fprintf(out, "%s %" PRIu64, i ? " or" : " is", r->values[i]);
	fputs(", as `while` in place of `if` does,", out);
	put_verified(out, r);
}

enum hd_err hd_mender_tell(struct hd_mender *r, hd_mender_words *put)
{
	struct hd_remedy *to = &r->f->remedy;
	size_t len;
	FILE *out = open_memstream(&to->text, &len);

	if (!out)
		return hd_error(HD_ERR_NOMEM, "out of memory");
	to->found = put != NULL;
	to->schedules = put ? r->ran : 0;
	if (put)
		put(out, r);
	else if (r->unrefuted)
		fprintf(out, "none found: there was no time to try one in more than %u schedules",
			HD_MEND_RUNS);
	else
		fprintf(out,
			"none found: in %u way%s of holding a lock that were tried, it still fails",
			r->ways, r->ways == 1 ? "" : "s");
	return fclose(out) ? hd_error(HD_ERR_NOMEM, "out of memory") : HD_OK;
}
