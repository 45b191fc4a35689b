#include "trace_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "common/array.h"
#include "common/map.h"
#include "ring.h"
#include "trace_format.h"

/*
 * Faster than zstd's level 1, because the collector's time counts as the program's: half of the time for up to
 * a half more bytes, and faster to read.
 */
#define ZSTD_LEVEL (-7)

/*
 * Events that hardly become less are mostly values that nothing foretells. To try takes longer than all the rest, so
 * it is tried with one chunk in so many; the others are packed at the fastest level there is, which sees no more than
 * what is the same over and over.
 */
#define HASTY_CHUNKS 32u
#define WORTHWHILE   2.5

#define SITE_SLOTS  (HD_CHUNK_EVENTS * 2)
#define NO_SITE	    UINT32_MAX
#define GUESSES_LOG 14
#define GUESSES	    (1u << GUESSES_LOG)
#define SITE_MAX    24u /* bytes: op 1, pc 10, ctx 5, size 5, arg 3 */

struct hd_trace_writer {
	int fd;
	char *name;
	struct hd_errbuf error; /* the first one; code HD_OK: none */
	uint64_t offset;	/* bytes in the file, all whole chunks */
	uint64_t events;	/* in chunks written so far */
	ZSTD_CCtx *zstd;

	/* The open event chunk. */
	uint32_t count, nsites;
	uint32_t thread, run; /* the run of events of one thread that is open */
	uint16_t site;	      /* of the last event */
	uint8_t *runs_end, *data_end;
	struct hd_site *sites;
	size_t sites_room;
	uint32_t *slots;	   /* hash of site -> number + 1 */
	uint16_t guesses[GUESSES]; /* by a part of the ring's records: a site that may be theirs */
	struct hd_codec codec;
	/* Of those that are of no loop: which were foreseen, and what the others are. */
	uint32_t plain, nodd;
	uint8_t hits[HD_CHUNK_EVENTS / 8];
	uint8_t low[HD_CHUNK_EVENTS], high[HD_CHUNK_EVENTS], control[HD_CHUNK_EVENTS];
	uint8_t runs[HD_CHUNK_EVENTS * 10];
	uint8_t data[HD_CHUNK_EVENTS * HD_EVENT_DATA_MAX + 16];

	/* The open table chunk. */
	uint8_t *table;
	size_t table_len, table_room;
	uint32_t table_count;

	uint8_t *raw, *packed;
	size_t raw_room, packed_room;
	unsigned hasty; /* so many chunks more of events are not worth the time to pack them well */
};

static enum hd_err fail_write(struct hd_trace_writer *w, int err)
{
	bool full = err == ENOSPC || err == EDQUOT || err == EFBIG;

	return hd_fail(&w->error, full ? HD_ERR_FULL : HD_ERR_IO,
		       "cannot write '%s' past byte %" PRIu64 ": %s", w->name, w->offset,
		       strerror(err));
}

/*
 * write(2) past RLIMIT_FSIZE raises SIGXFSZ, which would end the process: hold it
 * back, and take it off the pending ones if it came.
 */
static ssize_t write_quietly(int fd, const uint8_t *p, size_t len)
{
	const struct timespec now = { 0, 0 };
	sigset_t xfsz, before;
	ssize_t n;
	int err;

	sigemptyset(&xfsz);
	sigaddset(&xfsz, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &xfsz, &before);
	n = write(fd, p, len);
	err = errno;
	if (n < 0 && err == EFBIG && !sigismember(&before, SIGXFSZ))
		sigtimedwait(&xfsz, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = err;
	return n;
}

static enum hd_err write_all(struct hd_trace_writer *w, const uint8_t *p, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = write_quietly(w->fd, p + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			enum hd_err err = fail_write(w, n < 0 ? errno : EIO);

			/* Leave whole chunks only; where that is not possible (a pipe),
			 * the reader finds the cut. */
			if (done && ftruncate(w->fd, (off_t)w->offset) != 0)
				return err;
			return err;
		}
		done += (size_t)n;
	}
	w->offset += len;
	return HD_OK;
}

