/*
 * The sentences of a report: what an address is, what a thread waits for, what
 * went wrong. Text and JSON share them. Everything that came from the tested
 * program is written printable.
 */
#ifndef HD_REPORT_EXPLAIN_H
#define HD_REPORT_EXPLAIN_H

#include <stdio.h>

#include "run_model.h"

/* For people: "data race", "possible deadlock", "crash". */
const char *hd_title(const struct hd_finding *f);

/* "observed", "predicted", or what became of it: "confirmed", ... */
const char *hd_verdict_word(const struct hd_finding *f);

/* "T2" or "T2 "worker"". */
void hd_put_thread(FILE *out, const struct hd_run *run, uint32_t thread, bool with_name);

/*
 * "mutex 'b'", "mutex in a heap block of 40 bytes allocated at list.c:7 in push",
 * "mutex at 0x7f..." : @what is the kind of thing.
 */
void hd_put_object(FILE *out, const struct hd_run *run, uint64_t addr, const char *what);

/*
 * How a thread is held up in the run that shows @f, where that matters: not for what holds in any order.
 * Their number.
 */
size_t hd_finding_stalls(const struct hd_run *run, const struct hd_finding *f,
			 const struct hd_stall **stalls);
/* "T1 to be held up for 190 ms at bank.c:12 in pay". */
void hd_put_stall(FILE *out, const struct hd_run *run, const struct hd_stall *s);

/* "acquire 'a' at bank.c:13 in transfer". */
void hd_put_event(FILE *out, const struct hd_run *run, const struct hd_event *ev);
/* "T2: atomic-load 'data' at ... = 0, written by T1 at ...; T3 at ... had already stored 1". */
void hd_put_older(FILE *out, const struct hd_run *run, const struct hd_older *o);
/* Of that, who wrote the value, and what had been stored after it. */
void hd_put_older_writers(FILE *out, const struct hd_run *run, const struct hd_older *o);

/* The name alone, if the address is a named variable. */
bool hd_object_name(const struct hd_run *run, uint64_t addr, char *buf, size_t len);

/* The same for memory of which @size bytes are accessed, which selects a member. */
bool hd_location_name(const struct hd_run *run, uint64_t addr, uint64_t size, char *buf,
		      size_t len);
/* The same for memory that @f mentions: by its name then, if the stack has had several there. */
bool hd_finding_name(const struct hd_run *run, const struct hd_finding *f, uint64_t addr,
		     uint64_t size, char *buf, size_t len);

/*
 * What the finding is on: "'account[2].balance'", "heap block of 64 bytes allocated at
 * bank.c:12 in open, offset 8", "stack of T1", ...
 */
void hd_put_location(FILE *out, const struct hd_run *run, const struct hd_finding *f);

/* The variable that @m is in, without offset and index; false: it has no name. */
bool hd_member_name(const struct hd_run *run, const struct hd_member *m, char *buf, size_t len);
/* All that belong together: "'x', 'y'". */
void hd_put_members(FILE *out, const struct hd_run *run, const struct hd_finding *f);

/* On the stack that the runtime gives to main? */
bool hd_is_main_stack(uint64_t addr);
/* Is a block of memory the stack of another thread? */
bool hd_is_thread_stack(const struct hd_origin *o);
/* The thread-local variables of another thread, or just a heap block? */
bool hd_is_thread_local(const struct hd_origin *o);
bool hd_is_heap_block(const struct hd_origin *o);
/* "stack of a thread", "thread-local variables of a thread" or "heap block of 8 bytes". */
void hd_put_block_kind(FILE *out, const struct hd_origin *o);

/* "read", "atomic write", "acquire", ... and how many bytes. */
const char *hd_access_word(const struct hd_event *ev);
uint64_t hd_access_size(const struct hd_event *ev);

/* "mutex", "rwlock", ... by the mode of a lock event. */
const char *hd_lock_word(unsigned mode);

/* "bank.c:14 in transfer" (the file without its folders). */
void hd_put_site(FILE *out, const struct hd_frame *frame);

/* "waits for mutex 'b' held by T1": what @st does, without the thread. */
void hd_put_state(FILE *out, const struct hd_run *run, const struct hd_finding *f,
		  const struct hd_finding_thread *st);

/* What is known of it besides, "T5 had not come to f.c:9 in g" or the like; false: nothing. */
bool hd_put_detail(FILE *out, const struct hd_run *run, const struct hd_finding *f);

/* The finding in one line; for kinds without accesses, without its kind. */
void hd_put_headline(FILE *out, const struct hd_run *run, const struct hd_finding *f);

/* Is @st one of the threads that the finding is about (and not a bystander)? */
bool hd_is_involved(const struct hd_finding *f, const struct hd_finding_thread *st);

/* The frame to blame: the program's own innermost one of the first thread involved. */
const struct hd_frame *hd_finding_top(const struct hd_finding *f);

/* "SIGSEGV" or "signal 70". */
const char *hd_signal_word(int sig, char buf[32]);

/* What comes of a race, a clause: "different values only: 'n' ends as 1 or 2 (4 orders tried)". */
void hd_put_consequence(FILE *out, const struct hd_consequence *c);

#endif
