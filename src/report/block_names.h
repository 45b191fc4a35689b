/*
 * Names of parts of heap blocks, "item.hits[2]", from the code that uses the block. They are for people: what
 * identifies a finding is where its block was allocated.
 */
#ifndef HD_REPORT_BLOCK_NAMES_H
#define HD_REPORT_BLOCK_NAMES_H

#include "run_model.h"

/* The part of the block of @o that the code at @pcs means by @size bytes at @addr; false: not known. */
bool hd_block_part(const struct hd_run *run, const struct hd_origin *o, const uint64_t *pcs,
		   size_t n, uint64_t addr, uint64_t size, char *buf, size_t len);

/* The same for memory that @f mentions, by the accesses that it has. */
bool hd_finding_part(const struct hd_run *run, const struct hd_finding *f, uint64_t addr,
		     uint64_t size, char *buf, size_t len);

/* What @addr is called in a report about @f: a variable, or a part of a heap block. */
bool hd_finding_label(const struct hd_run *run, const struct hd_finding *f, uint64_t addr,
		      uint64_t size, char *buf, size_t len);

/* What @ev is about: a variable, a lock, or a part of a heap block. */
bool hd_event_label(const struct hd_run *run, const struct hd_event *ev, char *buf, size_t len);

/* The object, a lock or the like, at @addr in a heap block, by the code that uses it. */
bool hd_object_part(const struct hd_run *run, uint64_t addr, char *buf, size_t len);

#endif