/* Make a buffer at least @len long. All have a limit, so memory has one. */
static bool reserve(struct hd_trace_writer *w, uint8_t **buf, size_t *room, size_t len)
{
	uint8_t *bigger;

	if (len <= *room)
		return true;
	len += len / 2;
	bigger = realloc(*buf, len);
	if (!bigger) {
		hd_fail(&w->error, HD_ERR_NOMEM, "out of memory while writing '%s'", w->name);
		return false;
	}
	*buf = bigger;
	*room = len;
	return true;
}

static int choose_level(struct hd_trace_writer *w, uint32_t kind)
{
	if (kind != HD_CHUNK_EVENT || !w->hasty)
		return ZSTD_LEVEL;
	w->hasty--;
	return ZSTD_minCLevel();
}

/* Compress @raw and write it as one chunk. */
static enum hd_err write_chunk(struct hd_trace_writer *w, uint32_t kind, uint32_t count,
			       const uint8_t *raw, size_t len)
{
	struct hd_chunk_header h = { kind, count, (uint32_t)len, 0, w->events };
	int level = choose_level(w, kind);
	size_t n;

	if (!reserve(w, &w->packed, &w->packed_room, HD_CHUNK_HEADER_LEN + ZSTD_compressBound(len)))
		return w->error.code;
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, level);
	n = ZSTD_compress2(w->zstd, w->packed + HD_CHUNK_HEADER_LEN,
			   w->packed_room - HD_CHUNK_HEADER_LEN, raw, len);
	if (ZSTD_isError(n))
		return hd_fail(&w->error, HD_ERR_NOMEM, "cannot compress a chunk of '%s': %s",
			       w->name, ZSTD_getErrorName(n));
	if (kind == HD_CHUNK_EVENT && level == ZSTD_LEVEL && (double)len < WORTHWHILE * (double)n)
		w->hasty = HASTY_CHUNKS;
	h.packed = (uint32_t)n;
	hd_chunk_header_put(w->packed, &h);
	return write_all(w, w->packed, HD_CHUNK_HEADER_LEN + n);
}

/* Forget the last chunk. Done before the first event of the next, which may never come. */
static void start_event_chunk(struct hd_trace_writer *w)
{
	for (uint32_t i = 0; i < w->nsites; i++)
		w->slots[w->sites[i].slot] = 0;
	w->nsites = 0;
	w->site = 0;
	w->plain = w->nodd = 0;
	w->runs_end = w->runs;
	w->data_end = w->data;
	if (w->events)
		memset(&w->codec, 0, sizeof(w->codec));
}

static void close_run(struct hd_trace_writer *w)
{
	if (!w->run)
		return;
	w->runs_end = hd_put_varint(w->runs_end, w->thread);
	w->runs_end = hd_put_varint(w->runs_end, w->run);
	w->run = 0;
}

static uint8_t *put_sites(const struct hd_trace_writer *w, uint8_t *p)
{
	uint64_t pc = 0, ctx = 0;

	for (uint32_t i = 0; i < w->nsites; i++) {
		const struct hd_site *s = &w->sites[i];

		*p++ = s->op;
		p = hd_put_varint(p, hd_zigzag(s->pc - pc));
		p = hd_put_varint(p, hd_zigzag(s->ctx - ctx));
		p = hd_put_varint(p, s->size);
		p = hd_put_varint(p, s->arg);
		pc = s->pc;
		ctx = s->ctx;
	}
	return p;
}

static uint8_t *put_bytes(uint8_t *p, const void *data, size_t len)
{
	memcpy(p, data, len);
	return p + len;
}

static enum hd_err flush_events(struct hd_trace_writer *w)
{
	uint32_t count = w->count;
	uint8_t *p, *sites;
	enum hd_err err;

	if (!count)
		return HD_OK;
	close_run(w);
	if (!reserve(w, &w->raw, &w->raw_room,
		     HD_EVENT_HEAD_LEN + w->nsites * SITE_MAX + (size_t)(w->runs_end - w->runs) +
			     4 * count + (size_t)(w->data_end - w->data)))
		return w->error.code;
	sites = w->raw + HD_EVENT_HEAD_LEN;
	p = put_sites(w, sites);
	hd_store_le32(w->raw, w->nsites);
	hd_store_le32(w->raw + 4, (uint32_t)(p - sites));
	hd_store_le32(w->raw + 8, (uint32_t)(w->runs_end - w->runs));
	hd_store_le32(w->raw + 12, (uint32_t)(w->data_end - w->data));
	hd_store_le32(w->raw + 16, w->plain);
	hd_store_le32(w->raw + 20, w->nodd);
	p = put_bytes(p, w->runs, (size_t)(w->runs_end - w->runs));
	p = put_bytes(p, w->hits, (w->plain + 7) / 8);
	p = put_bytes(p, w->low, w->nodd);
	if (w->nsites > 256)
		p = put_bytes(p, w->high, w->nodd);
	p = put_bytes(p, w->control, w->nodd);
	p = put_bytes(p, w->data, (size_t)(w->data_end - w->data));
	err = write_chunk(w, HD_CHUNK_EVENT, count, w->raw, (size_t)(p - w->raw));
	w->events += count;
	w->count = 0;
	return err;
}

