/*
 * How an event becomes a few bytes: the pure encodings, free of files and memory
 * management, so that a test can include them and round-trip random values.
 *
 * Events of one chunk are split into columns. What an instruction always does
 * alike (pc, operation, size, argument, context) is a *site*, sent once per chunk
 * and then named by a number below 2^16. Most often it is the site that followed the one before
 * the last time, and does what it did: that is one bit. What varies is guessed from the site:
 *
 *   address  the site's last address plus its last stride, else a difference to
 *            the site's last address or to the event before, whichever is shorter
 *   value    what was last seen at that address, else a difference to the site's
 *            last value
 *
 * A guess that holds costs nothing but its place in the control byte:
 *
 *   bits 0-3  address: 0 guessed; 1-6 a difference to the site's last address of
 *             1, 2, 3, 4, 6, 8 bytes; 8 the address of the event before; 9-14 a
 *             difference to it
 *   bits 4-6  value: 0 guessed; 1-6 a difference as above; 7 eight bytes as they are
 *   bit 7     value2 is not zero: its difference to value follows, as a varint
 *
 * All state starts afresh in each chunk, so damage to one does not spread.
 */
#ifndef HD_TRACE_EVENT_CODEC_H
#define HD_TRACE_EVENT_CODEC_H

#include <stdbool.h>
#include <string.h>

#include "common/hash.h"
#include "event.h"

/*
 * 2^16 events in a chunk: so at most 2^16 sites, which fit two bytes each. A full
 * chunk is closed and the next one begun; numbers never wrap.
 */
#define HD_CHUNK_EVENTS 65536u

#define HD_VALUE_SLOTS_LOG 14
#define HD_VALUE_SLOTS	   (1u << HD_VALUE_SLOTS_LOG)

/* The most an event takes in the data column: 8 address, 8 value, 10 value2. */
#define HD_EVENT_DATA_MAX 26u

struct hd_site {
	uint64_t raw[2]; /* the encoder's: how the ring's records of it end (ring.h), or 0 */
	uint64_t addr, stride, value; /* of its last event */
	uint64_t mask;		      /* the bits a value of this size can have */
	uint16_t next;		      /* the site that followed last time */
	uint8_t shift;		      /* 64 - bits of mask */
	uint8_t control;	      /* of its last event */
	uint8_t op;
	uint16_t arg;
	uint32_t slot; /* the encoder's: where it is in the hash */
	uint64_t pc;
	uint32_t ctx, size;
};

/* What encoder and decoder carry from event to event besides the sites. */
struct hd_codec {
	uint64_t prev_addr; /* the last address that was not 0 */
	uint64_t values
		[HD_VALUE_SLOTS]; /* last value by address; a guess, so collisions are harmless */
};

/*
 * Loops of at least so many rounds are written as a whole: where each access begins, and the bytes that they
 * read and wrote as they were in memory. In shorter ones what is known foretells much of that.
 */
#define HD_LOOP_ROUNDS 32u

/* What a site knows after its part of a loop, whose last access was at @addr. */
static inline void hd_site_after_loop(struct hd_codec *c, struct hd_site *s, uint64_t addr,
				      uint64_t step, uint64_t value)
{
	s->addr = addr;
	s->stride = step;
	s->value = value;
	c->prev_addr = addr ? addr : c->prev_addr;
}

static inline uint64_t hd_zigzag(uint64_t d)
{
	return (d << 1) ^ (uint64_t)((int64_t)d >> 63);
}

static inline uint64_t hd_unzigzag(uint64_t z)
{
	return (z >> 1) ^ (0 - (z & 1));
}

static inline uint8_t *hd_put_varint(uint8_t *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}

/* NULL: it does not end before @end, or is longer than 64 bits. */
static inline const uint8_t *hd_get_varint(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	uint64_t out = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (p == end)
			return NULL;
		if (shift == 63 && *p > 1)
			return NULL;
		out |= (uint64_t)(*p & 0x7f) << shift;
		if (*p++ < 0x80) {
			*v = out;
			return p;
		}
	}
	return NULL;
}

static inline uint64_t hd_load_le64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

static inline void hd_store_le64(uint8_t *p, uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	memcpy(p, &v, 8);
}

static inline uint32_t hd_load_le32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline void hd_store_le32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> (8 * i));
}

/* Bytes taken by class 0 .. 7 of a control byte, and the masks to cut them out of eight. */
static const uint8_t hd_class_len[8] = { 0, 1, 2, 3, 4, 6, 8, 8 };
static const uint64_t hd_class_mask[8] = { 0,	       0xff,	       0xffff, 0xffffff,
					   0xffffffff, 0xffffffffffff, ~0ull,  ~0ull };

/* The smallest class that holds @z (never 0, which means guessed). */
static inline unsigned hd_class_of(uint64_t z)
{
	static const uint8_t by_bytes[9] = { 1, 1, 2, 3, 4, 5, 5, 6, 6 };

	return by_bytes[(64 + 7 - (unsigned)__builtin_clzll(z | 1)) / 8];
}

