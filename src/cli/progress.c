#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"
#include "common/clock.h"
#include "common/listener.h"

#define EVERY 0.1 /* seconds */

static struct {
	bool on, shown;
	double told; /* when the line was last written */
} line;

static bool is_due(void *arg)
{
	return line.on && hd_now() - line.told >= EVERY;
}

static int width(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

static void clear(void)
{
	if (!line.shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	line.shown = false;
}

static void show(void *arg, const char *text)
{
	if (!text) {
		clear();
		return;
	}
	if (!line.on)
		return;
	/* The last column is left free: some terminals wrap as soon as it is written. */
	fprintf(stderr, "\r\033[K%.*s", width() - 1, text);
	fflush(stderr);
	line.shown = true;
	line.told = hd_now();
}

static void warn(void *arg, const char *text)
{
	clear();
	hd_say("%s", text);
}

static void tell(void *arg, const char *text)
{
	clear();
	hd_say("%s (details at the end)", text);
}

void hd_progress_init(bool wanted)
{
	static const struct hd_listener terminal = {
		.warning = warn,
		.finding = tell,
		.progress_due = is_due,
		.progress = show,
	};
	const char *term = getenv("TERM");

	line.on = wanted && isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
	line.told = hd_now();
	hd_listen(&terminal);
}
