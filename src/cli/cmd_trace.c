/*
 * heddle trace: show, import and export traces.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/sharing.h"
#include "cli.h"
#include "cli_options.h"
#include "common/array.h"
#include "common/json_out.h"
#include "common/map.h"
#include "findings/trace_symbols.h"
#include "common/whole_file.h"
#include "report/printable.h"
#include "trace/trace_chrome.h"
#include "trace/trace_copy.h"
#include "trace/trace_format.h"
#include "trace/trace_size.h"
#include "trace/trace_std.h"
#include "trace/trace_text.h"

static const char help[] =
	"usage: heddle trace info FILE [--json]\n"
	"       heddle trace dump FILE [--from N] [--count N] [--thread T]\n"
	"       heddle trace import FILE -o OUT [--std]\n"
	"       heddle trace export --text|--std|--chrome FILE [--all] [-o OUT]\n"
	"       heddle trace compact FILE -o OUT\n"
	"\n"
	"info    show what was run, how it ended, what the trace holds\n"
	"dump    show one event a line: number, thread, event, operands, place\n"
	"import  make a trace from text (one event a line) or, with --std, from RAPID's STD;\n"
	"        an impossible run is refused with the number of the line\n"
	"export  the inverse; --chrome writes JSON for Perfetto and chrome://tracing;\n"
	"        --all: also modules, scheduling choices and findings of a recorded run\n"
	"compact leave out accesses that no other order of the threads could change\n"
	"\n"
	"All but import refuse a trace that unpacks to more than 256M and to over 4000 times its\n"
	"size; --max-unpacked BYTES sets another limit than 256M (K, M, G may follow).\n"
	"\n"
	"Import reads standard input if FILE is -.\n"
	"\n"
	"example:\n"
	"  printf 'T1 fork T2\\nT1 write x 5\\nT2 read x 5\\n' > run.txt\n"
	"  heddle trace import run.txt -o run.htr\n"
	"  heddle trace dump run.htr\n"
	"  heddle trace export --text run.htr\n";

struct options {
	const char *file, *out;
	bool json, text, std, chrome, all;
	bool has_thread;
	uint64_t from, count, max_unpacked;
	uint32_t thread;
};

/* --- arguments --- */

static int bad_number(const char *what, const char *s)
{
	return hd_usage("%s needs a number, not '%s'", what, s ? s : "");
}

/* An option with a value: taken from the next argument. Returns an exit code; 0: fine. */
static int parse_valued(struct options *o, const char *name, const char *value)
{
	uint64_t n;

	if (!value)
		return hd_usage("%s needs a value; see `heddle trace --help`", name);
	if (!strcmp(name, "-o")) {
		o->out = value;
		return 0;
	}
	if (!strcmp(name, "--thread")) {
		if (!hd_parse_number(value + (*value == 'T'), false, &n) || n > UINT32_MAX)
			return bad_number(name, value);
		o->thread = (uint32_t)n;
		o->has_thread = true;
		return 0;
	}
	if (!strcmp(name, "--max-unpacked"))
		return hd_parse_number(value, true, &o->max_unpacked) ? 0 : bad_number(name, value);
	return hd_parse_number(value, false, !strcmp(name, "--from") ? &o->from : &o->count)
		       ? 0
		       : bad_number(name, value);
}

static bool parse_flag(struct options *o, const char *name)
{
	bool *flag = !strcmp(name, "--json")	 ? &o->json
		     : !strcmp(name, "--text")	 ? &o->text
		     : !strcmp(name, "--std")	 ? &o->std
		     : !strcmp(name, "--chrome") ? &o->chrome
		     : !strcmp(name, "--all")	 ? &o->all
						 : NULL;

	if (flag)
		*flag = true;
	return flag != NULL;
}

