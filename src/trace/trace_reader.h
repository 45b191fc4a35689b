/*
 * Read a trace file, one event after the other, any number of times.
 *
 * A damaged or truncated file gives an error whose text names the byte offset;
 * every event before the damage is delivered first.
 */
#ifndef HD_TRACE_READER_H
#define HD_TRACE_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "event.h"

struct hd_trace;

enum hd_err hd_trace_open(struct hd_trace **out, const char *path, struct hd_errbuf *eb);
enum hd_err hd_trace_open_mem(struct hd_trace **out, const void *data, size_t len,
			      struct hd_errbuf *eb); /* data stays the caller's */
void hd_trace_close(struct hd_trace *t);

/*
 * The next batch of events in the observed order; *n is 0 at the end. The array
 * is valid until the next call. hd_trace_rewind starts over.
 */
enum hd_err hd_trace_next(struct hd_trace *t, const struct hd_event **events, size_t *n,
			  struct hd_errbuf *eb);
void hd_trace_rewind(struct hd_trace *t);

/*
 * Show @fn all events that can be read, with their numbers, until it says no; then that is false. The trace
 * is at its start before and after.
 */
typedef bool hd_trace_event_fn(void *arg, const struct hd_event *ev, uint64_t index);
bool hd_trace_each(struct hd_trace *t, hd_trace_event_fn *fn, void *arg);

/*
 * Start over, and keep up to @bytes of decoded events in memory, for a trace that is read again and
 * again. Of a longer one nothing is kept: every pass decodes it.
 */
void hd_trace_keep(struct hd_trace *t, size_t bytes);
/* Passes, whole or not, in which events were decoded so far. */
unsigned hd_trace_decodings(const struct hd_trace *t);

/*
 * Tables. What is defined between events is known once the events after it have
 * been delivered; after a whole pass everything is known. Unknown numbers give NULL/0/false.
 */
int hd_trace_argc(const struct hd_trace *t);
const char *hd_trace_argv(const struct hd_trace *t, int i);
const char *hd_trace_option(const struct hd_trace *t, const char *key); /* NULL: not set */
size_t hd_trace_noptions(const struct hd_trace *t);
void hd_trace_option_at(const struct hd_trace *t, size_t i, const char **key, const char **value);
const char *hd_trace_string(const struct hd_trace *t, uint64_t id);
bool hd_trace_context(const struct hd_trace *t, uint32_t ctx, uint32_t *parent, uint64_t *pc);
const char *hd_trace_name(const struct hd_trace *t, uint64_t addr);
bool hd_trace_site(const struct hd_trace *t, uint64_t pc, const char **file, uint32_t *line);
const char *hd_trace_build_id(const struct hd_trace *t, uint64_t base);
size_t hd_trace_ndrops(const struct hd_trace *t);
void hd_trace_drop_at(const struct hd_trace *t, size_t i, const char **reason, uint64_t *n);
/* False while (or if) no end record has been read. */
bool hd_trace_ended(const struct hd_trace *t, int *exited, int *code, uint64_t *start_time);

#endif
