/*
 * How the engine reports failure: a code, and a sentence with the details.
 */
#ifndef HEDDLE_ENGINE_ERR_H
#define HEDDLE_ENGINE_ERR_H

#ifdef __cplusplus
extern "C" {
#endif

enum hd_err {
#define HD_ERROR(name, text) HD_ERR_##name,
#include <heddle/engine/errors.def>
#undef HD_ERROR
};
#define HD_OK HD_ERR_OK

/* Where the details of a failure go. text is one sentence without a full stop. */
struct hd_errbuf {
	enum hd_err code;
	char text[512];
};

const char *hd_err_text(enum hd_err err);

#ifdef __cplusplus
}
#endif

#endif