/* @allowed: the options of this subcommand, each between spaces. */
static int parse_options(struct options *o, int argc, char **argv, const char *allowed)
{
	*o = (struct options){ .count = UINT64_MAX, .max_unpacked = HD_TRACE_UNPACKED };
	for (int i = 0; i < argc; i++) {
		char spaced[32];
		int err;

		if (argv[i][0] != '-' || !argv[i][1]) {
			if (o->file)
				return hd_usage("only one file at a time: '%s' is one too many",
						argv[i]);
			o->file = argv[i];
			continue;
		}
		snprintf(spaced, sizeof(spaced), " %.24s ", argv[i]);
		if (!strstr(allowed, spaced))
			return hd_usage("there is no option '%s' here; see `heddle trace --help`",
					argv[i]);
		if (parse_flag(o, argv[i]))
			continue;
		err = parse_valued(o, argv[i], i + 1 < argc ? argv[i + 1] : NULL);
		if (err)
			return err;
		i++;
	}
	if (!o->file)
		return hd_usage("which file? see `heddle trace --help`");
	return 0;
}

/* --- shared --- */

static int fail(const struct hd_errbuf *eb)
{
	bool ours = eb->code == HD_ERR_NOMEM || eb->code == HD_ERR_FULL;

	return hd_complain(ours ? HD_EXIT_FAILED : HD_EXIT_USAGE, "%s", eb->text);
}

static enum hd_err open_given(struct hd_trace **t, const struct options *o, struct hd_errbuf *eb)
{
	enum hd_err err = hd_trace_check_size(o->file, o->max_unpacked, eb);

	return err ? err : hd_trace_open(t, o->file, eb);
}

/* End a command that wrote to standard output; @damage is told after what could be shown. */
static int finish_output(FILE *out, const char *name, enum hd_err err, const struct hd_errbuf *eb)
{
	bool failed = fflush(out) != 0 || ferror(out);

	if (out != stdout)
		failed = fclose(out) != 0 || failed;
	if (failed)
		return hd_failed("cannot write %s: %s", name, strerror(errno ? errno : EIO));
	return err ? fail(eb) : HD_EXIT_CLEAN;
}

/* What the program or its user named: it may be anything. */
static void put(const char *before, const char *name)
{
	fputs(before, stdout);
	hd_put_printable(stdout, name);
}

/* --- info --- */

struct module {
	uint64_t base, len;
	const char *path, *build_id;
};

struct info {
	struct hd_trace *t;
	uint64_t events, by_op[HD_OP_LIMIT], bytes;
	struct hd_map threads;
	struct module *modules;
	size_t nmodules, modules_room;
	enum hd_err damage;
	struct hd_errbuf eb;
};

static bool count_event(struct info *in, const struct hd_event *ev)
{
	in->events++;
	in->by_op[ev->op]++;
	if (ev->thread && !hd_map_set(&in->threads, ev->thread, 1))
		return false;
	if (ev->op != HD_OP_MODULE)
		return true;
	if (!HD_ROOM(in->modules, in->modules_room, in->nmodules + 1))
		return false;
	in->modules[in->nmodules++] =
		(struct module){ ev->addr, ev->value, hd_trace_string(in->t, ev->value2), NULL };
	return true;
}

static void gather(struct info *in)
{
	const struct hd_event *ev;
	uint32_t last = 0;
	size_t n;

	for (;;) {
		in->damage = hd_trace_next(in->t, &ev, &n, &in->eb);
		if (in->damage || !n)
			break;
		for (size_t i = 0; i < n; i++) {
			/* Most events are like the one before: spare them the look-up. */
			if (ev[i].thread == last && ev[i].op != HD_OP_MODULE) {
				in->events++;
				in->by_op[ev[i].op]++;
			} else if (!count_event(in, &ev[i])) {
				in->damage = hd_fail(&in->eb, HD_ERR_NOMEM, "out of memory");
				return;
			}
			last = ev[i].thread;
		}
	}
	for (size_t i = 0; i < in->nmodules; i++)
		in->modules[i].build_id = hd_trace_build_id(in->t, in->modules[i].base);
}

static void how_it_ended(const struct info *in, char *buf, size_t len)
{
	uint64_t start;
	int exited, code;

	if (!hd_trace_ended(in->t, &exited, &code, &start))
		snprintf(buf, len, "not recorded");
	else if (exited < 0)
		snprintf(buf, len, "unknown");
	else
		snprintf(buf, len, exited ? "exit status %d" : "killed by signal %d", code);
}

