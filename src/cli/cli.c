#include "cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/listener.h"
#include "findings/outputs.h"
#include "report/printable.h"

static void say(const char *fmt, va_list ap)
{
	char *text;

	hd_progress_clear();
	fflush(stdout);
	fputs("heddle: ", stderr);
	/* File names, and names of the program, may be anything. */
	if (vasprintf(&text, fmt, ap) >= 0) {
		hd_put_printable_text(stderr, text);
		free(text);
	}
	putc('\n', stderr);
}

void hd_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}

int hd_complain(enum hd_exit code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	return code;
}

int hd_usage(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	return HD_EXIT_USAGE;
}

int hd_failed(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	return HD_EXIT_FAILED;
}

int hd_exit_for(enum hd_err err)
{
	if (err == HD_OK)
		return HD_EXIT_CLEAN;
	hd_say("%s", hd_last_error()->text);
	if (err == HD_ERR_STOPPED)
		return HD_EXIT_STOPPED;
	return err == HD_ERR_REQUEST ? HD_EXIT_USAGE : HD_EXIT_FAILED;
}

int hd_exit_with(enum hd_err err, const enum hd_status *status)
{
	static const int exits[] = { [HD_STATUS_CLEAN] = HD_EXIT_CLEAN,
				     [HD_STATUS_FINDINGS] = HD_EXIT_FINDINGS,
				     [HD_STATUS_STOPPED] = HD_EXIT_STOPPED,
				     [HD_STATUS_DIVERGED] = HD_EXIT_USAGE };

	return err ? hd_exit_for(err) : exits[*status];
}

int hd_close_outputs(struct hd_outputs *out, int rc)
{
	enum hd_err err = hd_outputs_close(out, rc == HD_EXIT_FAILED ? HD_ERR_SYSTEM : HD_OK);

	return err && rc != HD_EXIT_FAILED ? hd_exit_for(err) : rc;
}
