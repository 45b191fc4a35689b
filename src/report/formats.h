/*
 * The forms in which findings are written; formats.def is the list.
 */
#ifndef HD_REPORT_FORMATS_H
#define HD_REPORT_FORMATS_H

#include "document.h"
#include "heddle/engine/findings_config.h"

struct hd_format {
	const char *word;
	hd_document_writer *write;
	const char *report_help; /* NULL: `heddle report` does not offer it */
};

extern const struct hd_format hd_formats[HD_OUTPUTS];

#endif
