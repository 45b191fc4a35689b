/*
 * Accesses that are not looked at: in files that HEDDLE_CHECK_FILES, a regular expression, does not
 * match, and to what HEDDLE_CHECK_ONLY does not name (by_name.cc). Functions keep all other hooks (atomics,
 * volatile accesses, calls), so that what they order stays known. The object gets the names of such files, for
 * reports to say what was not seen (behind a byte 1, by which names some was): src/symbols/unhooked.c reads them.
 */
#include "plugin.hh"

#include <regex.h>

#include "output.h"

namespace heddle
{

static regex_t wanted;
static bool is_limited;
static const char *names; /* HEDDLE_CHECK_ONLY; NULL: all */
static auto_vec<const char *> told;

void limit_accesses(void)
{
	const char *pattern = getenv("HEDDLE_CHECK_FILES");

	names = limit_names(getenv("HEDDLE_CHECK_ONLY")) ? getenv("HEDDLE_CHECK_ONLY") : NULL;
	is_limited = pattern && *pattern;
	if (is_limited && regcomp(&wanted, pattern, REG_EXTENDED | REG_NOSUB)) {
		error("%<HEDDLE_CHECK_FILES%> must be a regular expression, not %qs", pattern);
		is_limited = false;
	}
}

static void remember(const char *file, const char *but)
{
	char *all = but ? concat(file, "\1", but, NULL) : NULL;

	file = all ? all : file;
	for (const char *each : told)
		if (!strcmp(each, file)) {
			free(all);
			return;
		}
	told.safe_push(all ? all : xstrdup(file));
}

void tell_left_out(void *, void *)
{
	if (!told.length() || !asm_out_file)
		return;
	fputs("\t.pushsection .heddle.left_out,\"a\",@progbits\n", asm_out_file);
	for (const char *each : told) {
		fputs("\t.asciz \"", asm_out_file);
		for (; *each; each++) {
			if (*each == '"' || *each == '\\')
				fputc('\\', asm_out_file);
			if (*each == 1)
				fputs("\\001", asm_out_file);
			else
				fputc(*each, asm_out_file);
		}
		fputs("\"\n", asm_out_file);
	}
	fputs("\t.popsection\n", asm_out_file);
}

bool is_access(gimple *s, bool *write)
{
	tree f = is_gimple_call(s) ? gimple_call_fndecl(s) : NULL_TREE;

	if (!f || !fndecl_built_in_p(f, BUILT_IN_NORMAL))
		return false;
	*write = false;
	switch (DECL_FUNCTION_CODE(f)) {
	case BUILT_IN_TSAN_WRITE1:
	case BUILT_IN_TSAN_WRITE2:
	case BUILT_IN_TSAN_WRITE4:
	case BUILT_IN_TSAN_WRITE8:
	case BUILT_IN_TSAN_WRITE16:
	case BUILT_IN_TSAN_WRITE_RANGE:
		*write = true;
		return true;
	case BUILT_IN_TSAN_READ1:
	case BUILT_IN_TSAN_READ2:
	case BUILT_IN_TSAN_READ4:
	case BUILT_IN_TSAN_READ8:
	case BUILT_IN_TSAN_READ16:
	case BUILT_IN_TSAN_READ_RANGE:
		return true;
	default:
		return false;
	}
}

void leave_out_accesses(function *fun)
{
	const char *file = DECL_SOURCE_FILE(fun->decl);
	auto_vec<gimple *> calls;
	basic_block bb;
	bool write, whole;

	whole = is_limited && file && regexec(&wanted, file, 0, NULL, 0);
	if (!whole && (!names || !file))
		return;
	FOR_EACH_BB_FN(bb, fun)
	for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i))
		if (is_access(gsi_stmt(i), &write) && (whole || !is_named_access(gsi_stmt(i))))
			calls.safe_push(gsi_stmt(i));
	for (gimple *s : calls)
		remove_call(s);
	if (calls.length())
		remember(file, whole ? NULL : names);
}

} // namespace heddle
