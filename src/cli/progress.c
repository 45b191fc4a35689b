#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"
#include "common/clock.h"

#define EVERY 0.1  /* seconds */
#define ENOUGH 0.5 /* seconds after which an estimate is worth something */

static struct {
	bool on, shown;
	double told; /* when the line was last written */
} line;

void hd_progress_init(bool wanted)
{
	const char *term = getenv("TERM");

	line.on = wanted && isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
	line.told = hd_now();
	hd_before_message = hd_progress_clear;
}

bool hd_progress_due(void)
{
	return line.on && hd_now() - line.told >= EVERY;
}

static int width(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

void hd_progress_show(const char *fmt, ...)
{
	char text[256];
	va_list ap;

	if (!line.on)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	/* The last column is left free: some terminals wrap as soon as it is written. */
	fprintf(stderr, "\r\033[K%.*s", width() - 1, text);
	fflush(stderr);
	line.shown = true;
	line.told = hd_now();
}

void hd_progress_clear(void)
{
	if (!line.shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	line.shown = false;
}

const char *hd_progress_left(char buf[HD_PROGRESS_LEFT], double part, double seconds, double most)
{
	double left = part > 0 ? seconds * (1 - part) / part : most;

	*buf = 0;
	if (most > 0 && left > most)
		left = most;
	if (seconds < ENOUGH || part > 1 || (part <= 0 && most <= 0))
		return buf;
	if (left < 120)
		snprintf(buf, HD_PROGRESS_LEFT, ", about %.0f s left", left < 1 ? 1 : left);
	else if (left < 7200)
		snprintf(buf, HD_PROGRESS_LEFT, ", about %.0f min left", left / 60);
	else
		snprintf(buf, HD_PROGRESS_LEFT, ", about %.0f h left", left / 3600);
	return buf;
}