static inline void hd_site_init(struct hd_site *s, uint64_t pc, uint32_t ctx, uint32_t size,
				uint16_t arg, uint8_t op)
{
	uint8_t shift = size >= 1 && size < 8 ? (uint8_t)(64 - 8 * size) : 0;

	*s = (struct hd_site){ .pc = pc,
			       .ctx = ctx,
			       .size = size,
			       .arg = arg,
			       .op = op,
			       .mask = ~0ull >> shift,
			       .shift = shift };
}

static inline bool hd_site_is(const struct hd_site *s, const struct hd_event *ev)
{
	return s->pc == ev->pc && s->ctx == ev->ctx && s->size == ev->size && s->arg == ev->arg &&
	       s->op == ev->op;
}

static inline uint32_t hd_site_hash(const struct hd_event *ev)
{
	return (uint32_t)(hd_hash_triple(ev->pc, (uint64_t)ev->ctx << 32 | ev->size,
					 (uint64_t)ev->arg << 8 | ev->op) >>
			  32);
}

static inline uint64_t *hd_value_slot(struct hd_codec *c, uint64_t addr)
{
	return &c->values[hd_hash_bits(addr, HD_VALUE_SLOTS_LOG)];
}

/*
 * Append what varies of @ev, an event of site @s, at @p; at most HD_EVENT_DATA_MAX
 * bytes, but up to 8 more are overwritten. Sets the control byte.
 */
static inline __attribute__((always_inline)) uint8_t *hd_encode_event(struct hd_codec *c,
								      struct hd_site *s,
								      const struct hd_event *ev,
								      uint8_t *p, uint8_t *control)
{
	uint64_t step = ev->addr - s->addr, *slot = hd_value_slot(c, ev->addr), z;
	unsigned code = 0, vcode = 0;

	if (step != s->stride) {
		uint64_t near = hd_zigzag(ev->addr - c->prev_addr);

		z = hd_zigzag(step);
		code = hd_class_of(z);
		if (near < z) {
			code = near ? 8 + hd_class_of(near) : 8;
			z = near;
		}
		hd_store_le64(p, z);
		p += hd_class_len[code & 7];
		s->stride = step;
	}
	s->addr = ev->addr;
	if (ev->addr)
		c->prev_addr = ev->addr;
	if (ev->value != *slot) {
		z = hd_zigzag(
			(uint64_t)((int64_t)((ev->value - s->value) << s->shift) >> s->shift));
		vcode = hd_class_of(z);
		if (ev->value & ~s->mask) {
			vcode = 7;
			z = ev->value;
		}
		hd_store_le64(p, z);
		p += hd_class_len[vcode];
	}
	s->value = ev->value;
	*slot = ev->value;
	if (ev->value2) {
		vcode |= 8;
		p = hd_put_varint(p, hd_zigzag(ev->value2 - ev->value));
		*slot = ev->value2;
	}
	*control = (uint8_t)(code | vcode << 4);
	return p;
}

/* Value2's part of decoding: rare, so out of the way. Reads at most 10 bytes. */
static inline const uint8_t *hd_decode_value2(uint64_t *value2, uint64_t value, const uint8_t *p)
{
	uint64_t z = 0;
	const uint8_t *q = hd_get_varint(p, p + 10, &z);

	*value2 = value + hd_unzigzag(z);
	return q ? q : p + 10;
}

/*
 * The inverse: fill @ev but for its thread from @control and the bytes at @p.
 * Reads up to HD_EVENT_DATA_MAX + 8 bytes; whatever they are, it does no harm.
 */
static inline const uint8_t *hd_decode_event(struct hd_codec *c, struct hd_site *s, uint8_t control,
					     const uint8_t *p, struct hd_event *ev)
{
	unsigned code = control & 15, vcode = control >> 4 & 7;
	uint64_t base = code & 8 ? c->prev_addr : s->addr + (code ? 0 : s->stride), *slot, raw, v;
	uint64_t addr = base + hd_unzigzag(hd_load_le64(p) & hd_class_mask[code & 7]);

	p += hd_class_len[code & 7];
	s->stride = addr - s->addr;
	s->addr = addr;
	if (addr)
		c->prev_addr = addr;
	slot = hd_value_slot(c, addr);
	raw = hd_load_le64(p) & hd_class_mask[vcode];
	p += hd_class_len[vcode];
	v = (s->value + hd_unzigzag(raw)) & s->mask;
	v = vcode == 7 ? raw : v;
	v = vcode == 0 ? *slot : v;
	s->value = v;
	*slot = v;
	*ev = (struct hd_event){ .addr = addr,
				 .value = v,
				 .pc = s->pc,
				 .ctx = s->ctx,
				 .size = s->size,
				 .arg = s->arg,
				 .op = s->op };
	if (__builtin_expect(control & 0x80, 0)) {
		p = hd_decode_value2(&ev->value2, v, p);
		*slot = ev->value2;
	}
	return p;
}

#endif