static bool is_complete(const struct info *in)
{
	uint64_t start;
	int exited, code;

	return hd_trace_ended(in->t, &exited, &code, &start) && !in->damage;
}

static void info_text(const struct info *in)
{
	const char *a, *b;
	char ended[64];
	uint64_t n;

	how_it_ended(in, ended, sizeof(ended));
	printf("format    version %u\n", HD_TRACE_VERSION);
	printf("program  ");
	for (int i = 0; i < hd_trace_argc(in->t); i++)
		put(" ", hd_trace_argv(in->t, i));
	printf("%s\n", hd_trace_argc(in->t) ? "" : " none (imported)");
	for (size_t i = 0; i < hd_trace_noptions(in->t); i++) {
		hd_trace_option_at(in->t, i, &a, &b);
		put("option    ", a);
		put(" = ", b);
		putchar('\n');
	}
	printf("ended     %s\n", ended);
	printf("complete  %s\n", is_complete(in) ? "yes"
				 : in->damage	 ? "no: damaged or cut off"
						 : "no: the end record is missing");
	printf("threads   %zu\n", in->threads.count);
	printf("events    %" PRIu64 "\n", in->events);
	printf("size      %" PRIu64 " bytes, %.2f per event\n", in->bytes,
	       in->events ? (double)in->bytes / (double)in->events : 0.0);
	for (int op = 0; op < HD_OP_LIMIT; op++) {
		if (in->by_op[op])
			printf("  %-16s %" PRIu64 "\n", hd_op_info[op].name, in->by_op[op]);
	}
	for (size_t i = 0; i < in->nmodules; i++) {
		printf("module    0x%" PRIx64, in->modules[i].base);
		put(" ", in->modules[i].path ? in->modules[i].path : "?");
		if (in->modules[i].build_id)
			put(" build id ", in->modules[i].build_id);
		putchar('\n');
	}
	for (size_t i = 0; i < hd_trace_ndrops(in->t); i++) {
		hd_trace_drop_at(in->t, i, &a, &n);
		printf("dropped   %" PRIu64, n);
		put(" ", a);
		putchar('\n');
	}
}

static void json_run(struct hd_json *j, const struct info *in)
{
	const char *key, *value;

	hd_json_open(j, "argv", '[');
	for (int i = 0; i < hd_trace_argc(in->t); i++)
		hd_json_str(j, NULL, hd_trace_argv(in->t, i));
	hd_json_close(j, ']');
	hd_json_open(j, "options", '{');
	for (size_t i = 0; i < hd_trace_noptions(in->t); i++) {
		hd_trace_option_at(in->t, i, &key, &value);
		hd_json_str(j, key, value);
	}
	hd_json_close(j, '}');
}

static void json_end(struct hd_json *j, const struct info *in)
{
	uint64_t start;
	int exited, code;
	bool ended = hd_trace_ended(in->t, &exited, &code, &start);

	if (ended && exited == 1)
		hd_json_int(j, "exit", code);
	else
		hd_json_null(j, "exit");
	if (ended && exited == 0)
		hd_json_int(j, "signal", code);
	else
		hd_json_null(j, "signal");
	hd_json_bool(j, "ended", ended);
	hd_json_bool(j, "complete", is_complete(in));
	hd_json_str(j, "damage", in->damage ? in->eb.text : NULL);
	hd_json_uint(j, "start_time", start);
}

static void json_modules(struct hd_json *j, const struct info *in)
{
	char base[32];

	hd_json_open(j, "modules", '[');
	for (size_t i = 0; i < in->nmodules; i++) {
		snprintf(base, sizeof(base), "0x%" PRIx64, in->modules[i].base);
		hd_json_open(j, NULL, '{');
		hd_json_str(j, "path", in->modules[i].path);
		hd_json_str(j, "base", base);
		hd_json_uint(j, "length", in->modules[i].len);
		hd_json_str(j, "build_id", in->modules[i].build_id);
		hd_json_close(j, '}');
	}
	hd_json_close(j, ']');
}

