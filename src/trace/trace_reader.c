#include "trace_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "common/array.h"
#include "common/map.h"
#include "kept_events.h"
#include "ring.h"
#include "trace_format.h"

/* Events decoded at once: 192 KiB, so that they are still in the cache when used. */
#define BATCH 4096u

/* The same for a chunk of @count events: a short trace needs little memory. */
static uint32_t batch_of(uint32_t count)
{
	return count < BATCH ? count : BATCH;
}

/*
 * Past the end of a decompressed chunk of @count events, so that a batch needs one check, not one per
 * byte.
 */
static size_t slack_of(uint32_t count)
{
	return batch_of(count) * (size_t)(HD_EVENT_DATA_MAX + 8) + 64;
}

struct context {
	uint32_t parent;
	uint64_t pc;
};

struct site_name {
	uint32_t file, line; /* file: number in texts */
};

struct option {
	const char *key, *value;
};

struct drop {
	const char *reason;
	uint64_t n;
};

/* A loop that is written as a whole: what the next event of each of its accesses is. */
struct loop_part {
	const uint8_t *values;
	uint64_t addr, step;
	uint32_t site;
};

struct loop {
	uint32_t left; /* events */
	unsigned n, at;
	struct loop_part parts[HD_LOOP_PARTS];
};

struct hd_trace {
	char *name;
	int fd; /* -1: in memory */
	const uint8_t *mem;
	uint64_t size;
	uint64_t offset;	/* of the next chunk */
	uint64_t chunk;		/* of the current one */
	uint64_t events;	/* in the chunks before offset */
	uint64_t known;		/* tables of chunks before this offset have been taken in */
	struct hd_errbuf error; /* once met, given again and again */
	ZSTD_DCtx *zstd;
	uint8_t *packed, *raw;
	size_t packed_room, raw_room;

	/* What is left of the current event chunk. */
	uint32_t left, nsites;
	uint32_t thread, run;
	const uint8_t *low, *high, *control, *runs, *runs_end, *data, *data_end;
	const uint8_t *hits; /* of plain events, those that are of no loop */
	uint32_t plain,
		nodd; /* how far in these; low, high and control are of those that were not foretold */
	uint32_t plain_end;
	uint32_t site; /* of the last event */
	struct loop loop;
	struct hd_site *sites;
	size_t sites_room;
	struct hd_codec codec;
	bool codec_used; /* by an earlier chunk */
	struct hd_event *batch;
	uint32_t batch_room;
	struct hd_kept_events kept; /* all that was decoded so far, if it keeps any */
	unsigned decodings;	    /* passes in which events were decoded ... */
	bool decoding;		    /* ... with this one */

	/* Tables. */
	struct hd_texts texts;
	const char **argv;
	size_t argc, argv_room;
	struct option *options;
	size_t noptions, options_room;
	struct context *contexts;
	size_t ncontexts, contexts_room;
	struct site_name *site_names;
	size_t nsite_names, site_names_room;
	struct drop *drops;
	size_t ndrops, drops_room;
	struct hd_map strings, names, build_ids;    /* number -> text */
	struct hd_map context_of, site_of, drop_of; /* number -> index + 1 */
	const char *option_key;			    /* its value comes next */
	bool ended;
	int exited, code;
	uint64_t start_time;
};

static enum hd_err damaged(struct hd_trace *t, enum hd_err code, uint64_t at, const char *what)
{
	return hd_fail(&t->error, code, "'%s' %s at byte %" PRIu64 ": %s", t->name,
		       code == HD_ERR_TRUNCATED ? "ends too early" : "is damaged", at, what);
}

static enum hd_err no_memory(struct hd_trace *t)
{
	return hd_fail(&t->error, HD_ERR_NOMEM, "out of memory while reading '%s'", t->name);
}

/*
 * @len bytes at @at, which are known to be in the file: a pointer into it or, for
 * a file on disk, into *@buf, which is made large enough.
 */
