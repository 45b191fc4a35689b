#include "outputs.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "campaign/pool.h"
#include "common/budget.h"
#include "launch/live.h"
#include "cli/progress.h"

static const struct {
	enum hd_option_id option;
	enum hd_err (*write)(FILE *out, const struct hd_run *run,
			     const struct hd_report_info *info);
} formats[HD_OUTPUTS] = {
	{ HD_OPT_JSON, hd_report_json },
	{ HD_OPT_SARIF, hd_report_sarif },
	{ HD_OPT_JUNIT, hd_report_junit },
	{ HD_OPT_HTML, hd_report_html },
};

static const char *path_of(const struct hd_outputs *out, int i)
{
	return out->options->value[formats[i].option];
}

bool hd_outputs_use_stdout(const struct hd_outputs *out)
{
	for (int i = 0; i < HD_OUTPUTS; i++) {
		if (out->file[i] == stdout)
			return true;
	}
	return false;
}

static int open_file(struct hd_outputs *out, int i)
{
	const char *path = path_of(out, i);

	if (!path)
		return HD_EXIT_CLEAN;
	for (int k = 0; k < i; k++) {
		if (out->file[k] && !strcmp(path, path_of(out, k)))
			return hd_die(HD_EXIT_USAGE, "'%s' is named for two kinds of findings' "
				      "files", path);
	}
	out->file[i] = strcmp(path, "-") ? fopen(path, "we") : stdout;
	if (!out->file[i])
		return hd_die(HD_EXIT_USAGE, "cannot write findings to '%s': %s", path,
			      strerror(errno));
	return HD_EXIT_CLEAN;
}

/* Of `predict`, the option is for the search alone. */
static void set_budget(const struct hd_cli_options *o)
{
	const char *seconds = o->value[HD_OPT_TIME], *bytes = o->value[HD_OPT_MEMORY];

	hd_budget_set(strtod(seconds, NULL),
		      o->command == HD_FOR_PREDICT ? 0 : strtoull(bytes, NULL, 10));
}

int hd_outputs_open(struct hd_outputs *out, const struct hd_cli_options *o)
{
	const char *suppressions = o->value[HD_OPT_SUPPRESSIONS];
	const char *baseline = o->value[HD_OPT_BASELINE];
	struct hd_errbuf eb = { 0 };
	enum hd_err err = HD_OK;
	int rc = HD_EXIT_CLEAN;

	*out = (struct hd_outputs){ .options = o };
	hd_interrupts_take(); /* before there are files that could be left half written */
	set_budget(o);
	hd_progress_init(!o->value[HD_OPT_QUIET]);
	hd_live_init(!o->value[HD_OPT_QUIET] && !suppressions && !baseline);
	if (suppressions)
		err = hd_suppressions_load(&out->suppressions, suppressions, &eb);
	if (!err && baseline)
		err = hd_baseline_load(&out->baseline, baseline, &eb);
	if (err)
		rc = hd_die(err == HD_ERR_NOMEM ? HD_EXIT_FAILED : HD_EXIT_USAGE, "%s", eb.text);
	/* The baseline has been read: it may be what is written now. */
	for (int i = 0; i < HD_OUTPUTS && rc == HD_EXIT_CLEAN; i++)
		rc = open_file(out, i);
	return rc == HD_EXIT_CLEAN ? rc : hd_outputs_close(out, rc);
}

static int write_file(struct hd_outputs *out, int i, const struct hd_run *run,
		      const struct hd_report_info *info)
{
	enum hd_err err;

	sigset_t before;

	hd_interrupts_hold(&before);
	errno = 0;
	err = formats[i].write(out->file[i], run, info);
	if (err == HD_OK && fflush(out->file[i]) != 0)
		err = HD_ERR_IO;
	sigprocmask(SIG_SETMASK, &before, NULL);
	out->written[i] = true;
	if (err == HD_OK)
		return HD_EXIT_CLEAN;
	return hd_die(HD_EXIT_FAILED, "the findings could not be written to '%s': %s",
		      path_of(out, i), err == HD_ERR_IO && errno ? strerror(errno)
								 : hd_err_text(err));
}

int hd_outputs_write(struct hd_outputs *out, struct hd_run *run, struct hd_report_info *info,
		     FILE *text)
{
	const struct hd_cli_options *o = out->options;
	char *root = getcwd(NULL, 0);
	int rc = HD_EXIT_CLEAN;
	enum hd_err err;

	if (!info->stopped) {
		info->stopped = hd_stop_word(hd_budget_told());
		info->tell_stopped = info->stopped != NULL;
	}
	info->judged = hd_judge(run, out->suppressions, out->baseline);
	info->suppressions = out->suppressions;
	info->all = o->value[HD_OPT_ALL] != NULL;
	info->gen_suppressions = o->value[HD_OPT_GEN_SUPPRESSIONS] != NULL;
	info->baseline = out->baseline != NULL;
	info->color = hd_cli_options_color(o, text);
	info->root = root;
	hd_progress_clear();
	fflush(stdout);
	err = hd_report_text(text, run, info);
	if (err)
		rc = hd_die(HD_EXIT_FAILED, "the report is incomplete: %s", hd_err_text(err));
	for (int i = 0; i < HD_OUTPUTS && rc == HD_EXIT_CLEAN; i++) {
		if (out->file[i])
			rc = write_file(out, i, run, info);
	}
	free(root);
	if (rc == HD_EXIT_CLEAN && hd_run_faults(run))
		rc = HD_EXIT_FINDINGS;
	if (rc == HD_EXIT_CLEAN && info->stopped)
		rc = HD_EXIT_STOPPED;
	return rc;
}

/* Nothing was found out that could stand in it. */
static void remove_empty(const char *path)
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && !st.st_size)
		unlink(path);
}

int hd_outputs_close(struct hd_outputs *out, int rc)
{
	hd_progress_clear();
	for (int i = 0; i < HD_OUTPUTS; i++) {
		FILE *file = out->file[i];

		if (file && file != stdout && fclose(file) != 0 && rc != HD_EXIT_FAILED)
			rc = hd_die(HD_EXIT_FAILED, "the findings could not be written to '%s': %s",
				    path_of(out, i), strerror(errno));
		if (file && file != stdout && !out->written[i])
			remove_empty(path_of(out, i));
		out->file[i] = NULL;
	}
	hd_interrupts_give_back();
	hd_suppressions_free(out->suppressions);
	hd_baseline_free(out->baseline);
	out->suppressions = NULL;
	out->baseline = NULL;
	return rc;
}