static void info_json(const struct info *in)
{
	struct hd_json j;
	const char *reason;
	uint64_t n;

	hd_json_init(&j, stdout);
	hd_json_open(&j, NULL, '{');
	hd_json_uint(&j, "version", HD_TRACE_VERSION);
	json_run(&j, in);
	json_end(&j, in);
	hd_json_uint(&j, "threads", in->threads.count);
	hd_json_uint(&j, "events", in->events);
	hd_json_uint(&j, "bytes", in->bytes);
	hd_json_real(&j, "bytes_per_event",
		     in->events ? (double)in->bytes / (double)in->events : 0.0);
	hd_json_open(&j, "by_kind", '{');
	for (int op = 0; op < HD_OP_LIMIT; op++) {
		if (in->by_op[op])
			hd_json_uint(&j, hd_op_info[op].name, in->by_op[op]);
	}
	hd_json_close(&j, '}');
	json_modules(&j, in);
	hd_json_open(&j, "drops", '{');
	for (size_t i = 0; i < hd_trace_ndrops(in->t); i++) {
		hd_trace_drop_at(in->t, i, &reason, &n);
		hd_json_uint(&j, reason, n);
	}
	hd_json_close(&j, '}');
	hd_json_close(&j, '}');
}

static int cmd_info(int argc, char **argv)
{
	struct info in = { 0 };
	struct options o;
	struct stat st;
	int code = parse_options(&o, argc, argv, " --json --max-unpacked ");

	if (code)
		return code;
	if (open_given(&in.t, &o, &in.eb))
		return fail(&in.eb);
	if (stat(o.file, &st) == 0)
		in.bytes = (uint64_t)st.st_size;
	gather(&in);
	if (o.json)
		info_json(&in);
	else
		info_text(&in);
	code = finish_output(stdout, "the output", in.damage, &in.eb);
	hd_map_free(&in.threads);
	free(in.modules);
	hd_trace_close(in.t);
	return code;
}

/* --- dump --- */

static void dump_value(const struct hd_trace *t, uint8_t use, const char *what, uint64_t v,
		       uint32_t size)
{
	const char *s;

	switch (use) {
	case HD_U_NONE:
		return;
	case HD_U_THREAD:
		printf(" T%" PRIu64, v);
		return;
	case HD_U_STR:
		s = hd_trace_string(t, v);
		put(" '", s);
		putchar('\'');
		return;
	case HD_U_PC:
		printf(" 0x%" PRIx64, v);
		return;
	case HD_U_VAL:
		printf(" %s=%" PRId64, what, size == 4 ? (int32_t)v : (int64_t)v);
		return;
	default:
		printf(" %s=%" PRId64, what, (int64_t)v);
	}
}

/* The name of what an event is about: the trace's own, or the variable's, or its address. */
static void dump_place(const struct hd_trace *t, const struct hd_name_source *names,
		       const struct hd_event *ev)
{
	const char *name = hd_trace_name(t, ev->addr);
	char buf[256];

	if (!name && names->location && hd_op_info[ev->op].addr != HD_U_NONE &&
	    names->location(names->arg, ev->addr, ev->size, buf, sizeof(buf)))
		name = buf;
	if (name)
		put(" ", name);
	else
		printf(" 0x%" PRIx64, ev->addr);
}

static void dump_event(const struct hd_trace *t, const struct hd_name_source *names,
		       uint64_t number, const struct hd_event *ev)
{
	const struct hd_op_info *info = &hd_op_info[ev->op];
	const char *what = info->value == HD_U_LEN ? "length" : "value", *file;
	uint32_t line;

	printf("%" PRIu64 " T%u %s", number, ev->thread, info->name);
	if (info->addr != HD_U_NONE)
		dump_place(t, names, ev);
	if (ev->size)
		printf(" size=%u", ev->size);
	dump_value(t, info->value, what, ev->value, ev->size);
	dump_value(t, info->value2, "value2", ev->value2, ev->size);
	if (info->arg != HD_U_NONE && ev->arg)
		printf(" %s=%u",
		       info->arg == HD_U_MODE	 ? "mode"
		       : info->arg == HD_U_ORDER ? "order"
						 : "arg",
		       ev->arg);
	if (ev->pc && (hd_trace_site(t, ev->pc, &file, &line) ||
		       (names->site && names->site(names->arg, ev->pc, &file, &line)))) {
		put(" @", file);
		printf(":%u", line);
	} else if (ev->pc)
		printf(" pc=0x%" PRIx64, ev->pc);
	if (ev->ctx)
		printf(" ctx=%u", ev->ctx);
	putchar('\n');
}

