#include "listener.h"

#include <stdarg.h>
#include <stdio.h>

#define ENOUGH 0.5 /* seconds after which an estimate is worth something */

static const struct hd_listener nobody, *listener = &nobody;

void hd_listen(const struct hd_listener *l)
{
	listener = l ? l : &nobody;
}

void hd_warn(const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (listener->warning)
		listener->warning(listener->arg, text);
}

void hd_tell_finding(const char *text)
{
	if (listener->finding)
		listener->finding(listener->arg, text);
}

bool hd_progress_due(void)
{
	return listener->progress && listener->progress_due &&
	       listener->progress_due(listener->arg);
}

void hd_progress_show(const char *fmt, ...)
{
	char text[256];
	va_list ap;

	if (!listener->progress)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	listener->progress(listener->arg, text);
}

void hd_progress_clear(void)
{
	if (listener->progress)
		listener->progress(listener->arg, NULL);
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
