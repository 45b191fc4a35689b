/*
 * Names for findings that survive rebuilds.
 */
#ifndef HD_REPORT_FINGERPRINT_H
#define HD_REPORT_FINGERPRINT_H

#include "run_model.h"

/*
 * 16 hexadecimal digits. They depend on the kind, the variable and the functions and
 * files involved (of a race on something that has a name only on that); not on addresses, lines (unless nothing else is known), thread
 * numbers, or on who came first, which another schedule changes. Whether it was
 * observed or only predicted makes no difference either: it is the same fault.
 */
void hd_fingerprint(const struct hd_run *run, const struct hd_finding *f, char out[17]);

/* The same for the @n-th (from 0) of several whose fingerprint is @id, in the order of lines. */
void hd_fingerprint_numbered(char id[17], size_t n);

/*
 * What a race or a torn block is on, as a hash: a variable (all elements of an array are one), or a heap block by
 * the place that allocated it, whose line is *@line, and its member, where that is known. 0: neither is known.
 */
uint64_t hd_subject_hash(const struct hd_run *run, const struct hd_finding *f, uint32_t *line);

/* A hash of the functions and operations of the accesses: which pair of them a race is. */
uint64_t hd_pair_hash(const struct hd_finding *f);

/* A hash of the lines involved, by which two with one fingerprint are told apart. */
uint64_t hd_site_hash(const struct hd_finding *f);

#endif
