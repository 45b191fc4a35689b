#include "constructs.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "common/path.h"
#include "printable.h"
#include "source_lines.h"

/* A pragma further away from the line of its code than this is not looked for. */
#define LINES_MAX   200u
#define LINES_ABOVE 8u

static const struct {
	const char *word, *part;
	const char *pragma; /* a word of it, where the code before it may be all that has a line */
	enum hd_construct combined; /* with `parallel` in one pragma */
} constructs[HD_IN_LIMIT] = {
	[HD_IN_PARALLEL] = { "parallel", "thread" },
	[HD_IN_FOR] = { "for", "iteration", "for", HD_IN_PARALLEL_FOR },
	[HD_IN_PARALLEL_FOR] = { "parallel for", "iteration" },
	[HD_IN_SECTIONS] = { "sections", "section", "sections", HD_IN_PARALLEL_SECTIONS },
	[HD_IN_PARALLEL_SECTIONS] = { "parallel sections", "section" },
	[HD_IN_TASK] = { "task" },
	[HD_IN_TASKLOOP] = { "taskloop" },
	[HD_IN_TEAMS] = { "teams", "team" },
	[HD_IN_TARGET] = { "target" },
	[HD_IN_SIMD] = { "simd", "iteration" },
	[HD_IN_LOOP] = { "loop", "iteration" },
};

static bool has_word(const char *s, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = strstr(s, word); p; p = strstr(p + 1, word)) {
		if ((p == s || !isalnum((unsigned char)p[-1])) && !isalnum((unsigned char)p[len]))
			return true;
	}
	return false;
}

static bool is_pragma(const struct hd_frame *at, const char *word)
{
	char line[256];

	return hd_source_line(at, line, sizeof(line)) && strstr(line, "ragma") &&
	       has_word(line, "omp") && has_word(line, word);
}

/* Is it the statement of a loop, whose pragma is above it? */
static bool is_loop(const struct hd_frame *at)
{
	char line[8];

	return hd_source_line(at, line, sizeof(line)) && !strncmp(line, "for", 3) &&
	       (line[3] == ' ' || line[3] == '(');
}

/* The first such pragma from the line of @frame to @last, into @frame. */
static bool find_below(const char *word, uint32_t last, struct hd_frame *frame)
{
	struct hd_frame at = *frame;

	for (; at.line <= last && at.line - frame->line < LINES_MAX; at.line++) {
		if (is_pragma(&at, word)) {
			*frame = at;
			return true;
		}
	}
	return false;
}

static bool find_above(const char *word, struct hd_frame *frame)
{
	struct hd_frame at = *frame;

	for (; at.line && frame->line - at.line < LINES_ABOVE; at.line--) {
		if (is_pragma(&at, word)) {
			*frame = at;
			return true;
		}
	}
	return false;
}

/*
 * Compilers give the call with which a loop begins no line of its own, so it has that of the
 * statement before the pragma, or that of the loop. In the first case the pragma is the first one from
 * there to the code that follows, if that is not the way out of the function or back in a loop.
 */
static void find_pragma(const struct hd_run *run, uint64_t place, const char *word,
			struct hd_frame *frame)
{
	uint32_t last = run->symbols ? hd_symbols_line_after(run->symbols, place) : 0;

	if (find_below(word, last, frame))
		return;
	if (is_loop(frame) && find_above(word, frame))
		return;
	if (last < frame->line)
		find_below(word, UINT32_MAX, frame);
}

bool hd_construct_text(const struct hd_run *run, const struct hd_within *w,
		       struct hd_construct_text *text)
{
	unsigned kind = w->kind & ~HD_IN_CHUNKS;
	struct hd_frame region;

	*text = (struct hd_construct_text){ 0 };
	if (kind >= HD_IN_LIMIT || !constructs[kind].word)
		return false;
	if (hd_run_frame(run, w->place, &text->frame) && constructs[kind].pragma) {
		find_pragma(run, w->place, constructs[kind].pragma, &text->frame);
		if (hd_run_frame(run, w->region, &region) && region.file && text->frame.file &&
		    region.line == text->frame.line && !strcmp(region.file, text->frame.file))
			kind = constructs[kind].combined;
	}
	text->word = constructs[kind].word;
	text->part = w->number != HD_NO_PART ? constructs[kind].part : NULL;
	return true;
}

bool hd_put_within(FILE *out, const char *before, const struct hd_run *run,
		   const struct hd_within *w)
{
	unsigned kind = w->kind & ~HD_IN_CHUNKS;
	struct hd_construct_text t;

	if (!hd_construct_text(run, w, &t))
		return false;
	fputs(before, out);
	if (kind == HD_IN_TASK || kind == HD_IN_TASKLOOP)
		fputs("task created by ", out);
	else if (t.part && w->kind & HD_IN_CHUNKS)
		fprintf(out, "chunk from iteration %" PRIu64 " of ", w->number);
	else if (t.part)
		fprintf(out, "%s %" PRIu64 " of ", t.part, w->number);
	fprintf(out, "`%s`", t.word);
	if (t.frame.file && t.frame.line) {
		fputs(" at ", out);
		hd_put_printable(out, hd_base_name(t.frame.file));
		fprintf(out, ":%" PRIu32, t.frame.line);
	}
	return true;
}
