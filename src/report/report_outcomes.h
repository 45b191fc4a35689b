#ifndef HD_REPORT_OUTCOMES_H
#define HD_REPORT_OUTCOMES_H

#include "common/json_out.h"
#include "report.h"

void hd_put_outcomes(FILE *out, const struct hd_report_info *info);
void hd_json_exploration(struct hd_json *j, const struct hd_report_exploration *x);
void hd_json_outcomes(struct hd_json *j, const struct hd_report_info *info);

#endif