/* Tables go before the events that were put after them. */
static enum hd_err flush_tables(struct hd_trace_writer *w, uint32_t kind)
{
	enum hd_err err;

	if (!w->table_count && kind == HD_CHUNK_TABLE)
		return HD_OK;
	err = write_chunk(w, kind, w->table_count, w->table, w->table_len);
	w->table_len = w->table_count = 0;
	return err;
}

enum hd_err hd_trace_flush(struct hd_trace_writer *w)
{
	if (!w->error.code && !flush_tables(w, HD_CHUNK_TABLE))
		flush_events(w);
	return w->error.code;
}

/*
 * The number of @ev's site, added where it is new in this chunk; NO_SITE: out of
 * memory. Linear probing; at most half of the slots are ever used.
 */
static uint32_t find_site(struct hd_trace_writer *w, const struct hd_event *ev)
{
	uint32_t i = hd_site_hash(ev) & (SITE_SLOTS - 1), n;

	while ((n = w->slots[i]) != 0) {
		if (hd_site_is(&w->sites[n - 1], ev))
			return n - 1;
		i = (i + 1) & (SITE_SLOTS - 1);
	}
	if (!HD_ROOM(w->sites, w->sites_room, w->nsites + 1)) {
		hd_fail(&w->error, HD_ERR_NOMEM, "out of memory while writing '%s'", w->name);
		return NO_SITE;
	}
	n = w->nsites++;
	hd_site_init(&w->sites[n], ev->pc, ev->ctx, ev->size, ev->arg, ev->op);
	w->sites[n].slot = i;
	w->slots[i] = n + 1;
	return n;
}

/* The events that follow are @thread's. */
static void take_turn(struct hd_trace_writer *w, uint32_t thread)
{
	if (thread == w->thread && w->run)
		return;
	if (!w->count)
		start_event_chunk(w);
	close_run(w);
	w->thread = thread;
}

/* Plain event number @n is of @site, which the one before has @foretold or not. */
static inline uint32_t put_token(struct hd_trace_writer *w, uint32_t n, uint32_t nodd,
				 bool foretold, uint32_t site, uint8_t control)
{
	struct hd_site *s = &w->sites[site];
	bool hit = foretold && s->control == control;

	s->control = control;
	w->hits[n / 8] = (uint8_t)((n & 7 ? w->hits[n / 8] : 0) | hit << (n & 7));
	w->low[nodd] = (uint8_t)site;
	w->high[nodd] = (uint8_t)(site >> 8);
	w->control[nodd] = control;
	return nodd + !hit;
}

enum hd_err hd_trace_put(struct hd_trace_writer *w, const struct hd_event *ev)
{
	bool foretold = true;
	uint8_t control;
	uint32_t site;

	if (__builtin_expect(w->error.code, HD_OK))
		return w->error.code;
	take_turn(w, ev->thread);
	w->run++;
	site = w->sites[w->site].next;
	if (site >= w->nsites || !hd_site_is(&w->sites[site], ev)) {
		site = find_site(w, ev);
		if (site == NO_SITE)
			return w->error.code;
		w->sites[w->site].next = (uint16_t)site;
		foretold = false;
	}
	w->site = (uint16_t)site;
	w->data_end = hd_encode_event(&w->codec, &w->sites[site], ev, w->data_end, &control);
	w->nodd = put_token(w, w->plain++, w->nodd, foretold, site, control);
	w->count++;
	return w->count == HD_CHUNK_EVENTS ? hd_trace_flush(w) : HD_OK;
}

/* --- accesses as they are in the ring --- */

