/*
 * Files of runs that show something. Where they cannot be written, the finding is told all the same, and
 * its replay command has the schedule in it.
 */
#include "campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/path.h"
#include "findings/conclude.h"
#include "report/printable.h"
#include "trace/schedule.h"
#include "trace/trace_copy.h"

static char *folder_of(const struct hd_campaign *c)
{
	const char *given = c->config->folder;
	char *folder;

	if (given)
		return strdup(given);
	return asprintf(&folder, "heddle-%s", hd_base_name(c->program.argv[0])) < 0 ? NULL : folder;
}

/* May @path be written: is it not there, or one of ours, of this version or another one? */
static bool is_ours(const char *path)
{
	struct hd_trace *t;
	struct stat st;
	enum hd_err err;

	if (stat(path, &st) != 0)
		return errno == ENOENT;
	if (!S_ISREG(st.st_mode))
		return false;
	err = hd_trace_open(&t, path, NULL);
	if (!err)
		hd_trace_close(t);
	return !err || err == HD_ERR_VERSION;
}

static bool copy_file(int from, int to)
{
	static char buf[1 << 16];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(from, buf, sizeof(buf), at)) > 0) {
		for (ssize_t done = 0, m; done < n; done += m) {
			m = write(to, buf + done, (size_t)(n - done));
			if (m <= 0)
				return false;
		}
		at += n;
	}
	return n == 0;
}

/* The program was killed before its trace was over: what there is of it becomes one that is. */
static enum hd_err write_what_there_is(const char *path, struct hd_trace *t)
{
	struct hd_errbuf eb;
	enum hd_err err = hd_trace_copy_readable(t, path, &eb);

	return err == HD_OK ? HD_OK
			    : hd_error(err, "the schedule could not be written to '%s': %s", path,
				       eb.text);
}

static enum hd_err write_copy(const char *path, const struct hd_trial *trial)
{
	int saved, fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	bool ok = fd >= 0 && copy_file(trial->trace_fd, fd);

	saved = errno;
	if (fd >= 0 && close(fd) != 0 && ok) {
		ok = false;
		saved = errno;
	}
	return ok ? HD_OK
		  : hd_error(HD_ERR_SYSTEM, "the schedule could not be written to '%s': %s", path,
			     strerror(saved));
}

/* A finding is announced once its schedule is on disk: then a machine that vanishes takes none of them along. */
static bool keep_as(const char *part, const char *path)
{
	int fd = open(part, O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0 && fdatasync(fd) == 0;
	int why = errno;

	if (fd >= 0)
		close(fd);
	errno = why;
	return ok && rename(part, path) == 0;
}

/* Under another name first: whoever is killed meanwhile leaves no half of it under this one, which would be nobody's trace. */
static enum hd_err write_trace(const char *path, const struct hd_trial *trial)
{
	struct hd_trace_end end;
	enum hd_err err;
	char *part;

	if (!is_ours(path))
		return hd_error(HD_ERR_REQUEST,
				"'%s' exists and is not a heddle trace; it is not "
				"overwritten",
				path);
	if (asprintf(&part, "%s.part", path) < 0)
		return hd_error(HD_ERR_NOMEM, "out of memory");
	if (trial->trace && !hd_trace_ended(trial->trace, &end.exited, &end.code, &end.start_time))
		err = write_what_there_is(part, trial->trace);
	else
		err = write_copy(part, trial);
	if (!err && !keep_as(part, path))
		err = hd_error(HD_ERR_SYSTEM, "the schedule could not be written to '%s': %s", path,
			       strerror(errno));
	if (err)
		unlink(part); /* half of it is of no use */
	free(part);
	return err;
}

char *hd_campaign_folder(const struct hd_campaign *c)
{
	char *folder = folder_of(c);

	if (!folder) {
		hd_error(HD_ERR_NOMEM, "out of memory");
	} else if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
		hd_error(HD_ERR_REQUEST, "cannot make the folder '%s' for schedules: %s", folder,
			 strerror(errno));
		free(folder);
		folder = NULL;
	}
	return folder;
}

/* The lines of @s as words of a shell. */
static void put_lines(FILE *out, char *lines)
{
	for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n")) {
		putc(' ', out);
		hd_put_shell_word(out, line);
	}
}

/* A replay command that needs no file: bash makes one of what stands in it. */
static char *replay_from_words(const struct hd_trial *trial, char **argv)
{
	char path[64], *lines, *text = NULL;
	struct hd_schedule schedule;
	struct hd_errbuf eb;
	size_t len = 0;
	FILE *out;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", trial->trace_fd);
	if (hd_schedule_load(&schedule, path, &eb) != HD_OK)
		return NULL;
	lines = hd_schedule_text(&schedule);
	hd_schedule_free(&schedule);
	out = lines ? open_memstream(&text, &len) : NULL;
	if (out) {
		fputs("heddle replay <(printf '%s\\n'", out);
		put_lines(out, lines);
		fputs(") --", out);
		for (; *argv; argv++) {
			putc(' ', out);
			hd_put_shell_word(out, *argv);
		}
		if (fclose(out) != 0) {
			free(text);
			text = NULL;
		}
	}
	free(lines);
	return text;
}

void hd_campaign_not_written(struct hd_campaign *c)
{
	if (!c->unwritten.code)
		c->unwritten = *hd_last_error();
}

enum hd_err hd_campaign_save(struct hd_campaign *c, struct hd_witness *w, const char *kind,
			     const char *name)
{
	char *folder = hd_campaign_folder(c);
	enum hd_err rc = folder ? HD_OK : hd_last_error()->code;

	if (folder && asprintf(&w->file, "%s/%s-%s.htr", folder, kind, name) < 0) {
		w->file = NULL;
		rc = hd_error(HD_ERR_NOMEM, "out of memory");
	} else if (folder) {
		rc = write_trace(w->file, w->trial);
	}
	free(folder);
	if (rc == HD_ERR_NOMEM)
		return rc;
	if (rc == HD_OK) {
		w->replay = hd_replay_command(w->file, &c->base, c->program.argv);
	} else {
		hd_campaign_not_written(c);
		free(w->file);
		w->file = NULL;
		w->replay = replay_from_words(w->trial, c->program.argv);
	}
	return w->replay ? HD_OK : hd_error(HD_ERR_NOMEM, "out of memory");
}
