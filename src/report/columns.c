#include "columns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "block_names.h"
#include "common/path.h"
#include "explain.h"
#include "printable.h"

#define COLUMNS_MAX 4u	/* with more threads, each line names its thread instead */
#define WIDTH_MIN   44u /* of a column */
#define WIDTH_MAX   60u

void hd_put_step(FILE *out, const struct hd_run *run, const struct hd_step *step)
{
	static const char *const when[] = { "", " (next)", " (to come)" };
	const struct hd_event *ev = &step->event;
	const struct hd_op_info *info = &hd_op_info[ev->op < HD_OP_LIMIT ? ev->op : 0];
	struct hd_frame frame;
	char name[512];

	fputs(info->name ? info->name : "a step", out);
	if (hd_event_label(run, ev, name, sizeof(name))) {
		putc(' ', out);
		hd_put_printable(out, name);
	}
	if (info->value == HD_U_THREAD)
		fprintf(out, " T%" PRIu64, ev->value);
	/* What has not happened yet may see another value than it saw. */
	if (info->value2 == HD_U_VAL && !step->when && !step->valueless)
		fprintf(out, " %" PRIu64 " to %" PRIu64, ev->value, ev->value2);
	else if (info->value == HD_U_VAL && !step->when && !step->valueless)
		fprintf(out, " %" PRIu64, ev->value);
	fputs(step->may_differ ? "?" : "", out);
	fputs(step->older ? ", an older value" : "", out);
	if (hd_run_frame(run, ev->pc, &frame) && frame.file) {
		putc(' ', out);
		hd_put_printable(out, hd_base_name(frame.file));
		fprintf(out, ":%" PRIu32, frame.line);
	}
	fputs(when[step->when], out);
}

static size_t column_of(const uint32_t *threads, size_t n, uint32_t thread)
{
	size_t i = 0;

	while (i < n && threads[i] != thread)
		i++;
	return i;
}

/* The threads of the steps, in the order in which they come. */
static size_t columns(const struct hd_finding *f, uint32_t threads[COLUMNS_MAX + 1])
{
	size_t n = 0;

	for (size_t i = 0; i < f->interleaving.nsteps && n <= COLUMNS_MAX; i++) {
		if (column_of(threads, n, f->interleaving.steps[i].event.thread) == n)
			threads[n++] = f->interleaving.steps[i].event.thread;
	}
	return n;
}

/* The steps as text, and how wide a column has to be for them. */
struct drawing {
	char **cells;
	size_t width;
};

static size_t shown_width(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static char *cell_of(const struct hd_run *run, const struct hd_step *s, bool named)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	if (named)
		fprintf(out, "T%" PRIu32 " ", s->event.thread);
	hd_put_step(out, run, s);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* At most @n characters of @text. What is last, the place, matters most: the middle goes. */
static void put_cell(FILE *out, const char *text, size_t n)
{
	size_t width = shown_width(text), head = n * 2 / 3, at = 0;

	for (; *text; text++) {
		at += ((unsigned char)*text & 0xc0) != 0x80;
		if (width > n && at == head + 1 && ((unsigned char)*text & 0xc0) != 0x80)
			putc('~', out);
		if (width <= n || at <= head || at > width - (n - head - 1))
			putc(*text, out);
	}
}

static bool draw(struct drawing *d, const struct hd_run *run, const struct hd_finding *f,
		 size_t columns_wanted, bool named)
{
	size_t limit = columns_wanted > 2 ? WIDTH_MIN : WIDTH_MAX;

	d->width = 12;
	d->cells = calloc(f->interleaving.nsteps, sizeof(*d->cells));
	for (size_t i = 0; d->cells && i < f->interleaving.nsteps; i++) {
		size_t width;

		d->cells[i] = cell_of(run, &f->interleaving.steps[i], named);
		if (!d->cells[i])
			return false;
		width = shown_width(d->cells[i]) + 3;
		if (width > d->width)
			d->width = width < limit ? width : limit;
	}
	return d->cells != NULL;
}

static void put_heading(FILE *out, const uint32_t *threads, size_t n, size_t column_width)
{
	fputs("       ", out);
	for (size_t i = 0; i < n; i++) {
		int width = fprintf(out, "T%" PRIu32, threads[i]);

		if (i + 1 < n)
			fprintf(out, "%*s", (int)column_width - width, "");
	}
	putc('\n', out);
}

static void put_line(FILE *out, const struct drawing *d, const struct hd_step *s, const char *cell,
		     size_t column)
{
	if (s->skipped)
		fprintf(out, "       ... %" PRIu64 " more ...\n", s->skipped);
	fprintf(out, "   %s%*s%c ", s->switched ? "->" : "  ", (int)(column * d->width), "",
		s->is_access ? '*' : ' ');
	put_cell(out, cell, d->width - 3);
	putc('\n', out);
}

/* Under a read of an older value: who wrote that, and what it could have read. */
static void put_reason(FILE *out, const struct drawing *d, const struct hd_run *run,
		       const struct hd_older *o, size_t column)
{
	fprintf(out, "     %*s    ", (int)(column * d->width), "");
	hd_put_older_writers(out, run, o);
	putc('\n', out);
}

static bool has_free(const struct hd_finding *f)
{
	for (size_t i = 0; i < f->interleaving.nsteps; i++) {
		if (f->interleaving.steps[i].may_differ)
			return true;
	}
	return false;
}

enum hd_err hd_put_columns(FILE *out, const struct hd_run *run, const struct hd_finding *f)
{
	static const char *const how[] = { "as it was", "as predicted",
					   "as predicted without regard to values",
					   "as it would be torn" };
	uint32_t threads[COLUMNS_MAX + 1];
	size_t n = columns(f, threads);
	bool named = n > COLUMNS_MAX;
	struct drawing d = { 0 };
	bool ok;

	if (!f->interleaving.nsteps)
		return HD_OK;
	ok = draw(&d, run, f, n, named);
	if (ok) {
		fprintf(out, "  Interleaving, %s (%s-> a switch%s):\n",
			how[f->interleaving.reordered],
			f->naccesses ? "* the accesses above, " : "",
			has_free(f) ? ", ? may see another value" : "");
		if (!named)
			put_heading(out, threads, n, d.width);
		for (size_t i = 0; i < f->interleaving.nsteps; i++) {
			const struct hd_step *s = &f->interleaving.steps[i];
			size_t column = named ? 0 : column_of(threads, n, s->event.thread);

			put_line(out, &d, s, d.cells[i], column);
			if (s->older)
				put_reason(out, &d, run, &f->moment.older[s->older - 1], column);
		}
		putc('\n', out);
	}
	for (size_t i = 0; d.cells && i < f->interleaving.nsteps; i++)
		free(d.cells[i]);
	free(d.cells);
	return ok ? HD_OK : HD_ERR_NOMEM;
}