/* And nothing else: another record follows, and is not a part of it. */
static inline bool is_access(const struct hd_raw *r)
{
	return (r->op == HD_OP_READ || r->op == HD_OP_WRITE) && !r->spare &&
	       r[1].op != HD_RAW_VALUE2;
}

/* What an instruction's records have alike: the half of one that is compared as it is. */
static inline const uint64_t *raw_site(const struct hd_raw *r, uint64_t *copy)
{
	memcpy(copy, &r->pc_size, 2 * sizeof(*copy));
	return copy;
}

_Static_assert(HD_OP_WRITE == (HD_OP_READ | 1), "told apart by a bit");

/* Is it of a plain access, with all that belongs to it? */
static inline bool is_raw_access(const uint64_t *key)
{
	return (key[1] >> 48 | 1) == HD_OP_WRITE;
}

static inline bool is_raw_site(const struct hd_trace_writer *w, uint32_t site, const uint64_t *key)
{
	return site < w->nsites && w->sites[site].raw[0] == key[0] &&
	       w->sites[site].raw[1] == key[1];
}

static __attribute__((noinline)) uint32_t look_up_raw_site(struct hd_trace_writer *w,
							   const struct hd_raw *r)
{
	struct hd_event ev = { .pc = HD_RAW_PC(r),
			       .size = HD_RAW_SIZE(r),
			       .ctx = r->ctx,
			       .arg = r->arg,
			       .op = r->op };
	uint32_t site = find_site(w, &ev);

	if (site != NO_SITE)
		raw_site(r, w->sites[site].raw);
	return site;
}

/* Where it is not what came after the site before it the last time. */
static inline uint32_t find_raw_site(struct hd_trace_writer *w, const struct hd_raw *r,
				     const uint64_t *key)
{
	uint16_t *guess = &w->guesses[hd_hash_bits(key[0] ^ key[1] << 24, GUESSES_LOG)];
	uint32_t site = *guess;

	if (is_raw_site(w, site, key))
		return site;
	site = look_up_raw_site(w, r);
	*guess = (uint16_t)site;
	return site;
}

/* There is room for @n in the chunk. Everything is as hd_trace_put() would have it. */
static size_t put_some(struct hd_trace_writer *w, const struct hd_raw *r, size_t n)
{
	uint32_t plain = w->plain, nodd = w->nodd, before = w->site, site;
	uint8_t *data = w->data_end, control;
	uint64_t key[2];
	size_t i;

	for (i = 0; i < n && r[i + 1].op != HD_RAW_VALUE2; i++, plain++) {
		bool foretold;

		site = w->sites[before].next;
		raw_site(&r[i], key);
		if (!is_raw_access(key))
			break;
		foretold = is_raw_site(w, site, key);
		if (!foretold) {
			site = find_raw_site(w, &r[i], key);
			if (site == NO_SITE)
				break;
			w->sites[before].next = (uint16_t)site;
		}
		before = site;
		data = hd_encode_event(&w->codec, &w->sites[site],
				       &(struct hd_event){ .addr = r[i].addr, .value = r[i].value },
				       data, &control);
		nodd = put_token(w, plain, nodd, foretold, site, control);
	}
	w->run += (uint32_t)i;
	w->count += (uint32_t)i;
	w->plain = plain;
	w->nodd = nodd;
	w->site = (uint16_t)before;
	w->data_end = data;
	return i;
}

size_t hd_trace_put_accesses(struct hd_trace_writer *w, uint32_t thread, const struct hd_raw *r,
			     size_t n)
{
	size_t done = 0;

	while (!w->error.code && done + 1 < n && is_access(&r[done])) {
		size_t room = HD_CHUNK_EVENTS - w->count, left = n - 1 - done;

		take_turn(w, thread);
		done += put_some(w, r + done, left < room ? left : room);
		if (w->count == HD_CHUNK_EVENTS)
			hd_trace_flush(w);
	}
	return done;
}

/* --- loops as they are in the ring --- */

/* One of its accesses: where the next round's is, and how far it is to the one after that. */
struct loop_part {
	const struct hd_raw *raw;
	const uint8_t *values;
	uint64_t addr, step, mask;
	uint32_t site;
};

