#include "marks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_MARKS 64u /* a finding has a handful */

static int by_event(const void *a, const void *b)
{
	uint64_t x = ((const struct hd_mark *)a)->event, y = ((const struct hd_mark *)b)->event;

	return (x > y) - (x < y);
}

static enum hd_err add(struct hd_marks *m, const char *role, uint64_t event)
{
	if (!m->mark && !(m->mark = calloc(MAX_MARKS, sizeof(*m->mark))))
		return HD_ERR_NOMEM;
	if (m->n == MAX_MARKS)
		return HD_OK;
	snprintf(m->mark[m->n].role, sizeof(m->mark[0].role), "%s", role);
	m->mark[m->n++].event = event;
	return HD_OK;
}

enum hd_err hd_marks_of(struct hd_marks *m, const struct hd_finding *f)
{
	*m = (struct hd_marks){ 0 };
	for (size_t i = 0; i < f->naccesses; i++) {
		const struct hd_access *a = &f->accesses[i];

		if (a->index != HD_NO_INDEX && add(m, a->role, a->index) != HD_OK)
			return HD_ERR_NOMEM;
	}
	if (m->n)
		qsort(m->mark, m->n, sizeof(*m->mark), by_event);
	return HD_OK;
}

void hd_marks_free(struct hd_marks *m)
{
	free(m->mark);
	*m = (struct hd_marks){ 0 };
}

/* "x/atomicity-1.htr" -> "x/atomicity-1.marks" */
static char *path_of(const char *trace)
{
	const char *dot = strrchr(trace, '.');
	size_t len = dot && !strcmp(dot, ".htr") ? (size_t)(dot - trace) : strlen(trace);
	char *path;

	return asprintf(&path, "%.*s.marks", (int)len, trace) < 0 ? NULL : path;
}

enum hd_err hd_marks_save(const struct hd_marks *m, const char *trace)
{
	char *path = path_of(trace);
	FILE *out;
	bool ok;

	if (!path)
		return HD_ERR_NOMEM;
	if (!m->n) {
		remove(path); /* of an earlier run of that name */
		free(path);
		return HD_OK;
	}
	out = fopen(path, "w");
	free(path);
	if (!out)
		return HD_ERR_IO;
	for (size_t i = 0; i < m->n; i++)
		fprintf(out, "%s %" PRIu64 "\n", m->mark[i].role, m->mark[i].event);
	ok = !ferror(out);
	return fclose(out) == 0 && ok ? HD_OK : HD_ERR_IO;
}

/* "ROLE EVENT\n", as hd_marks_save() writes it. */
static bool parse_line(const char *line, struct hd_mark *mark)
{
	size_t len = strcspn(line, " "),
	       digits = line[len] ? strspn(line + len + 1, "0123456789") : 0;

	if (!len || len >= sizeof(mark->role) || !digits ||
	    strcmp(line + len + 1 + digits, "\n") != 0)
		return false;
	snprintf(mark->role, sizeof(mark->role), "%.*s", (int)len, line);
	mark->event = strtoull(line + len + 1, NULL, 10);
	return true;
}

enum hd_err hd_marks_load(struct hd_marks *m, const char *trace)
{
	char *path = path_of(trace), line[64];
	enum hd_err err = HD_OK;
	struct hd_mark mark;
	FILE *in;

	*m = (struct hd_marks){ 0 };
	if (!path)
		return HD_ERR_NOMEM;
	in = fopen(path, "r");
	free(path);
	while (in && !err && fgets(line, sizeof(line), in)) {
		if (!parse_line(line, &mark)) {
			hd_marks_free(m);
			break;
		}
		err = add(m, mark.role, mark.event);
	}
	if (in)
		fclose(in);
	return err;
}
