#include "cli.h"

#include <stdarg.h>
#include <stdio.h>

void (*hd_before_message)(void);

static void say(const char *fmt, va_list ap)
{
	if (hd_before_message)
		hd_before_message();
	fflush(stdout);
	fputs("heddle: ", stderr);
	vfprintf(stderr, fmt, ap);
	putc('\n', stderr);
}

int hd_die(enum hd_exit code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	return code;
}

void hd_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}
