#include "err.h"

#include <stdio.h>

static const char *const texts[] = {
#define HD_ERROR(name, text) text,
#include "heddle/engine/errors.def"
#undef HD_ERROR
};

const char *hd_err_text(enum hd_err err)
{
	return (unsigned)err < sizeof(texts) / sizeof(texts[0]) ? texts[err] : "unknown error";
}

enum hd_err hd_fail(struct hd_errbuf *eb, enum hd_err code, const char *fmt, ...)
{
	if (eb) {
		va_list ap;

		eb->code = code;
		va_start(ap, fmt);
		vsnprintf(eb->text, sizeof(eb->text), fmt, ap);
		va_end(ap);
	}
	return code;
}

static _Thread_local struct hd_errbuf last;

enum hd_err hd_error(enum hd_err code, const char *fmt, ...)
{
	va_list ap;

	last.code = code;
	va_start(ap, fmt);
	vsnprintf(last.text, sizeof(last.text), fmt, ap);
	va_end(ap);
	return code;
}

const struct hd_errbuf *hd_last_error(void)
{
	return &last;
}