static const uint8_t *fetch(struct hd_trace *t, uint64_t at, size_t len, uint8_t **buf,
			    size_t *room)
{
	size_t done = 0;

	if (t->fd < 0)
		return t->mem + at;
	if (*room < len) {
		uint8_t *bigger = realloc(*buf, len);

		if (!bigger) {
			no_memory(t);
			return NULL;
		}
		*buf = bigger;
		*room = len;
	}
	while (done < len) {
		ssize_t n = pread(t->fd, *buf + done, len - done, (off_t)(at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			hd_fail(&t->error, HD_ERR_IO, "cannot read '%s' at byte %" PRIu64 ": %s",
				t->name, at + done, strerror(errno));
			return NULL;
		}
		if (n == 0) {
			damaged(t, HD_ERR_TRUNCATED, at + done, "it became shorter");
			return NULL;
		}
		done += (size_t)n;
	}
	return *buf;
}

static uint32_t raw_limit(uint32_t kind)
{
	switch (kind) {
	case HD_CHUNK_META:
	case HD_CHUNK_TABLE:
	case HD_CHUNK_END:
		return HD_CHUNK_RAW_TABLES;
	case HD_CHUNK_EVENT:
		return HD_CHUNK_RAW_EVENTS;
	default:
		return 0;
	}
}

/* Lengths are believed only after they have passed this. */
static enum hd_err check_header(struct hd_trace *t, const struct hd_chunk_header *h)
{
	uint64_t left = t->size - t->offset - HD_CHUNK_HEADER_LEN;

	if (h->raw > raw_limit(h->kind) || h->packed > ZSTD_compressBound(HD_CHUNK_RAW_EVENTS) ||
	    (h->kind == HD_CHUNK_EVENT && (!h->count || h->count > HD_CHUNK_EVENTS)))
		return damaged(t, HD_ERR_CORRUPT, t->offset, "no chunk can be like this");
	if ((h->kind == HD_CHUNK_META) != (t->offset == HD_TRACE_HEADER_LEN))
		return damaged(t, HD_ERR_CORRUPT, t->offset, "a chunk is out of place");
	if (h->first != t->events)
		return damaged(t, HD_ERR_CORRUPT, t->offset, "chunks are missing before it");
	if (h->packed > left)
		return damaged(t, HD_ERR_TRUNCATED, t->size, "the last chunk is not complete");
	return HD_OK;
}

/* The frame must carry its checksum and nothing unknown: no bit goes unchecked. */
static bool frame_is_ours(const uint8_t *p, size_t len)
{
	return len > 5 && (p[4] & 0x1f) == 0x04;
}

/* Read, check and unpack the chunk at t->offset into t->raw. */
static enum hd_err load_chunk(struct hd_trace *t, struct hd_chunk_header *h)
{
	const uint8_t *p;
	size_t n, room;

	if (t->size - t->offset < HD_CHUNK_HEADER_LEN)
		return damaged(t, HD_ERR_TRUNCATED, t->size, "the last chunk is not complete");
	p = fetch(t, t->offset, HD_CHUNK_HEADER_LEN, &t->packed, &t->packed_room);
	if (!p)
		return t->error.code;
	if (!hd_chunk_header_get(p, h))
		return damaged(t, HD_ERR_CORRUPT, t->offset, "the chunk's header fails its check");
	if (check_header(t, h))
		return t->error.code;
	p = fetch(t, t->offset + HD_CHUNK_HEADER_LEN, h->packed, &t->packed, &t->packed_room);
	if (!p)
		return t->error.code;
	room = h->raw + slack_of(h->kind == HD_CHUNK_EVENT ? h->count : 0);
	if (t->raw_room < room) {
		free(t->raw);
		t->raw_room = room;
		t->raw = calloc(1, t->raw_room);
		if (!t->raw) {
			t->raw_room = 0;
			return no_memory(t);
		}
	}
	if (!frame_is_ours(p, h->packed))
		return damaged(t, HD_ERR_CORRUPT, t->offset,
			       "the chunk is not packed as it should be");
	n = ZSTD_decompressDCtx(t->zstd, t->raw, h->raw, p, h->packed);
	if (ZSTD_isError(n) || n != h->raw)
		return damaged(t, HD_ERR_CORRUPT, t->offset, "the chunk fails its checksum");
	t->chunk = t->offset;
	t->offset += HD_CHUNK_HEADER_LEN + h->packed;
	return HD_OK;
}

/* --- tables --- */

static bool add_option(struct hd_trace *t, const char *text)
{
	if (!t->option_key) {
		t->option_key = text;
		return true;
	}
	if (!HD_ROOM(t->options, t->options_room, t->noptions + 1))
		return false;
	t->options[t->noptions++] = (struct option){ t->option_key, text };
	t->option_key = NULL;
	return true;
}

static bool add_drop(struct hd_trace *t, const char *reason, uint32_t text, uint64_t n)
{
	uint64_t have = hd_map_get(&t->drop_of, text);

	if (have) {
		t->drops[have - 1].n += n;
		return true;
	}
	if (!HD_ROOM(t->drops, t->drops_room, t->ndrops + 1))
		return false;
	t->drops[t->ndrops++] = (struct drop){ reason, n };
	return hd_map_set(&t->drop_of, text, t->ndrops);
}

static bool add_context(struct hd_trace *t, const uint64_t *n)
{
	if (!HD_ROOM(t->contexts, t->contexts_room, t->ncontexts + 1))
		return false;
	t->contexts[t->ncontexts++] = (struct context){ (uint32_t)n[1], n[2] };
	return hd_map_set(&t->context_of, n[0], t->ncontexts);
}

static bool add_site(struct hd_trace *t, const uint64_t *n, uint32_t text)
{
	if (!HD_ROOM(t->site_names, t->site_names_room, t->nsite_names + 1))
		return false;
	t->site_names[t->nsite_names++] = (struct site_name){ text, (uint32_t)n[1] };
	return hd_map_set(&t->site_of, n[0], t->nsite_names);
}

/* False: out of memory. */
static bool add_entry(struct hd_trace *t, uint8_t kind, const uint64_t *n, uint32_t text)
{
	const char *s = hd_texts_get(&t->texts, text);

	switch (kind) {
	case HD_TABLE_ARG:
		if (!HD_ROOM(t->argv, t->argv_room, t->argc + 1))
			return false;
		t->argv[t->argc++] = s;
		return true;
	case HD_TABLE_OPTION:
		return add_option(t, s);
	case HD_TABLE_STRING:
		return hd_map_set(&t->strings, n[0], text);
	case HD_TABLE_CONTEXT:
		return add_context(t, n);
	case HD_TABLE_NAME:
		return hd_map_set(&t->names, n[0], text);
	case HD_TABLE_SITE:
		return add_site(t, n, text);
	case HD_TABLE_BUILD_ID:
		return hd_map_set(&t->build_ids, n[0], text);
	case HD_TABLE_DROP:
		return add_drop(t, s, text, n[0]);
	default: /* HD_TABLE_END */
		t->ended = true;
		t->exited = (int)hd_unzigzag(n[0]);
		t->code = (int)hd_unzigzag(n[1]);
		t->start_time = n[2];
		return true;
	}
}

static enum hd_err read_tables(struct hd_trace *t, const struct hd_chunk_header *h)
{
	static const uint8_t numbers[] = { 0, 0, 0, 1, 3, 1, 2, 1, 1, 3 };
	static const bool has_text[] = { 0, 1, 1, 1, 0, 1, 1, 1, 1, 0 };
	const uint8_t *p = t->raw, *end = t->raw + h->raw;

	for (uint32_t i = 0; i < h->count; i++) {
		uint64_t n[3] = { 0 }, len;
		uint32_t text = 0;
		uint8_t kind = p < end ? *p++ : 0;

		if (kind < HD_TABLE_ARG || kind > HD_TABLE_END)
			goto bad;
		for (int k = 0; k < numbers[kind]; k++) {
			p = hd_get_varint(p, end, &n[k]);
			if (!p)
				goto bad;
		}
		if (has_text[kind]) {
			p = hd_get_varint(p, end, &len);
			if (!p || len > (uint64_t)(end - p))
				goto bad;
			text = hd_texts_add(&t->texts, (const char *)p, len);
			if (!text)
				return no_memory(t);
			p += len;
		}
		if (!add_entry(t, kind, n, text))
			return no_memory(t);
	}
	if (p == end)
		return HD_OK;
bad:
	return damaged(t, HD_ERR_CORRUPT, t->chunk, "a table makes no sense");
}

/* --- events --- */

static const uint8_t *get_site(struct hd_site *s, const struct hd_site *before, const uint8_t *p,
			       const uint8_t *end)
{
	uint64_t pc, ctx, size, arg;
	uint8_t op;

	if (p == end)
		return NULL;
	op = *p++;
	if (!(p = hd_get_varint(p, end, &pc)) || !(p = hd_get_varint(p, end, &ctx)) ||
	    !(p = hd_get_varint(p, end, &size)) || !(p = hd_get_varint(p, end, &arg)))
		return NULL;
	pc = hd_unzigzag(pc) + before->pc;
	ctx = hd_unzigzag(ctx) + before->ctx;
	if (op >= HD_OP_LIMIT || !hd_op_info[op].name || ctx > UINT32_MAX || size > UINT32_MAX ||
	    arg > UINT16_MAX)
		return NULL;
	hd_site_init(s, pc, (uint32_t)ctx, (uint32_t)size, (uint16_t)arg, op);
	return p;
}

/* As many sites as a number in the chunk's columns can name, whatever it is. */
static bool room_for_sites(struct hd_trace *t)
{
	size_t want = t->nsites > 256 ? HD_CHUNK_EVENTS : 256;

	if (t->sites_room >= want)
		return true;
	free(t->sites);
	t->sites = calloc(want, sizeof(*t->sites));
	t->sites_room = t->sites ? want : 0;
	return t->sites != NULL;
}

static bool room_for_batch(struct hd_trace *t, uint32_t n)
{
	if (t->batch_room >= n)
		return true;
	free(t->batch);
	t->batch = malloc(n * sizeof(*t->batch));
	t->batch_room = t->batch ? n : 0;
	return t->batch != NULL;
}

/* So many of @n events are not foretold. */
static uint32_t count_odd(const uint8_t *hits, uint32_t n)
{
	uint32_t odd = 0;

	for (uint32_t i = 0; i < n; i += 8) {
		uint32_t bits = n - i < 8 ? (1u << (n - i)) - 1 : 0xff;

		odd += (uint32_t)__builtin_popcount(~(uint32_t)hits[i / 8] & bits);
	}
	return odd;
}

/* The columns behind those that are as long as the head says. False: they make no sense. */
static bool find_columns(struct hd_trace *t, const uint8_t *p, uint64_t left, uint32_t data)
{
	uint32_t odd = hd_load_le32(t->raw + 20), wide = t->nsites > 256 ? 3 : 2;

	t->plain_end = hd_load_le32(t->raw + 16);
	if (t->plain_end > t->left || odd > t->plain_end ||
	    left != (t->plain_end + 7) / 8 + (uint64_t)odd * wide + data)
		return false;
	t->hits = p;
	t->low = p + (t->plain_end + 7) / 8;
	t->high = t->low + odd;
	t->control = t->high + (wide == 3 ? odd : 0);
	t->data = t->control + odd;
	t->data_end = t->data + data;
	t->plain = t->nodd = t->site = 0;
	t->loop.left = 0;
	return count_odd(t->hits, t->plain_end) == odd;
}

/* Find the columns of the chunk in t->raw, and its sites. */
static enum hd_err open_events(struct hd_trace *t, const struct hd_chunk_header *h)
{
	static const struct hd_site none;
	const uint8_t *p = t->raw + HD_EVENT_HEAD_LEN, *sites_end;
	uint64_t left = h->raw, sites, runs;

	if (h->raw < HD_EVENT_HEAD_LEN)
		goto bad;
	left -= HD_EVENT_HEAD_LEN;
	t->nsites = hd_load_le32(t->raw);
	sites = hd_load_le32(t->raw + 4);
	runs = hd_load_le32(t->raw + 8);
	if (!t->nsites || t->nsites > HD_CHUNK_EVENTS || sites + runs > left)
		goto bad;
	if (!room_for_sites(t) || !room_for_batch(t, batch_of(h->count)))
		return no_memory(t);
	sites_end = p + sites;
	for (uint32_t i = 0; i < t->nsites; i++) {
		p = get_site(&t->sites[i], i ? &t->sites[i - 1] : &none, p, sites_end);
		if (!p)
			goto bad;
	}
	t->runs = sites_end;
	t->runs_end = sites_end + runs;
	t->left = h->count;
	t->run = 0;
	if (p != sites_end ||
	    !find_columns(t, t->runs_end, left - sites - runs, hd_load_le32(t->raw + 12)))
		goto bad;
	if (t->codec_used)
		memset(&t->codec, 0, sizeof(t->codec));
	t->codec_used = true;
	return HD_OK;
bad:
	t->left = 0;
	return damaged(t, HD_ERR_CORRUPT, t->chunk, "a chunk of events makes no sense");
}

/* @n plain events of one thread. Returns the highest site number met. */
static uint32_t decode_run(struct hd_trace *t, struct hd_event *out, uint32_t n)
{
	const uint8_t *data = t->data, *low = t->low, *high = t->high;
	const bool wide = t->nsites > 256;
	const uint32_t thread = t->thread, end = t->plain + n;
	uint32_t top = 0, site = t->site, odd = t->nodd;

	for (uint32_t i = t->plain; i < end; i++, out++) {
		struct hd_site *s = &t->sites[site];

		if (t->hits[i / 8] >> (i & 7) & 1) {
			site = s->next;
			s = &t->sites[site];
		} else {
			site = low[odd] | (wide ? (uint32_t)high[odd] << 8 : 0);
			s->next = (uint16_t)site;
			s = &t->sites[site];
			s->control = t->control[odd++];
			top = site > top ? site : top;
		}
		data = hd_decode_event(&t->codec, s, s->control, data, out);
		out->thread = thread;
	}
	t->data = data;
	t->plain = end;
	t->nodd = odd;
	t->site = site;
	return top;
}

/* @n events of the loop that has been begun. */
static void decode_loop(struct hd_trace *t, struct hd_event *out, uint32_t n)
{
	struct loop *l = &t->loop;

	for (uint32_t i = 0; i < n; i++) {
		struct loop_part *p = &l->parts[l->at];
		struct hd_site *s = &t->sites[p->site];

		out[i] = (struct hd_event){ .addr = p->addr,
					    .value = hd_load_le64(p->values) & s->mask,
					    .pc = s->pc,
					    .ctx = s->ctx,
					    .thread = t->thread,
					    .size = s->size,
					    .arg = s->arg,
					    .op = s->op };
		p->addr += p->step;
		p->values += (int64_t)p->step;
		l->at = l->at + 1 == l->n ? 0 : l->at + 1;
	}
	l->left -= n;
}

static const uint8_t *next_number(struct hd_trace *t, uint64_t *n)
{
	t->runs = hd_get_varint(t->runs, t->runs_end, n);
	return t->runs;
}

/* The values of @p, of @rounds, come next in the data. */
static bool take_values(struct hd_trace *t, struct loop_part *p, uint64_t rounds)
{
	struct hd_site *s = &t->sites[p->site];
	uint64_t len = p->step ? rounds * s->size : s->size, to_last = p->step * (rounds - 1);

	if (t->data > t->data_end || len > (uint64_t)(t->data_end - t->data))
		return false;
	p->values = (int64_t)p->step < 0 ? t->data + len - s->size : t->data;
	hd_site_after_loop(&t->codec, s, p->addr + to_last, p->step,
			   hd_load_le64(p->values + (int64_t)to_last) & s->mask);
	t->data += len;
	return true;
}

static bool next_part(struct hd_trace *t, struct loop_part *p)
{
	uint64_t site, addr, size;

	if (!next_number(t, &site) || site >= t->nsites || !next_number(t, &addr) ||
	    t->runs == t->runs_end || *t->runs > 2)
		return false;
	size = t->sites[site].size;
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return false;
	*p = (struct loop_part){ .addr = t->sites[site].addr + hd_unzigzag(addr),
				 .step = *t->runs == 2 ? -size : *t->runs * size,
				 .site = (uint32_t)site };
	t->runs++;
	return true;
}

/* A loop, in the column of runs; t->left is what there is room for. */
static bool next_loop(struct hd_trace *t)
{
	struct loop *l = &t->loop;
	uint64_t n, rounds;

	if (!next_number(t, &n) || !n || n > HD_LOOP_PARTS || !next_number(t, &rounds) || !rounds ||
	    rounds > t->left / n)
		return false;
	for (unsigned i = 0; i < n; i++) {
		if (!next_part(t, &l->parts[i]))
			return false;
	}
	for (unsigned i = 0; i < n; i++) {
		if (!take_values(t, &l->parts[i], rounds))
			return false;
	}
	l->n = (unsigned)n;
	l->at = 0;
	l->left = (uint32_t)(rounds * n);
	t->site = l->parts[n - 1].site;
	return true;
}

static bool next_run(struct hd_trace *t)
{
	uint64_t thread, run = 0;

	if (!next_number(t, &thread) || !next_number(t, &run) || thread > UINT32_MAX ||
	    run > t->plain_end - t->plain)
		return false;
	t->thread = (uint32_t)thread;
	t->run = (uint32_t)run;
	return run || next_loop(t);
}

/* The chunk is at its end: is there nothing that no event had? */
static bool all_used(const struct hd_trace *t)
{
	return t->runs == t->runs_end && t->data == t->data_end && t->plain == t->plain_end &&
	       !t->run && !t->loop.left;
}

/*
 * The next events of the current chunk. The sums are checked once for the batch:
 * until then a bad number can lead no further than into the slack or a stale site.
 */
static enum hd_err decode_batch(struct hd_trace *t, size_t *n)
{
	uint32_t want = t->left < BATCH ? t->left : BATCH, done = 0, top = 0;

	while (done < want) {
		uint32_t room = want - done, now, site;

		if (t->loop.left) {
			now = t->loop.left < room ? t->loop.left : room;
			decode_loop(t, t->batch + done, now);
			t->left -= now;
			done += now;
			continue;
		}
		if (!t->run) {
			if (!next_run(t))
				goto bad;
			continue;
		}
		now = t->run < room ? t->run : room;
		site = decode_run(t, t->batch + done, now);
		top = site > top ? site : top;
		done += now;
		t->run -= now;
		t->left -= now;
	}
	if (top >= t->nsites || t->data > t->data_end)
		goto bad;
	if (!t->left && !all_used(t))
		goto bad;
	*n = done;
	return HD_OK;
bad:
	t->left = 0;
	return damaged(t, HD_ERR_CORRUPT, t->chunk, "a chunk of events makes no sense");
}

/* Take in the chunk at t->offset. */
static enum hd_err next_chunk(struct hd_trace *t)
{
	struct hd_chunk_header h;

	if (load_chunk(t, &h))
		return t->error.code;
	if (h.kind == HD_CHUNK_EVENT) {
		t->events += h.count;
		return open_events(t, &h);
	}
	/* On later passes the tables are known already. */
	if (t->chunk >= t->known) {
		if (read_tables(t, &h))
			return t->error.code;
		t->known = t->offset;
	}
	if (h.kind == HD_CHUNK_END && t->offset != t->size)
		return damaged(t, HD_ERR_CORRUPT, t->offset, "something follows the end record");
	return HD_OK;
}

enum hd_err hd_trace_next(struct hd_trace *t, const struct hd_event **events, size_t *n,
			  struct hd_errbuf *eb)
{
	if (t->kept.next < t->kept.n) {
		*events = t->kept.batches[t->kept.next].events;
		*n = t->kept.batches[t->kept.next++].n;
		return HD_OK;
	}
	*n = 0;
	while (!t->error.code && !t->left && t->offset < t->size)
		next_chunk(t);
	if (!t->error.code && t->left) {
		t->decodings += !t->decoding;
		t->decoding = true;
		decode_batch(t, n);
	}
	*events = t->batch;
	if (t->kept.max && *n && !t->error.code)
		hd_kept_events_add(&t->kept, t->batch, *n);
	if (t->error.code && eb)
		*eb = t->error;
	return t->error.code;
}

static void decode_anew(struct hd_trace *t)
{
	struct hd_chunk_header h;

	if (t->error.code == HD_ERR_NOMEM)
		return;
	t->error.code = HD_OK;
	t->offset = HD_TRACE_HEADER_LEN;
	t->events = 0;
	t->left = 0;
	t->decoding = false;
	load_chunk(t, &h); /* the meta chunk: skip it again */
}

void hd_trace_rewind(struct hd_trace *t)
{
	if (t->kept.max)
		t->kept.next = 0; /* after the last that is kept, decoding goes on where it is */
	else
		decode_anew(t);
}

bool hd_trace_each(struct hd_trace *t, hd_trace_event_fn *fn, void *arg)
{
	const struct hd_event *ev;
	uint64_t index = 0;
	bool ok = true;
	size_t n;

	hd_trace_rewind(t);
	while (ok && hd_trace_next(t, &ev, &n, NULL) == HD_OK && n) {
		for (size_t i = 0; i < n && ok; i++)
			ok = fn(arg, &ev[i], index++);
	}
	hd_trace_rewind(t);
	return ok;
}

void hd_trace_keep(struct hd_trace *t, size_t bytes)
{
	hd_kept_events_drop(&t->kept);
	if (t->decoding)
		decode_anew(t);
	t->kept.max = bytes;
}

unsigned hd_trace_decodings(const struct hd_trace *t)
{
	return t->decodings;
}

/* --- opening and closing --- */

static enum hd_err check_file_header(struct hd_trace *t)
{
	const uint8_t *p;
	uint32_t version;

	if (t->size == 0)
		return hd_fail(&t->error, HD_ERR_TRUNCATED, "'%s' is empty: it ends at byte 0",
			       t->name);
	p = fetch(t, 0, t->size < HD_TRACE_HEADER_LEN ? t->size : HD_TRACE_HEADER_LEN, &t->packed,
		  &t->packed_room);
	if (!p)
		return t->error.code;
	if (memcmp(p, HD_TRACE_MAGIC, t->size < 6 ? t->size : 6) != 0)
		return hd_fail(&t->error, HD_ERR_NOT_TRACE,
			       "'%s' is not a heddle trace: it does not start with %s at byte 0",
			       t->name, HD_TRACE_MAGIC);
	if (t->size < HD_TRACE_HEADER_LEN)
		return damaged(t, HD_ERR_TRUNCATED, t->size, "the file header is not complete");
	version = p[6] | (uint32_t)p[7] << 8;
	if (version != HD_TRACE_VERSION)
		return hd_fail(
			&t->error, HD_ERR_VERSION,
			"'%s' is a trace of version %u (at byte 6); this heddle reads version %u",
			t->name, version, HD_TRACE_VERSION);
	return HD_OK;
}

static enum hd_err open_common(struct hd_trace *t)
{
	t->zstd = ZSTD_createDCtx();
	if (!t->zstd || !room_for_batch(t, 1)) /* no events are an array, too */
		return no_memory(t);
	if (check_file_header(t))
		return t->error.code;
	t->offset = HD_TRACE_HEADER_LEN;
	return next_chunk(t);
}

static struct hd_trace *new_trace(const char *name)
{
	struct hd_trace *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->fd = -1;
	t->name = strdup(name);
	if (!t->name) {
		free(t);
		return NULL;
	}
	return t;
}

static enum hd_err finish_open(struct hd_trace *t, struct hd_trace **out, struct hd_errbuf *eb)
{
	if (!t->error.code)
		open_common(t);
	if (t->error.code) {
		enum hd_err err = t->error.code;

		if (eb)
			*eb = t->error;
		hd_trace_close(t);
		return err;
	}
	*out = t;
	return HD_OK;
}

enum hd_err hd_trace_open(struct hd_trace **out, const char *path, struct hd_errbuf *eb)
{
	struct hd_trace *t = new_trace(path);
	struct stat st;

	*out = NULL;
	if (!t)
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory while opening '%s'", path);
	t->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (t->fd < 0 || fstat(t->fd, &st) != 0)
		hd_fail(&t->error, HD_ERR_IO, "cannot open '%s': %s", path, strerror(errno));
	else if (!S_ISREG(st.st_mode))
		hd_fail(&t->error, HD_ERR_IO, "cannot read '%s': it is not a regular file", path);
	else
		t->size = (uint64_t)st.st_size;
	return finish_open(t, out, eb);
}

enum hd_err hd_trace_open_mem(struct hd_trace **out, const void *data, size_t len,
			      struct hd_errbuf *eb)
{
	struct hd_trace *t = new_trace("trace in memory");

	*out = NULL;
	if (!t)
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory while opening a trace");
	t->mem = data;
	t->size = len;
	return finish_open(t, out, eb);
}

void hd_trace_close(struct hd_trace *t)
{
	if (!t)
		return;
	if (t->fd >= 0)
		close(t->fd);
	ZSTD_freeDCtx(t->zstd);
	hd_texts_free(&t->texts);
	hd_map_free(&t->strings);
	hd_map_free(&t->names);
	hd_map_free(&t->build_ids);
	hd_map_free(&t->context_of);
	hd_map_free(&t->site_of);
	hd_map_free(&t->drop_of);
	free(t->argv);
	free(t->options);
	free(t->contexts);
	free(t->site_names);
	free(t->drops);
	free(t->sites);
	free(t->batch);
	hd_kept_events_drop(&t->kept);
	free(t->packed);
	free(t->raw);
	free(t->name);
	free(t);
}

/* --- what the tables say --- */

int hd_trace_argc(const struct hd_trace *t)
{
	return (int)t->argc;
}

const char *hd_trace_argv(const struct hd_trace *t, int i)
{
	return i >= 0 && (size_t)i < t->argc ? t->argv[i] : NULL;
}

const char *hd_trace_option(const struct hd_trace *t, const char *key)
{
	for (size_t i = 0; i < t->noptions; i++) {
		if (!strcmp(t->options[i].key, key))
			return t->options[i].value;
	}
	return NULL;
}

size_t hd_trace_noptions(const struct hd_trace *t)
{
	return t->noptions;
}

void hd_trace_option_at(const struct hd_trace *t, size_t i, const char **key, const char **value)
{
	*key = i < t->noptions ? t->options[i].key : NULL;
	*value = i < t->noptions ? t->options[i].value : NULL;
}

const char *hd_trace_string(const struct hd_trace *t, uint64_t id)
{
	return hd_texts_get(&t->texts, (uint32_t)hd_map_get(&t->strings, id));
}

bool hd_trace_context(const struct hd_trace *t, uint32_t ctx, uint32_t *parent, uint64_t *pc)
{
	uint64_t at = hd_map_get(&t->context_of, ctx);

	*parent = at ? t->contexts[at - 1].parent : 0;
	*pc = at ? t->contexts[at - 1].pc : 0;
	return at != 0;
}

const char *hd_trace_name(const struct hd_trace *t, uint64_t addr)
{
	return hd_texts_get(&t->texts, (uint32_t)hd_map_get(&t->names, addr));
}

bool hd_trace_site(const struct hd_trace *t, uint64_t pc, const char **file, uint32_t *line)
{
	uint64_t at = hd_map_get(&t->site_of, pc);

	*file = at ? hd_texts_get(&t->texts, t->site_names[at - 1].file) : NULL;
	*line = at ? t->site_names[at - 1].line : 0;
	return at != 0;
}

const char *hd_trace_build_id(const struct hd_trace *t, uint64_t base)
{
	return hd_texts_get(&t->texts, (uint32_t)hd_map_get(&t->build_ids, base));
}

size_t hd_trace_ndrops(const struct hd_trace *t)
{
	return t->ndrops;
}

void hd_trace_drop_at(const struct hd_trace *t, size_t i, const char **reason, uint64_t *n)
{
	*reason = i < t->ndrops ? t->drops[i].reason : NULL;
	*n = i < t->ndrops ? t->drops[i].n : 0;
}

bool hd_trace_ended(const struct hd_trace *t, int *exited, int *code, uint64_t *start_time)
{
	*exited = t->ended ? t->exited : -1;
	*code = t->ended ? t->code : 0;
	*start_time = t->ended ? t->start_time : 0;
	return t->ended;
}