static void start_parts(struct loop_part *parts, const struct hd_raw *loop)
{
	const struct hd_raw *raw = loop + 1;
	const uint8_t *values = (const uint8_t *)(raw + loop->arg);

	for (unsigned i = 0; i < loop->arg; i++, raw++) {
		uint32_t size = HD_RAW_SIZE(raw);

		parts[i] = (struct loop_part){ .raw = raw,
					       .values = values,
					       .addr = raw->addr,
					       .step = raw->value,
					       .mask = ~0ull >> (64 - 8 * size) };
		if ((int64_t)raw->value < 0)
			parts[i].values += (loop->value - 1) * size;
		values += hd_loop_bytes(raw, loop->value);
	}
}

/* Of the first @n parts, in their order: so that a new site gets the number that hd_trace_put() would give it. */
static bool find_part_sites(struct hd_trace_writer *w, struct loop_part *parts, unsigned n)
{
	uint64_t key[2];

	for (unsigned i = 0; i < n; i++) {
		parts[i].site = find_raw_site(w, parts[i].raw, raw_site(parts[i].raw, key));
		if (parts[i].site == NO_SITE)
			return false;
	}
	return true;
}

/* A round as events of their own, of which the last go into the next chunk. */
static bool put_round(struct hd_trace_writer *w, uint32_t thread, struct loop_part *parts,
		      unsigned n)
{
	for (struct loop_part *p = parts; p < parts + n; p++) {
		struct hd_event ev = { .addr = p->addr,
				       .value = hd_load_le64(p->values) & p->mask,
				       .pc = HD_RAW_PC(p->raw),
				       .size = HD_RAW_SIZE(p->raw),
				       .ctx = p->raw->ctx,
				       .thread = thread,
				       .arg = p->raw->arg,
				       .op = p->raw->op };

		if (hd_trace_put(w, &ev))
			return false;
		p->addr += p->step;
		p->values += (int64_t)p->step;
	}
	return true;
}

/* The same of @rounds for which there is room. */
static bool put_rounds(struct hd_trace_writer *w, uint32_t thread, struct loop_part *parts,
		       unsigned n, uint64_t rounds)
{
	uint8_t *data, control;

	take_turn(w, thread);
	if (!find_part_sites(w, parts, n))
		return false;
	data = w->data_end;
	for (uint64_t left = rounds * n, at = 0; left; left--) {
		struct loop_part *p = &parts[at];
		bool foretold = w->sites[w->site].next == p->site;

		w->sites[w->site].next = (uint16_t)p->site;
		w->site = (uint16_t)p->site;
		data = hd_encode_event(
			&w->codec, &w->sites[p->site],
			&(struct hd_event){ .addr = p->addr,
					    .value = hd_load_le64(p->values) & p->mask },
			data, &control);
		w->nodd = put_token(w, w->plain++, w->nodd, foretold, p->site, control);
		p->addr += p->step;
		p->values += (int64_t)p->step;
		at = at + 1 == n ? 0 : at + 1;
	}
	w->data_end = data;
	w->run += (uint32_t)(rounds * n);
	w->count += (uint32_t)(rounds * n);
	return true;
}

/* The next @rounds of a part: their values, and what its site knows after them. */
static void put_part_values(struct hd_trace_writer *w, struct loop_part *p, uint64_t rounds)
{
	struct hd_site *s = &w->sites[p->site];
	int64_t to_last = (int64_t)(p->step * (rounds - 1));
	const uint8_t *lowest = to_last < 0 ? p->values + to_last : p->values;
	size_t len = p->step ? rounds * s->size : s->size;

	w->data_end = put_bytes(w->data_end, lowest, len);
	hd_site_after_loop(&w->codec, s, p->addr + (uint64_t)to_last, p->step,
			   hd_load_le64(p->values + to_last) & p->mask);
	p->addr += p->step * rounds;
	p->values += (int64_t)(p->step * rounds);
}

