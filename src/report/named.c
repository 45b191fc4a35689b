#include "named.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"

struct hd_named {
	const char *pattern; /* NULL: none */
	regex_t regex;
};

enum hd_err hd_named_new(struct hd_named **out, const char *pattern, struct hd_errbuf *eb)
{
	struct hd_named *n = calloc(1, sizeof(*n));
	char why[128];
	int code;

	*out = NULL;
	if (!n)
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory");
	code = pattern ? regcomp(&n->regex, pattern, REG_EXTENDED | REG_NOSUB) : 0;
	if (code) {
		regerror(code, &n->regex, why, sizeof(why));
		free(n);
		return hd_fail(eb, HD_ERR_REQUEST,
			       "--check-only must be a regular expression, not '%s': %s", pattern,
			       why);
	}
	n->pattern = pattern;
	*out = n;
	return HD_OK;
}

void hd_named_free(struct hd_named *n)
{
	if (n && n->pattern)
		regfree(&n->regex);
	free(n);
}

bool hd_is_limited(const struct hd_named *n, const struct hd_run *run)
{
	return n && (n->pattern || run->nnamed);
}

/* ---- matching ------------------------------------------------------------------------------ */

static bool matches(const void *arg, const char *name)
{
	const struct hd_named *n = arg;

	return name && n->pattern && !regexec(&n->regex, name, 0, NULL, 0);
}

/* Is some of the @size bytes at @addr what the program named? */
static bool is_in_range(const struct hd_run *run, uint64_t addr, uint64_t size)
{
	for (size_t i = 0; addr && i < run->nnamed; i++) {
		if (addr < run->named[i].addr + run->named[i].len &&
		    run->named[i].addr < addr + (size ? size : 1))
			return true;
	}
	return false;
}

static bool is_of_file(const struct hd_named *n, const struct hd_run *run, uint64_t pc)
{
	struct hd_frame frame;

	return n->pattern && pc && hd_run_frame(run, pc, &frame) && matches(n, frame.file);
}

/* A variable with a fixed address: by its name, its type, or the file that declares it. */
static bool is_variable(const struct hd_named *n, const struct hd_run *run, uint64_t addr,
			uint64_t size)
{
	const char *text;
	char name[512];
	uint32_t line;

	if (!n->pattern || !addr || !run->symbols)
		return false;
	if (hd_location_name(run, addr, size, name, sizeof(name)) && matches(n, name))
		return true;
	for (size_t i = 0; (text = hd_symbols_data_type(run->symbols, addr, i)); i++) {
		if (matches(n, text))
			return true;
	}
	return hd_symbols_data_decl(run->symbols, addr, &text, &line) && matches(n, text);
}

static bool is_place(const struct hd_named *n, const struct hd_run *run, uint64_t addr,
		     uint64_t size)
{
	return is_in_range(run, addr, size) || is_variable(n, run, addr, size);
}

static bool is_named(const struct hd_named *n, const struct hd_run *run, const struct hd_finding *f)
{
	char name[512];

	if (!hd_kind_has(f->kind, HD_ID_LOCATION) ||
	    is_place(n, run, f->location.addr, f->location.size))
		return true;
	for (size_t i = 0; i < f->naccesses; i++) {
		const struct hd_event *ev = &f->accesses[i].event;

		if (is_place(n, run, ev->addr, ev->size) || is_of_file(n, run, ev->pc))
			return true;
	}
	return is_of_file(n, run, f->location.origin.alloc.pc) ||
	       (n->pattern &&
		hd_finding_name(run, f, f->location.addr, f->location.size, name, sizeof(name)) &&
		matches(n, name));
}

void hd_keep_named(const struct hd_named *n, struct hd_run *run)
{
	size_t kept = 0;

	for (size_t i = 0; i < run->nfindings; i++) {
		struct hd_finding *f = &run->findings[i];
		const struct hd_run *home = hd_finding_run(run, f);

		if (!hd_is_limited(n, home) || is_named(n, home, f))
			run->findings[kept++] = *f;
		else
			hd_finding_clear(f);
	}
	run->nfindings = kept;
}

bool hd_may_be_named(const struct hd_named *n, const struct hd_run *run,
		     const struct hd_found *found)
{
	if (!hd_is_limited(n, run) || !hd_kind_has(hd_kind_info(found->kind)->as, HD_ID_LOCATION) ||
	    is_place(n, run, found->addr, found->size))
		return true;
	for (size_t i = 0; i < found->naccesses; i++) {
		const struct hd_event *ev = &found->accesses[i].event;

		if (is_place(n, run, ev->addr, ev->size) || is_of_file(n, run, ev->pc))
			return true;
	}
	return n->pattern && !hd_run_module_at(run, found->addr);
}

/* ---- telling ------------------------------------------------------------------------------- */

static void put_named(const struct hd_named *n, const struct hd_run *run, FILE *out)
{
	bool by_program = run->nnamed > 0;

	fputs("only named data was checked for races and atomicity: ", out);
	if (n->pattern)
		fprintf(out, "variables, types and files that match '%s' (--check-only)%s",
			n->pattern, by_program ? ", and " : "");
	if (by_program)
		fputs("what the program names by HEDDLE_CHECK", out);
	if (n->pattern && run->symbols && !hd_symbols_any(run->symbols, matches, n))
		fputs("; no source file, and no variable with a fixed address or its type, has such "
		      "a name",
		      out);
}

/* What the compiler left out: whole files (@by_name false), or all in them that has other names. */
static bool put_left_out(const struct hd_unhooked *u, bool by_name, bool first, FILE *out)
{
	size_t n = 0;

	for (size_t i = 0; i < u->nleft_out; i++) {
		const char *file = u->left_out[i], *but = strchr(file, 1);

		if (!but == by_name)
			continue;
		if (!n++)
			fprintf(out, "%saccesses in these files are %s: ", first ? "" : "; and ",
				by_name ? "only seen where a variable or type has a matching name "
					  "(HEDDLE_CHECK_ONLY)"
					: "not seen (HEDDLE_CHECK_FILES)");
		else
			fputs(", ", out);
		if (but)
			fprintf(out, "%.*s (%s)", (int)(but - file), file, but + 1);
		else
			fputs(file, out);
	}
	return first && !n;
}

char *hd_named_note(const struct hd_named *n, const struct hd_run *run)
{
	char *text = NULL;
	size_t len = 0;
	const struct hd_unhooked *u = &run->unhooked;
	bool limited = hd_is_limited(n, run), first;
	FILE *out = limited || u->nleft_out ? open_memstream(&text, &len) : NULL;

	if (!out)
		return NULL;
	if (limited)
		put_named(n, run, out);
	first = put_left_out(u, false, !limited, out);
	put_left_out(u, true, first, out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}
