/*
 * Predictions between ranks: what came of a question, as bytes.
 */
#ifndef HD_FINDINGS_PREDICTION_BYTES_H
#define HD_FINDINGS_PREDICTION_BYTES_H

#include <stdio.h>

#include "predict/predict.h"

/* @err is what deciding said; of an error only @eb counts. False: not written. */
bool hd_prediction_put(FILE *out, enum hd_err err, const struct hd_errbuf *eb,
		       const struct hd_prediction *p, size_t chosen);
/* Back again: returns that error. *@understood is false where it makes no sense; then there is nothing to free. */
enum hd_err hd_prediction_get(const char *bytes, size_t len, struct hd_prediction *p,
			      size_t *chosen, struct hd_errbuf *eb, bool *understood);

#endif