/* @rounds as a whole, for which there is room: trace_format.h. */
static bool put_whole_rounds(struct hd_trace_writer *w, uint32_t thread, struct loop_part *parts,
			     unsigned n, uint64_t rounds)
{
	uint8_t *p;

	take_turn(w, thread);
	if (!find_part_sites(w, parts, n))
		return false;
	close_run(w);
	p = hd_put_varint(w->runs_end, thread);
	*p++ = 0;
	*p++ = (uint8_t)n;
	p = hd_put_varint(p, rounds);
	for (unsigned i = 0; i < n; i++) {
		p = hd_put_varint(p, parts[i].site);
		p = hd_put_varint(p, hd_zigzag(parts[i].addr - w->sites[parts[i].site].addr));
		*p++ = parts[i].step ? 1 + ((int64_t)parts[i].step < 0) : 0;
	}
	w->runs_end = p;
	for (unsigned i = 0; i < n; i++)
		put_part_values(w, &parts[i], rounds);
	w->site = (uint16_t)parts[n - 1].site;
	w->count += (uint32_t)(rounds * n);
	return true;
}

enum hd_err hd_trace_put_loop(struct hd_trace_writer *w, uint32_t thread, const struct hd_raw *loop)
{
	struct loop_part parts[HD_LOOP_PARTS];
	uint64_t left = loop->value;
	unsigned n = loop->arg;

	start_parts(parts, loop);
	while (left && !w->error.code) {
		uint64_t room = (HD_CHUNK_EVENTS - w->count) / n, now = left < room ? left : room;

		if (!now		   ? !put_round(w, thread, parts, n)
		    : now < HD_LOOP_ROUNDS ? !put_rounds(w, thread, parts, n, now)
					   : !put_whole_rounds(w, thread, parts, n, now))
			break;
		left -= now ? now : 1;
		if (w->count == HD_CHUNK_EVENTS)
			hd_trace_flush(w);
	}
	return w->error.code;
}

/*
 * Append an entry of @n numbers and, unless NULL, a text to the open table.
 */
static enum hd_err put_entry(struct hd_trace_writer *w, enum hd_table_kind kind,
			     const uint64_t *numbers, size_t n, const char *s, size_t len)
{
	uint8_t *p;

	if (w->error.code)
		return w->error.code;
	if (len > HD_TRACE_TEXT_MAX)
		return hd_fail(&w->error, HD_ERR_LIMIT,
			       "a text of %zu bytes is too long for '%s'; the limit is %u", len,
			       w->name, HD_TRACE_TEXT_MAX);
	if (!reserve(w, &w->table, &w->table_room, w->table_len + 64 + len))
		return w->error.code;
	p = w->table + w->table_len;
	*p++ = (uint8_t)kind;
	for (size_t i = 0; i < n; i++)
		p = hd_put_varint(p, numbers[i]);
	if (s) {
		p = hd_put_varint(p, len);
		p = put_bytes(p, s, len);
	}
	w->table_len = (size_t)(p - w->table);
	w->table_count++;
	/* The events so far must not end up before tables they may need: cut both. */
	if (w->table_len >= HD_TRACE_TEXT_MAX && kind >= HD_TABLE_STRING)
		return hd_trace_flush(w);
	return HD_OK;
}

enum hd_err hd_trace_put_string(struct hd_trace_writer *w, uint32_t id, const char *s, size_t len)
{
	return put_entry(w, HD_TABLE_STRING, (uint64_t[]){ id }, 1, s, len);
}

enum hd_err hd_trace_put_context(struct hd_trace_writer *w, uint32_t ctx, uint32_t parent,
				 uint64_t pc)
{
	return put_entry(w, HD_TABLE_CONTEXT, (uint64_t[]){ ctx, parent, pc }, 3, NULL, 0);
}

enum hd_err hd_trace_put_name(struct hd_trace_writer *w, uint64_t addr, const char *name)
{
	return put_entry(w, HD_TABLE_NAME, (uint64_t[]){ addr }, 1, name, strlen(name));
}

enum hd_err hd_trace_put_site(struct hd_trace_writer *w, uint64_t pc, const char *file,
			      uint32_t line)
{
	return put_entry(w, HD_TABLE_SITE, (uint64_t[]){ pc, line }, 2, file, strlen(file));
}

enum hd_err hd_trace_put_build_id(struct hd_trace_writer *w, uint64_t base, const char *hex)
{
	return put_entry(w, HD_TABLE_BUILD_ID, (uint64_t[]){ base }, 1, hex, strlen(hex));
}

enum hd_err hd_trace_put_drop(struct hd_trace_writer *w, const char *reason, uint64_t n)
{
	return put_entry(w, HD_TABLE_DROP, (uint64_t[]){ n }, 1, reason, strlen(reason));
}

