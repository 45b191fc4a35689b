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
#include "common/listener.h"

static enum hd_err (*const writers[HD_OUTPUTS])(FILE *out, const struct hd_run *run,
						const struct hd_report_info *info) = {
	[HD_OUTPUT_JSON] = hd_report_json,
	[HD_OUTPUT_SARIF] = hd_report_sarif,
	[HD_OUTPUT_JUNIT] = hd_report_junit,
	[HD_OUTPUT_HTML] = hd_report_html,
};

static const char *path_of(const struct hd_outputs *out, int i)
{
	return out->config->file[i];
}

static enum hd_err open_file(struct hd_outputs *out, int i)
{
	const char *path = path_of(out, i);

	if (!path)
		return HD_OK;
	for (int k = 0; k < i; k++) {
		if (out->file[k] && !strcmp(path, path_of(out, k)))
			return hd_error(HD_ERR_REQUEST, "'%s' is named for two kinds of findings' "
				      "files", path);
	}
	out->file[i] = strcmp(path, "-") ? fopen(path, "we") : stdout;
	if (!out->file[i])
		return hd_error(HD_ERR_REQUEST, "cannot write findings to '%s': %s", path,
			      strerror(errno));
	return HD_OK;
}

enum hd_err hd_outputs_open(struct hd_outputs *out, const struct hd_output_config *o)
{
	struct hd_errbuf eb = { 0 };
	enum hd_err err = HD_OK;
	enum hd_err rc = HD_OK;

	*out = (struct hd_outputs){ .config = o };
	if (o->signals)
		hd_interrupts_take(); /* before there are files that could be left half written */
	hd_budget_set(o->seconds, o->memory);
	hd_live_init(!o->quiet && !o->suppressions && !o->baseline);
	if (o->suppressions)
		err = hd_suppressions_load(&out->suppressions, o->suppressions, &eb);
	if (!err && o->baseline)
		err = hd_baseline_load(&out->baseline, o->baseline, &eb);
	if (err)
		rc = hd_error(err == HD_ERR_NOMEM ? err : HD_ERR_REQUEST, "%s", eb.text);
	/* The baseline has been read: it may be what is written now. */
	for (int i = 0; i < HD_OUTPUTS && rc == HD_OK; i++)
		rc = open_file(out, i);
	return rc == HD_OK ? rc : hd_outputs_close(out, rc);
}

static enum hd_err write_file(struct hd_outputs *out, int i, const struct hd_run *run,
		      const struct hd_report_info *info)
{
	enum hd_err err;

	sigset_t before;

	hd_interrupts_hold(&before);
	errno = 0;
	err = writers[i](out->file[i], run, info);
	if (err == HD_OK && fflush(out->file[i]) != 0)
		err = HD_ERR_IO;
	sigprocmask(SIG_SETMASK, &before, NULL);
	out->written[i] = true;
	if (err == HD_OK)
		return HD_OK;
	return hd_error(HD_ERR_SYSTEM, "the findings could not be written to '%s': %s",
		      path_of(out, i), err == HD_ERR_IO && errno ? strerror(errno)
								 : hd_err_text(err));
}

static enum hd_err make_document(char **text, const struct hd_run *run, const struct hd_report_info *info)
{
	size_t len = 0;
	FILE *out = open_memstream(text, &len);
	enum hd_err err = out ? hd_report_json(out, run, info) : HD_ERR_NOMEM;

	if (out && fclose(out) != 0)
		err = HD_ERR_NOMEM;
	return err ? hd_error(err, "%s", hd_err_text(err)) : HD_OK;
}

static bool is_colored(enum hd_color how, FILE *text)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (how != HD_COLOR_AUTO)
		return how == HD_COLOR_ALWAYS;
	return !(no && *no) && isatty(fileno(text)) && term && strcmp(term, "dumb");
}

enum hd_err hd_outputs_write(struct hd_outputs *out, struct hd_run *run, struct hd_report_info *info,
			     enum hd_status *status)
{
	const struct hd_output_config *o = out->config;
	char *root = getcwd(NULL, 0);
	enum hd_err rc = HD_OK;
	enum hd_err err;

	if (!info->stopped) {
		info->stopped = hd_stop_word(hd_budget_told());
		info->tell_stopped = info->stopped != NULL;
	}
	info->judged = hd_judge(run, out->suppressions, out->baseline);
	info->suppressions = out->suppressions;
	info->all = o->all;
	info->gen_suppressions = o->gen_suppressions;
	info->baseline = out->baseline != NULL;
	info->color = o->text && is_colored(o->color, o->text);
	info->root = root;
	hd_progress_clear();
	fflush(stdout);
	err = o->text ? hd_report_text(o->text, run, info) : HD_OK;
	if (err)
		rc = hd_error(HD_ERR_SYSTEM, "the report is incomplete: %s", hd_err_text(err));
	for (int i = 0; i < HD_OUTPUTS && rc == HD_OK; i++) {
		if (out->file[i])
			rc = write_file(out, i, run, info);
	}
	if (rc == HD_OK && o->document)
		rc = make_document(o->document, run, info);
	free(root);
	*status = hd_run_faults(run) ? HD_STATUS_FINDINGS :
		  info->stopped      ? HD_STATUS_STOPPED : HD_STATUS_CLEAN;
	return rc;
}

/* Nothing was found out that could stand in it. */
static void remove_empty(const char *path)
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && !st.st_size)
		unlink(path);
}

enum hd_err hd_outputs_close(struct hd_outputs *out, enum hd_err rc)
{
	hd_progress_clear();
	for (int i = 0; i < HD_OUTPUTS; i++) {
		FILE *file = out->file[i];

		if (file && file != stdout && fclose(file) != 0 && rc != HD_ERR_SYSTEM)
			rc = hd_error(HD_ERR_SYSTEM, "the findings could not be written to '%s': %s",
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
