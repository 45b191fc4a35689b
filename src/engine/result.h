/*
 * What came of it, from the document that reports are made of.
 */
#ifndef HD_ENGINE_RESULT_H
#define HD_ENGINE_RESULT_H

#include "heddle/engine.h"

/* A result of @document, which is then its own; it is freed in case of an error, too (hd_last_error). */
enum hd_err hd_result_new(struct hd_result **out, enum hd_status status, char *document);

#endif
