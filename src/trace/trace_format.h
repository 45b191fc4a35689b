/*
 * The layout of a trace file, for its writer and its reader; docs/reference/format.md tells it.
 */
#ifndef HD_TRACE_FORMAT_H
#define HD_TRACE_FORMAT_H

#include "common/hash.h"
#include "event_codec.h"

#define HD_TRACE_MAGIC	    "HEDDLE"
#define HD_TRACE_VERSION    2u
#define HD_TRACE_HEADER_LEN 8u
#define HD_CHUNK_HEADER_LEN 32u

/* The longest text of a table entry; a longer one is refused with HD_ERR_LIMIT. */
#define HD_TRACE_TEXT_MAX (1u << 20)

/*
 * What a chunk may hold before compression. Events: 65536 times at most 24 bytes of
 * site, 10 of run, 4 of columns and 26 of data. Tables: cut at 1 MiB, after which one
 * more entry may have gone in. Meta and end are tables too.
 */
#define HD_CHUNK_RAW_EVENTS (HD_CHUNK_EVENTS * 64u)
#define HD_CHUNK_RAW_TABLES (HD_TRACE_TEXT_MAX + HD_TRACE_TEXT_MAX + 64u)

enum hd_chunk_kind {
	HD_CHUNK_META = 0x4154454d,  /* "META" */
	HD_CHUNK_TABLE = 0x4c424154, /* "TABL" */
	HD_CHUNK_EVENT = 0x544e5645, /* "EVNT" */
	HD_CHUNK_END = 0x21444e45,   /* "END!" */
};

/* The entries of META, TABLE and END chunks. */
enum hd_table_kind {
	HD_TABLE_ARG = 1,  /* text */
	HD_TABLE_OPTION,   /* key, value: text */
	HD_TABLE_STRING,   /* id, text */
	HD_TABLE_CONTEXT,  /* ctx, parent, pc */
	HD_TABLE_NAME,	   /* addr, text */
	HD_TABLE_SITE,	   /* pc, line, text */
	HD_TABLE_BUILD_ID, /* base, text */
	HD_TABLE_DROP,	   /* count, text */
	HD_TABLE_END,	   /* zigzag exited, zigzag code, start time */
};

struct hd_chunk_header {
	uint32_t kind;
	uint32_t count;	 /* events or entries */
	uint32_t raw;	 /* bytes before compression */
	uint32_t packed; /* bytes that follow the header */
	uint64_t first;	 /* events in all chunks before it */
};

/*
 * Bytes at the start of an event chunk: sites, bytes of sites, of runs, of data, events that are not of a
 * loop, those of them that are told of.
 */
#define HD_EVENT_HEAD_LEN 24u

/* What an event counts for in a file that unpacks to too much, however few bytes it has. */
#define HD_EVENT_LEAST 2u

/* A check over the header's fields, so that no length is believed that was not written. */
static inline uint64_t hd_chunk_check(const uint8_t *p)
{
	uint64_t h = 0x6865646431ull;

	for (int i = 0; i < 24; i += 8) {
		h = hd_hash_next(h, hd_load_le64(p + i));
		h ^= h >> 29;
	}
	return h;
}

static inline void hd_chunk_header_put(uint8_t *p, const struct hd_chunk_header *h)
{
	hd_store_le32(p, h->kind);
	hd_store_le32(p + 4, h->count);
	hd_store_le32(p + 8, h->raw);
	hd_store_le32(p + 12, h->packed);
	hd_store_le64(p + 16, h->first);
	hd_store_le64(p + 24, hd_chunk_check(p));
}

static inline bool hd_chunk_header_get(const uint8_t *p, struct hd_chunk_header *h)
{
	h->kind = hd_load_le32(p);
	h->count = hd_load_le32(p + 4);
	h->raw = hd_load_le32(p + 8);
	h->packed = hd_load_le32(p + 12);
	h->first = hd_load_le64(p + 16);
	return hd_load_le64(p + 24) == hd_chunk_check(p);
}

#endif
