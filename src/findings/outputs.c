#include "outputs.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/interrupts.h"
#include "common/budget.h"
#include "launch/live.h"
#include "report/formats.h"
#include "common/listener.h"

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
			return hd_error(HD_ERR_REQUEST,
					"'%s' is named for two kinds of findings' "
					"files",
					path);
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
	hd_budget_set(o->seconds, o->memory);
	if (o->signals)
		hd_interrupts_take(); /* before there are files that could be left half written */
	hd_live_init(!o->quiet && !o->suppressions && !o->baseline && !o->check_only);
	if (o->suppressions)
		err = hd_suppressions_load(&out->suppressions, o->suppressions, &eb);
	if (!err && o->only_named)
		err = hd_named_new(&out->named, o->check_only, &eb);
	if (!err && o->baseline)
		err = hd_baseline_load(&out->baseline, o->baseline, &eb);
	if (err)
		rc = hd_error(err == HD_ERR_NOMEM ? err : HD_ERR_REQUEST, "%s", eb.text);
	/* The baseline has been read: it may be what is written now. */
	for (int i = 0; i < HD_OUTPUTS && rc == HD_OK; i++)
		rc = open_file(out, i);
	return rc == HD_OK ? rc : hd_outputs_close(out, rc);
}

static enum hd_err write_file(struct hd_outputs *out, int i, const struct hd_document *doc)
{
	enum hd_err err;
	sigset_t before;

	hd_interrupts_hold(&before);
	errno = 0;
	err = hd_formats[i].write(out->file[i], doc);
	if (err == HD_OK && fflush(out->file[i]) != 0)
		err = HD_ERR_IO;
	sigprocmask(SIG_SETMASK, &before, NULL);
	out->written[i] = err == HD_OK;
	if (err == HD_OK)
		return HD_OK;
	return hd_error(HD_ERR_SYSTEM, "the findings could not be written to '%s': %s",
			path_of(out, i),
			err == HD_ERR_IO && errno ? strerror(errno) : hd_err_text(err));
}

/* All of them from one document. */
static enum hd_err write_files(struct hd_outputs *out, const struct hd_run *run,
			       const struct hd_report_info *info)
{
	char **kept = out->config->document;
	struct hd_document doc;
	bool wanted = kept;
	enum hd_err rc;

	for (int i = 0; i < HD_OUTPUTS; i++)
		wanted |= out->file[i] != NULL;
	if (!wanted)
		return HD_OK;
	rc = hd_document_make(&doc, run, info);
	if (rc)
		return hd_error(HD_ERR_SYSTEM, "the findings could not be written: %s",
				hd_err_text(rc));
	for (int i = 0; i < HD_OUTPUTS && rc == HD_OK; i++) {
		if (out->file[i])
			rc = write_file(out, i, &doc);
	}
	if (rc == HD_OK && kept) {
		*kept = doc.json;
		doc.json = NULL;
	}
	hd_document_free(&doc);
	return rc;
}

static bool is_colored(enum hd_color how, FILE *text)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (how != HD_COLOR_AUTO)
		return how == HD_COLOR_ALWAYS;
	return !(no && *no) && isatty(fileno(text)) && term && strcmp(term, "dumb");
}

/* Why nobody can say that there are no errors: what looks for them was off, or what it said is lost. */
static const char *why_not_clean(const struct hd_run *run)
{
	static const struct {
		const char *reason, *stopped;
	} all[] = { { HD_DROP_DETECTION, "detection" }, { HD_DROP_DAMAGED, "damaged" } };

	for (size_t i = 0; run->trace && i < hd_trace_ndrops(run->trace); i++) {
		const char *reason;
		uint64_t count;

		hd_trace_drop_at(run->trace, i, &reason, &count);
		for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
			if (!strncmp(reason, all[k].reason, strlen(all[k].reason)))
				return all[k].stopped;
		}
	}
	return NULL;
}

enum hd_err hd_outputs_write(struct hd_outputs *out, struct hd_run *run,
			     struct hd_report_info *info, enum hd_status *status)
{
	const struct hd_output_config *o = out->config;
	char *root = getcwd(NULL, 0), *checked;
	enum hd_err rc;
	enum hd_err err;

	if (!info->stopped) {
		info->stopped = hd_stop_word(hd_budget_told());
		if (!info->stopped) {
			info->stopped = why_not_clean(run);
			info->quiet &= !info->stopped; /* silence would mean that all is well */
		}
		info->tell_stopped = info->stopped != NULL;
	}
	hd_keep_named(out->named, run);
	checked = hd_named_note(out->named, run);
	info->checked_only = checked;
	info->judged = hd_judge(run, out->suppressions, out->baseline, o->harmful);
	info->suppressions = out->suppressions;
	info->all = o->all;
	info->gen_suppressions = o->gen_suppressions;
	info->baseline = out->baseline != NULL;
	info->color = o->text && is_colored(o->color, o->text);
	info->root = root;
	hd_progress_clear();
	fflush(stdout);
	err = o->text ? hd_report_text(o->text, run, info) : HD_OK;
	rc = write_files(out, run, info); /* whatever became of the text */
	if (err && rc == HD_OK)
		rc = hd_error(HD_ERR_SYSTEM, "the report is incomplete: %s", hd_err_text(err));
	free(root);
	free(checked);
	*status = hd_run_faults(run) ? HD_STATUS_FINDINGS
		  : info->stopped    ? HD_STATUS_STOPPED
				     : HD_STATUS_CLEAN;
	return rc;
}

enum hd_err hd_outputs_check(const struct hd_outputs *out, const struct hd_run *run,
			     enum hd_status status)
{
	FILE *text = out->config->text;

	if (text && fflush(text) != 0)
		return hd_error(HD_ERR_SYSTEM, "the report could not be written");
	if (status == HD_STATUS_CLEAN && run->damage[0])
		return hd_error(HD_ERR_REQUEST, "%s", run->damage);
	return HD_OK;
}

/* Nothing was found out that could stand in it, or only a part is in it. */
static void remove_unfinished(const char *path)
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode))
		unlink(path);
}

enum hd_err hd_outputs_close(struct hd_outputs *out, enum hd_err rc)
{
	hd_progress_clear();
	for (int i = 0; i < HD_OUTPUTS; i++) {
		FILE *file = out->file[i];

		out->file[i] = NULL;
		if (!file || file == stdout)
			continue;
		if (fclose(file) != 0) {
			out->written[i] = false;
			if (rc != HD_ERR_SYSTEM)
				rc = hd_error(HD_ERR_SYSTEM,
					      "the findings could not be written to '%s': %s",
					      path_of(out, i), strerror(errno));
		}
		if (!out->written[i])
			remove_unfinished(path_of(out, i));
	}
	hd_interrupts_give_back();
	hd_suppressions_free(out->suppressions);
	hd_named_free(out->named);
	hd_baseline_free(out->baseline);
	out->suppressions = NULL;
	out->named = NULL;
	out->baseline = NULL;
	return rc;
}