static int cmd_dump(int argc, char **argv)
{
	const struct hd_event *ev;
	struct hd_errbuf eb;
	struct hd_trace *t;
	struct options o;
	uint64_t number = 0, shown = 0;
	struct hd_symbols *symbols;
	struct hd_name_source names;
	enum hd_err err;
	size_t n;
	int code = parse_options(&o, argc, argv, " --from --count --thread --max-unpacked ");

	if (code)
		return code;
	if (open_given(&t, &o, &eb))
		return fail(&eb);
	if (hd_trace_symbols(t, &symbols, &names, &eb)) {
		hd_trace_close(t);
		return fail(&eb);
	}
	do {
		err = hd_trace_next(t, &ev, &n, &eb);
		for (size_t i = 0; i < n && shown < o.count; i++, number++) {
			if (number < o.from || (o.has_thread && ev[i].thread != o.thread))
				continue;
			dump_event(t, &names, number, &ev[i]);
			shown++;
		}
	} while (!err && n && shown < o.count && !ferror(stdout));
	code = finish_output(stdout, "the output", err, &eb);
	hd_symbols_free(symbols);
	hd_trace_close(t);
	return code;
}

/* --- import --- */

typedef enum hd_err import_fn(const char *text, size_t len, const char *file,
			      struct hd_trace_writer *w, struct hd_errbuf *eb);

static int write_import(const struct options *o, import_fn *import, const char *text, size_t len)
{
	const char *key = "source", *value = o->std ? "std" : "text";
	const struct hd_trace_meta meta = { .keys = &key, .values = &value, .nkeys = 1 };
	const struct hd_trace_end end = { .exited = -1 };
	struct hd_trace_writer *w;
	struct hd_errbuf eb;

	if (hd_trace_create(&w, o->out, &meta, &eb))
		return hd_failed("%s", eb.text);
	import(text, len, o->file, w, &eb); /* it was checked; the writer keeps its errors */
	if (hd_trace_finish(w, &end, &eb))
		return hd_failed("%s", eb.text);
	return HD_EXIT_CLEAN;
}

static int cmd_import(int argc, char **argv)
{
	struct hd_errbuf eb;
	struct options o;
	import_fn *import;
	size_t len;
	char *text;
	int code = parse_options(&o, argc, argv, " --std -o ");

	if (code)
		return code;
	if (!o.out)
		return hd_usage("which output file? add -o OUT");
	import = o.std ? hd_std_import : hd_text_import;
	if (hd_read_whole(!strcmp(o.file, "-") ? "/dev/stdin" : o.file, 0, &text, &len, &eb))
		return fail(&eb);
	/* Checked in full before the output is touched. */
	code = import(text, len, o.file, NULL, &eb) ? fail(&eb)
						    : write_import(&o, import, text, len);
	free(text);
	return code;
}

/* --- export --- */

static bool same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
	       sa.st_ino == sb.st_ino;
}

static enum hd_err run_export(const struct options *o, struct hd_trace *t, FILE *out,
			      const struct hd_name_source *names, struct hd_errbuf *eb)
{
	uint64_t left_out = 0;
	enum hd_err err;

	if (o->text)
		return hd_text_export(t, out, names, o->all, eb);
	if (o->chrome)
		return hd_chrome_export(t, out, names, eb);
	err = hd_std_export(t, out, names, &left_out, eb);
	if (left_out)
		hd_say("%" PRIu64 " synchronisation events have no form in STD and were left out",
		       left_out);
	return err;
}

