/*
 * One report of the parts that --part made of a job.
 */
#ifndef HD_REPORT_MERGE_H
#define HD_REPORT_MERGE_H

#include "document.h"

/*
 * The documents in @paths as one: findings once each, counts added. It is complete exactly if all parts are there and
 * each is. HD_ERR_REQUEST: they are not parts of one job, or one is there twice.
 */
enum hd_err hd_document_merge(struct hd_document *out, const char *const *paths, size_t n,
			      struct hd_errbuf *eb);

#endif
