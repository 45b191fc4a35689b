/*
 * The sentences of a report: what an address is, what a thread waits for, what
 * went wrong. Text and JSON share them. Everything that came from the tested
 * program is written printable.
 */
#ifndef HD_REPORT_EXPLAIN_H
#define HD_REPORT_EXPLAIN_H

#include <stdio.h>

#include "run_model.h"

/* "deadlock", "crash", ...: the word of the JSON schema. */
const char *hd_kind_word(unsigned kind);

/* "T2" or "T2 "worker"". */
void hd_put_thread(FILE *out, const struct hd_run *run, uint32_t thread, bool with_name);

/*
 * "mutex 'b'", "mutex in a heap block of 40 bytes allocated at list.c:7 in push",
 * "mutex at 0x7f..." : @what is the kind of thing.
 */
void hd_put_object(FILE *out, const struct hd_run *run, uint64_t addr, const char *what);

/* The name alone, if the address is a named variable. */
bool hd_object_name(const struct hd_run *run, uint64_t addr, char *buf, size_t len);

/* "mutex", "rwlock", ... by the mode of a lock event. */
const char *hd_lock_word(unsigned mode);

/* "bank.c:14 in transfer" (the file without its folders). */
void hd_put_site(FILE *out, const struct hd_frame *frame);

/* "waits for mutex 'b' held by T1": what @st does, without the thread. */
void hd_put_state(FILE *out, const struct hd_run *run, const struct hd_finding *f,
		  const struct hd_standing *st);

/* The finding in one line, without its kind. */
void hd_put_headline(FILE *out, const struct hd_run *run, const struct hd_finding *f);

/* Is @st one of the threads that the finding is about (and not a bystander)? */
bool hd_is_involved(const struct hd_finding *f, const struct hd_standing *st);

/* The frame to blame: the program's own innermost one of the first thread involved. */
const struct hd_frame *hd_finding_top(const struct hd_finding *f);

/*
 * A name for the finding that survives rebuilds: 16 hexadecimal digits over its
 * kind and the functions and files of the stacks involved; no addresses, lines or thread numbers.
 */
void hd_fingerprint(const struct hd_finding *f, char out[17]);

/* "SIGSEGV" or "signal 70". */
const char *hd_signal_word(int sig, char buf[32]);

#endif