static int cmd_export(int argc, char **argv)
{
	struct hd_errbuf eb = { 0 };
	struct hd_trace *t;
	struct options o;
	enum hd_err err;
	FILE *out = stdout;
	struct hd_symbols *symbols = NULL;
	struct hd_name_source names;
	int code = parse_options(&o, argc, argv, " --text --std --chrome --all -o --max-unpacked ");

	if (code)
		return code;
	if (o.text + o.std + o.chrome != 1)
		return hd_usage("which format? add one of --text, --std, --chrome");
	if (open_given(&t, &o, &eb))
		return fail(&eb);
	if (o.out && same_file(o.file, o.out)) {
		hd_trace_close(t);
		return hd_usage("'%s' would overwrite the trace itself", o.out);
	}
	if (o.out && !(out = fopen(o.out, "w"))) {
		hd_trace_close(t);
		return hd_failed("cannot create '%s': %s", o.out, strerror(errno));
	}
	err = hd_trace_symbols(t, &symbols, &names, &eb);
	if (!err)
		err = run_export(&o, t, out, &names, &eb);
	code = finish_output(out, o.out ? o.out : "the output", err, &eb);
	hd_symbols_free(symbols);
	hd_trace_close(t);
	return code;
}

/* --- compact --- */

static enum hd_err learn(struct hd_trace *t, struct hd_sharing *s, struct hd_errbuf *eb)
{
	const struct hd_event *ev;
	enum hd_err err;
	size_t n;

	do {
		err = hd_trace_next(t, &ev, &n, eb);
		for (size_t i = 0; err == HD_OK && i < n; i++) {
			if (!hd_sharing_learn(s, &ev[i]))
				return hd_fail(eb, HD_ERR_NOMEM,
					       "out of memory for what is shared");
		}
	} while (err == HD_OK && n);
	return err;
}

static bool keep(void *arg, const struct hd_event *ev)
{
	return hd_sharing_matters(arg, ev);
}

static enum hd_err compact(struct hd_trace *t, const char *out, struct hd_copied *done,
			   struct hd_errbuf *eb)
{
	struct hd_sharing *s = hd_sharing_new(HD_SHARING_ORDER);
	enum hd_err err = s ? learn(t, s, eb) : hd_fail(eb, HD_ERR_NOMEM, "out of memory");

	if (err == HD_OK)
		err = hd_trace_copy(t, out, keep, s, done, eb);
	hd_sharing_free(s);
	return err;
}

static int cmd_compact(int argc, char **argv)
{
	struct hd_errbuf eb = { 0 };
	struct hd_copied done;
	struct hd_trace *t;
	struct options o;
	enum hd_err err;
	int code = parse_options(&o, argc, argv, " -o --max-unpacked ");

	if (code)
		return code;
	if (!o.out)
		return hd_usage("which output file? add -o OUT");
	if (open_given(&t, &o, &eb))
		return fail(&eb);
	if (same_file(o.file, o.out)) {
		hd_trace_close(t);
		return hd_usage("'%s' would overwrite the trace itself", o.out);
	}
	err = compact(t, o.out, &done, &eb);
	hd_trace_close(t);
	if (err)
		return fail(&eb);
	printf("%" PRIu64 " of %" PRIu64 " events are left\n", done.events_out, done.events_in);
	return HD_EXIT_CLEAN;
}

int hd_cmd_trace(int argc, char **argv)
{
	static const struct {
		const char *word;
		int (*run)(int argc, char **argv);
	} verbs[] = { { "info", cmd_info },
		      { "dump", cmd_dump },
		      { "import", cmd_import },
		      { "export", cmd_export },
		      { "compact", cmd_compact } };

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			fputs(help, stdout);
			return HD_EXIT_CLEAN;
		}
	}
	if (argc < 2)
		return hd_usage("info, dump, import or export? see `heddle trace --help`");
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (!strcmp(argv[1], verbs[i].word))
			return verbs[i].run(argc - 2, argv + 2);
	}
	return hd_usage("there is no `heddle trace %s`; see `heddle trace --help`", argv[1]);
}
