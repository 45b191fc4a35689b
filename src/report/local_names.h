/*
 * Names of variables on stacks, from what the runtime told of functions and parallel regions (LOCALS).
 */
#ifndef HD_REPORT_LOCAL_NAMES_H
#define HD_REPORT_LOCAL_NAMES_H

#include "run_model.h"

/* Whatever finding it is for; false where the stack had different variables there for different ones. */
bool hd_local_name(const struct hd_run *run, uint64_t addr, uint64_t size, char *buf, size_t len);

/* Memory that @f mentions. */
bool hd_local_name_for(const struct hd_run *run, const struct hd_finding *f, uint64_t addr,
		       uint64_t size, char *buf, size_t len);

#endif