/*
 * The file header and the chunk that says what was run. Options and arguments
 * longer than a table may be are refused, not cut.
 */
static enum hd_err write_meta(struct hd_trace_writer *w, const struct hd_trace_meta *m)
{
	uint8_t head[HD_TRACE_HEADER_LEN] = HD_TRACE_MAGIC;
	size_t total = 0;

	for (int i = 0; i < m->argc; i++)
		total += strlen(m->argv[i]) + 16;
	for (int i = 0; i < m->nkeys; i++)
		total += strlen(m->keys[i]) + strlen(m->values[i]) + 32;
	if (total > HD_TRACE_TEXT_MAX)
		return hd_fail(&w->error, HD_ERR_LIMIT,
			       "the command line is too long to record: %zu bytes, the limit is %u",
			       total, HD_TRACE_TEXT_MAX);
	for (int i = 0; i < m->argc; i++)
		put_entry(w, HD_TABLE_ARG, NULL, 0, m->argv[i], strlen(m->argv[i]));
	for (int i = 0; i < m->nkeys; i++) {
		put_entry(w, HD_TABLE_OPTION, NULL, 0, m->keys[i], strlen(m->keys[i]));
		put_entry(w, HD_TABLE_OPTION, NULL, 0, m->values[i], strlen(m->values[i]));
	}
	head[6] = (uint8_t)HD_TRACE_VERSION;
	if (write_all(w, head, sizeof(head)))
		return w->error.code;
	return flush_tables(w, HD_CHUNK_META);
}

/*
 * All zero. A writer is megabytes, of which a short trace touches a few pages: they are the kernel's,
 * so that no allocator looks after the rest.
 */
static void *new_pages(size_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static void free_writer(struct hd_trace_writer *w)
{
	ZSTD_freeCCtx(w->zstd);
	free(w->name);
	free(w->sites);
	if (w->slots)
		munmap(w->slots, SITE_SLOTS * sizeof(*w->slots));
	free(w->table);
	free(w->raw);
	free(w->packed);
	munmap(w, sizeof(*w));
}

static struct hd_trace_writer *new_writer(int fd, const char *name)
{
	struct hd_trace_writer *w = new_pages(sizeof(*w));

	if (!w)
		return NULL;
	w->fd = fd;
	w->name = strdup(name);
	w->zstd = ZSTD_createCCtx();
	w->sites_room = 256;
	w->sites = calloc(w->sites_room, sizeof(*w->sites));
	w->slots = new_pages(SITE_SLOTS * sizeof(*w->slots));
	if (!w->name || !w->zstd || !w->sites || !w->slots) {
		free_writer(w);
		return NULL;
	}
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
	return w;
}

enum hd_err hd_trace_create_fd(struct hd_trace_writer **out, int fd, const char *name,
			       const struct hd_trace_meta *meta, struct hd_errbuf *eb)
{
	struct hd_trace_writer *w = new_writer(fd, name);

	*out = NULL;
	if (!w) {
		close(fd);
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory while creating '%s'", name);
	}
	if (write_meta(w, meta))
		return hd_trace_finish(w, NULL, eb);
	*out = w;
	return HD_OK;
}

enum hd_err hd_trace_create(struct hd_trace_writer **out, const char *path,
			    const struct hd_trace_meta *meta, struct hd_errbuf *eb)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	*out = NULL;
	if (fd < 0)
		return hd_fail(eb, HD_ERR_IO, "cannot create '%s': %s", path, strerror(errno));
	return hd_trace_create_fd(out, fd, path, meta, eb);
}

enum hd_err hd_trace_finish(struct hd_trace_writer *w, const struct hd_trace_end *end,
			    struct hd_errbuf *eb)
{
	enum hd_err err;

	hd_trace_flush(w);
	if (end && !w->error.code) {
		uint64_t numbers[] = { hd_zigzag((uint64_t)(int64_t)end->exited),
				       hd_zigzag((uint64_t)(int64_t)end->code), end->start_time };

		put_entry(w, HD_TABLE_END, numbers, 3, NULL, 0);
		flush_tables(w, HD_CHUNK_END);
	}
	if (close(w->fd) != 0 && !w->error.code)
		fail_write(w, errno);
	err = w->error.code;
	if (err && eb)
		*eb = w->error;
	free_writer(w);
	return err;
}
